/**
 * Replay: runs journaled batches through the engine again. Start-up, the snapshot follower, history
 * catch-up and verification all use this loop.
 */
import { invariant } from "../domain/index.ts";
import { Engine, RULES_VERSION } from "../engine/index.ts";
import { NODE_PLATFORM, type Randomness } from "../platform/index.ts";
import {
  type Answer,
  ByteWriter,
  type Command,
  type JournaledBatch,
  readCommand,
  type Snapshot,
} from "../protocol/index.ts";
import { extendEventDigest, INITIAL_EVENT_DIGEST, sha256Hex } from "./event-digest.ts";
import type { EventChunk } from "./sequencer.ts";

/** Differs from run to run; no result depends on it. */
function drawHashKey(randomness: Randomness): { readonly high: number; readonly low: number } {
  const drawn = randomness.bytes(8);
  return { high: drawn.readUInt32LE(0), low: drawn.readUInt32LE(4) };
}

/** This program behaves differently from the one that wrote the journal. */
export class ReplayDivergence extends Error {
  override readonly name = "ReplayDivergence";
}

/** Is told of each command what came of it; the record is valid during the call. */
export type CommandListener = (command: Command, record: Uint8Array, answer: Answer) => void;

export class Replay {
  readonly engine: Engine;
  readonly #events = new ByteWriter(64 * 1024);
  #sequence: number;
  #eventDigest: Uint8Array;
  #chainHash: Uint8Array | null;
  #digestsCompared = 0;

  private constructor(
    engine: Engine,
    sequence: number,
    eventDigest: Uint8Array,
    chainHash: Uint8Array | null,
  ) {
    this.engine = engine;
    this.#sequence = sequence;
    this.#eventDigest = eventDigest;
    this.#chainHash = chainHash;
  }

  /** Starts from the state of a snapshot, or from before the first command. */
  static from(
    snapshot: Snapshot | null,
    randomness: Randomness = NODE_PLATFORM.randomness,
  ): Replay {
    const hashKey = drawHashKey(randomness);
    if (snapshot === null) {
      return new Replay(Engine.create(sha256Hex, hashKey), 0, INITIAL_EVENT_DIGEST, null);
    }
    const { sections, timestampMs, clockMs, sequence, eventDigest, chainHash } = snapshot;
    const engine = Engine.restore(sections, timestampMs, sha256Hex, hashKey, clockMs);
    if (engine.stateHash() !== snapshot.stateHash) {
      throw new ReplayDivergence(`the snapshot of sequence ${sequence} has another state hash`);
    }
    return new Replay(engine, sequence, eventDigest, chainHash);
  }

  /** Sequence of the last applied command. */
  get sequence(): number {
    return this.#sequence;
  }

  get eventDigest(): Uint8Array {
    return this.#eventDigest;
  }

  /** How many event digests in the journal were compared and found equal. */
  get digestsCompared(): number {
    return this.#digestsCompared;
  }

  /** End of the journal's hash chain as of `sequence`; null before the first batch. */
  get chainHash(): Uint8Array | null {
    return this.#chainHash;
  }

  /**
   * Applies the next batch and returns its events, valid until the next call. Throws
   * `ReplayDivergence`.
   */
  apply(batch: JournaledBatch, listener: CommandListener | null = null): EventChunk {
    if (batch.firstSequence !== this.#sequence + 1) {
      throw new ReplayDivergence(
        `the journal goes on at ${batch.firstSequence} after sequence ${this.#sequence}`,
      );
    }
    this.#events.clear();
    const { records } = batch;
    const reader = records.reader();
    for (let index = 0; index < records.length; index++) {
      const sequence = this.#sequence + 1;
      const eventsBefore = this.#events.length;
      records.open(reader, index);
      const command = readCommand(reader);
      const result = this.engine.apply(command, sequence, batch.timestampMs, this.#events);
      if (this.#events.length === eventsBefore) {
        if (command.type === "adopt-rules" && command.version > RULES_VERSION) {
          throw new ReplayDivergence(
            `from command ${sequence} on the log follows rules ${command.version}, and this ` +
              `program knows rules up to ${RULES_VERSION}: start a newer version of Rialto`,
          );
        }
        const outcome = result.ok ? "changed nothing" : `was refused (${result.reason})`;
        throw new ReplayDivergence(
          `command ${sequence} (${command.type}) changed the state once and ${outcome} now`,
        );
      }
      this.#sequence = sequence;
      listener?.(command, records.at(index), { sequence, timestampMs: batch.timestampMs, result });
    }
    this.#eventDigest = extendEventDigest(this.#eventDigest, this.#events.view());
    this.#chainHash = batch.chainHash;
    const { eventDigest } = batch;
    if (eventDigest !== null && Buffer.compare(eventDigest, this.#eventDigest) !== 0) {
      throw new ReplayDivergence(
        `the events up to sequence ${this.#sequence} do not have the digest in the journal`,
      );
    }
    if (eventDigest !== null) this.#digestsCompared++;
    return this.#chunk(batch.timestampMs);
  }

  /** The events, which are copied only on request: often the history has them already. */
  #chunk(timestampMs: number): EventChunk {
    const lastSequence = this.#sequence;
    const bytes = (): Uint8Array<ArrayBuffer> => {
      invariant(lastSequence === this.#sequence, "events are read before the next batch");
      return this.#events.toBytes();
    };
    return {
      lastSequence,
      timestampMs,
      get chunk() {
        return bytes();
      },
    };
  }

  /** The state as a snapshot. Requires at least one applied batch, or a start from a snapshot. */
  snapshot(): Snapshot {
    if (this.#chainHash === null) throw new ReplayDivergence("there is nothing to snapshot yet");
    return makeSnapshot(this.engine, this.#sequence, this.#eventDigest, this.#chainHash);
  }
}

export function makeSnapshot(
  engine: Engine,
  sequence: number,
  eventDigest: Uint8Array,
  chainHash: Uint8Array,
): Snapshot {
  return {
    sequence,
    timestampMs: engine.timestampMs,
    clockMs: engine.clockMs,
    rulesVersion: engine.rulesVersion,
    stateHash: engine.stateHash(),
    eventDigest,
    chainHash,
    sections: engine.snapshotSections(),
  };
}
