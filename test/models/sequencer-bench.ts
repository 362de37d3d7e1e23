/** A sequencer over a journal that answers when a test says so, and commands for it. */
import assert from "node:assert/strict";
import { setImmediate as nextTurn } from "node:timers/promises";
import { INITIAL_EVENT_DIGEST } from "../../src/app/event-digest.ts";
import { type EventChunk, Sequencer } from "../../src/app/sequencer.ts";
import { NODE_PLATFORM } from "../../src/platform/index.ts";
import {
  type Answer,
  type AppendResult,
  type Batch,
  type Command,
  type Journal,
  type JournaledBatch,
  type Submission,
  submitAll,
  type Unavailable,
} from "../../src/protocol/index.ts";
import { LiveEngine } from "./live-engine.ts";

interface Pending {
  readonly batch: Batch;
  readonly settle: (result: AppendResult) => void;
}

/** Appends are answered by the test alone. */
class JournalDouble implements Journal {
  readonly epoch = 1;
  readonly pending: Pending[] = [];
  readonly appended: Batch[] = [];
  nearlyFull = false;
  lastSequence = 0;

  append(expectedSequence: number, epoch: number, batch: Batch): Promise<AppendResult> {
    assert.equal(epoch, this.epoch);
    assert.equal(batch.firstSequence, expectedSequence + 1);
    const previous = this.appended.at(-1);
    assert.equal(expectedSequence, previous === undefined ? 0 : lastOf(previous));
    this.appended.push(batch);
    return new Promise((resolve) => this.pending.push({ batch, settle: resolve }));
  }

  async *read(): AsyncGenerator<JournaledBatch> {}
  async *tail(): AsyncGenerator<JournaledBatch> {}
  async close(): Promise<void> {}
}

function lastOf({ firstSequence, records }: Batch): number {
  return firstSequence + records.length - 1;
}

/** Fewer submissions wait for the batch before them. */
export const SECOND_BATCH_MIN = 64;

export class Bench {
  readonly live = new LiveEngine();
  readonly journal = new JournalDouble();
  readonly published: EventChunk[] = [];
  readonly fatal: Error[] = [];
  readonly sequencer: Sequencer;
  isPublishFull = false;
  readonly #durable = new Set<Batch>();

  constructor() {
    this.sequencer = new Sequencer({
      platform: NODE_PLATFORM,
      engine: this.live.engine,
      journal: this.journal,
      eventDigest: INITIAL_EVENT_DIGEST,
      wall: { nowMs: () => this.live.nowMs, behindMs: 0 },
      publish: (chunk) => this.published.push(chunk),
      isPublishFull: () => this.isPublishFull,
      onFatal: (error) => this.fatal.push(error),
      metrics: { batchReleased: () => {} },
    });
  }

  /** The last sequence up to which every append was answered `durable`. */
  get durable(): number {
    let sequence = 0;
    for (const batch of this.journal.appended) {
      if (!this.#durable.has(batch)) break;
      sequence = lastOf(batch);
    }
    return sequence;
  }

  submit(...commands: readonly Command[]): Promise<readonly (Answer | Unavailable)[]> {
    return submitAll(this.sequencer, commands.map(submission));
  }

  /** So many registrations in each turn. */
  async submitInTurns(...counts: readonly number[]): Promise<void> {
    for (const count of counts) {
      void this.submit(...Array.from({ length: count }, registration));
      await nextTurn();
    }
  }

  /** Answers one pending append, the oldest unless another is named. */
  async settle(result: AppendResult = "durable", index = 0): Promise<void> {
    const [pending] = this.journal.pending.splice(index, 1);
    assert.ok(pending !== undefined, "an append is pending");
    if (result === "durable") this.#durable.add(pending.batch);
    pending.settle(result);
    await nextTurn();
  }
}

export function submission(command: Command): Submission {
  return { kind: "command", command };
}

export const STATUS: Submission = { kind: "query", query: { type: "status" } };
let users = 0;

/** A command that changes the state; `users` of the status counts them. */
export function registration(): Command {
  const inviteCode = `invite-${++users}`;
  return { type: "register-user", actor: "", uid: null, inviteCode, invitedWith: null, kyc: false };
}

export const REFUSED: Command = { type: "cancel-all-spot-orders", uid: 1, symbol: "NONE" };
