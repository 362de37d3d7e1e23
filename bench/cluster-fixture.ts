/**
 * A whole cluster in processes of its own, as `rialto cluster demo` starts it, with load for it.
 */
import type { ChildProcess } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { runClosedLoop } from "./load.ts";
import { endProcess, OrderFixture, startProcess } from "./order-fixture.ts";
import { HAS_PROC, readThreadTimes, total } from "./thread-times.ts";

const STARTER = join(import.meta.dirname, "../rialto.mjs");
const PAUSE_MS = 50;

export interface ClusterNode {
  readonly node: string;
  readonly port: number;
  readonly operatorPort: number;
  readonly pid: number;
  readonly role: string;
}

interface ClusterReady {
  readonly nodes: readonly ClusterNode[];
  readonly postgres: readonly { readonly pid: number }[];
  readonly operatorToken: string;
}

interface ClusterView {
  readonly leader: string | null;
  readonly quorum: boolean;
  readonly nodes: readonly { readonly confirmed: boolean }[];
}

export class ClusterFixture {
  /** At the node that led when it was started. */
  readonly orders: OrderFixture;
  readonly #child: ChildProcess;
  readonly #folder: string;
  readonly #ready: ClusterReady;
  readonly #pids = new Map<string, number>();

  private constructor(
    child: ChildProcess,
    folder: string,
    ready: ClusterReady,
    orders: OrderFixture,
  ) {
    this.#child = child;
    this.#folder = folder;
    this.#ready = ready;
    this.orders = orders;
    for (const { node, pid } of ready.nodes) this.#pids.set(node, pid);
  }

  static async start(): Promise<ClusterFixture> {
    const folder = mkdtempSync(join(tmpdir(), "rialto-bench-"));
    const flags = ["--port", "0", "--data-dir", folder, "--profile", "empty"];
    const args = [STARTER, "cluster", "demo", ...flags, "--rate-limits", "off", "--json"];
    const { child, ready: line } = await startProcess(args);
    const ready = line as unknown as ClusterReady & { operatorToken: string };
    const operatorToken = JSON.parse(readFileSync(join(folder, "demo.json"), "utf8"))
      .operatorToken as string;
    const leader = ready.nodes.find(({ role }) => role === "leader") as ClusterNode;
    const orders = await OrderFixture.of({ ...leader, operatorToken });
    return new ClusterFixture(child, folder, { ...ready, operatorToken }, orders);
  }

  get nodes(): readonly ClusterNode[] {
    return this.#ready.nodes;
  }

  /** Processor time of each node so far; zeros where the machine does not tell. */
  nodeSeconds(): readonly number[] {
    return this.nodes.map(({ node }) => secondsOf(this.#pids.get(node) as number));
  }

  /** Of all processes of PostgreSQL that run. */
  postgresSeconds(): number {
    const pids = this.#ready.postgres.flatMap(({ pid }) => [pid, ...childrenOf(pid)]);
    return pids.reduce((sum, pid) => sum + secondsOf(pid), 0);
  }

  /** Kills the leader; milliseconds until an order at another node is answered. */
  async takeOver(): Promise<number> {
    const leader = (await this.#whole()).leader as string;
    const [other] = this.nodes.filter(({ node }) => node !== leader) as [ClusterNode];
    process.kill(this.#pids.get(leader) as number, "SIGKILL");
    const startedMs = performance.now();
    const { refused } = await runClosedLoop(other.port, this.orders.makeRequests(1), 1);
    if (refused > 0) throw new Error("an order was refused while nobody led");
    const tookMs = performance.now() - startedMs;
    const path = "/operator/v1/cluster/demo/start";
    const { pid } = await this.#call<{ pid: number }>(other, "POST", path, { name: leader });
    this.#pids.set(leader, pid);
    return tookMs;
  }

  async #whole(): Promise<ClusterView> {
    for (;;) {
      const views = await Promise.all(
        this.nodes.map((node) =>
          this.#call<ClusterView>(node, "GET", "/operator/v1/cluster").catch(() => null),
        ),
      );
      const [first] = views;
      const isWhole = (view: ClusterView | null): boolean =>
        view !== null &&
        view.leader === first?.leader &&
        view.quorum &&
        view.nodes.every(({ confirmed }) => confirmed);
      if (first !== undefined && first !== null && first.leader !== null && views.every(isWhole)) {
        return first;
      }
      await setTimeout(PAUSE_MS);
    }
  }

  async #call<Answer>(
    { operatorPort }: ClusterNode,
    method: string,
    path: string,
    body?: object,
  ): Promise<Answer> {
    const answer = await fetch(`http://127.0.0.1:${operatorPort}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${this.#ready.operatorToken}`,
        ...(body !== undefined && { "content-type": "application/json" }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`);
    return (await answer.json()) as Answer;
  }

  async stop(): Promise<void> {
    await endProcess(this.#child);
    rmSync(this.#folder, { recursive: true });
  }
}

function secondsOf(pid: number): number {
  return HAS_PROC && existsSync(`/proc/${pid}`) ? total(readThreadTimes(pid, "first")) : 0;
}

function childrenOf(pid: number): readonly number[] {
  const folder = `/proc/${pid}/task`;
  if (!existsSync(folder)) return [];
  return readdirSync(folder).flatMap((thread) => {
    const text = readFileSync(`${folder}/${thread}/children`, "utf8").trim();
    return text === "" ? [] : text.split(" ").map(Number);
  });
}
