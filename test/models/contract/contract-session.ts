/**
 * An engine behind the real sequencer with running timers, a journal in memory, and all published
 * events. The test sets the clock; a restart resumes as the exchange does.
 */

import assert from "node:assert/strict";
import { INITIAL_EVENT_DIGEST, sha256Hex } from "../../../src/app/event-digest.ts";
import { type EventChunk, Sequencer } from "../../../src/app/sequencer.ts";
import { Engine } from "../../../src/engine/index.ts";
import { openMemoryJournal } from "../../../src/journal/index.ts";
import { NODE_PLATFORM } from "../../../src/platform/index.ts";
import {
  type Answer,
  type Command,
  decodeCommand,
  type JournaledBatch,
  submitAll,
} from "../../../src/protocol/index.ts";
import { HASH_KEY } from "../../support/hash-key.ts";

const NO_WAKE_UP = { arm: () => undefined };

export class ContractSession {
  readonly engine = Engine.create(sha256Hex, HASH_KEY);
  readonly journal = openMemoryJournal();
  readonly chunks: EventChunk[] = [];
  sequencer: Sequencer;
  nowMs: number;

  constructor(nowMs: number) {
    this.nowMs = nowMs;
    this.sequencer = this.#sequencer(INITIAL_EVENT_DIGEST);
    this.sequencer.startTimers(NO_WAKE_UP);
  }

  #sequencer(eventDigest: Uint8Array): Sequencer {
    return new Sequencer({
      platform: NODE_PLATFORM,
      engine: this.engine,
      journal: this.journal,
      eventDigest,
      wall: { nowMs: () => this.nowMs, behindMs: 0 },
      publish: (chunk) => this.chunks.push(chunk),
      isPublishFull: () => false,
      onFatal: (error) => assert.fail(error),
      metrics: { batchReleased: () => {} },
    });
  }

  async submit(...commands: readonly Command[]): Promise<readonly Answer[]> {
    const submissions = commands.map((command) => {
      return { kind: "command", command } as const;
    });
    return (await submitAll(this.sequencer, submissions)).map((answer) => {
      assert.ok(!("unavailable" in answer));
      return answer;
    });
  }

  /** Fails the test when one is refused. */
  async must(...commands: readonly Command[]): Promise<void> {
    for (const [i, { result }] of (await this.submit(...commands)).entries()) {
      assert.ok(result.ok, `${commands[i]?.type}: ${JSON.stringify(result)}`);
    }
  }

  /** Stops, and begins again at another time: timers run only once that was journaled. */
  async restart(nowMs: number): Promise<void> {
    await this.sequencer.stop();
    this.nowMs = nowMs;
    this.sequencer = this.#sequencer(this.sequencer.eventDigest);
    await this.must({ type: "resume" });
    this.sequencer.startTimers(NO_WAKE_UP);
  }

  async batches(): Promise<JournaledBatch[]> {
    const batches: JournaledBatch[] = [];
    for await (const batch of this.journal.read(1)) batches.push(batch);
    return batches;
  }
}

export function typesOf({ records }: JournaledBatch): Command["type"][] {
  return Array.from(records, (record) => decodeCommand(record).type);
}
