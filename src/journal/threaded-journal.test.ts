/**
 * Goal: a journal in a thread fails as one without: refusals, findings, unknown outcomes and the
 * end of the thread reach the caller, and batches keep their order whichever way they take.
 * Method: the real thread on real files, damaged or made unwritable by moving their folder away.
 */
import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, renameSync, rmSync, truncateSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import {
  appendBatches,
  assertSameBatches,
  lastSequenceOf,
  randomBatch,
  readAll,
  type Sent,
} from "../../test/support/journal-workload.ts";
import { scaled, seededRandom } from "../../test/support/random.ts";
import { NODE_PLATFORM, type Thread, type Threads } from "../platform/index.ts";
import type { AppendResult, Batch } from "../protocol/index.ts";
import type { DurableJournal } from "./index.ts";
import { openThreadedJournal } from "./index.ts";

const random = seededRandom("journal in a thread");

/** Keeps the journal's thread at hand. */
class WatchedThreads implements Threads {
  thread: Thread | null = null;

  start(options: Parameters<Threads["start"]>[0]): Thread {
    this.thread = NODE_PLATFORM.threads.start(options);
    return this.thread;
  }
}

class Store {
  readonly folder: string;
  readonly threads = new WatchedThreads();
  readonly failures: Error[] = [];
  readonly messages: string[] = [];

  constructor(t: TestContext) {
    const parent = mkdtempSync(join(tmpdir(), "rialto-journal-thread-"));
    t.after(() => rmSync(parent, { recursive: true, force: true }));
    this.folder = join(parent, "journal");
  }

  tryOpen(segmentBytes = 64 * 1024 * 1024) {
    return openThreadedJournal({
      folder: this.folder,
      segmentBytes,
      preallocatedBytes: 4096,
      threads: this.threads,
      onFailure: (error) => this.failures.push(error),
      log: (_level, message) => this.messages.push(message),
    });
  }

  async open(segmentBytes?: number): Promise<DurableJournal> {
    const opening = await this.tryOpen(segmentBytes);
    assert.ok(opening.ok, opening.ok ? "" : opening.refusal.message);
    return opening.journal;
  }

  get segment(): string {
    const name = readdirSync(this.folder).find((file) => file.endsWith(".segment"));
    return join(this.folder, name as string);
  }
}

test("batches of any size keep their order through the ring and beside it", async (t) => {
  const journal = await new Store(t).open();
  for (let round = 0; round < scaled(2); round++) {
    const batches: Batch[] = [];
    const answers: Promise<AppendResult>[] = [];
    const rolls: Promise<void>[] = [];
    let last = journal.lastSequence;
    const first = last + 1;
    for (let index = 0; index < 120; index++) {
      // Some are longer than any record of the ring, and all together than the ring.
      const size = random.pick([40, 2000, 300_000, 1_500_000]);
      const bytes = new Uint8Array(random.integer(1, size)).fill(index + 1);
      const batch = { ...randomBatch(random, last), records: [bytes, bytes.subarray(0, 7)] };
      batches.push(batch);
      answers.push(journal.append(last, journal.epoch, batch));
      last = lastSequenceOf(batch);
      if (random.chance(0.05)) rolls.push(journal.roll());
    }
    assert.ok((await Promise.all(answers)).every((answer) => answer === "durable"));
    await Promise.all(rolls);
    assert.equal(journal.lastSequence, last);
    assertSameBatches(await readAll(journal, first), batches);
  }
  await journal.close();
});

test("a failed write is answered unknown, as is everything after it", async (t) => {
  const store = new Store(t);
  const journal = await store.open(4096);
  await appendBatches(journal, random, 3, 1, []);
  const durable = journal.lastSequence;
  renameSync(store.folder, `${store.folder}-away`);
  // The next segment cannot be made.
  const large = { ...randomBatch(random, durable), records: [new Uint8Array(8000)] };
  const failed = journal.append(durable, journal.epoch, large);
  const behind = journal.append(durable + 1, journal.epoch, randomBatch(random, durable + 1));
  assert.deepEqual([await failed, await behind], ["unknown", "unknown"]);
  assert.equal(await journal.append(durable, journal.epoch, large), "unknown");
  assert.equal(journal.lastSequence, durable);
  assert.match(store.messages.join(), /the journal cannot be written any more: ENOENT/);
  await journal.close();
  assert.deepEqual(store.failures, [], "the answers say it all");
});

test("a failed roll is rejected", async (t) => {
  const store = new Store(t);
  const journal = await store.open();
  await appendBatches(journal, random, 3, 1, []);
  renameSync(store.folder, `${store.folder}-away`);
  await assert.rejects(journal.roll(), /ENOENT/);
  await journal.close();
});

test("the end of the thread is reported with its name, and what waited is unknown", async (t) => {
  const store = new Store(t);
  const journal = await store.open();
  const sent: Sent[] = [];
  await appendBatches(journal, random, 10, 2, sent);
  const durable = journal.lastSequence;
  const tail = readToEnd(journal);
  const ended = store.threads.thread?.terminate();
  const lost = journal.append(durable, journal.epoch, randomBatch(random, durable));
  await ended;
  // The thread may have written it before it ended; nobody knows without looking.
  assert.ok(["unknown", "durable"].includes(await lost));
  assert.deepEqual(
    store.failures.map(({ message }) => message),
    ["journal ended with code 1"],
  );
  assert.equal(
    await journal.append(durable, journal.epoch, randomBatch(random, durable)),
    "unknown",
  );
  await tail;
  await journal.close();
});

test("a thread that ends before the journal is open rejects the opening", async (t) => {
  const store = new Store(t);
  const opening = assert.rejects(store.tryOpen(), /journal ended with code/);
  await store.threads.thread?.terminate();
  await opening;
  assert.deepEqual(store.failures, [], "whoever opened it knows already");
});

async function readToEnd(journal: DurableJournal): Promise<void> {
  for await (const _ of journal.tail(1, new AbortController().signal));
}

test("findings and refusals of the recovery come back", async (t) => {
  const store = new Store(t);
  const journal = await store.open();
  const sent: Sent[] = [];
  await appendBatches(journal, random, 5, 1, sent);
  await journal.close();
  rmSync(join(store.folder, "header.ring"));
  const found = await store.tryOpen();
  assert.ok(found.ok);
  assert.ok(found.findings.length > 0);
  assert.deepEqual(
    found.findings.map(({ message }) => message),
    store.messages,
  );
  assert.equal(found.journal.lastSequence, journal.lastSequence);
  await found.journal.close();
  truncateSync(store.segment, 200);
  const refused = await store.tryOpen();
  assert.ok(!refused.ok);
  assert.equal(refused.refusal.kind, "damaged");
  assert.match(refused.refusal.message, /segment/);
  assert.deepEqual(store.failures, []);
});
