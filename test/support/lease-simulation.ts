/**
 * Nodes that lead and follow by the real lease, around a simulated database: a lease row with locks
 * and a log that fences. Events happen in simulated time, one after the other.
 */
import { HeldLease, type LeaseTable, WatchedLease } from "../../src/cluster/index.ts";
import type { Clock, Scheduler, Timer } from "../../src/platform/index.ts";
import type { Random } from "./random.ts";

/** A claim that ignores beats on their way; a beat that anybody raises; a log without epochs. */
export type Planted = "claims-blindly" | "beats-unowned" | "fence-open";

export interface LeaseRun {
  readonly breaches: readonly string[];
  readonly takeovers: number;
  readonly writes: number;
  readonly reads: number;
  readonly refusedReads: number;
  readonly releases: number;
}

interface Event {
  readonly atMs: number;
  readonly order: number;
  readonly run: () => void;
}

/** Simulated time. */
class Timeline {
  nowMs = 0;
  #order = 0;
  #events: Event[] = [];

  at(atMs: number, run: () => void): Event {
    const event = { atMs: Math.max(atMs, this.nowMs), order: this.#order++, run };
    const isBefore = (other: Event) => other.atMs <= event.atMs;
    this.#events.splice(this.#events.findLastIndex(isBefore) + 1, 0, event);
    return event;
  }

  cancel(event: Event): void {
    this.#events = this.#events.filter((other) => other !== event);
  }

  /** Each event's promises are settled before the next one. */
  async runUntil(endMs: number): Promise<void> {
    for (;;) {
      const event = this.#events.shift();
      if (event === undefined || event.atMs > endMs) return;
      this.nowMs = event.atMs;
      event.run();
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
}

/** One row or log: changes happen one at a time, each with a commit that takes a while. */
class Locked {
  readonly #timeline: Timeline;
  readonly #commitMs: () => number;
  readonly #waiting: (() => void)[] = [];
  #isLocked = false;

  constructor(timeline: Timeline, commitMs: () => number) {
    this.#timeline = timeline;
    this.#commitMs = commitMs;
  }

  /** `change` is null when nothing is changed; else it is done when the commit is durable. */
  run(prepare: () => (() => void) | null, answered: (isDone: boolean) => void): void {
    if (this.#isLocked) {
      this.#waiting.push(() => this.run(prepare, answered));
      return;
    }
    const change = prepare();
    if (change === null) {
      answered(false);
      this.#next();
      return;
    }
    this.#isLocked = true;
    this.#timeline.at(this.#timeline.nowMs + this.#commitMs(), () => {
      this.#isLocked = false;
      change();
      answered(true);
      this.#next();
    });
  }

  #next(): void {
    if (!this.#isLocked) this.#waiting.shift()?.();
  }
}

const ANSWER_TIMEOUT_MS = 2000;

export async function simulateLeases(
  random: Random,
  horizonMs: number,
  planted: Planted | null,
): Promise<LeaseRun> {
  const world = new World(random, planted);
  for (let index = 0; index < 3; index++) world.addNode();
  await world.timeline.runUntil(horizonMs);
  return world.result();
}

class World {
  readonly timeline = new Timeline();
  readonly random: Random;
  readonly breaches: string[] = [];
  readonly row = { beat: 0, owner: "" };
  /** The log: who wrote each entry. */
  readonly log: { readonly epoch: number }[] = [];
  epoch = 0;
  acknowledged = 0;
  readonly counts = { takeovers: 0, writes: 0, reads: 0, refusedReads: 0, releases: 0 };
  readonly rowLock: Locked;
  readonly logLock: Locked;
  readonly planted: Planted | null;
  #outageUntilMs = 0;
  #owners = 0;

  constructor(random: Random, planted: Planted | null) {
    this.random = random;
    this.planted = planted;
    const commitMs = () =>
      random.chance(0.05) ? random.integer(500, 4000) : random.integer(1, 20);
    this.rowLock = new Locked(this.timeline, commitMs);
    this.logLock = new Locked(this.timeline, () => random.integer(1, 20));
    this.#planOutage();
  }

  #planOutage(): void {
    const startMs = this.timeline.nowMs + this.random.integer(5000, 40_000);
    this.timeline.at(startMs, () => {
      this.#outageUntilMs = startMs + this.random.integer(200, 6000);
      this.#planOutage();
    });
  }

  get isOut(): boolean {
    return this.timeline.nowMs < this.#outageUntilMs;
  }

  addNode(): void {
    new Node(this, `node-${++this.#owners}`).follow();
  }

  result(): LeaseRun {
    if (this.log.length < this.acknowledged) this.breaches.push("an acknowledged entry is gone");
    return { breaches: this.breaches, ...this.counts };
  }
}

class Node {
  readonly #world: World;
  readonly #owner: string;
  readonly #rate: number;
  #pausedUntilMs = 0;
  /** The log's length as of which it may answer; null while it follows. */
  #applied: number | null = null;
  #epoch = 0;
  #lease: HeldLease | null = null;

  constructor(world: World, owner: string) {
    this.#world = world;
    this.#owner = owner;
    this.#rate = 0.95 + world.random.next() / 10;
    this.#planPause();
  }

  #planPause(): void {
    const { random, timeline } = this.#world;
    const startMs = timeline.nowMs + random.integer(3000, 30_000);
    timeline.at(startMs, () => {
      this.#pausedUntilMs = startMs + random.integer(100, 8000);
      this.#planPause();
    });
  }

  /** Done by this node: later, if it is paused then. */
  #at(atMs: number, run: () => void): Event {
    const { timeline } = this.#world;
    return timeline.at(atMs, () => {
      if (timeline.nowMs < this.#pausedUntilMs) this.#at(this.#pausedUntilMs, run);
      else run();
    });
  }

  get #clock(): Pick<Clock, "monotonicMs"> {
    return { monotonicMs: () => this.#world.timeline.nowMs * this.#rate };
  }

  get #scheduler(): Scheduler {
    const { timeline } = this.#world;
    const after = (delayMs: number, run: () => void): Timer => {
      const event = this.#at(timeline.nowMs + delayMs / this.#rate, run);
      return { cancel: () => timeline.cancel(event) };
    };
    const unused = () => {
      throw new Error("the lease has one timer");
    };
    return { after, every: unused, soon: unused };
  }

  /** A statement on its way there, and its answer on its way back: each may be lost. */
  #statement<Value>(execute: (answered: (value: Value) => void) => void): Promise<Value> {
    const { random, timeline } = this.#world;
    return new Promise((resolve, reject) => {
      const sentMs = timeline.nowMs;
      this.#at(sentMs + ANSWER_TIMEOUT_MS / this.#rate, () => reject(new Error("no answer")));
      timeline.at(sentMs + random.integer(0, 5), () => {
        if (this.#world.isOut) return;
        execute((value) => {
          if (random.chance(0.02)) return;
          this.#at(timeline.nowMs + random.integer(0, 5), () => resolve(value));
        });
      });
    });
  }

  get #table(): LeaseTable {
    const { planted, row, rowLock } = this.#world;
    return {
      read: () => this.#statement((answered) => answered({ beat: row.beat, owner: row.owner })),
      beat: (owner) =>
        this.#statement((answered) =>
          rowLock.run(() => {
            if (row.owner !== owner && planted !== "beats-unowned") return null;
            return () => {
              row.beat++;
            };
          }, answered),
        ),
      claim: (owner, seen) =>
        this.#statement((answered) =>
          rowLock.run(() => {
            if (row.beat !== seen && planted !== "claims-blindly") return null;
            return () => {
              row.beat++;
              row.owner = owner;
            };
          }, answered),
        ),
      release: async (owner) => {
        await this.#statement((answered) =>
          rowLock.run(() => {
            if (row.owner !== owner) return null;
            return () => {
              row.beat++;
              row.owner = "";
            };
          }, answered),
        );
      },
    };
  }

  get #options() {
    return {
      table: this.#table,
      owner: this.#owner,
      clock: this.#clock,
      scheduler: this.#scheduler,
    };
  }

  follow(): void {
    new WatchedLease(this.#options, (startedMs) => void this.#lead(startedMs));
  }

  async #lead(claimStartedMs: number): Promise<void> {
    const world = this.#world;
    this.#lease = new HeldLease(this.#options, claimStartedMs, () => this.#end());
    const end = world.log.length;
    const epoch = world.epoch + 1;
    const isTaken = await this.#statement<boolean>((answered) =>
      world.logLock.run(() => {
        if (world.log.length !== end || world.epoch !== epoch - 1) return null;
        return () => {
          world.epoch = epoch;
        };
      }, answered),
    ).catch(() => false);
    if (!isTaken) {
      this.#end();
      return;
    }
    world.counts.takeovers++;
    this.#epoch = epoch;
    this.#applied = end;
    this.#work();
  }

  /** Crash-only: the process ends, and the next run of the node follows. */
  #end(): void {
    if (this.#lease === null) return;
    this.#lease.stop();
    this.#lease = null;
    this.#applied = null;
    this.#at(this.#world.timeline.nowMs + 200, () => this.#world.addNode());
  }

  /** As a process that is asked to end. */
  #stop(): void {
    this.#world.counts.releases++;
    void this.#lease?.release().catch(() => undefined);
    this.#end();
  }

  #work(): void {
    const { random, timeline } = this.#world;
    this.#at(timeline.nowMs + random.integer(20, 400), () => {
      if (this.#applied === null) return;
      if (random.chance(0.01)) {
        this.#stop();
        return;
      }
      this.#read();
      void this.#write(this.#applied).finally(() => this.#work());
    });
  }

  #read(): void {
    const world = this.#world;
    if (this.#lease?.mayAnswer !== true) {
      world.counts.refusedReads++;
      return;
    }
    world.counts.reads++;
    if ((this.#applied ?? 0) < world.acknowledged) {
      world.breaches.push(`${this.#owner} answered ${this.#applied} after ${world.acknowledged}`);
    }
  }

  async #write(end: number): Promise<void> {
    const world = this.#world;
    const epoch = this.#epoch;
    const isDurable = await this.#statement<boolean>((answered) =>
      world.logLock.run(() => {
        const isFenced = world.epoch !== epoch || world.log.length !== end;
        if (isFenced && world.planted !== "fence-open") return null;
        return () => {
          if (world.log.length !== end) world.breaches.push(`${this.#owner} wrote over another`);
          if (world.epoch !== epoch) world.breaches.push(`${this.#owner} wrote in an old epoch`);
          world.log.push({ epoch });
          world.acknowledged = Math.max(world.acknowledged, end + 1);
        };
      }, answered),
    ).catch(() => false);
    // What is not known to be durable ends the process, as `unknown` does.
    if (!isDurable) this.#end();
    else if (this.#applied !== null) {
      this.#applied = end + 1;
      world.counts.writes++;
    }
  }
}
