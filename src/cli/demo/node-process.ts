/** One exchange of the demo: a process of `rialto start --node`, with a channel to the demo. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { CommandFailed } from "../failure.ts";

/** A node that another one relieved: started again, it follows. */
const START_AGAIN = 75;
const START_MS = 60_000;
const PAUSE_MS = 500;

export interface NodePlace {
  readonly node: string;
  readonly port: number;
  readonly operatorPort: number;
  readonly flags: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** Where what it writes goes. */
  readonly log: string;
  readonly say: (line: string) => void;
  /** A node asks for the start of a process; resolves with what it is told. */
  readonly onStart: (name: string) => Promise<object>;
}

interface Request {
  readonly id: number;
  readonly startDemo: string;
}

export class NodeProcess {
  readonly node: string;
  readonly port: number;
  readonly operatorPort: number;
  readonly #place: NodePlace;
  #child: ChildProcess | null = null;
  #starting: Promise<void> | null = null;
  #isStopping = false;

  constructor(place: NodePlace) {
    this.node = place.node;
    this.port = place.port;
    this.operatorPort = place.operatorPort;
    this.#place = place;
  }

  get pid(): number | null {
    return this.#child?.pid ?? null;
  }

  /** Resolves when it serves, also if it runs already. */
  start(): Promise<void> {
    this.#starting ??= this.#start().catch((error: Error) => {
      this.#starting = null;
      throw error;
    });
    return this.#starting;
  }

  async #start(): Promise<void> {
    const { env, flags, log, onStart } = this.#place;
    const output = openSync(log, "a", 0o600);
    const command = [...process.execArgv, process.argv[1] as string, "start", ...flags];
    const child = spawn(process.execPath, command, {
      env,
      detached: true,
      stdio: ["ignore", "pipe", output, "ipc"],
    });
    closeSync(output);
    this.#child = child;
    child.on("message", ({ id, startDemo }: Request) => {
      void onStart(startDemo).then((told) => {
        if (child.connected) child.send({ id, ...told }, () => undefined);
      });
    });
    const isReady = Promise.withResolvers<boolean>();
    child.stdout?.on("data", (chunk: Buffer) => {
      if (chunk.toString("utf8").includes('"event":"ready"')) isReady.resolve(true);
    });
    child.once("exit", (code, signal) => {
      isReady.resolve(false);
      this.#ended(child, code, signal);
    });
    const timer = setTimeout(() => child.kill("SIGKILL"), START_MS);
    const served = await isReady.promise;
    clearTimeout(timer);
    if (served) return;
    throw new CommandFailed("node", `${this.node} did not start: see ${log}.`);
  }

  #ended(child: ChildProcess, code: number | null, signal: NodeJS.Signals | null): void {
    if (this.#child !== child) return;
    this.#child = null;
    this.#starting = null;
    if (this.#isStopping) return;
    const { say } = this.#place;
    if (code !== START_AGAIN) {
      say(`${this.node} ended with ${code ?? signal}`);
      return;
    }
    say(`${this.node} leads no more, and is started again`);
    void this.#startAgain();
  }

  async #startAgain(): Promise<void> {
    await sleep(PAUSE_MS);
    if (this.#isStopping) return;
    // One that ends with 75 while it starts is started again by its end.
    await this.start().catch(() => undefined);
  }

  async stop(patienceMs: number): Promise<void> {
    this.#isStopping = true;
    const child = this.#child;
    if (child === null) return;
    const ended = once(child, "exit");
    child.kill("SIGTERM");
    const timer = setTimeout(() => child.kill("SIGKILL"), patienceMs);
    await ended;
    clearTimeout(timer);
  }
}
