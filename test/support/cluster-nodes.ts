/** A cluster as users run it: three nodes of PostgreSQL, and nodes of the program over them. */
import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { ExchangeProcess, StartRefused, temporaryFolder } from "./exchange-process.ts";
import { HttpConnection, NoAnswer } from "./http-exchange.ts";
import type { PostgresCluster } from "./postgres-cluster.ts";
import { type ProgramRun, runProgram } from "./run-program.ts";
import { waitUntil } from "./wait-until.ts";

export const OPERATOR_TOKEN = "token-of-all-nodes-of-the-cluster-under-test";

/** The exit code of a node to be started again: another relieved it, or it reaches nobody. */
const START_AGAIN = 75;
/** So often a node may find that PostgreSQL does not answer yet: the machine may be busy. */
const STARTS_MAX = 5;

export interface Ready {
  readonly status: "ready" | "not-ready";
  readonly reason?: string;
  readonly node: string;
  readonly role: "leader" | "follower";
  readonly leader: string | null;
  readonly lagMs: number;
}

/** Nodes over a new log. */
export class ClusterNodes {
  readonly env: Readonly<Record<string, string>>;
  readonly nodes = new Map<string, ExchangeProcess>();
  /** Of every node that starts from now on, after its name. */
  flags: readonly string[] = [];
  readonly #rateLimits: "standard" | "off";

  constructor(postgres: Pick<PostgresCluster, "urls">, rateLimits: "standard" | "off" = "off") {
    this.#rateLimits = rateLimits;
    const masterKey = join(temporaryFolder(), "cluster.key");
    writeFileSync(masterKey, `1 ${randomBytes(32).toString("hex")}\n`, { mode: 0o600 });
    this.env = {
      RIALTO_POSTGRES: postgres.urls.join(),
      RIALTO_MASTER_KEY_FILE: masterKey,
      RIALTO_OPERATOR_TOKEN: OPERATOR_TOKEN,
    };
  }

  run(...args: readonly string[]): Promise<ProgramRun> {
    return runProgram(args, this.env);
  }

  /** A node in a folder of its own, or again in the one that it had; as a supervisor starts it. */
  async start(
    name: string,
    dataFolder = this.nodes.get(name)?.dataFolder,
    program?: string,
    env: Readonly<Record<string, string>> = {},
  ): Promise<void> {
    const flags = ["--node", name, ...this.flags];
    const release = program === undefined ? {} : { program };
    const common = { sandbox: false, operatorToken: OPERATOR_TOKEN, ...release };
    const own = { env: { ...this.env, ...env }, rateLimits: this.#rateLimits };
    const options = { flags, ...own, ...common };
    for (let starts = 1; ; starts++) {
      try {
        this.nodes.set(name, await ExchangeProcess.start(options, dataFolder));
        return;
      } catch (error) {
        const isToStart = error instanceof StartRefused && error.exit.code === START_AGAIN;
        if (!isToStart || starts === STARTS_MAX) throw error;
      }
    }
  }

  node(name: string): ExchangeProcess {
    const node = this.nodes.get(name);
    if (node === undefined) throw new Error(`there is no node ${name}`);
    return node;
  }

  /** Of those that run, as they say themselves. */
  async ready(besides = ""): Promise<ReadonlyMap<string, Ready>> {
    const answers = new Map<string, Ready>();
    for (const [name, node] of this.nodes) {
      if (node.exit !== null || name === besides) continue;
      const connection = new HttpConnection(node.port);
      const answer = await connection
        .send({ method: "GET", path: "/health/ready" })
        .catch((error: Error) => {
          if (node.exit === null && !(error instanceof NoAnswer)) throw error;
          return null;
        });
      if (answer !== null) answers.set(name, answer.body as Ready);
      connection.close();
    }
    return answers;
  }

  /** The name of the node that leads, and that all know who run and are not `besides`. */
  async leader(besides = ""): Promise<string> {
    let found = "";
    await waitUntil("all nodes know their leader", async () => {
      const answers = [...(await this.ready(besides)).values()];
      found =
        answers.find(({ role, status }) => role === "leader" && status === "ready")?.node ?? "";
      return found !== "" && answers.every(({ leader }) => leader === found);
    });
    return found;
  }

  /** Starts again who ended as a node does that another one relieved; nobody may end otherwise. */
  async startAgain(): Promise<void> {
    for (const [name, { exit }] of this.nodes) {
      if (exit === null) continue;
      if (exit.code !== START_AGAIN) {
        throw new Error(`${name} ended with ${exit.code ?? exit.signal}:\n${exit.output}`);
      }
      await this.start(name);
    }
  }

  /** The one state that all running nodes have at the same command. */
  async commonState(): Promise<{ readonly sequence: number; readonly stateHash: string }> {
    let common = { sequence: 0, stateHash: "" };
    await waitUntil("all nodes are at the same command", async () => {
      const running = [...this.nodes.values()].filter(({ exit }) => exit === null);
      const states = await Promise.all(running.map((node) => node.operator.invariants()));
      const [first] = states;
      if (first === undefined || states.some(({ sequence }) => sequence !== first.sequence)) {
        return false;
      }
      for (const { ok, stateHash, violations } of states) {
        if (!ok) throw new Error(violations.join("; "));
        if (stateHash !== first.stateHash) throw new Error("two nodes have different states");
      }
      common = first;
      return true;
    });
    return common;
  }

  async stop(): Promise<void> {
    await Promise.all([...this.nodes.values()].map((node) => node.stop()));
  }
}
