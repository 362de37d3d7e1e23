/**
 * What is kept of an exchange whose test failed: its state in a file that another exchange begins
 * with, its log, and the requests that it answered.
 */
import { cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { LoggedRequest } from "./request-log.ts";

/** Of node:test, the context that it gives to a test. */
interface NodeTestContext {
  readonly name: string;
  readonly fullName?: string;
  readonly error?: unknown;
  after(work: () => Promise<void>): unknown;
}

/** Of vitest, the context that it gives to a test. */
interface VitestContext {
  readonly task: {
    readonly name: string;
    readonly result?: { readonly state: string } | undefined;
  };
  onTestFinished(work: () => Promise<void>): unknown;
}

/** What node:test or vitest gives to a test as its first argument. */
export type RunningTest = NodeTestContext | VitestContext;

/** Calls back when the test and its hooks have ended, with its name if it failed. */
export function whenEnded(test: RunningTest, work: (failed: string | null) => Promise<void>): void {
  if ("task" in test) {
    const { task } = test;
    test.onTestFinished(() => work(task.result?.state === "fail" ? task.name : null));
  } else {
    const { fullName, name } = test;
    test.after(() => work((test.error ?? null) === null ? null : (fullName ?? name)));
  }
}

/** What is kept. */
export interface Keepable {
  readonly dataFolder: string;
  readonly operatorUrl: string;
  readonly operatorToken: string;
  readonly output: string;
  requests(): Promise<readonly LoggedRequest[]>;
}

const FOLDER = "rialto-failures";
const NAME_CHARACTERS_MAX = 80;
const PRIVATE = { mode: 0o600 };

/** Kept by this process; an earlier run's are replaced. */
const kept = new Set<string>();

/** Resolves with the folder, after it has printed how to open the state. */
export async function keepExchange(exchange: Keepable, name: string): Promise<string> {
  const folder = newFolder(name);
  const state = join(folder, "state.rialto");
  const opening = [`npx rialto start --sandbox --from ${state} --data-dir ${folder}/opened`];
  const notes: string[] = [];
  try {
    writeFileSync(state, await readState(exchange), PRIVATE);
    const requests = JSON.stringify(await exchange.requests(), null, 2);
    writeFileSync(join(folder, "requests.json"), `${requests}\n`, PRIVATE);
  } catch (error) {
    opening.length = 0;
    notes.push(`Without a state file: ${error instanceof Error ? error.message : error}`);
    // It has ended, or is no sandbox; what is in its folder opens where it has ended.
    if (existsSync(exchange.dataFolder)) {
      cpSync(exchange.dataFolder, join(folder, "data"), { recursive: true });
      opening.push(`npx rialto start --sandbox --data-dir ${folder}/data`);
    }
  }
  writeFileSync(join(folder, "log.txt"), exchange.output, PRIVATE);
  const lines = [`The exchange of "${name}" is kept in ${folder}.`, ...notes, ...opening];
  process.stderr.write(`${lines.map((line) => `rialto: ${line}`).join("\n")}\n`);
  return folder;
}

function newFolder(name: string): string {
  const plain = name.replaceAll(/[^\p{L}\p{N}]+/gu, "-").replaceAll(/^-|-$/g, "");
  const short = plain.slice(0, NAME_CHARACTERS_MAX) || "test";
  const parent = resolve(process.env.RIALTO_KEEP_FOLDER ?? FOLDER);
  let folder = join(parent, short);
  for (let n = 2; kept.has(folder); n++) folder = join(parent, `${short}-${n}`);
  kept.add(folder);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return folder;
}

async function readState({ operatorUrl, operatorToken }: Keepable): Promise<Uint8Array> {
  const headers = { Authorization: `Bearer ${operatorToken}` };
  const answer = await fetch(`${operatorUrl}/operator/v1/sandbox/state`, { headers });
  if (answer.ok) return new Uint8Array(await answer.arrayBuffer());
  const { error } = (await answer.json()) as { readonly error: { readonly message: string } };
  throw new Error(error.message);
}
