/**
 * Proves that the file and the memory journal keep the one contract of the port: one suite of
 * tests, run against both, the files on a simulated disk and on the machine's own, here and in a
 * thread.
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import {
  appendBatches,
  assertSameBatch,
  assertSameBatches,
  lastSequenceOf,
  randomBatch,
  readAll,
  type Sent,
} from "../../test/support/journal-workload.ts";
import { scaled, seededRandom } from "../../test/support/random.ts";
import { FaultyFileSystem, SimulatedDisk } from "../../test/support/simulated-disk.ts";
import { BLOCKING_FILE_SYSTEM, type FileSystem, NODE_PLATFORM } from "../platform/index.ts";
import type { Batch } from "../protocol/index.ts";
import { openFileJournal } from "./file-journal.ts";
import {
  type DurableJournal,
  MemoryJournalStore,
  openMemoryJournal,
  openThreadedJournal,
} from "./index.ts";

const random = seededRandom("journal");

interface Adapter {
  readonly name: string;
  /** A new, empty store; each call of the result opens it (again). */
  store(): { open(): Promise<DurableJournal>; remove(): void };
}

async function openFiles(folder: string, fileSystem?: FileSystem): Promise<DurableJournal> {
  const small = { folder, segmentBytes: 4096, preallocatedBytes: 1024 };
  const opening = await openFileJournal(fileSystem ? { ...small, fileSystem } : small);
  assert.ok(opening.ok, opening.ok ? "" : opening.refusal.message);
  return opening.journal;
}

async function openInThread(folder: string): Promise<DurableJournal> {
  const opening = await openThreadedJournal({
    folder,
    segmentBytes: 4096,
    preallocatedBytes: 1024,
    threads: NODE_PLATFORM.threads,
    onFailure(error) {
      throw error;
    },
  });
  assert.ok(opening.ok, opening.ok ? "" : opening.refusal.message);
  return opening.journal;
}

const ADAPTERS: readonly Adapter[] = [
  {
    name: "memory",
    store() {
      const store = new MemoryJournalStore();
      return { open: async () => openMemoryJournal(store), remove() {} };
    },
  },
  {
    name: "files on a simulated disk",
    store() {
      const disk = new SimulatedDisk();
      return { open: () => openFiles("/journal", new FaultyFileSystem(disk)), remove() {} };
    },
  },
  {
    name: "files",
    store() {
      const folder = mkdtempSync(join(tmpdir(), "rialto-journal-"));
      return {
        open: () => openFiles(join(folder, "journal")),
        remove: () => rmSync(folder, { recursive: true }),
      };
    },
  },
  {
    name: "files by blocking calls",
    store() {
      const folder = mkdtempSync(join(tmpdir(), "rialto-journal-"));
      return {
        open: () => openFiles(join(folder, "journal"), BLOCKING_FILE_SYSTEM),
        remove: () => rmSync(folder, { recursive: true }),
      };
    },
  },
  {
    name: "files in a thread",
    store() {
      const folder = mkdtempSync(join(tmpdir(), "rialto-journal-"));
      return {
        open: () => openInThread(join(folder, "journal")),
        remove: () => rmSync(folder, { recursive: true }),
      };
    },
  },
];

for (const adapter of ADAPTERS) {
  const check = (title: string, body: (open: () => Promise<DurableJournal>) => Promise<void>) =>
    test(`${adapter.name}: ${title}`, async () => {
      const { open, remove } = adapter.store();
      try {
        await body(open);
      } finally {
        remove();
      }
    });

  check("an empty journal reads as nothing", async (open) => {
    const journal = await open();
    assert.equal(journal.lastSequence, 0);
    assert.equal(journal.nearlyFull, false);
    assert.deepEqual(await readAll(journal), []);
    assert.deepEqual(await journal.chainHashAt(0), new Uint8Array(32));
    assert.equal(await journal.chainHashAt(1), null);
    await journal.close();
  });

  check(
    "what was appended is read back, also after opening again, with a higher epoch",
    async (open) => {
      const sent: Sent[] = [];
      let lastEpoch = 0;
      for (let run = 0; run < 4; run++) {
        const journal = await open();
        assert.ok(journal.epoch > lastEpoch);
        lastEpoch = journal.epoch;
        await appendBatches(journal, random, scaled(60), 8, sent);
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
    },
  );

  check("reading begins with the batch that holds the sequence", async (open) => {
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
  });

  check(
    "an append in the wrong place or of another epoch is fenced and changes nothing",
    async (open) => {
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
        assert.equal(
          await journal.append(expected, epoch, randomBatch(random, expected)),
          "fenced",
        );
      }
      await appendBatches(journal, random, 3, 1, sent);
      assertSameBatches(
        await readAll(journal),
        sent.map(({ batch }) => batch),
      );
      await journal.close();
    },
  );

  check("a closed journal takes nothing", async (open) => {
    const journal = await open();
    await journal.close();
    assert.equal(await journal.append(0, journal.epoch, randomBatch(random, 0)), "unknown");
    const again = await open();
    assert.equal(again.lastSequence, 0);
    await again.close();
  });

  check("many appends at once keep their order and are all durable", async (open) => {
    const journal = await open();
    const batches: Batch[] = [];
    const answered: number[] = [];
    let last = 0;
    const answers = Array.from({ length: scaled(500) }, (_, index) => {
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
  });

  check("a tail follows from anywhere, over rolls, until it is aborted", async (open) => {
    const journal = await open();
    const sent: Sent[] = [];
    await appendBatches(journal, random, 10, 4, sent);
    const middle = lastSequenceOf((sent[4] as Sent).batch) + 1;
    const abort = new AbortController();
    const follow = (from: number) => new Follower(journal.tail(from, abort.signal));
    const tails = [follow(1), follow(middle), follow(journal.lastSequence + 1)];
    for (let round = 0; round < 10; round++) {
      await appendBatches(journal, random, scaled(10), 4, sent);
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
  });

  check("closing ends a tail", async (open) => {
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
  });

  check("the hash chain is known at the end of every batch and nowhere else", async (open) => {
    const journal = await open();
    await appendBatches(journal, random, 40, 4, []);
    const ends = new Map<number, string>();
    for await (const batch of journal.read(1))
      ends.set(lastSequenceOf(batch), hex(batch.chainHash));
    for (let sequence = 1; sequence <= journal.lastSequence; sequence++) {
      const found = await journal.chainHashAt(sequence);
      assert.equal(found === null ? undefined : hex(found), ends.get(sequence));
    }
    assert.equal(await journal.chainHashAt(journal.lastSequence + 1), null);
    await journal.close();
  });
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

test("memory: opening again fences who had it open before", async () => {
  const store = new MemoryJournalStore();
  const old = openMemoryJournal(store);
  const sent: Sent[] = [];
  await appendBatches(old, random, 3, 1, sent);
  const current = openMemoryJournal(store);
  const batch = randomBatch(random, old.lastSequence);
  assert.equal(await old.append(old.lastSequence, old.epoch, batch), "fenced");
  assert.equal(await current.append(old.lastSequence, current.epoch, batch), "durable");
});
