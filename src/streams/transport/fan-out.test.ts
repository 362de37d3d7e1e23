/**
 * Proves how the fan-out uses the thread's time and delivers messages: every client gets its
 * messages once and in order, in few writes; equal lists of messages are the very same bytes; no
 * slice exceeds its bound by more than one write, and a busy thread gets pauses between them;
 * responses do not wait for market data. Time advances only with writes and when the tests advance
 * it.
 */
import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { scaled, seededRandom } from "../../../test/support/random.ts";
import { NODE_PLATFORM } from "../../platform/index.ts";
import { FanOut, Outbox } from "./fan-out.ts";

const random = seededRandom("streams/fan-out");

/** Takes 0.1 ms of the thread for each write. */
const WRITE_MS = 0.1;

class Fixture {
  nowMs = 0;
  busyMs = 0;
  readonly fanOut = new FanOut(
    { monotonicMs: () => this.nowMs, busyMs: () => this.busyMs },
    NODE_PLATFORM.scheduler,
  );
  readonly #timers: TestContext["mock"]["timers"];

  constructor(t: TestContext) {
    t.mock.timers.enable({ apis: ["setTimeout", "setImmediate"] });
    this.#timers = t.mock.timers;
  }

  work(ms: number): void {
    this.nowMs += ms;
    this.busyMs += ms;
  }

  /** One turn of the event loop, in which trading takes this long. */
  turn(tradingMs = 0): void {
    this.work(tradingMs);
    this.#timers.tick(tradingMs);
  }

  /** One millisecond in which the thread does only what is due. */
  pass(): void {
    this.nowMs += 1;
    this.#timers.tick(1);
  }
}

class Client {
  readonly outbox: Outbox;
  readonly writes: Buffer[] = [];
  writableLength = 0;
  isOpen = true;
  reads = true;

  constructor(fixture: Fixture, compresses = false) {
    const socket = {
      write: (frames: Buffer): void => {
        fixture.work(WRITE_MS);
        this.writes.push(frames);
        if (!this.reads) this.writableLength += frames.length;
      },
    };
    const readable = (): number => this.writableLength;
    Object.defineProperty(socket, "writableLength", { get: readable });
    const full = socket as typeof socket & { readonly writableLength: number };
    this.outbox = new Outbox(fixture.fanOut, full, compresses, () => this.isOpen);
  }

  /** Parsed by an independent frame reader. */
  get messages(): string[] {
    const texts: string[] = [];
    let rest = Buffer.concat(this.writes);
    while (rest.length > 0) {
      assert.equal(rest.readUInt8(0), 0x81, "a whole text frame");
      const short = rest.readUInt8(1);
      const [head, length] =
        short < 126
          ? [2, short]
          : short === 126
            ? [4, rest.readUInt16BE(2)]
            : [10, Number(rest.readBigUInt64BE(2))];
      texts.push(rest.subarray(head, head + length).toString("utf8"));
      rest = rest.subarray(head + length);
    }
    return texts;
  }
}

function clients(fixture: Fixture, count: number): Client[] {
  return Array.from({ length: count }, () => new Client(fixture));
}

test("every message once and in order, whoever gets which and however urgent", (t) => {
  const fixture = new Fixture(t);
  const all = clients(fixture, 40);
  const expected = new Map(all.map((client) => [client, [] as string[]]));
  for (let number = 0; number < scaled(2_000); number++) {
    const length = random.pick([1, 124, 125, 126, 127, 5_000, 65_535, 65_536]);
    const text = String(number).padEnd(length, ".");
    const message = Buffer.from(text);
    for (const client of all) {
      if (random.chance(0.5)) continue;
      client.outbox.post(message, random.chance(0.1) ? "prompt" : "paced");
      expected.get(client)?.push(text);
    }
    if (random.chance(0.5)) fixture.turn(random.integer(0, 3));
    if (random.chance(0.2)) fixture.pass();
  }
  for (let ms = 0; ms < 5_000; ms++) fixture.pass();
  for (const client of all) assert.deepEqual(client.messages, expected.get(client));
});

test("what has come since the last turn is one write, and the same bytes for all", (t) => {
  const fixture = new Fixture(t);
  const all = clients(fixture, 8);
  const [first, second] = [Buffer.from("ticker"), Buffer.from("depth")];
  for (const client of all) client.outbox.post(first, "paced");
  for (const client of all) client.outbox.post(second, "paced");
  fixture.turn();
  for (const client of all) assert.deepEqual(client.messages, ["ticker", "depth"]);
  const [bytes] = all[0]?.writes ?? [];
  for (const client of all) assert.equal(client.writes[0], bytes);
});

for (const { name, tradingMs, share } of [
  { name: "a thread that is half busy", tradingMs: 1, share: 1 / 16 },
  { name: "a saturated thread", tradingMs: 19, share: 1 / 100 },
]) {
  test(`${name} is left alone for most of its time, and everybody gets a turn`, (t) => {
    const fixture = new Fixture(t);
    const all = clients(fixture, 1_000);
    const message = Buffer.from("update");
    let writingMs = 0;
    for (let turn = 0; turn < 2_000; turn++) {
      if (turn % 10 === 0) for (const client of all) client.outbox.post(message, "paced");
      const beforeMs = fixture.busyMs;
      fixture.turn(tradingMs);
      // Now the thread waits for the disk.
      fixture.pass();
      const tookMs = fixture.busyMs - beforeMs - tradingMs;
      assert.ok(tookMs < 1 + 2 * WRITE_MS, `a turn of ${tookMs} ms`);
      writingMs += tookMs;
    }
    assert.ok(writingMs / fixture.nowMs < share, `${writingMs} of ${fixture.nowMs} ms`);
    const writes = all.map((client) => client.writes.length);
    assert.ok(Math.min(...writes) > 0 && Math.max(...writes) - Math.min(...writes) <= 1);
    assert.ok(fixture.fanOut.delayMs > 0);
  });
}

test("on a quiet thread clients are served with a good part of its time", (t) => {
  const fixture = new Fixture(t);
  const all = clients(fixture, 1_000);
  for (const client of all) client.outbox.post(Buffer.from("update"), "paced");
  while (all.some((client) => client.writes.length === 0)) fixture.pass();
  assert.ok(fixture.nowMs > 2 * fixture.busyMs, "not all of it");
  assert.ok(
    fixture.nowMs < 4 * fixture.busyMs,
    `${fixture.nowMs} ms for ${fixture.busyMs} ms of writes`,
  );
});

test("an answer does not wait for market data, and takes along what came before it", (t) => {
  const fixture = new Fixture(t);
  const all = clients(fixture, 1_000);
  for (const client of all) client.outbox.post(Buffer.from("update"), "paced");
  fixture.turn(1);
  const waiting = all.filter((client) => client.writes.length === 0);
  const asking = waiting.at(-1);
  assert.ok(asking !== undefined && waiting.length > 900);
  asking.outbox.post(Buffer.from("answer"), "prompt");
  fixture.turn(1);
  assert.deepEqual(asking.messages, ["update", "answer"]);
});

test("what is much is not kept back, however busy the thread", (t) => {
  const fixture = new Fixture(t);
  const all = clients(fixture, 100);
  const message = Buffer.alloc(40_000, "x");
  for (let turn = 0; turn < 100; turn++) {
    if (turn % 20 === 0) for (const client of all) client.outbox.post(message, "paced");
    fixture.turn(1);
    fixture.pass();
    for (const { outbox } of all) assert.ok(outbox.waitingBytes <= 3 * message.length);
  }
});

test("bytes that the client has not taken are counted, in the socket as well", (t) => {
  const fixture = new Fixture(t);
  const client = new Client(fixture);
  client.reads = false;
  client.outbox.post(Buffer.alloc(100), "paced");
  assert.equal(client.outbox.waitingBytes, 100);
  fixture.turn();
  assert.equal(client.outbox.waitingBytes, 102);
  client.outbox.post(Buffer.alloc(10), "paced");
  assert.equal(client.outbox.waitingBytes, 112);
  client.writableLength = 0;
  assert.equal(client.outbox.waitingBytes, 10);
});

test("nothing is written to a client that has gone, or of what was dropped", (t) => {
  const fixture = new Fixture(t);
  const [gone, dropped, ended] = clients(fixture, 3) as [Client, Client, Client];
  for (const { outbox } of [gone, dropped, ended]) outbox.post(Buffer.from("update"), "paced");
  gone.isOpen = false;
  dropped.outbox.drop();
  ended.outbox.flush();
  assert.deepEqual(ended.messages, ["update"], "at once");
  for (let ms = 0; ms < 10; ms++) fixture.pass();
  assert.deepEqual([gone.writes, dropped.writes, ended.writes.length], [[], [], 1]);
});

test("large messages are compressed for those who take it, and only for them", (t) => {
  const fixture = new Fixture(t);
  const plain = new Client(fixture);
  const packed = new Client(fixture, true);
  const message = Buffer.alloc(10_000, "x");
  for (const { outbox } of [plain, packed]) outbox.post(message, "paced");
  assert.ok(packed.outbox.waitingBytes < 1_000);
  fixture.turn();
  assert.deepEqual(plain.messages, [message.toString("utf8")]);
  const [frame] = packed.writes;
  assert.equal(frame?.readUInt8(0), 0xc1, "a text frame that says that it is compressed");
  assert.ok((frame?.length ?? 0) < 1_000);
});

test("slices that end at one reading of the clock are followed by others", (t) => {
  const fixture = new Fixture(t);
  const written: Buffer[] = [];
  const socket = { write: (frames: Buffer) => written.push(frames), writableLength: 0 };
  const outbox = new Outbox(fixture.fanOut, socket, false, () => true);
  for (let slice = 1; slice <= 4; slice++) {
    outbox.post(Buffer.from(String(slice)), "paced");
    fixture.turn();
    assert.equal(written.length, slice);
  }
});

test("a slice that something else made long is made up for by two slices at most", (t) => {
  const fixture = new Fixture(t);
  const socket = { write: () => fixture.work(50), writableLength: 0 };
  const interrupted = new Outbox(fixture.fanOut, socket, false, () => true);
  const next = new Client(fixture);
  interrupted.post(Buffer.from("update"), "paced");
  next.outbox.post(Buffer.from("update"), "paced");
  fixture.turn();
  fixture.pass();
  assert.deepEqual(next.messages, []);
  fixture.pass();
  assert.deepEqual(next.messages, ["update"]);
});
