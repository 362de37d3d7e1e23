/**
 * `rialto cluster demo` as users run it: one process that starts three exchanges over three nodes
 * of PostgreSQL. What is killed comes back when the demo is asked for it.
 */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, readdirSync, readFileSync } from "node:fs";
import type { Readable } from "node:stream";
import type { ClusterReady, NodeEntry, PostgresEntry } from "../../src/cli/demo/cluster-demo.ts";
import type { GetClusterAnswer } from "../../src/client/index.ts";
import { NoAnswer } from "./http-exchange.ts";
import { OperatorClient } from "./operator-client.ts";
import { folderForPostgres } from "./postgres-programs.ts";
import { PROGRAM } from "./program.ts";
import { waitUntil } from "./wait-until.ts";

const READY_MS = 900_000;
const live = new Set<ChildProcess>();

// Its children end with it.
process.on("exit", () => {
  for (const child of live) child.kill("SIGKILL");
});

/** Another program than that of the tests. */
interface Installed {
  readonly program?: string;
  readonly env?: NodeJS.ProcessEnv;
}

export interface DemoEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export class DemoCluster {
  readonly ready: ClusterReady;
  readonly dataFolder: string;
  readonly #child: ChildProcess;
  readonly #output: string[];
  readonly #pids = new Map<string, number>();

  private constructor(
    child: ChildProcess,
    dataFolder: string,
    ready: ClusterReady,
    output: string[],
  ) {
    this.#child = child;
    this.dataFolder = dataFolder;
    this.ready = ready;
    this.#output = output;
    for (const { node, pid } of ready.nodes) this.#pids.set(node, pid);
    for (const { name, pid } of ready.postgres) this.#pids.set(name, pid);
  }

  /** Without rate limits; other flags as given. */
  static async start(
    flags: readonly string[] = [],
    dataFolder = demoFolder(),
    { program = PROGRAM, env = process.env }: Installed = {},
  ): Promise<DemoCluster> {
    const child = launch(program, env, dataFolder, flags);
    const output: string[] = [];
    child.stderr?.on("data", (chunk: Buffer) => output.push(chunk.toString("utf8")));
    const ready = await readyLine(child, output);
    return new DemoCluster(child, dataFolder, ready, output);
  }

  /** One that is asked to stop as soon as it has said that it starts. */
  static async stopAtStart(): Promise<DemoEnd> {
    const folder = demoFolder();
    const child = launch(PROGRAM, process.env, folder, []);
    const [said] = await once(child.stderr as Readable, "data");
    assert.match(String(said), /starting three nodes of PostgreSQL/);
    const ended = once(child, "exit");
    child.kill("SIGTERM");
    const [code, signal] = (await ended) as [number | null, NodeJS.Signals | null];
    await waitUntil("nothing runs in its folder", async () => !isUsed(folder));
    return { code, signal };
  }

  get pid(): number {
    return this.#child.pid as number;
  }

  /** What the demo has said. */
  get output(): string {
    return this.#output.join("");
  }

  /** All processes that it has at present. */
  get pids(): readonly number[] {
    return [...this.#pids.values()];
  }

  node(name: string): NodeEntry {
    const found = this.ready.nodes.find(({ node }) => node === name);
    if (found === undefined) throw new Error(`there is no node ${name}`);
    return found;
  }

  /** Over a connection of its own. */
  async operator<Value>(
    name: string,
    work: (operator: OperatorClient) => Promise<Value>,
  ): Promise<Value> {
    const operator = new OperatorClient(this.node(name).operatorPort, this.ready.operatorToken);
    try {
      return await work(operator);
    } finally {
      operator.close();
    }
  }

  /** As a node sees it. */
  view(name: string): Promise<GetClusterAnswer> {
    return this.operator(name, (operator) => operator.call("GET", "/operator/v1/cluster"));
  }

  /** The name of the leader that every live node names, but for one that is not asked. */
  async leader(besides = ""): Promise<string> {
    let leader = "";
    await waitUntil("all nodes name one leader", async () => {
      const views = await this.#views(besides);
      leader = views[0]?.leader ?? "";
      const isKnown = views.every((view) => {
        const row = view.nodes.find(({ node }) => node === leader);
        return view.leader === leader && row?.role === "leader" && row.confirmed;
      });
      return leader !== "" && leader !== besides && isKnown;
    });
    return leader;
  }

  /** Of the nodes that answer. */
  async #views(besides = ""): Promise<readonly GetClusterAnswer[]> {
    const names = this.ready.nodes.map(({ node }) => node).filter((node) => node !== besides);
    const views = await Promise.all(names.map((name) => this.view(name).catch(() => null)));
    return views.filter((view) => view !== null);
  }

  /** The name of the PostgreSQL that is written. */
  async primary(): Promise<string> {
    const [view] = await this.#views();
    return view?.postgres.find(({ role, sync }) => role === "primary" && sync)?.name ?? "";
  }

  /** With all nodes there, and both standbys counting. */
  async whole(): Promise<void> {
    await waitUntil("the cluster is whole", async () => {
      const views = await this.#views();
      const isWhole = ({ nodes, postgres, quorum }: GetClusterAnswer) =>
        quorum && nodes.every(({ confirmed }) => confirmed) && postgres.every(({ sync }) => sync);
      return views.length === this.ready.nodes.length && views.every(isWhole);
    });
  }

  /** A signal to the process of a node or of PostgreSQL. */
  signal(name: string, signal: NodeJS.Signals): void {
    process.kill(this.#pids.get(name) as number, signal);
  }

  /** Asks a node that runs to have a process started again. */
  async revive(name: string, asked: string): Promise<NodeEntry | PostgresEntry> {
    const path = "/operator/v1/cluster/demo/start";
    const ask = () =>
      this.operator(asked, (operator) => {
        return operator.call<NodeEntry | PostgresEntry>("POST", path, { name });
      });
    // It may take longer than a client waits: asked again, it says what runs already.
    const entry = await ask().catch((error: Error) => {
      if (error instanceof NoAnswer) return ask();
      throw error;
    });
    this.#pids.set(name, entry.pid);
    return entry;
  }

  /** Of what lets a demo be asked at all. */
  async end(signal: NodeJS.Signals): Promise<DemoEnd> {
    const ended = once(this.#child, "exit");
    this.#child.kill(signal);
    const [code, by] = (await ended) as [number | null, NodeJS.Signals | null];
    return { code, signal: by };
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) await this.end("SIGTERM");
  }
}

function launch(
  program: string,
  env: NodeJS.ProcessEnv,
  dataFolder: string,
  flags: readonly string[],
): ChildProcess {
  const own = ["--port", "0", "--data-dir", dataFolder, "--rate-limits", "off"];
  const child = spawn(process.execPath, [program, "cluster", "demo", ...own, ...flags], {
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  live.add(child);
  child.once("exit", () => live.delete(child));
  return child;
}

/** In memory where there is enough of it, as the other nodes of PostgreSQL of tests. */
function demoFolder(): string {
  const folder = folderForPostgres();
  // The demo gives its subfolders to whom they belong.
  if (process.getuid?.() === 0) chownSync(folder, 0, 0);
  return folder;
}

function readyLine(child: ChildProcess, output: readonly string[]): Promise<ClusterReady> {
  return new Promise((resolve, reject) => {
    let text = "";
    const timer = setTimeout(
      () => reject(new Error(`no ready line: ${output.join("")}`)),
      READY_MS,
    );
    child.stdout?.on("data", (chunk: Buffer) => {
      text += chunk.toString("utf8");
      const end = text.indexOf("\n");
      if (end < 0) return;
      clearTimeout(timer);
      resolve(JSON.parse(text.slice(0, end)) as ClusterReady);
    });
    child.once("exit", (code) => {
      clearTimeout(timer);
      reject(new Error(`the demo ended with ${code}: ${output.join("")}`));
    });
  });
}

/** Whether a process is there; one that ended and was not waited for is not. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Whether a process is named with this folder. */
function isUsed(folder: string): boolean {
  return readdirSync("/proc").some((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(folder);
    } catch {
      return false;
    }
  });
}
