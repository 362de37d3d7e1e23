/**
 * What every adapter of the journal's port promises, as tests: the same appends get the same
 * answers, and the same batches are read back.
 */
import assert from "node:assert/strict";
import test from "node:test";
import type { DurableJournal } from "../../src/journal/index.ts";
import type { Batch } from "../../src/protocol/index.ts";
import {
  appendBatches,
  assertNoAnswerAfterFailure,
  assertPromiseKept,
  assertSameBatch,
  assertSameBatches,
  lastSequenceOf,
  randomBatch,
  readAll,
  type Sent,
} from "./journal-workload.ts";
import { type Random, scaled } from "./random.ts";

/** What lies behind a journal, and outlives it. */
export interface JournalStore {
  /** Opens it, again after the last one was closed or has failed. */
  open(): Promise<DurableJournal>;
  /** From now on no append of a segment's length becomes durable, until `mend`. */
  fail(): void;
  mend(): void;
  remove(): void | Promise<void>;
}

export interface JournalAdapter {
  readonly name: string;
  /** Opening a store that is open takes it from who had it; files are locked instead. */
  readonly takesOver: boolean;
  /** The part of the random operations that it does: where each takes longer, fewer do. */
  readonly share?: number;
  /** Why this machine cannot run its tests. */
  readonly skip?: string | false;
  /** A new, empty one. */
  store(): JournalStore | Promise<JournalStore>;
}

interface Trial {
  readonly random: Random;
  /** Of appends, scaled for the run and the adapter. */
  count(operations: number): number;
  readonly store: JournalStore;
  open(): Promise<DurableJournal>;
}

/** Longer than the segments that the tests configure. */
const LARGE_BYTES = 8000;

/** Makes the tests of the contract for an adapter. */
export function testJournalContract(adapter: JournalAdapter, random: Random): void {
  const check = (title: string, body: (trial: Trial) => Promise<void>): void => {
    test(`${adapter.name}: ${title}`, { skip: adapter.skip ?? false }, async () => {
      const store = await adapter.store();
      try {
        const count = (operations: number) => scaled(operations * (adapter.share ?? 1));
        await body({ random, count, store, open: () => store.open() });
      } finally {
        await store.remove();
      }
    });
  };
  check("an empty journal reads as nothing", emptyReadsAsNothing);
  check(
    "what was appended is read back, also after opening again, with a higher epoch",
    isReadBackAfterOpeningAgain,
  );
  check("reading begins with the batch that holds the sequence", readingBeginsWithTheBatch);
  check(
    "an append in the wrong place or of another epoch is fenced and changes nothing",
    wrongPlaceOrEpochIsFenced,
  );
  check("a closed journal takes nothing", closedTakesNothing);
  check("many appends at once keep their order and are all durable", manyAtOnceKeepTheirOrder);
  check("a tail follows from anywhere, over rolls, until it is aborted", tailFollowsFromAnywhere);
  check("closing ends a tail", closingEndsATail);
  check(
    "the hash chain is known at the end of every batch and nowhere else",
    chainIsKnownAtEveryEnd,
  );
  check("after an append that failed, nothing is durable until the next opening", failureIsFinal);
  if (adapter.takesOver) {
    check("opening again fences who had it open before", openingAgainFences);
  }
}

async function emptyReadsAsNothing({ open }: Trial): Promise<void> {
  const journal = await open();
  assert.equal(journal.lastSequence, 0);
  assert.equal(journal.nearlyFull, false);
  assert.deepEqual(await readAll(journal), []);
  assert.deepEqual(await journal.chainHashAt(0), new Uint8Array(32));
  assert.equal(await journal.chainHashAt(1), null);
  await journal.close();
}

async function isReadBackAfterOpeningAgain({ open, random, count }: Trial): Promise<void> {
  const sent: Sent[] = [];
  let lastEpoch = 0;
  for (let run = 0; run < 4; run++) {
    const journal = await open();
    assert.ok(journal.epoch > lastEpoch);
    lastEpoch = journal.epoch;
    await appendBatches(journal, random, count(60), 8, sent);
    assert.ok(sent.every(({ result }) => result === "durable"));
    const read = await readAll(journal);
    assertSameBatches(
      read,
      sent.map(({ batch }) => batch),
    );
    assert.equal(journal.lastSequence, lastSequenceOf(sent.at(-1)?.batch as Batch));
    assert.equal(read.at(-1)?.epoch, journal.epoch);
    await journal.close();
  }
}

async function readingBeginsWithTheBatch({ open, random }: Trial): Promise<void> {
  const journal = await open();
  const sent: Sent[] = [];
  await appendBatches(journal, random, 80, 8, sent);
  for (let from = 0; from <= journal.lastSequence; from++) {
    const index = sent.findIndex(({ batch }) => lastSequenceOf(batch) >= from);
    for await (const batch of journal.read(from)) {
      assertSameBatch(batch, sent[index]?.batch as Batch);
      break;
    }
  }
  assert.deepEqual(await readAll(journal, journal.lastSequence + 1), []);
  await journal.close();
}

async function wrongPlaceOrEpochIsFenced({ open, random }: Trial): Promise<void> {
  const journal = await open();
  const sent: Sent[] = [];
  await appendBatches(journal, random, 3, 1, sent);
  const last = journal.lastSequence;
  for (const [expected, epoch] of [
    [last - 1, journal.epoch],
    [last + 1, journal.epoch],
    [last, journal.epoch - 1],
    [last, journal.epoch + 1],
  ] as const) {
    assert.equal(await journal.append(expected, epoch, randomBatch(random, expected)), "fenced");
  }
  await appendBatches(journal, random, 3, 1, sent);
  assertSameBatches(
    await readAll(journal),
    sent.map(({ batch }) => batch),
  );
  await journal.close();
}

async function closedTakesNothing({ open, random }: Trial): Promise<void> {
  const journal = await open();
  await journal.close();
  assert.equal(await journal.append(0, journal.epoch, randomBatch(random, 0)), "unknown");
  const again = await open();
  assert.equal(again.lastSequence, 0);
  await again.close();
}

async function manyAtOnceKeepTheirOrder({ open, random, count }: Trial): Promise<void> {
  const journal = await open();
  const batches: Batch[] = [];
  const answered: number[] = [];
  let last = 0;
  const answers = Array.from({ length: count(500) }, (_, index) => {
    const batch = randomBatch(random, last, 200);
    batches.push(batch);
    const answer = journal.append(last, journal.epoch, batch);
    last = lastSequenceOf(batch);
    return answer.then((result) => {
      assert.equal(result, "durable");
      assert.ok(journal.lastSequence >= lastSequenceOf(batch));
      answered.push(index);
    });
  });
  await Promise.all(answers);
  assert.deepEqual(
    answered,
    batches.map((_, index) => index),
  );
  assertSameBatches(await readAll(journal), batches);
  await journal.close();
}

async function tailFollowsFromAnywhere({ open, random, count }: Trial): Promise<void> {
  const journal = await open();
  const sent: Sent[] = [];
  await appendBatches(journal, random, 10, 4, sent);
  const middle = lastSequenceOf((sent[4] as Sent).batch) + 1;
  const abort = new AbortController();
  const follow = (from: number) => new Follower(journal.tail(from, abort.signal));
  const tails = [follow(1), follow(middle), follow(journal.lastSequence + 1)];
  for (let round = 0; round < 10; round++) {
    await appendBatches(journal, random, count(10), 4, sent);
    if (round % 3 === 2) await journal.roll();
  }
  const idle = follow(journal.lastSequence + 1);
  for (const tail of tails) await tail.reaches(journal.lastSequence);
  abort.abort();
  await idle.ended;
  assert.deepEqual(idle.batches, []);
  const batches = sent.map(({ batch }) => batch);
  for (const [index, skipped] of [0, 5, 10].entries()) {
    const tail = tails[index] as Follower;
    await tail.ended;
    assertSameBatches(tail.batches, batches.slice(skipped));
  }
  await journal.close();
}

async function closingEndsATail({ open, random }: Trial): Promise<void> {
  const journal = await open();
  const tail = new Follower(journal.tail(1, new AbortController().signal));
  const sent: Sent[] = [];
  await appendBatches(journal, random, 5, 5, sent);
  await tail.reaches(journal.lastSequence);
  await journal.close();
  await tail.ended;
  assertSameBatches(
    tail.batches,
    sent.map(({ batch }) => batch),
  );
}

async function chainIsKnownAtEveryEnd({ open, random }: Trial): Promise<void> {
  const journal = await open();
  await appendBatches(journal, random, 40, 4, []);
  const ends = new Map<number, string>();
  for await (const batch of journal.read(1)) ends.set(lastSequenceOf(batch), hex(batch.chainHash));
  for (let sequence = 1; sequence <= journal.lastSequence; sequence++) {
    const found = await journal.chainHashAt(sequence);
    assert.equal(found === null ? undefined : hex(found), ends.get(sequence));
  }
  assert.equal(await journal.chainHashAt(journal.lastSequence + 1), null);
  await journal.close();
}

async function failureIsFinal({ open, random, store }: Trial): Promise<void> {
  const journal = await open();
  const sent: Sent[] = [];
  await appendBatches(journal, random, 5, 2, sent);
  const durable = journal.lastSequence;
  store.fail();
  let last = durable;
  const answers: Promise<void>[] = [];
  for (let index = 0; index < 3; index++) {
    const batch = { ...randomBatch(random, last), records: [new Uint8Array(LARGE_BYTES)] };
    const entry: Sent = { batch, result: "unanswered" };
    sent.push(entry);
    const answer = journal.append(last, journal.epoch, batch);
    answers.push(
      answer.then((result) => {
        entry.result = result;
      }),
    );
    last = lastSequenceOf(batch);
  }
  await Promise.all(answers);
  assert.ok(sent.slice(-3).every(({ result }) => result === "unknown"));
  store.mend();
  assert.equal(await journal.append(last, journal.epoch, randomBatch(random, last)), "unknown");
  assert.equal(journal.lastSequence, durable);
  await journal.close();
  const again = await open();
  assertNoAnswerAfterFailure(sent);
  assertPromiseKept(await readAll(again), sent);
  const next = again.lastSequence;
  assert.equal(await again.append(next, again.epoch, randomBatch(random, next)), "durable");
  await again.close();
}

async function openingAgainFences({ open, random }: Trial): Promise<void> {
  const old = await open();
  const sent: Sent[] = [];
  await appendBatches(old, random, 3, 1, sent);
  const last = old.lastSequence;
  const current = await open();
  assert.ok(current.epoch > old.epoch);
  const batch = randomBatch(random, last);
  assert.equal(await old.append(last, old.epoch, batch), "fenced");
  assert.equal(await current.append(last, current.epoch, batch), "durable");
  assertSameBatches(await readAll(current), [...sent.map((each) => each.batch), batch]);
  await old.close();
  await current.close();
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex");
}

/** Takes from a tail in the background. */
class Follower {
  readonly batches: Batch[] = [];
  readonly ended: Promise<void>;

  constructor(tail: AsyncIterable<Batch>) {
    this.ended = this.#follow(tail);
  }

  async #follow(tail: AsyncIterable<Batch>): Promise<void> {
    for await (const batch of tail) this.batches.push(batch);
  }

  async reaches(sequence: number): Promise<void> {
    const seen = () => {
      const last = this.batches.at(-1);
      return last === undefined ? 0 : lastSequenceOf(last);
    };
    while (seen() < sequence) await new Promise((resolve) => setImmediate(resolve));
  }
}
