/**
 * Goal: rings carry records in order and unharmed between real threads, both ways, and nobody is
 * left asleep. Method: a worker sends every record back; sizes, pauses and bursts are random, rings
 * are small enough to be full most of the time. Each record has its number and a checksum.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { Worker } from "node:worker_threads";
import { crc32 } from "node:zlib";
import { scaled, seededRandom } from "../../test/support/random.ts";
import type { RingEchoData } from "../../test/support/ring-echo.ts";
import { createRingMemory, RingInbox, RingReader, RingWriter, recordSpace } from "./index.ts";

const random = seededRandom("rings between threads");
const ECHO = new URL("../../test/support/ring-echo.ts", import.meta.url);
const HEADER_BYTES = 8;

function makeRecord(number: number, length: number): Buffer {
  const record = Buffer.alloc(HEADER_BYTES + length);
  record.writeUInt32LE(number, 0);
  for (let at = HEADER_BYTES; at < record.length; at++) record[at] = random.integer(0, 255);
  record.writeUInt32LE(crc32(record.subarray(HEADER_BYTES)), 4);
  return record;
}

/** Sends `count` records to the worker and reads them back. */
class EchoRun {
  readonly #count: number;
  readonly #worker: Worker;
  readonly #writer: RingWriter;
  readonly #inbox: RingInbox;
  #sent = 0;
  #received = 0;
  #next: Buffer | null = null;
  #isPausing = false;
  wakes = 0;
  waits = 0;

  constructor(count: number, capacity: number) {
    this.#count = count;
    const outward = createRingMemory(capacity);
    const inward = createRingMemory(capacity);
    const [seed, budgetBytes] = [random.integer(0, 1e9), random.integer(1, capacity)];
    const workerData: RingEchoData = { inward: outward, outward: inward, budgetBytes, seed };
    this.#worker = new Worker(ECHO, { workerData });
    const send = () => this.#worker.postMessage(null);
    this.#writer = new RingWriter(outward, send);
    const reader = new RingReader(inward, send);
    const visit = (record: Uint8Array) => this.#check(record);
    this.#inbox = new RingInbox({
      read: () => reader.read(visit, budgetBytes),
      ring: reader,
      soon: (turn) => setImmediate(turn),
    });
  }

  run(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#worker.on("error", reject);
      this.#worker.on("message", () => {
        this.wakes++;
        this.#inbox.wake();
        this.#send();
        if (this.#received === this.#count) resolve(this.#worker.terminate().then(() => undefined));
      });
      // The last records may also be read in a turn of the inbox's own.
      const look = () => {
        if (this.#received === this.#count) resolve(this.#worker.terminate().then(() => undefined));
        else setImmediate(look);
      };
      look();
      this.#send();
    });
  }

  #send(): void {
    while (this.#sent < this.#count && !this.#isPausing) {
      this.#next ??= makeRecord(this.#sent, this.#randomLength());
      const { length } = this.#next;
      if (this.#writer.tryWrite(this.#next)) {
        this.#sent++;
        this.#next = null;
        if (random.chance(0.01)) this.#pause();
      } else {
        this.#writer.flush();
        this.waits++;
        if (this.#writer.fallAsleep(() => this.#writer.freeBytes >= recordSpace(length))) return;
      }
    }
    this.#writer.flush();
  }

  #randomLength(): number {
    const largest = this.#writer.largestRecord - HEADER_BYTES;
    return random.integer(0, random.chance(0.05) ? largest : Math.min(largest, 60));
  }

  /** Long enough for the worker to run empty and fall asleep. */
  #pause(): void {
    this.#isPausing = true;
    setTimeout(
      () => {
        this.#isPausing = false;
        this.#send();
      },
      random.integer(0, 2),
    );
  }

  #check(record: Uint8Array): void {
    const bytes = Buffer.from(record);
    assert.equal(bytes.readUInt32LE(0), this.#received, "in order, none missing or repeated");
    assert.equal(bytes.readUInt32LE(4), crc32(bytes.subarray(HEADER_BYTES)), "unharmed");
    this.#received++;
  }
}

test("records pass two threads in order and unharmed, and nobody stays asleep", async () => {
  for (const capacity of [64, 512, 4096, 65_536]) {
    const count = scaled(10_000);
    const run = new EchoRun(count, capacity);
    await run.run();
    console.log(`# ring of ${capacity}: ${count} records, ${run.waits} waits, ${run.wakes} wakes`);
  }
});
