/** The data that the journal's tests write, and how they check the result. */
import assert from "node:assert/strict";
import type { FileJournal, JournalReader } from "../../src/journal/index.ts";
import type { AppendResult, Batch, Journal, JournaledBatch } from "../../src/protocol/index.ts";
import type { Random } from "./random.ts";

const START_MS = 1_700_000_000_000;

/**
 * A batch that follows `expectedSequence`, with 1 to 4 records of up to `maxRecordBytes` and now
 * and then a digest.
 */
export function randomBatch(random: Random, expectedSequence: number, maxRecordBytes = 40): Batch {
  const records = Array.from({ length: random.integer(1, 4) }, () =>
    randomBytes(random, random.integer(1, maxRecordBytes)),
  );
  return {
    firstSequence: expectedSequence + 1,
    timestampMs: START_MS + expectedSequence,
    records,
    eventDigest: random.chance(0.2) ? randomBytes(random, 32) : null,
  };
}

function randomBytes(random: Random, length: number): Uint8Array {
  return Uint8Array.from({ length }, () => random.integer(0, 255));
}

export function lastSequenceOf(batch: Batch): number {
  return batch.firstSequence + batch.records.length - 1;
}

/** A batch that was handed to the journal, and what became of it. */
export interface Sent {
  readonly batch: Batch;
  result: AppendResult | "unanswered";
}

/** Appends `count` batches, up to `together` at a time without waiting for answers. */
export async function appendBatches(
  journal: Journal,
  random: Random,
  count: number,
  together: number,
  sent: Sent[],
): Promise<void> {
  let last = journal.lastSequence;
  for (let done = 0; done < count; ) {
    const group = Math.min(count - done, random.integer(1, together));
    const answers: Promise<void>[] = [];
    for (let index = 0; index < group; index++) {
      const entry: Sent = { batch: randomBatch(random, last), result: "unanswered" };
      sent.push(entry);
      const answer = journal.append(last, journal.epoch, entry.batch);
      answers.push(
        answer.then((result) => {
          entry.result = result;
        }),
      );
      last = lastSequenceOf(entry.batch);
    }
    await Promise.all(answers);
    if (sent.at(-1)?.result !== "durable") return;
    done += group;
  }
}

export function readAll(
  journal: Pick<FileJournal | JournalReader, "read">,
  fromSequence = 1,
): Promise<JournaledBatch[]> {
  return collect(journal.read(fromSequence));
}

export async function collect(batches: AsyncIterable<JournaledBatch>): Promise<JournaledBatch[]> {
  const collected: JournaledBatch[] = [];
  for await (const batch of batches) collected.push(batch);
  return collected;
}

/** What was read is what was sent: whole batches, in order, from the first to the last of them. */
export function assertSameBatches(read: readonly Batch[], sent: readonly Batch[]): void {
  assert.equal(read.length, sent.length);
  for (const [index, batch] of read.entries()) assertSameBatch(batch, sent[index] as Batch);
}

export function assertSameBatch(read: Batch, sent: Batch): void {
  assert.equal(read.firstSequence, sent.firstSequence);
  assert.equal(read.timestampMs, sent.timestampMs);
  assert.equal(read.records.length, sent.records.length);
  const expected = [...sent.records];
  for (const [index, record] of [...read.records].entries()) {
    assert.equal(Buffer.compare(record, expected[index] as Uint8Array), 0);
  }
  assert.deepEqual(
    read.eventDigest && [...read.eventDigest],
    sent.eventDigest && [...sent.eventDigest],
  );
}

/**
 * The promise of durability: every batch that was answered `durable` is there, whole and in order;
 * of the others a prefix may be there, whole.
 */
export function assertPromiseKept(read: readonly Batch[], sent: readonly Sent[]): void {
  const acknowledged = sent.findLastIndex(({ result }) => result === "durable") + 1;
  assert.ok(
    read.length >= acknowledged,
    `${read.length} batches were found, ${acknowledged} had been acknowledged`,
  );
  assert.ok(read.length <= sent.length, "batches were found that were never sent");
  const expected = sent.slice(0, read.length).map(({ batch }) => batch);
  assertSameBatches(read, expected);
}

/** After the first answer that is not `durable` there is no other that is. */
export function assertNoAnswerAfterFailure(sent: readonly Sent[]): void {
  const failed = sent.findIndex(({ result }) => result !== "durable");
  if (failed < 0) return;
  for (const { result } of sent.slice(failed)) assert.notEqual(result, "durable");
}
