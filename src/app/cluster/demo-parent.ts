/** The supervisor of `rialto cluster demo`, as the nodes that it started reach it. */
import type { OperatorAnswer } from "../../api/operator/routes.ts";

export type StartedProcess = OperatorAnswer<"startDemoProcess">;

/** What it tells about the start of a process. */
export interface ToldStart {
  readonly entry?: StartedProcess;
  /** No process has that name: these have. */
  readonly unknown?: string;
  readonly failure?: string;
}

export interface DemoParent {
  start(name: string): Promise<ToldStart>;
}

let requests = 0;

/** Null in a node that was not started by a demo. */
export function demoParent(): DemoParent | null {
  if (process.env.RIALTO_CLUSTER_DEMO !== "1" || process.send === undefined) return null;
  return {
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
