/** The supervisor of `rialto cluster demo`, as the nodes that it started reach it. */
import { readFileSync } from "node:fs";
import type { OperatorAnswer } from "../../api/operator/routes.ts";
import type { DemoAccount } from "../../sandbox/index.ts";

export type StartedProcess = OperatorAnswer<"startDemoProcess">;

/** What it tells about the start of a process. */
export interface ToldStart {
  readonly entry?: StartedProcess;
  /** No process has that name: these have. */
  readonly unknown?: string;
  readonly failure?: string;
}

export interface DemoParent {
  /** With printed keys. */
  readonly accounts: readonly DemoAccount[];
  start(name: string): Promise<ToldStart>;
}

let requests = 0;

/** Null in a node that was not started by a demo, which names the file of what it keeps. */
export function demoParent(): DemoParent | null {
  const kept = process.env.RIALTO_CLUSTER_DEMO;
  if (kept === undefined || process.send === undefined) return null;
  const { accounts } = JSON.parse(readFileSync(kept, "utf8")) as Pick<DemoParent, "accounts">;
  return {
    accounts,
    start: (name) =>
      new Promise<ToldStart>((resolve) => {
        const id = ++requests;
        const receive = (told: ToldStart & { readonly id?: number }): void => {
          if (told.id !== id) return;
          process.off("message", receive);
          resolve(told);
        };
        process.on("message", receive);
        process.send?.({ id, startDemo: name });
      }),
  };
}
