/**
 * Proves the codecs of commands, events and records: every value is read as it was written;
 * truncated or damaged bytes are rejected or read as something else, but never hang, never allocate
 * more than they could hold and throw only `MalformedBytes`; a record grows by appending fields,
 * and both sides of a version change understand each other.
 */
import assert from "node:assert/strict";
import test from "node:test";
import {
  ByteReader,
  ByteWriter,
  big,
  CONTRACT_MARKET_FIELDS,
  CONTRACT_PROTECTION_DEFAULTS,
  choice,
  type Decoded,
  decodeCommand,
  type Event,
  encodeCommand,
  eventFilter,
  flag,
  int,
  list,
  MalformedBytes,
  nullable,
  type RecordCodec,
  RecordSet,
  readEvents,
  record,
  struct,
  text,
  uint,
  writeEvent,
} from "../../src/protocol/index.ts";
import { scaled, seededRandom } from "../support/random.ts";
import { RandomRecords } from "./random-records.ts";

const random = seededRandom("codecs");
const records = new RandomRecords(random);

test("every command is read as it was written", () => {
  for (const type of records.commandTypes) {
    for (let i = 0; i < scaled(400); i++) {
      const command = records.command(type);
      assert.deepEqual(decodeCommand(encodeCommand(command)), command);
    }
  }
});

test("every event is read as it was written, one and many", () => {
  for (let i = 0; i < scaled(400); i++) {
    const events: Event[] = records.eventTypes.map((type) => records.event(type));
    random.shuffle(events);
    const writer = new ByteWriter(1);
    for (const event of events) writeEvent(writer, event);
    assert.deepEqual([...readEvents(writer.toBytes())], events);
  }
});

test("a reader who wants some events gets those, in order", () => {
  for (let i = 0; i < scaled(400); i++) {
    const events: Event[] = records.eventTypes.map((type) => records.event(type));
    random.shuffle(events);
    const writer = new ByteWriter(1);
    for (const event of events) writeEvent(writer, event);
    const types = records.eventTypes.filter(() => random.chance(0.3));
    const wanted = events.filter(({ type }) => types.includes(type));
    assert.deepEqual([...readEvents(writer.toBytes(), eventFilter(types))], wanted);
  }
});

test("a listing from before the limits of the fund has the defaults", () => {
  const {
    insuranceSlippage: _slippage,
    insuranceDrawLimit: _drawLimit,
    indexStepLimit: _stepLimit,
    ...first
  } = CONTRACT_MARKET_FIELDS;
  const older = new RecordSet([record(23, "set-contract-market", first)]);
  const command = records.command("set-contract-market");
  const writer = new ByteWriter();
  older.write(writer, command as never);
  const read = decodeCommand(writer.toBytes());
  assert.deepEqual(read, { ...command, ...CONTRACT_PROTECTION_DEFAULTS });
  // And it makes the bytes that it made then: an old journal's digests still hold.
  assert.deepEqual(encodeCommand(read), writer.toBytes());
});

/** Characters, digits and entries in a value: what it took memory for. */
function weight(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (typeof value === "bigint") return value.toString(16).length / 2;
  if (typeof value !== "object" || value === null) return 1;
  return Object.values(value).reduce<number>((sum, part) => sum + weight(part), 1);
}

/**
 * Reads what may be anything; a refusal is `MalformedBytes`, an answer is no larger than its bytes.
 */
function readAnything(bytes: Uint8Array, read: (bytes: Uint8Array) => unknown): boolean {
  try {
    const value = read(bytes);
    // A missing field weighs a little without having a byte, and a word of a choice more than one.
    assert.ok(weight(value) <= bytes.length + 128, "a value is no larger than its bytes");
    return true;
  } catch (error) {
    assert.ok(error instanceof MalformedBytes, `threw ${String(error)}`);
    return false;
  }
}

test("texts of every length and script are read as they were written, recurring or not", () => {
  const parts = ["a", "Z", "0", ".", "/", "\u007f", "\u0080", "é", "€", "😀", "\0", "\ud7ff"];
  const seen: string[] = [];
  for (let i = 0; i < scaled(20_000); i++) {
    const length = random.integer(0, 60);
    const isAscii = random.chance(0.7);
    const part = (): string => random.pick(isAscii ? parts.slice(0, 6) : parts);
    // Some come again, and some differ from one that came by a single character in the middle.
    const known = random.pick([...seen.slice(-20), ""]);
    const fresh = Array.from({ length }, part).join("");
    const middle = known.length >> 1;
    const changed = isAscii
      ? `${known.slice(0, middle)}${part()}${known.slice(middle + 1)}`
      : fresh;
    const value = random.pick([fresh, known, changed]);
    if (!value.isWellFormed()) continue;
    seen.push(value);
    const writer = new ByteWriter(1);
    writer.text(value);
    writer.text(value);
    writer.u8(7);
    const reader = new ByteReader(writer.toBytes());
    assert.equal(reader.recurringText(), value);
    assert.equal(reader.text(), value);
    assert.equal(reader.u8(), 7);
  }
});

test("a choice or an optional value that is none of the possible ones is refused", () => {
  const sides = new RecordSet([
    record(1, "side", { side: choice(["BUY", "SELL"]), other: nullable(choice(["A"])) }),
  ] as readonly RecordCodec<string, { type: string; side: string; other: string | null }>[]);
  for (const other of ["A", null]) {
    for (const side of ["BUY", "SELL"]) {
      const writer = new ByteWriter();
      sides.write(writer, { type: "side", side, other });
      assert.deepEqual(sides.read(new ByteReader(writer.toBytes())), { type: "side", side, other });
    }
  }
  const refused = [
    { side: "sell", other: null },
    { side: "", other: null },
    { side: "BUY", other: "B" },
  ];
  for (const value of refused) {
    assert.throws(
      () => sides.write(new ByteWriter(), { type: "side", ...value }),
      /a choice is one of (BUY, SELL|A)$/,
    );
  }
  const writer = new ByteWriter();
  sides.write(writer, { type: "side", side: "SELL", other: "A" });
  for (const at of [5, 7]) {
    const bytes = writer.toBytes();
    bytes[at] = 2;
    assert.throws(() => sides.read(new ByteReader(bytes)), MalformedBytes);
  }
});

test("a command that was cut off anywhere is refused", () => {
  for (const type of records.commandTypes) {
    for (let i = 0; i < scaled(20); i++) {
      const bytes = encodeCommand(records.command(type));
      const step = Math.max(1, Math.floor(bytes.length / 300));
      for (let length = 0; length < bytes.length; length += step) {
        assert.equal(readAnything(bytes.subarray(0, length), decodeCommand), false);
      }
    }
  }
});

test("damaged bytes never hang, never swell and never throw anything else", () => {
  let refusals = 0;
  for (let i = 0; i < scaled(30_000); i++) {
    const isCommand = random.chance(0.5);
    const writer = new ByteWriter();
    if (!isCommand) writeEvent(writer, records.event(random.pick(records.eventTypes)));
    const command = records.command(random.pick(records.commandTypes));
    const bytes = isCommand ? encodeCommand(command) : writer.toBytes();
    for (let count = random.integer(1, 4); count > 0; count--) {
      const at = random.integer(0, Math.min(bytes.length - 1, random.chance(0.5) ? 12 : 1 << 20));
      bytes[at] = random.pick([0, 1, 0x7f, 0x80, 0xff, random.integer(0, 255)]);
    }
    const read = isCommand ? decodeCommand : (chunk: Uint8Array) => [...readEvents(chunk)];
    if (!readAnything(bytes, read)) refusals++;
  }
  assert.ok(refusals > 0);
});

test("random bytes are read or refused", () => {
  for (let i = 0; i < scaled(20_000); i++) {
    const bytes = Uint8Array.from({ length: random.integer(0, 60) }, () => random.integer(0, 255));
    if (bytes.length >= 4 && random.chance(0.8)) bytes.set([bytes.length - 4, 0, 0, 0]);
    if (bytes.length >= 5 && random.chance(0.8)) bytes[4] = random.integer(1, 110);
    readAnything(bytes, decodeCommand);
    readAnything(bytes, (chunk) => [...readEvents(chunk)]);
  }
});

test("whole numbers beyond 2^53 - 1 are refused, not rounded", () => {
  const beyond = [0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x10];
  assert.throws(() => new ByteReader(Uint8Array.from(beyond)).uint(), MalformedBytes);
  assert.throws(() => new ByteWriter().uint(2 ** 53), /safe/);
  assert.throws(() => new ByteWriter().uint(-1), /safe/);
  assert.throws(() => new ByteWriter().uint(0.5), /safe/);
});

const COLOURS = ["red", "green"] as const;
const first = record(1, "thing", { id: uint, name: text });
const second = record(1, "thing", {
  id: uint,
  name: text,
  colour: choice(COLOURS),
  amount: big,
  isNew: flag,
  parent: nullable(uint),
  parts: list(text),
});
type First = Decoded<typeof first>;
type Second = Decoded<typeof second>;

function set<Value extends { readonly type: string }>(codec: unknown): RecordSet<Value> {
  return new RecordSet([codec as RecordCodec<string, Value>]);
}

test("older readers skip appended fields, newer readers have defaults for them", () => {
  const older = set<First>(first);
  const newer = set<Second>(second);
  for (let i = 0; i < scaled(500); i++) {
    const id = records.uint();
    const name = records.text();
    const written: Second = {
      type: "thing",
      id,
      name,
      colour: random.pick(COLOURS),
      amount: records.big(),
      isNew: records.flag(),
      parent: records.flag() ? null : records.uint(),
      parts: [records.text()],
    };
    const writer = new ByteWriter();
    newer.write(writer, written);
    older.write(writer, { type: "thing", id, name });
    const bytes = writer.toBytes();
    const byOlder = new ByteReader(bytes);
    assert.deepEqual(older.read(byOlder), { type: "thing", id, name });
    assert.deepEqual(older.read(byOlder), { type: "thing", id, name });
    const byNewer = new ByteReader(bytes);
    assert.deepEqual(newer.read(byNewer), written);
    const defaults = { colour: "red", amount: 0n, isNew: false, parent: null, parts: [] };
    assert.deepEqual(newer.read(byNewer), { type: "thing", id, name, ...defaults });
    assert.ok(byOlder.atEnd && byNewer.atEnd);
  }
});

test("tags and types are given once, and unknown ones are refused", () => {
  const other = record(1, "other", { id: uint });
  const sameType = record(2, "thing", { id: uint });
  const codecs = (...all: unknown[]) => new RecordSet(all as RecordCodec<string, First>[]);
  assert.throws(() => codecs(first, other), /tag 1 is taken/);
  assert.throws(() => codecs(first, sameType), /type thing is taken/);
  const writer = new ByteWriter();
  codecs(sameType).write(writer, { type: "thing", id: 1, name: "" });
  assert.throws(() => codecs(first).read(new ByteReader(writer.toBytes())), MalformedBytes);
});

const signed = record(1, "signed", { value: int, values: list(int) });
const sample = struct({ at: uint, change: int, name: text, parts: list(struct({ size: big })) });
const plain = record(1, "nested", { id: uint });
const nested = record(1, "nested", {
  id: uint,
  sample,
  samples: list(sample),
  maybe: nullable(sample),
});

test("integers of either sign are read as they were written, and no others", () => {
  const records = set<Decoded<typeof signed>>(signed);
  const edges = [0, 1, -1, 2 ** 53 - 1, -(2 ** 53 - 1)];
  for (let i = 0; i < scaled(500); i++) {
    const size = 2 ** random.integer(0, 53) - 1;
    const value = edges[i] ?? random.integer(-size, size);
    const writer = new ByteWriter();
    records.write(writer, { type: "signed", value, values: edges });
    const read = records.read(new ByteReader(writer.toBytes()));
    assert.deepEqual(read, { type: "signed", value, values: edges });
  }
  assert.throws(() => int.write(new ByteWriter(), 2 ** 53), /safe/);
  assert.throws(() => int.write(new ByteWriter(), -0.5), /safe/);
  for (const code of [2n ** 54n, 2n ** 54n + 1n, 2n ** 60n, -1n, -(2n ** 70n)]) {
    const writer = new ByteWriter();
    writer.big(code);
    assert.throws(() => int.read(new ByteReader(writer.toBytes())), MalformedBytes);
  }
});

test("a struct is read as it was written, is missing as a whole, and is refused in part", () => {
  const newer = set<Decoded<typeof nested>>(nested);
  const older = set<Decoded<typeof plain>>(plain);
  const one = () => ({
    at: records.uint(),
    change: random.integer(-(2 ** 40), 2 ** 40),
    name: records.text(),
    parts: Array.from({ length: random.integer(0, 3) }, () => ({ size: records.big() })),
  });
  for (let i = 0; i < scaled(300); i++) {
    const written: Decoded<typeof nested> = {
      type: "nested",
      id: records.uint(),
      sample: one(),
      samples: [one(), one()],
      maybe: records.flag() ? null : one(),
    };
    const writer = new ByteWriter();
    newer.write(writer, written);
    assert.deepEqual(newer.read(new ByteReader(writer.toBytes())), written);
    writer.clear();
    older.write(writer, { type: "nested", id: 7 });
    assert.deepEqual(newer.read(new ByteReader(writer.toBytes())), {
      type: "nested",
      id: 7,
      sample: { at: 0, change: 0, name: "", parts: [] },
      samples: [],
      maybe: null,
    });
  }
  const writer = new ByteWriter();
  const half = record(1, "nested", { id: uint, at: uint });
  set<Decoded<typeof half>>(half).write(writer, { type: "nested", id: 7, at: 1 });
  assert.throws(() => newer.read(new ByteReader(writer.toBytes())), MalformedBytes);
});
