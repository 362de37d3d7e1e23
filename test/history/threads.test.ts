/**
 * Proves the threads of the read side: chunks in any order and cut anywhere end as the same file, a
 * writer that is killed leaves whole commands behind, questions wait for what they have seen, and a
 * file that does not fit the journal is filled anew.
 */
import assert from "node:assert/strict";
import { closeSync, existsSync, openSync, rmSync, writeFileSync, writeSync } from "node:fs";
import test, { type TestContext } from "node:test";
import { setTimeout } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { NODE_PLATFORM } from "../../src/platform/index.ts";
import {
  catchUp,
  discardHistory,
  type EventChunk,
  openProjections,
  type Projections,
  type ProjectionWriter,
} from "../../src/projections/index.ts";
import { type Journal, type JournaledBatch, RecordRun } from "../../src/protocol/index.ts";
import { HISTORY_WAIT_MS, HistoryReader, QUESTIONS_MAX } from "../../src/queries/index.ts";
import { historyPath, openHistoryDatabase } from "../../src/store/index.ts";
import { scaled, seededRandom } from "../support/random.ts";
import { type AppliedCommand, cut, EventStream, encodeChunk } from "./event-stream.ts";
import { dump, openWritten, SILENT, temporaryFolder, write } from "./history-folder.ts";

const random = seededRandom("history threads");
const AUDIT = { afterAuditId: 0, beforeAuditId: null, limit: 10 };

test("chunks offered live, replayed, repeated and cut anywhere make the same file", async (t) => {
  for (let round = 0; round < scaled(1); round++) {
    const commands = new EventStream(random).take(400);
    const folder = temporaryFolder();
    for (let run = 0; run < 3; run++) {
      const { writer } = await openWriter(t, folder, commands);
      const liveFrom = random.integer(0, commands.length);
      for (const chunk of cut(random, commands.slice(liveFrom))) offer(writer, chunk);
      if (run > 0) await catchUp(writer, (from) => replay(commands, from));
      else assert.equal(writer.isCaughtUp, liveFrom === 0);
      await writer.close();
      if (run > 0) assert.equal(writer.appliedSequence, commands.length);
      assert.equal(writer.backlogBytes, 0);
    }
    assert.deepEqual(await dumpOf(t, folder), await directDump(t, commands));
  }
});

test("live events go on while a rebuild catches up", async (t) => {
  const commands = new EventStream(random).take(600);
  const folder = temporaryFolder();
  const { writer } = await openWriter(t, folder, commands.slice(0, 300));
  let next = 300;
  async function* replayWithTraffic(from: number): AsyncGenerator<EventChunk> {
    for await (const chunk of replay(commands, from)) {
      const live = commands.slice(next, next + 7);
      next += live.length;
      if (live.length > 0) offer(writer, live);
      yield chunk;
    }
  }
  await catchUp(writer, replayWithTraffic);
  assert.equal(writer.isCaughtUp, true);
  offer(writer, commands.slice(next));
  await writer.close();
  assert.equal(writer.appliedSequence, 600);
  assert.deepEqual(await dumpOf(t, folder), await directDump(t, commands));
});

test("a writer killed at any moment leaves whole commands, and the next one goes on", async (t) => {
  const commands = new EventStream(random).take(3_000);
  const whole = await directDump(t, commands);
  const folder = temporaryFolder();
  await openWritten(t, folder);
  let kills = 0;
  for (let applied = 0; applied < commands.length; kills++) {
    const worker = new Worker(
      new URL("../../src/projections/projection-worker.ts", import.meta.url),
      { workerData: { path: historyPath(folder) } },
    );
    for (const chunk of cut(random, commands.slice(applied))) {
      worker.postMessage({ kind: "chunk", chunk: encodeChunk(chunk) });
    }
    await new Promise((resolve) => worker.once("message", resolve));
    await setTimeout(random.integer(0, 40));
    await worker.terminate();

    const history = await openWritten(t, folder);
    applied = history.projector.appliedSequence;
    assert.deepEqual(dump(history), await directDump(t, commands.slice(0, applied)));
    history.connection.close();
  }
  t.diagnostic(`${kills} writers were killed`);
  assert.deepEqual(await dumpOf(t, folder), whole);
});

test("a question waits for the sequence that its asker has seen", async (t) => {
  const commands = new EventStream(random).take(20);
  const { writer, history } = await openBoth(t, temporaryFolder(), []);
  // However slow the machine is, the question is not given up.
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const early = history.query("audit", AUDIT, 20);
  offer(writer, commands.slice(0, 10));
  assert.ok("answer" in (await history.query("audit", AUDIT, 10)));
  assert.ok(writer.appliedSequence >= 10);
  offer(writer, commands.slice(10));
  assert.ok("answer" in (await early));
  assert.equal(writer.appliedSequence, 20);
});

test("a question that is one command ahead is not asked yet", async (t) => {
  const folder = temporaryFolder();
  await openWritten(t, folder);
  let applied = 4;
  let tell = () => {};
  const history = new HistoryReader({
    platform: NODE_PLATFORM,
    path: historyPath(folder),
    progress: {
      get appliedSequence() {
        return applied;
      },
      onApplied: (listener) => {
        tell = listener;
      },
    },
    onFailure: (error) => assert.fail(error),
  });
  t.after(() => history.close());
  t.mock.timers.enable({ apis: ["setTimeout"] });
  let isAnswered = false;
  const ahead = history.query("audit", AUDIT, 5).finally(() => {
    isAnswered = true;
  });
  // One worker answers in the order in which it was asked: had it been asked, it would be done.
  await history.query("audit", AUDIT, 4);
  assert.equal(isAnswered, false, "asked before the file was there");
  tell();
  await new Promise((resolve) => setImmediate(resolve));
  await history.query("audit", AUDIT, 4);
  assert.equal(isAnswered, false, "asked when somebody else's command was there");
  applied = 5;
  tell();
  assert.ok("answer" in (await ahead));
});

test("a question waits two seconds and no longer", async (t) => {
  const { history } = await openBoth(t, temporaryFolder(), []);
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const asked = history.query("audit", AUDIT, 1);
  let settled = false;
  void asked.then(() => {
    settled = true;
  });
  t.mock.timers.tick(HISTORY_WAIT_MS - 1);
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(settled, false);
  t.mock.timers.tick(1);
  assert.deepEqual(await asked, { unavailable: "history-behind" });
});

test("too many questions are refused, and all of them when it stops", async (t) => {
  const { history } = await openBoth(t, temporaryFolder(), []);
  const half = { length: QUESTIONS_MAX / 2 };
  const waiting = Array.from(half, () => history.query("audit", AUDIT, 1));
  const asked = Array.from(half, () => history.query("audit", AUDIT, 0));
  // By then they have been asked, and no answer can have come.
  await new Promise<void>((resolve) => process.nextTick(resolve));
  assert.deepEqual(await history.query("audit", AUDIT, 0), { unavailable: "overloaded" });
  await history.close();
  for (const answer of await Promise.all(waiting)) {
    assert.deepEqual(answer, { unavailable: "stopping" });
  }
  for (const answer of await Promise.all(asked)) assert.ok("answer" in answer);
  assert.deepEqual(await history.query("audit", AUDIT, 0), { unavailable: "stopping" });
});

test("questions that are being answered are answered before it stops", async (t) => {
  const { history } = await openBoth(t, temporaryFolder(), []);
  const asked = Array.from({ length: 50 }, () => history.query("audit", AUDIT, 0));
  await new Promise((resolve) => setImmediate(resolve));
  await history.close();
  const none = { answer: [], sequence: 0 };
  for (const answer of await Promise.all(asked)) assert.deepEqual(answer, none);
});

test("a missing, damaged, foreign or discarded file is filled anew", async (t) => {
  const commands = new EventStream(random).take(200);
  const expected = await directDump(t, commands);
  const other = commands.map((command) => ({ ...command, timestampMs: command.timestampMs + 1 }));
  const folder = temporaryFolder();
  const path = historyPath(folder);
  const spoil: readonly (() => Promise<void> | void)[] = [
    () => rmSync(path),
    () => discardHistory(folder),
    () => writeFileSync(path, "this is not a database, but long enough to be looked at ".repeat(9)),
    () => writeFileSync(path, ""),
    () => writeFileSync(`${path}.damaged`, "found by a reader"),
    () => fill(t, folder, [...commands, ...new EventStream(random).take(1).map(after(commands))]),
    async () => {
      discardHistory(folder);
      await fill(t, folder, other);
    },
  ];
  await fill(t, folder, commands);
  for (const damage of spoil) {
    await damage();
    const { writer } = await openWriter(t, folder, commands);
    assert.equal(writer.appliedSequence, 0);
    await catchUp(writer, (from) => replay(commands, from));
    await writer.close();
    assert.deepEqual(await dumpOf(t, folder), expected);
    const again = await openWriter(t, folder, commands);
    assert.equal(again.writer.appliedSequence, commands.length);
    await again.writer.close();
  }
});

test("damage that a reader finds is marked, so that the next start fills a new file", async (t) => {
  const commands = new EventStream(random).take(2_000);
  const folder = temporaryFolder();
  await fill(t, folder, commands);
  const path = historyPath(folder);
  overwriteTable(path, "audit");
  const { history, writer } = await openBoth(t, folder, commands);
  await assert.rejects(history.query("audit", AUDIT, 0), /malformed/);
  await history.close();
  await writer.close();
  assert.ok(existsSync(`${path}.damaged`));
  const next = await openWriter(t, folder, commands);
  assert.equal(next.writer.appliedSequence, 0);
});

test("a writer that breaks says so, once, and can be closed", async () => {
  const failures: Error[] = [];
  const failed = Promise.withResolvers<void>();
  const { writer } = await openProjections({
    threads: NODE_PLATFORM.threads,
    folder: temporaryFolder(),
    journal: journalOf([]),
    log: SILENT,
    onFailure: (error) => {
      failures.push(error);
      failed.resolve();
    },
  });
  const [command] = new EventStream(random).take(1);
  assert.ok(command !== undefined);
  const chunk = encodeChunk([command]);
  const garbage = new Uint8Array([...chunk, 1, 0, 0, 0, 255]);
  writer.offer(garbage, 1);
  await failed.promise;
  await writer.drained();
  await writer.close();
  assert.equal(failures.length, 1);
  assert.match(String(failures[0]), /unknown record tag 255/);
  assert.equal(writer.appliedSequence, 0);
});

test("a file that ends before the journal begins is kept, and the start refused", async (t) => {
  const commands = new EventStream(random).take(40);
  const folder = temporaryFolder();
  await fill(t, folder, commands.slice(0, 10));
  await assert.rejects(openWriter(t, folder, commands, 20), /journal begins at 21/);
  const { writer } = await openWriter(t, folder, commands);
  assert.equal(writer.appliedSequence, 10);
});

/** Writes over the first page of a table. */
function overwriteTable(path: string, table: string): void {
  const { connection } = openHistoryDatabase(path, { readOnly: true });
  const root = connection.prepare("select rootpage from sqlite_schema where name = ?").get(table);
  const pageSize = connection.prepare("pragma page_size").get();
  connection.close();
  const file = openSync(path, "r+");
  writeSync(
    file,
    Buffer.alloc(64, 0xaa),
    0,
    64,
    (Number(root?.rootpage) - 1) * Number(pageSize?.page_size),
  );
  closeSync(file);
}

/** As the app opens the write side, over a journal of these commands. */
async function openWriter(
  t: TestContext,
  folder: string,
  journaled: readonly AppliedCommand[],
  archived = 0,
): Promise<Projections> {
  const onFailure = (error: Error) => assert.fail(error);
  const journal = journalOf(journaled, archived);
  const projections = await openProjections({
    threads: NODE_PLATFORM.threads,
    folder,
    journal,
    log: SILENT,
    onFailure,
  });
  t.after(() => projections.writer.close());
  return projections;
}

async function openBoth(t: TestContext, folder: string, journaled: readonly AppliedCommand[]) {
  const { path, writer } = await openWriter(t, folder, journaled);
  const onFailure = (error: Error) => assert.fail(error);
  const history = new HistoryReader({ platform: NODE_PLATFORM, path, progress: writer, onFailure });
  t.after(() => history.close());
  return { writer, history };
}

async function fill(t: TestContext, folder: string, commands: readonly AppliedCommand[]) {
  const { writer } = await openWriter(t, folder, []);
  for (const chunk of cut(random, commands)) offer(writer, chunk);
  await writer.close();
}

function offer(writer: ProjectionWriter, commands: readonly AppliedCommand[]): void {
  writer.offer(encodeChunk(commands), commands.at(-1)?.sequence ?? 0);
}

async function* replay(
  commands: readonly AppliedCommand[],
  fromSequence: number,
): AsyncGenerator<EventChunk> {
  const start = Math.max(0, fromSequence - 1 - random.integer(0, 5));
  for (const batch of cut(random, commands.slice(start))) {
    yield { chunk: encodeChunk(batch), lastSequence: batch.at(-1)?.sequence ?? 0 };
  }
}

function after(commands: readonly AppliedCommand[]) {
  return (command: AppliedCommand): AppliedCommand => ({
    ...command,
    sequence: commands.length + 1,
    timestampMs: (commands.at(-1)?.timestampMs ?? 0) + 1,
  });
}

/** A journal whose first commands may have been archived. */
function journalOf(
  commands: readonly AppliedCommand[],
  archived = 0,
): Pick<Journal, "lastSequence" | "read"> {
  return {
    lastSequence: commands.length,
    async *read(fromSequence) {
      for (const { sequence, timestampMs } of commands.slice(
        Math.max(archived, fromSequence - 1),
      )) {
        const empty = new Uint8Array(0);
        const batch: JournaledBatch = {
          firstSequence: sequence,
          timestampMs,
          records: new RecordRun(empty, Uint32Array.of(0, 0)),
          eventDigest: null,
          epoch: 1,
          chainHash: empty,
        };
        yield batch;
      }
    },
  };
}

async function dumpOf(t: TestContext, folder: string) {
  const history = await openWritten(t, folder);
  const rows = dump(history);
  history.connection.close();
  return rows;
}

async function directDump(t: TestContext, commands: readonly AppliedCommand[]) {
  const history = await openWritten(t, temporaryFolder());
  write(history.projector, [commands]);
  return dump(history);
}
