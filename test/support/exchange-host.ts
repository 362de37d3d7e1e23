/**
 * One process for the exchanges of a test file that need none of their own: Node, its modules and
 * what V8 made of them start once. It runs `cli/several-exchanges`, as the test kit does.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { dirname, extname, join } from "node:path";
import { type Exit, type ReadyLine, type Run, StartRefused } from "./exchange-run.ts";
import { PROGRAM } from "./program.ts";
import { ROOT } from "./root.ts";

const HOST = join(dirname(PROGRAM), `several-exchanges${extname(PROGRAM)}`);
const KEPT_OUTPUT_CHARACTERS = 20_000;

type Task = { readonly id: number } & (
  | { readonly start: readonly string[] }
  | { readonly stop: true }
);

interface Reply {
  readonly id: number;
  readonly ready?: ReadyLine;
  readonly failure?: string;
}

class Host {
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, (reply: Reply) => void>();
  /** Why it ended; null while it runs. */
  #end: string | null = null;
  #starts = 0;
  output = "";

  constructor() {
    this.#child = spawn(process.execPath, [HOST], {
      cwd: ROOT,
      stdio: ["ignore", "pipe", "pipe", "ipc"],
    });
    process.on("exit", () => this.#child.kill("SIGKILL"));
    // Waited for, so that its processor time counts as the file's.
    process.once("beforeExit", () => {
      this.#holdTest(true);
      this.#child.kill("SIGKILL");
    });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.on("data", (chunk: Buffer) => {
        this.output = (this.output + chunk.toString("utf8")).slice(-KEPT_OUTPUT_CHARACTERS);
      });
    }
    this.#child.on("message", (message: Reply) => this.#waiting.get(message.id)?.(message));
    this.#child.once("close", (code, signal) => this.#ended(code ?? signal));
    this.#holdTest(false);
  }

  start(flags: readonly string[]): Promise<Reply> {
    this.#starts++;
    return this.#call({ id: this.#starts, start: flags });
  }

  /** `id` is that of its start. */
  stop(id: number): Promise<Reply> {
    return this.#call({ id, stop: true });
  }

  async #call(task: Task): Promise<Reply> {
    const { id } = task;
    if (this.#end !== null) return { id, failure: this.#end };
    const reply = new Promise<Reply>((resolve) => this.#waiting.set(id, resolve));
    this.#child.send(task);
    this.#holdTest(true);
    const answer = await reply;
    this.#waiting.delete(id);
    this.#holdTest(this.#waiting.size > 0);
    return answer;
  }

  #ended(how: number | string | null): void {
    const failure = `the process of the file's exchanges ended with ${how}`;
    this.#end = failure;
    for (const [id, take] of this.#waiting) take({ id, failure });
  }

  /** An exchange that a file does not stop does not keep the file from ending. */
  #holdTest(holds: boolean): void {
    const { channel, stderr, stdout } = this.#child;
    // Pipes are sockets, although their type does not say so.
    const pipes = [stdout, stderr] as unknown as { ref(): unknown; unref(): unknown }[];
    for (const handle of [this.#child, ...pipes, ...(channel ? [channel] : [])]) {
      if (holds) handle.ref();
      else handle.unref();
    }
  }
}

let host: Host | null = null;

class HostedRun implements Run {
  readonly exited: Promise<Exit>;
  readonly #host: Host;
  readonly #started: Promise<Reply>;
  readonly #ended = Promise.withResolvers<Exit>();
  exit: Exit | null = null;

  constructor(of: Host, flags: readonly string[]) {
    this.#host = of;
    this.#started = of.start(flags);
    this.exited = this.#ended.promise;
  }

  /** That of all exchanges in the process. */
  get output(): string {
    return this.#host.output;
  }

  async ready(): Promise<ReadyLine> {
    const { failure = "", ready } = await this.#started;
    if (ready !== undefined) return ready;
    throw new StartRefused({ code: 1, signal: null, output: `${failure}\n${this.output}` });
  }

  signal(signal: NodeJS.Signals): void {
    if (signal !== "SIGTERM") throw new Error(`${signal} needs an exchange of its own process`);
    void this.kill(signal);
  }

  async kill(signal: NodeJS.Signals): Promise<Exit> {
    if (signal !== "SIGTERM") throw new Error(`${signal} needs an exchange of its own process`);
    if (this.exit !== null) return this.exit;
    const { id } = await this.#started;
    const { failure } = await this.#host.stop(id);
    if (failure !== undefined) throw new Error(`${failure}:\n${this.output}`);
    this.exit = { code: 0, signal: null, output: this.output };
    this.#ended.resolve(this.exit);
    return this.exit;
  }
}

/** Starts an exchange with these flags of `rialto start` in the file's process. */
export function startHosted(flags: readonly string[]): Run {
  host ??= new Host();
  return new HostedRun(host, flags);
}
