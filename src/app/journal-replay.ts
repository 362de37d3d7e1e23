/**
 * Replays a journal from its first command to its end, or to any sequence before. For people and
 * tools: it only reads, uses no snapshot and may run beside the exchange.
 */
import { invariant } from "../domain/index.ts";
import { openJournalReader } from "../journal/index.ts";
import type { JournaledBatch } from "../protocol/index.ts";
import { Progress } from "./progress.ts";
import { Replay } from "./replay.ts";
import type { EventChunk } from "./sequencer.ts";

export interface JournalReplayOptions {
  readonly journalFolder: string;
  /** The last command to replay; the journal must have it. */
  readonly throughSequence: number;
  /** Receives the events; awaited, to slow the replay down to its pace. */
  readonly onEvents?: (chunk: EventChunk) => Promise<void>;
}

export interface ReplayedState {
  readonly sequence: number;
  /** Exchange time of the last command; 0 if there is none. */
  readonly timestampMs: number;
  readonly rulesVersion: number;
  /** How many event digests in the journal were compared and found equal. */
  readonly digestsCompared: number;
  readonly stateHash: string;
  readonly violations: readonly string[];
  /** Per asset and ledger account; they sum to zero. */
  readonly totals: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/** Throws `ReplayDivergence` and `DamagedJournal`. */
export async function replayJournal(options: JournalReplayOptions): Promise<ReplayedState> {
  const { journalFolder, throughSequence, onEvents } = options;
  const replay = Replay.from(null);
  const progress = new Progress("Replaying the journal, commands", throughSequence);
  const reader = openJournalReader(journalFolder);
  for await (const batch of reader.read(1, throughSequence)) {
    const events = replay.apply(cutAfter(batch, throughSequence));
    await onEvents?.(events);
    progress.report(replay.sequence);
  }
  progress.end();
  invariant(replay.sequence === throughSequence, "the journal has what was to be replayed");
  return describeState(replay);
}

/** A digest covers a whole batch, so a batch that is cut short has none. */
function cutAfter(batch: JournaledBatch, sequence: number): JournaledBatch {
  const kept = sequence - batch.firstSequence + 1;
  if (kept >= batch.records.length) return batch;
  return { ...batch, records: batch.records.first(kept), eventDigest: null };
}

function describeState({ engine, sequence, digestsCompared }: Replay): ReplayedState {
  const { rulesVersion, timestampMs } = engine;
  const answer = engine.query({ type: "invariants" }, timestampMs);
  invariant(answer.ok && "totals" in answer.value, "an engine answers for its invariants");
  const { stateHash, violations, totals } = answer.value;
  return {
    sequence,
    timestampMs,
    rulesVersion,
    digestsCompared,
    stateHash,
    violations,
    totals,
  };
}
