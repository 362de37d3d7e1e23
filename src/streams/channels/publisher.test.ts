/**
 * Proves that an update is encoded once for all clients that call the channel by one name, that all
 * spellings of v2 share their encoding, and that nothing is encoded for a dialect without
 * subscribers. The updates count how often they are read.
 */
import assert from "node:assert/strict";
import test from "node:test";
import type { Product } from "../../domain/index.ts";
import { V2_DIALECT } from "../v2/v2-dialect.ts";
import { V3_DIALECT } from "../v3/v3-dialect.ts";
import type { Dialect } from "./dialect.ts";
import { Publisher } from "./publisher.ts";
import type { Subscriber, Topic } from "./topic.ts";
import type { DepthUpdate, Level } from "./updates.ts";

/** Publishes what the test passes in; its state is the last update. */
class Echoes extends Publisher {
  #present: DepthUpdate | null = null;

  constructor() {
    super("depth");
  }

  get conflates(): boolean {
    return true;
  }

  get present(): DepthUpdate | null {
    return this.#present;
  }

  tell(update: DepthUpdate): void {
    this.#present = update;
    this.publish(update);
  }
}

class CountingUpdate implements DepthUpdate {
  readonly kind = "depth";
  readonly symbol = "BTCUSDT";
  readonly levels = 15;
  readonly isSnapshot = true;
  readonly previous = 7;
  readonly version = 7;
  readonly timestampMs = 1_800_000_000_000;
  readonly asks: readonly Level[] = [];
  reads = 0;

  get bids(): readonly Level[] {
    this.reads++;
    return [["50000", "1"]];
  }
}

function subscribe(
  publisher: Publisher,
  dialect: Dialect,
  name: string,
  subscriber: Subscriber,
  product: Product = "spot",
): Topic {
  const named = dialect.publicChannel(product, name);
  assert.ok(named !== null);
  return publisher.subscribe(named.encoder, subscriber);
}

class Frames implements Subscriber {
  readonly list: Buffer[] = [];

  deliver(_topic: Topic, frame: Buffer): void {
    this.list.push(frame);
  }

  get messages(): readonly Readonly<Record<string, unknown>>[] {
    return this.list.map((frame) => JSON.parse(frame.toString("utf8")));
  }
}

test("once for all who called the channel by one name, with the same bytes", () => {
  for (const [dialect, name] of [
    [V2_DIALECT, "depth.BTCUSDT_SPBL.15"],
    [V3_DIALECT, "BTCUSDT@depth15"],
  ] as const) {
    const publisher = new Echoes();
    const listeners = Array.from({ length: 100 }, () => new Frames());
    for (const listener of listeners) subscribe(publisher, dialect, name, listener);
    const update = new CountingUpdate();
    publisher.tell(update);
    assert.equal(update.reads, 1);
    const [first] = listeners[0]?.list ?? [];
    assert.ok(first !== undefined && listeners.every(({ list }) => list[0] === first));
    // A new subscriber gets the current state, which is encoded already.
    const late = new Frames();
    subscribe(publisher, dialect, name, late);
    assert.ok(late.list[0] === first);
    assert.equal(update.reads, 1);
  }
});

test("all spellings of v2 share their words, and each is told in its own", () => {
  const publisher = new Echoes();
  const spellings = ["BTCUSDT", "btcusdt", "BTCUSDT_SPBL", "btcusdt_spbl", "BtcUsdt_Spbl"];
  const listeners = spellings.map((symbol) => {
    const frames = new Frames();
    subscribe(publisher, V2_DIALECT, `depth.${symbol}.15`, frames);
    return frames;
  });
  const update = new CountingUpdate();
  publisher.tell(update);
  assert.equal(update.reads, 1);
  assert.deepEqual(
    listeners.map(({ messages }) => messages),
    spellings.map((symbol) => [
      {
        event: "payload",
        channel: `depth.${symbol}.15`,
        data: [
          {
            symbol,
            startVersion: "7",
            endVersion: "7",
            level: 15,
            depthType: "SNAPSHOT",
            asks: [],
            bids: [{ price: "50000", size: "1" }],
          },
        ],
      },
    ]),
  );
});

test("a dialect in which nobody listens is not spoken", () => {
  const publisher = new Echoes();
  const inV3 = new Frames();
  subscribe(publisher, V3_DIALECT, "BTCUSDT@depth15", inV3);
  const inV2 = new Frames();
  const topic = subscribe(publisher, V2_DIALECT, "depth.BTCUSDT.15", inV2);
  const both = new CountingUpdate();
  publisher.tell(both);
  assert.equal(both.reads, 2);
  topic.remove(inV2);
  const one = new CountingUpdate();
  publisher.tell(one);
  assert.equal(one.reads, 1);
  assert.deepEqual([inV2.list.length, inV3.list.length], [1, 2]);
  assert.equal(publisher.drop(topic), true);
  assert.equal(publisher.drop(topic), false, "it is forgotten");
  assert.equal(publisher.isEmpty, false);
});
