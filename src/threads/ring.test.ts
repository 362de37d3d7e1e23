/**
 * Goal: a ring is a bounded queue of records, and answers never wait. Method: random reads and
 * writes beside a plain queue, from positions all around the ring; then random turns of one asking
 * and one answering side, where every answer has to arrive whole or as lost, in bounded memory.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { type Random, scaled, seededRandom } from "../../test/support/random.ts";
import {
  AnswerReader,
  AnswerSpace,
  AnswerWriter,
  AtomicWords,
  createRingMemory,
  RingReader,
  RingWriter,
  recordSpace,
} from "./index.ts";
import { HEAD, TAIL } from "./ring-memory.ts";

const random = seededRandom("rings");

function randomBytes(length: number): Uint8Array {
  return Uint8Array.from({ length }, () => random.integer(0, 255));
}

function writeAnyhow(ring: RingWriter, record: Uint8Array): boolean {
  const way = random.integer(0, 2);
  if (way === 0) return ring.tryWrite(record);
  if (way === 1) {
    const cut = random.integer(0, record.length);
    return ring.tryWriteParts([record.subarray(0, cut), record.subarray(cut)]);
  }
  const unused = random.integer(0, Math.min(3, ring.largestRecord - record.length));
  const offset = ring.reserve(record.length + unused);
  if (offset < 0) return false;
  ring.bytes.set(record, offset);
  ring.commit(record.length);
  return true;
}

test("a ring does what a bounded queue does", () => {
  let refused = 0;
  for (let round = 0; round < scaled(60); round++) {
    const capacity = 2 ** random.integer(4, 9);
    const largest = random.integer(1, capacity - 4);
    const memory = createRingMemory(capacity, largest);
    const words = new AtomicWords(memory);
    const start = random.pick([0, 0x7fff_ff00, 0xffff_ff00]) + 4 * random.integer(0, 63);
    words.store(HEAD, start);
    words.store(TAIL, start);
    const writer = new RingWriter(memory, () => undefined);
    const reader = new RingReader(memory, () => undefined);
    const queue: Uint8Array[] = [];
    for (let step = 0; step < 400; step++) {
      const taken = queue.reduce((sum, { length }) => sum + recordSpace(length), 0);
      assert.equal(writer.freeBytes, capacity - taken);
      if (random.chance(0.6)) {
        const record = randomBytes(random.integer(0, largest));
        const wasWritten = writeAnyhow(writer, record);
        if (wasWritten) queue.push(record);
        else refused++;
        assert.ok(wasWritten || recordSpace(record.length + 3) > capacity - taken);
      } else {
        const budget = random.integer(1, capacity);
        let read = 0;
        const freed = reader.read((record) => {
          const expected = queue.shift() as Uint8Array;
          assert.deepEqual(Uint8Array.from(record), expected);
          read += recordSpace(expected.length);
          assert.ok(read <= budget || read === recordSpace(expected.length));
        }, budget);
        assert.equal(freed, read);
        const [next] = queue;
        assert.ok(next === undefined || read + recordSpace(next.length) > budget);
      }
    }
  }
  assert.ok(refused > 0);
});

test("a record that never fits is refused before it enters", () => {
  const memory = createRingMemory(64, 20);
  const writer = new RingWriter(memory, () => undefined);
  assert.throws(() => writer.tryWrite(new Uint8Array(21)), /fits into its ring/);
  assert.equal(writer.freeBytes, 64);
  assert.equal(writer.tryWrite(new Uint8Array(20)), true);
});

interface Asked {
  readonly reservedBytes: number;
  readonly answer: Uint8Array;
}

/** One gateway and one engine, whose turns come in any order. */
class AnsweringPair {
  readonly memory = createRingMemory(1024, 512);
  readonly space = new AnswerSpace(this.memory);
  readonly heldBytesMax = 4096;
  readonly #asked = new Map<number, Asked>();
  readonly #requests: number[] = [];
  readonly #wakes = { engine: 0, gateway: 0 };
  readonly #ring = new RingWriter(this.memory, () => this.#wakes.gateway++);
  readonly #writer = new AnswerWriter(this.#ring, this.heldBytesMax);
  readonly #ringReader = new RingReader(this.memory, () => this.#wakes.engine++);
  readonly #reader = new AnswerReader({
    ring: this.#ringReader,
    space: this.space,
    deliver: (request, answer) => this.#deliver(request, answer),
  });
  readonly #random: Random;
  #next = 0;
  #isReaderAsleep = false;
  refused = 0;
  lost = 0;
  long = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  ask(): void {
    const reservedBytes = this.#random.integer(0, 100);
    if (!this.space.tryReserve(reservedBytes)) {
      this.refused++;
      return;
    }
    const isLong = this.#random.chance(0.1);
    const length = isLong ? this.#random.integer(0, 3000) : this.#random.integer(0, reservedBytes);
    const request = this.#next++;
    this.#asked.set(request, { reservedBytes, answer: randomBytes(length) });
    this.#requests.push(request);
  }

  answer(): void {
    const request = this.#requests.shift();
    const asked = request === undefined ? undefined : this.#asked.get(request);
    if (request !== undefined && asked !== undefined) {
      this.#writer.write(request, asked.reservedBytes, asked.answer);
    }
    this.#writer.flush();
    assert.ok(this.#writer.heldBytes <= this.heldBytesMax);
  }

  /** The engine's event loop takes an event. */
  resume(): void {
    if (this.#wakes.engine === 0) return;
    this.#wakes.engine--;
    this.#writer.resume();
  }

  /** A gateway asleep reads only when an event has come. */
  read(): void {
    if (this.#isReaderAsleep && this.#wakes.gateway === 0) return;
    if (this.#isReaderAsleep) this.#wakes.gateway--;
    this.#reader.read(this.#random.integer(1, 1024));
    this.#isReaderAsleep = this.#ringReader.isEmpty && this.#ringReader.fallAsleep();
  }

  #deliver(request: number, answer: Uint8Array | null): void {
    const asked = this.#asked.get(request) as Asked;
    assert.ok(asked, "an answer arrives once");
    this.#asked.delete(request);
    if (answer === null) this.lost++;
    else assert.deepEqual(Uint8Array.from(answer), asked.answer);
    if (asked.answer.length > asked.reservedBytes) this.long++;
    else assert.notEqual(answer, null, "what fits its reservation is never lost");
  }

  /** Without another request, everything comes to rest with all answers delivered. */
  settle(): void {
    for (let turn = 0; turn < 10_000; turn++) {
      this.answer();
      this.read();
      this.resume();
    }
    assert.equal(this.#asked.size, 0);
    assert.equal(this.#writer.heldBytes, 0);
    assert.equal(this.space.reservedBytes, 0);
  }
}

test("every answer arrives, whole or as lost, and the answering side never waits", () => {
  let lost = 0;
  let long = 0;
  let refused = 0;
  for (let round = 0; round < scaled(8); round++) {
    const pair = new AnsweringPair(random);
    const [asks, answers] = [random.integer(1, 9), random.integer(1, 9)];
    for (let step = 0; step < 2000; step++) {
      const turn = random.integer(0, asks + answers + 3);
      if (turn < asks) pair.ask();
      else if (turn < asks + answers) pair.answer();
      else if (turn % 2 === 0) pair.read();
      else pair.resume();
    }
    pair.settle();
    lost += pair.lost;
    long += pair.long;
    refused += pair.refused;
  }
  assert.ok(lost > 0 && long > lost && refused > 0, `${lost} ${long} ${refused}`);
  console.log(`# answers: ${long} long ones, ${lost} lost, ${refused} requests refused`);
});
