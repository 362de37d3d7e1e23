/** Clients of simulated nodes, and what no answer may contradict. */
import { HOLD_MS } from "../../src/cluster/index.ts";
import {
  type Answer,
  type CommandOf,
  decodeAnswers,
  encodeRequest,
  type Submission,
  type Unavailable,
} from "../../src/protocol/index.ts";
import type { Random } from "./random.ts";
import { type PlantedRouting, SimulatedCluster, type SimulatedNode } from "./routing-simulation.ts";

export interface RoutingRun {
  readonly breaches: readonly string[];
  readonly answered: number;
  readonly unknown: number;
  readonly reads: number;
  readonly takeovers: number;
  readonly retried: number;
}

type Fate = "open" | "done" | "refused" | "unknown" | "not-done";

interface Sent {
  readonly key: string;
  fate: Fate;
  sequence: number;
}

const QUERY: Submission = { kind: "query", query: { type: "assets" } };
const TRADED_MS = 400;

export async function simulateRouting(
  random: Random,
  planted: PlantedRouting | null,
): Promise<RoutingRun> {
  const clients = new RoutingClients(new SimulatedCluster(random, planted));
  return clients.run();
}

class RoutingClients {
  readonly #cluster: SimulatedCluster;
  readonly #random: Random;
  readonly #breaches: string[] = [];
  readonly #sent: Sent[] = [];
  readonly #counts = { answered: 0, unknown: 0, reads: 0 };
  /** Of everything that a client was told. */
  #acknowledged = 0;
  #ids = 0;
  /** Where there are few commands, nothing else keeps an old leader from answering. */
  readonly #extraReads: number;

  constructor(cluster: SimulatedCluster) {
    this.#cluster = cluster;
    this.#random = cluster.random;
    this.#extraReads = this.#random.pick([0, 0.8, 0.98]);
  }

  async run(): Promise<RoutingRun> {
    const { timeline } = this.#cluster;
    for (let client = 0; client < 3; client++) this.#next();
    this.#trouble();
    await timeline.runUntil(TRADED_MS);
    // Nothing happens any more, and every request has its answer in time.
    const { nodes } = this.#cluster;
    const isWaiting = () => nodes.some(({ isAlive, routed }) => !isAlive || routed.waiting > 0);
    await timeline.runUntil(TRADED_MS + HOLD_MS + 1000, isWaiting);
    this.#check();
    const { counts } = this.#cluster;
    for (const { routed } of this.#cluster.nodes) counts.retried += routed.counts.retried;
    const { retried, takeovers } = counts;
    return { breaches: this.#breaches, ...this.#counts, takeovers, retried };
  }

  #after(delayMs: number, run: () => void): void {
    const { timeline } = this.#cluster;
    if (timeline.nowMs + delayMs < TRADED_MS) this.#cluster.after(delayMs, run);
  }

  #trouble(): void {
    this.#after(this.#random.integer(10, 120), () => {
      const { nodes } = this.#cluster;
      const leader = nodes.find(({ isAlive, isLeading }) => isAlive && isLeading);
      const node = this.#random.chance(0.6) ? leader : this.#random.pick(nodes);
      if (node?.isAlive === true) this.#harm(node);
      this.#trouble();
    });
  }

  #harm(node: SimulatedNode): void {
    switch (this.#random.integer(0, 4)) {
      case 0:
        this.#cluster.kill(node);
        return;
      case 1:
        node.pause(this.#random.integer(50, 400));
        return;
      case 2:
        node.stop();
        return;
      default:
        node.breakLink();
    }
  }

  #next(): void {
    this.#after(this.#random.integer(1, 30), () => {
      const alive = this.#cluster.nodes.filter(({ isAlive }) => isAlive);
      if (alive.length > 0) this.#act(this.#random.pick(alive));
      this.#next();
    });
  }

  #act(node: SimulatedNode): void {
    if (this.#random.chance(this.#extraReads)) {
      this.#read(node, []);
      return;
    }
    const id = `d${++this.#ids}`;
    const deposit = this.#command("deposit-funds", id);
    switch (this.#random.integer(0, 3)) {
      case 0:
        this.#read(node, []);
        return;
      case 1:
        // A pipeline: the read follows the command on the same connection.
        this.#read(node, this.#send(node, [deposit]));
        return;
      case 2: {
        // Several in one request, of which one is refused.
        const unknown = this.#command("withdraw-funds", `${id}-unknown`);
        this.#send(node, [deposit, unknown, this.#command("deposit-funds", `${id}b`)]);
        return;
      }
      default:
        this.#send(node, [deposit], () => this.#withdrawTwice(node, id));
    }
  }

  /** The same bytes again: the second is refused, whatever happens in between. */
  #withdrawTwice(node: SimulatedNode, id: string): void {
    if (!node.isAlive) return;
    const withdrawal = () => this.#command("withdraw-funds", id);
    const again = () => this.#send(node, [withdrawal()]);
    const sent = this.#send(node, [withdrawal()], () => again());
    if (this.#random.chance(0.3) && sent[0]?.fate === "open") again();
  }

  #command(type: "deposit-funds" | "withdraw-funds", requestId: string): Submission {
    const fields = { actor: "", uid: 1, wallet: "spot", asset: "USDT", amount: "1" } as const;
    return { kind: "command", command: { type, requestId, ...fields } };
  }

  #send(
    node: SimulatedNode,
    submissions: readonly Submission[],
    done: () => void = () => undefined,
  ): readonly Sent[] {
    const sent = submissions.map((submission): Sent => {
      const { type, requestId } = (submission as { command: CommandOf<"deposit-funds"> }).command;
      return { key: `${type} ${requestId}`, fate: "open", sequence: 0 };
    });
    this.#sent.push(...sent);
    node.routed.submit(encodeRequest(submissions), (bytes) => {
      if (!node.isAlive) return;
      const answers = decodeAnswers(submissions, bytes);
      for (const [index, answer] of answers.entries()) this.#take(sent[index] as Sent, answer);
      if (sent.every(({ fate }) => fate === "done" || fate === "refused")) done();
    });
    return sent;
  }

  #take(sent: Sent, answer: Answer | Unavailable): void {
    if (sent.fate !== "open") this.#breaches.push(`${sent.key} was answered twice`);
    this.#counts.answered++;
    if ("unavailable" in answer) {
      const isUnknown = answer.unavailable === "outcome-unknown";
      if (isUnknown) this.#counts.unknown++;
      sent.fate = isUnknown ? "unknown" : "not-done";
      return;
    }
    sent.fate = answer.result.ok ? "done" : "refused";
    sent.sequence = answer.sequence;
    this.#acknowledged = Math.max(this.#acknowledged, answer.sequence);
  }

  #read(node: SimulatedNode, before: readonly Sent[]): void {
    const expected = this.#acknowledged;
    this.#counts.reads++;
    node.routed.submit(encodeRequest([QUERY]), (bytes) => {
      if (!node.isAlive) return;
      const [answer] = decodeAnswers([QUERY], bytes);
      if (answer === undefined || "unavailable" in answer) return;
      const { sequence } = answer;
      if (sequence < expected) {
        this.#breaches.push(`${node.name} read ${sequence} after ${expected}`);
      }
      for (const { fate, key, sequence: done } of before) {
        if (fate === "done" && done > sequence) {
          this.#breaches.push(`a read on ${node.name} at ${sequence} missed ${key} at ${done}`);
        }
      }
    });
  }

  #check(): void {
    const log = new Map<string, number[]>();
    for (const [sequence, { command }] of this.#cluster.log.entries()) {
      if (sequence === 0) continue;
      const { type, requestId } = command as CommandOf<"deposit-funds">;
      const key = `${type} ${requestId}`;
      log.set(key, [...(log.get(key) ?? []), sequence]);
    }
    for (const [key, places] of log) {
      if (places.length > 1) this.#breaches.push(`${key} was done ${places.length} times`);
    }
    const done = new Map<string, number>();
    for (const { fate, key, sequence } of this.#sent) {
      const places = log.get(key) ?? [];
      if (fate === "done") {
        done.set(key, (done.get(key) ?? 0) + 1);
        if (places[0] !== sequence) {
          this.#breaches.push(`${key} was acknowledged at ${sequence}, and is at ${places}`);
        }
      }
      const isSingle = key.startsWith("deposit");
      if (isSingle && (fate === "not-done" || fate === "refused") && places.length > 0) {
        this.#breaches.push(`${key} was ${fate}, and is at ${places}`);
      }
    }
    for (const [key, times] of done) {
      if (times > 1) this.#breaches.push(`${key} was acknowledged ${times} times`);
    }
  }
}
