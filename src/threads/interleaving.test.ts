/**
 * Goal: ring and doorbell are right in every order of the two threads' steps: no record is lost,
 * repeated, torn or overwritten before it was read, no wake-up is lost, nobody waits for ever.
 * Method: the real code is stopped before each access to shared memory, and every order of these
 * steps is tried, over small rings whose positions wrap around. Then faults are planted one by one,
 * and each has to be found.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { Explorer, type Steps } from "../../test/support/interleaving.ts";
import { RingReader, RingWriter } from "./ring.ts";
import { RingInbox } from "./ring-inbox.ts";
import {
  AtomicWords,
  createRingMemory,
  HEAD,
  READER_ASLEEP,
  type RingMemory,
  recordSpace,
  type SharedWords,
  TAIL,
  WRITER_ASLEEP,
} from "./ring-memory.ts";

const STATES_MAX = 2_000_000;
/** What either side keeps of shared words. */
const POSITIONS = [HEAD, TAIL];

interface Scenario {
  readonly capacity: number;
  /** Lengths of the records. */
  readonly lengths: readonly number[];
  /** Where head and tail begin. */
  readonly start: number;
  readonly budgetBytes: number;
  /** What the writer does with a full ring. */
  readonly whenFull: "waits" | "drops";
}

/** What is done wrong, in the place of what the code does. */
interface Fault {
  readonly writerWords?: (words: SharedWords) => SharedWords;
  readonly readerWords?: (words: SharedWords) => SharedWords;
  readonly fallAsleep?: (words: SharedWords, reader: RingReader) => boolean;
  readonly publishesFirst?: boolean;
  readonly wakesNobody?: boolean;
}

function byteOf(record: number, index: number): number {
  return 1 + record * 16 + index;
}

/** A record is written and read in two steps, so that one half can be old. */
function halves(length: number): (readonly [number, number])[] {
  const middle = length >> 1;
  return [[0, middle] as const, [middle, length] as const].filter(([from, to]) => from < to);
}

/** Different for each half of each record. */
function sumOf(bytes: Uint8Array): number {
  return bytes.reduce((sum, byte) => sum * 31 + byte, 0);
}

function sumOfRecord(record: number, from: number, to: number): number {
  return sumOf(Uint8Array.from({ length: to - from }, (_, index) => byteOf(record, from + index)));
}

/** Writes all records; leaves out those for which a full ring has no space, or waits. */
function write(scenario: Scenario, memory: RingMemory, steps: Steps, fault: Fault): void {
  const words = fault.writerWords?.(steps) ?? steps;
  const ring = new RingWriter(memory, () => fault.wakesNobody !== true && steps.send(), words);
  for (const [record, length] of scenario.lengths.entries()) {
    steps.settle(POSITIONS, record);
    let offset = ring.reserve(length);
    while (offset < 0 && scenario.whenFull === "waits") {
      if (ring.fallAsleep(() => ring.freeBytes >= recordSpace(length))) steps.receive();
      steps.settle(POSITIONS, record);
      offset = ring.reserve(length);
    }
    if (offset < 0) continue;
    if (fault.publishesFirst === true) ring.commit();
    for (const [begin, end] of halves(length)) {
      steps.step(`write ${record}`, () => {
        for (let index = begin; index < end; index++) {
          ring.bytes[offset + index] = byteOf(record, index);
        }
        return end;
      });
    }
    if (fault.publishesFirst !== true) ring.commit();
    ring.flush();
  }
}

/** Reads for ever, as an event loop does, and checks what it reads. */
function read(scenario: Scenario, memory: RingMemory, steps: Steps, fault: Fault): void {
  const words = fault.readerWords?.(steps) ?? steps;
  const ring = new RingReader(memory, () => steps.send(), words);
  const { lengths, whenFull } = scenario;
  let next = 0;
  const visit = (bytes: Uint8Array, start: number, end: number) => {
    const length = end - start;
    const found = halves(length).map(([from, to]) =>
      steps.step("read", () => sumOf(bytes.subarray(start + from, start + to))),
    );
    const isWhole = (record: number) =>
      lengths[record] === length &&
      halves(length).every(([from, to], half) => found[half] === sumOfRecord(record, from, to));
    while (whenFull === "drops" && next < lengths.length && !isWhole(next)) next++;
    assert.ok(next < lengths.length && isWhole(next), `record ${next} is not ${found}`);
    next++;
  };
  const soon: (() => void)[] = [];
  const { fallAsleep } = fault;
  const inbox = new RingInbox({
    read: () => ring.readInPlace(visit, scenario.budgetBytes),
    ring: fallAsleep === undefined ? ring : { fallAsleep: () => fallAsleep(words, ring) },
    soon: (turn) => soon.push(turn),
  });
  inbox.wake();
  for (;;) {
    steps.settle(POSITIONS, next, soon.length);
    const turn = soon.shift();
    if (turn === undefined) steps.receive();
    if (turn === undefined || steps.poll()) inbox.wake();
    turn?.();
  }
}

function explore(scenario: Scenario, fault: Fault = {}) {
  const memory = createRingMemory(scenario.capacity);
  const words = new AtomicWords(memory);
  words.store(HEAD, scenario.start);
  words.store(TAIL, scenario.start);
  return new Explorer(
    {
      memory: new Uint8Array(memory.shared),
      words,
      programs: [
        (steps) => write(scenario, memory, steps, fault),
        (steps) => read(scenario, memory, steps, fault),
      ],
      atEnd([hasWritten]) {
        assert.equal(hasWritten, true, "the writer waits for ever");
        assert.equal(words.load(TAIL), words.load(HEAD), "the reader sleeps over records");
      },
    },
    STATES_MAX,
  ).run();
}

const LARGE_BUDGET = 1 << 20;
/** Positions in the middle, and around the ends of the signed and the unsigned range. */
const STARTS = [0, 8, 0x7fff_fff8 | 0, 0xffff_fff4 | 0];
const LENGTHS = [
  [1, 2, 1],
  [3, 5, 2],
  [0, 12, 1, 4],
  [4, 4, 4],
];

function scenarios(): Scenario[] {
  return STARTS.flatMap((start) =>
    LENGTHS.flatMap((lengths) =>
      (["waits", "drops"] as const).flatMap((whenFull) =>
        [1, LARGE_BUDGET].map((budgetBytes) => ({
          capacity: 16,
          lengths,
          start,
          budgetBytes,
          whenFull,
        })),
      ),
    ),
  );
}

test("every order of steps delivers all records once and ends asleep", () => {
  let states = 0;
  let ends = 0;
  for (const scenario of scenarios()) {
    const explored = explore(scenario);
    states += explored.states;
    ends += explored.ends;
    assert.ok(explored.ends > 0, "it comes to rest");
  }
  console.log(`# ring: ${states} states, ${ends} ends`);
});

/** The same words with some of their operations done otherwise. */
function changed(words: SharedWords, changes: Partial<SharedWords>): SharedWords {
  return {
    load: (index) => words.load(index),
    store: (index, value) => words.store(index, value),
    exchange: (index, value) => words.exchange(index, value),
    get: (index) => words.get(index),
    set: (index, value) => words.set(index, value),
    ...changes,
  };
}

/** Each with what the first order of steps that shows it breaks. */
const FAULTS: Readonly<Record<string, Fault & { readonly found: RegExp }>> = {
  "the reader looks first, then says that it sleeps": {
    fallAsleep(words, reader) {
      if (!reader.isEmpty) return false;
      words.store(READER_ASLEEP, 1);
      return true;
    },
    found: /the reader sleeps over records/,
  },
  "the reader never looks again": {
    fallAsleep(words) {
      words.store(READER_ASLEEP, 1);
      return true;
    },
    found: /the reader sleeps over records/,
  },
  "the writer looks for a sleeper before it publishes": {
    writerWords(words) {
      let asleep = 0;
      return changed(words, {
        store(index, value) {
          if (index === HEAD) asleep = words.load(READER_ASLEEP);
          words.store(index, value);
        },
        load: (index) => (index === READER_ASLEEP ? asleep : words.load(index)),
      });
    },
    found: /the reader sleeps over records/,
  },
  "the writer lowers the flag and sends nothing": {
    wakesNobody: true,
    found: /the writer waits for ever/,
  },
  "the writer looks for space first, then says that it waits": {
    writerWords(words) {
      return changed(words, {
        store(index, value) {
          if (index !== WRITER_ASLEEP || value === 0) words.store(index, value);
        },
      });
    },
    found: /the writer waits for ever/,
  },
  "the reader looks for a waiting writer before it makes space": {
    readerWords(words) {
      let waits = 0;
      return changed(words, {
        store(index, value) {
          if (index === TAIL) waits = words.load(WRITER_ASLEEP);
          words.store(index, value);
        },
        load: (index) => (index === WRITER_ASLEEP ? waits : words.load(index)),
      });
    },
    found: /the writer waits for ever/,
  },
  "a record is published before its bytes are written": {
    publishesFirst: true,
    found: /record \d is not/,
  },
  "a record's place is given back before it is read": {
    readerWords(words) {
      return changed(words, {
        get(index) {
          const length = words.get(index);
          words.store(TAIL, (words.load(TAIL) + recordSpace(length)) | 0);
          return length;
        },
        store(index, value) {
          if (index !== TAIL) words.store(index, value);
        },
      });
    },
    found: /record \d is not/,
  },
  "the writer takes the ring for empty": {
    writerWords(words) {
      let head = 0;
      return changed(words, {
        store(index, value) {
          if (index === HEAD) head = value;
          words.store(index, value);
        },
        load: (index) => (index === TAIL ? head : words.load(index)),
      });
    },
    found: /record \d is not|not supported|Invalid|the reader sleeps/,
  },
};

for (const [name, fault] of Object.entries(FAULTS)) {
  test(`found: ${name}`, () => {
    const waiting: Scenario = {
      capacity: 16,
      lengths: [4, 4, 4, 4],
      start: 0,
      budgetBytes: LARGE_BUDGET,
      whenFull: "waits",
    };
    assert.throws(() => explore(waiting, fault), { message: fault.found });
  });
}
