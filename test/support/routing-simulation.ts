/**
 * Nodes of a cluster in simulated time, with the real routing between them: requests that come in
 * at any node, links that break, leaders that die, pause or stop, followers that lag. The log
 * fences as the real one does. The engine is a toy that repeats nothing: a command done twice, or
 * never, shows at once.
 */
import { LeaderSessions, type LinkListener, RoutedEngine } from "../../src/cluster/index.ts";
import {
  type Answer,
  ByteWriter,
  type Command,
  type CommandOf,
  type EnginePort,
  RequestReader,
  refuseAll,
  writeAnswer,
} from "../../src/protocol/index.ts";
import type { Random } from "./random.ts";
import { SimulatedTimeline } from "./simulated-timeline.ts";

/** An old leader says where the log is; a node takes itself to be near; it looks for nothing. */
export type PlantedRouting = "old-leader-reads" | "welcome-at-once" | "forgets-the-log";

interface Entry {
  readonly epoch: number;
  readonly command: Command;
  readonly record: Uint8Array;
}

/** A commit, as a follower reads it. */
interface Commit {
  readonly epoch: number;
  readonly entries: readonly Entry[];
}

const BEAT_MS = 20;
const ANSWER_MS = 80;
const EXPIRY_MS = 120;

export class SimulatedCluster {
  readonly timeline = new SimulatedTimeline();
  readonly random: Random;
  readonly planted: PlantedRouting | null;
  readonly commits: Commit[] = [];
  /** By sequence, from 1. */
  readonly log: Entry[] = [{ epoch: 0, command: { type: "resume" }, record: new Uint8Array() }];
  epoch = 0;
  lease = { owner: null as SimulatedNode | null, beatMs: 0 };
  readonly nodes: SimulatedNode[] = [];
  readonly counts = { takeovers: 0, retried: 0, forwarded: 0, brokenLinks: 0 };

  constructor(random: Random, planted: PlantedRouting | null) {
    this.random = random;
    this.planted = planted;
    for (const name of ["n1", "n2", "n3"]) this.nodes.push(new SimulatedNode(this, name));
  }

  after(delayMs: number, run: () => void) {
    return this.timeline.at(this.timeline.nowMs + delayMs, run);
  }

  /** The process dies; another one with its name follows after a while. */
  kill(node: SimulatedNode): void {
    node.die();
    const index = this.nodes.indexOf(node);
    this.after(this.random.integer(20, 200), () => {
      this.nodes[index] = new SimulatedNode(this, node.name);
    });
  }

  /** Durable at once or not at all; whether it is known to the writer is the caller's matter. */
  append(epoch: number, entries: readonly Entry[], expected: number): boolean {
    if (this.epoch !== epoch || this.log.length !== expected) return false;
    this.commits.push({ epoch, entries });
    this.log.push(...entries);
    return true;
  }
}

/** What the toy does: each request id is deposited once and withdrawn once. */
class Toy {
  sequence = 0;
  readonly #open = new Set<string>();

  /** Null leaves no trace. */
  apply(command: Command): Answer["result"] | null {
    const { requestId } = command as CommandOf<"deposit-funds">;
    const value = { requestId, balance: "0" };
    if (command.type === "deposit-funds") this.#open.add(requestId);
    else if (!this.#open.delete(requestId)) return null;
    this.sequence++;
    return { ok: true, value };
  }
}

const REFUSED = { ok: false, reason: "unknown-user", field: null, detail: null } as const;

export class SimulatedNode {
  readonly name: string;
  readonly routed: RoutedEngine;
  readonly #cluster: SimulatedCluster;
  readonly #sessions: LeaderSessions;
  readonly #toy = new Toy();
  #commits = 0;
  isAlive = true;
  #pausedUntilMs = 0;
  #leading: { epoch: number; answersUntilMs: number; durable: number } | null = null;
  readonly #queue: { request: Uint8Array; answered: (answer: Uint8Array) => void }[] = [];
  #isWriting = false;
  #linked: { readonly to: SimulatedNode; readonly end: () => void } | null = null;
  #seen = { beatMs: -1, sinceMs: 0 };

  constructor(cluster: SimulatedCluster, name: string) {
    this.#cluster = cluster;
    this.name = name;
    const { planted } = cluster;
    const clock = { monotonicMs: () => cluster.timeline.nowMs };
    const after = (delayMs: number, run: () => void) => this.#after(delayMs, run);
    const soon = (run: () => void) => this.#after(0, run);
    const every = () => {
      throw new Error("not used");
    };
    const local: EnginePort = { submit: (request, answered) => this.#submit(request, answered) };
    const isBlind = planted === "welcome-at-once";
    this.routed = new RoutedEngine({
      node: name,
      local,
      sequence: () => (isBlind ? Number.MAX_SAFE_INTEGER : this.#toy.sequence),
      keysInForce: () => Promise.resolve(),
      charge: () => "",
      admitted: () => undefined,
      hurry: () => undefined,
      clock,
      scheduler: { after, soon, every },
    });
    this.#sessions = new LeaderSessions((run) => void soon(run));
    this.#follow();
    this.#watch();
    this.#connect();
  }

  /** Done by this process, when it runs again if it is paused then. */
  #after(delayMs: number, run: () => void) {
    const { timeline } = this.#cluster;
    const step = (): void => {
      if (!this.isAlive) return;
      if (timeline.nowMs < this.#pausedUntilMs) timeline.at(this.#pausedUntilMs, step);
      else run();
    };
    return this.#cluster.after(delayMs, step);
  }

  get isLeading(): boolean {
    return this.#leading !== null;
  }

  pause(ms: number): void {
    this.#pausedUntilMs = this.#cluster.timeline.nowMs + ms;
  }

  die(): void {
    this.isAlive = false;
    this.#cluster.counts.retried += this.routed.counts.retried;
    this.#cluster.counts.forwarded += this.routed.counts.forwarded;
    this.breakLink();
  }

  /** As when it is asked to end: what was taken is answered, the lease is given back. */
  stop(): void {
    if (this.#leading === null || this.#isWriting) return;
    for (const { answered, request } of this.#queue.splice(0)) {
      answered(refuseAll(new RequestReader(request).left, "stopping"));
    }
    this.#leading = null;
    if (this.#cluster.lease.owner === this) this.#cluster.lease.owner = null;
    this.#sessions.close();
    this.#cluster.kill(this);
  }

  breakLink(): void {
    this.#linked?.end();
  }

  /** Reads the log a little later than it is written. */
  #follow(): void {
    this.#after(this.#cluster.random.integer(2, 30), () => {
      if (this.#leading !== null) return;
      while (this.#commits < this.#cluster.commits.length) {
        this.#applyNext();
        if (this.#cluster.random.chance(0.2)) break;
      }
      this.#follow();
    });
  }

  #applyNext(): void {
    const commit = this.#cluster.commits[this.#commits++] as Commit;
    const timestampMs = this.#cluster.timeline.nowMs;
    for (const { command, record } of commit.entries) {
      const result = this.#toy.apply(command);
      if (result === null) throw new Error("the log has a command without effect");
      if (this.#cluster.planted === "forgets-the-log") continue;
      const { sequence } = this.#toy;
      this.routed.appliedCommand(command, record, { sequence, timestampMs, result });
    }
    this.routed.applied();
  }

  /** Takes the lead when nobody beats. */
  #watch(): void {
    const { random } = this.#cluster;
    // In two steps: a process that goes on after a pause beats after it has read its sockets.
    const soon = (run: () => void) => this.#after(random.integer(0, 2 * BEAT_MS), run);
    this.#after(1, () =>
      soon(() => {
        const { lease, timeline } = this.#cluster;
        if (this.#leading !== null) this.#beat();
        else {
          const { nowMs } = timeline;
          if (this.#seen.beatMs !== lease.beatMs) {
            this.#seen = { beatMs: lease.beatMs, sinceMs: nowMs };
          }
          const isOver = lease.owner === null || nowMs - this.#seen.sinceMs >= EXPIRY_MS;
          if (isOver) this.#takeOver();
        }
        this.#watch();
      }),
    );
  }

  #beat(): void {
    const { lease, timeline } = this.#cluster;
    if (this.#leading === null) return;
    if (lease.owner !== this) {
      this.#cluster.kill(this);
      return;
    }
    lease.beatMs = timeline.nowMs;
    this.#leading.answersUntilMs = timeline.nowMs + ANSWER_MS;
  }

  #takeOver(): void {
    const cluster = this.#cluster;
    const { timeline } = cluster;
    cluster.lease = { owner: this, beatMs: timeline.nowMs };
    cluster.counts.takeovers++;
    const epoch = ++cluster.epoch;
    while (this.#commits < cluster.commits.length) this.#applyNext();
    const { sequence } = this.#toy;
    this.#leading = { epoch, answersUntilMs: timeline.nowMs + ANSWER_MS, durable: sequence };
    this.breakLink();
    this.routed.lead();
    this.#sessions.lead({
      node: this.name,
      epoch,
      engine: { submit: (request, answered) => this.#submit(request, answered) },
      durableSequence: () => this.#leading?.durable ?? 0,
      whenMayAnswer: (answer) => this.#whenMayAnswer(answer),
      admit: () => true,
      admitted: () => undefined,
      answer: () => Promise.resolve("null"),
    });
  }

  #whenMayAnswer(answer: () => void): void {
    if (this.#leading === null) return;
    const isOld = this.#cluster.timeline.nowMs >= this.#leading.answersUntilMs;
    if (!isOld || this.#cluster.planted === "old-leader-reads") answer();
    else this.#after(BEAT_MS / 5, () => this.#whenMayAnswer(answer));
  }

  /** Queries of a follower here; everything of a leader in turns of a commit each. */
  #submit(request: Uint8Array, answered: (answer: Uint8Array) => void): void {
    if (this.#leading === null) {
      answered(this.#answer(request, []));
      return;
    }
    this.#queue.push({ request, answered });
    this.#after(0, () => this.#write());
  }

  #answer(request: Uint8Array, entries: Entry[]): Uint8Array {
    const reader = new RequestReader(request);
    const writer = new ByteWriter();
    const timestampMs = this.#cluster.timeline.nowMs;
    while (reader.left > 0) {
      const command = reader.command();
      if (command === null) {
        reader.query();
        const result = { ok: true, value: [] } as Answer["result"];
        writeAnswer(writer, null, { sequence: this.#toy.sequence, timestampMs, result });
        continue;
      }
      const done = this.#toy.apply(command);
      const epoch = this.#leading?.epoch ?? 0;
      if (done !== null) entries.push({ epoch, command, record: reader.record.slice() });
      const { sequence } = this.#toy;
      writeAnswer(writer, command, { sequence, timestampMs, result: done ?? REFUSED });
    }
    return writer.toBytes();
  }

  #write(): void {
    if (this.#isWriting || this.#queue.length === 0 || this.#leading === null) return;
    this.#isWriting = true;
    const { epoch } = this.#leading;
    const expected = this.#toy.sequence + 1;
    const entries: Entry[] = [];
    const answers = this.#queue.splice(0).map(({ answered, request }) => {
      return { answered, answer: this.#answer(request, entries) };
    });
    const { random } = this.#cluster;
    const appendMs = random.integer(0, 4);
    let isDurable = true;
    // Durable in PostgreSQL also when its writer does not live to learn it.
    this.#cluster.after(appendMs, () => {
      if (entries.length > 0) isDurable = this.#cluster.append(epoch, entries, expected);
    });
    this.#after(appendMs + random.integer(0, 4), () => {
      this.#isWriting = false;
      if (this.#leading === null) return;
      if (!isDurable) {
        this.#cluster.kill(this);
        return;
      }
      this.#leading.durable = expected - 1 + entries.length;
      for (const { answer, answered } of answers) {
        this.#whenMayAnswer(() => answered(answer));
      }
      this.#write();
    });
  }

  /** To whoever this node believes to lead: sometimes to one that did. */
  #connect(): void {
    const { random } = this.#cluster;
    this.#after(random.integer(5, 15), () => {
      const { lease, nodes } = this.#cluster;
      const believed = random.chance(0.1) ? random.pick(nodes) : lease.owner;
      const isOther = this.#linked !== null && this.#linked.to !== believed;
      if (isOther && random.chance(0.03)) this.breakLink();
      const canLink = this.#linked === null && this.#leading === null && this.isAlive;
      if (canLink && believed !== null && believed !== this && believed.isAlive) {
        this.#linkTo(believed);
      }
      this.#connect();
    });
  }

  #linkTo(to: SimulatedNode): void {
    const { counts, random, timeline } = this.#cluster;
    let isOpen = true;
    const pipe = (owner: SimulatedNode, listener: () => LinkListener) => {
      let lastMs = 0;
      return (message: Uint8Array): void => {
        lastMs = Math.max(lastMs, timeline.nowMs + random.integer(0, 3));
        // What is on its way arrives also after the other end has gone.
        timeline.at(lastMs, () => {
          const isHeard = isOpen || random.chance(0.5);
          if (isHeard) owner.#after(0, () => listener().message(message));
        });
      };
    };
    const end = (): void => {
      if (!isOpen) return;
      isOpen = false;
      counts.brokenLinks++;
      if (this.#linked?.end === end) this.#linked = null;
      for (const [owner, listener] of [
        [this, here],
        [to, there],
      ] as const) {
        owner.#after(random.integer(0, 20), () => listener().ended());
      }
    };
    let hereListener: LinkListener | null = null;
    let thereListener: LinkListener | null = null;
    const here = (): LinkListener => hereListener as LinkListener;
    const there = (): LinkListener => thereListener as LinkListener;
    this.#linked = { to, end };
    thereListener = to.#sessions.accept({ send: pipe(this, here), end });
    hereListener = this.routed.connect({ send: pipe(to, there), end });
  }
}
