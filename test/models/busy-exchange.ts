/**
 * An exchange in memory that random traffic keeps busy through the real sequencer: many callers
 * submit at once, and a naive exchange follows the answers so that the traffic stays realistic.
 */

import assert from "node:assert/strict";
import { setImmediate as nextTurn } from "node:timers/promises";
import { INITIAL_EVENT_DIGEST, sha256Hex } from "../../src/app/event-digest.ts";
import { type EventChunk, Sequencer } from "../../src/app/sequencer.ts";
import { Engine } from "../../src/engine/index.ts";
import { openMemoryJournal } from "../../src/journal/index.ts";
import { NODE_PLATFORM } from "../../src/platform/index.ts";
import {
  type Answer,
  type AppendResult,
  type Batch,
  type Journal,
  type JournaledBatch,
  type Submission,
  submitAll,
} from "../../src/protocol/index.ts";
import { HASH_KEY } from "../support/hash-key.ts";
import { Random } from "../support/random.ts";
import { NaiveExchange } from "./naive-exchange.ts";
import { RandomTraffic } from "./random-traffic.ts";
import { splitVersions } from "./versioned-answers.ts";

const CALLERS_MAX = 12;
const SUBMISSIONS_MAX = 4;
const LATE_TURNS_MAX = 4;

/** The journal in memory, but what is appended becomes durable some turns later, in order. */
class LateJournal implements Journal {
  readonly #journal: Journal;
  readonly #random: Random;
  #before: Promise<unknown> = Promise.resolve();

  constructor(journal: Journal, random: Random) {
    this.#journal = journal;
    this.#random = random;
  }

  get epoch(): number {
    return this.#journal.epoch;
  }

  get lastSequence(): number {
    return this.#journal.lastSequence;
  }

  get nearlyFull(): boolean {
    return this.#journal.nearlyFull;
  }

  append(expectedSequence: number, epoch: number, batch: Batch): Promise<AppendResult> {
    const turns = this.#random.integer(0, LATE_TURNS_MAX);
    const append = this.#before.then(async () => {
      for (let turn = 0; turn < turns; turn++) await nextTurn();
      return this.#journal.append(expectedSequence, epoch, batch);
    });
    this.#before = append;
    return append;
  }

  read(fromSequence: number): AsyncIterable<JournaledBatch> {
    return this.#journal.read(fromSequence);
  }

  tail(fromSequence: number, signal: AbortSignal): AsyncIterable<JournaledBatch> {
    return this.#journal.tail(fromSequence, signal);
  }

  close(): Promise<void> {
    return this.#journal.close();
  }
}

export class BusyExchange {
  readonly engine = Engine.create(sha256Hex, HASH_KEY);
  readonly journal: Journal;
  readonly chunks: EventChunk[] = [];
  readonly sequencer: Sequencer;
  readonly #random: Random;
  readonly #naive = new NaiveExchange();
  readonly #traffic: RandomTraffic;
  #answered = 0;

  constructor(random: Random) {
    this.#random = random;
    this.journal = new LateJournal(openMemoryJournal(), new Random(random.integer(0, 2 ** 31)));
    this.#traffic = new RandomTraffic(random, this.#naive);
    this.sequencer = new Sequencer({
      platform: NODE_PLATFORM,
      engine: this.engine,
      journal: this.journal,
      eventDigest: INITIAL_EVENT_DIGEST,
      wall: { nowMs: () => this.#traffic.nowMs, behindMs: 0 },
      publish: (chunk) => this.chunks.push(chunk),
      isPublishFull: () => false,
      onFatal: (error) => assert.fail(error),
      metrics: { batchReleased: () => {} },
    });
  }

  /** Runs until so many commands are durable. */
  async runTo(sequence: number): Promise<void> {
    // One caller alone at first: traffic is about markets and users that are known to be there.
    while (!this.#traffic.isSetUp) await this.#call();
    while (this.sequencer.durableSequence < sequence) {
      const callers = this.#random.integer(1, CALLERS_MAX);
      await Promise.all(Array.from({ length: callers }, () => this.#call()));
    }
  }

  async #call(): Promise<void> {
    for (let turns = this.#random.integer(0, LATE_TURNS_MAX); turns > 0; turns--) await nextTurn();
    const count = this.#random.integer(1, SUBMISSIONS_MAX);
    const commands = Array.from({ length: count }, () => this.#traffic.next());
    const submissions = commands.map((command): Submission => ({ kind: "command", command }));
    if (this.#random.chance(0.3)) submissions.push({ kind: "query", query: { type: "status" } });
    const answers = await submitAll(this.sequencer, submissions);
    for (const [i, answer] of answers.entries()) {
      assert.ok(!("unavailable" in answer));
      this.#checkOrder(answer);
      const command = commands[i];
      if (command !== undefined) this.#follow(command, answer);
    }
  }

  /** Answers leave in order, and only once what they saw is durable. */
  #checkOrder({ sequence }: Answer): void {
    assert.ok(sequence >= this.#answered, "answers are in order");
    assert.ok(sequence <= this.sequencer.durableSequence, "an answer waits for what it saw");
    assert.ok(sequence <= this.journal.lastSequence);
    this.#answered = sequence;
  }

  #follow(command: Parameters<NaiveExchange["apply"]>[0], { result, timestampMs }: Answer): void {
    const outcome = this.#naive.apply(command, timestampMs);
    assert.equal(result.ok, outcome.ok);
    if (outcome.ok && result.ok) {
      assert.deepEqual(splitVersions(result.value).value, outcome.value);
    }
  }
}
