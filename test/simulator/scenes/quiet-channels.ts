/**
 * Readers of both versions who subscribe to one channel after the other while nobody does anything:
 * whoever follows it already, each is told the whole state at once, also when it comes back.
 */
import { channelOf } from "../channels/channel-names.ts";
import { ChannelReader } from "../channels/channel-reader.ts";
import { SYMBOL } from "../markets.ts";
import type { Product } from "../orders.ts";
import type { Scene, Stage } from "./stage.ts";

const KINDS = ["ticker", "ticker", "kline", "depth15", "depth200", "trade"];
/** The second one is followed by fewer others. */
const SYMBOLS = [SYMBOL, "ETHUSDT", "ETHUSDT"];
const ROUNDS = [2, 4] as const;
const READERS = [2, 4] as const;
/** Between two who subscribe: at once, or when everything has been told. */
const BETWEEN_MS = [0, 1, 50, 400];

export function quietChannels(product: Product): Scene {
  return async (stage) => {
    const { random } = stage;
    await stage.look();
    const readers = await readersOf(stage, product);
    const kinds = random.shuffle([...KINDS]).slice(0, random.integer(...ROUNDS));
    for (const kind of kinds) await follow(stage, readers, kind);
    for (const reader of readers) reader.close();
  };
}

async function readersOf({ exchange, random }: Stage, product: Product) {
  const first = random.pick(["v2", "v3"] as const);
  const others = Array.from({ length: random.integer(...READERS) - 1 }, () => {
    return first === "v2" ? ("v3" as const) : random.pick(["v2", "v2", "v3"] as const);
  });
  const readers = [first, ...others].map((version) => {
    return new ChannelReader({ exchange, product, version }, null);
  });
  for (const reader of readers) await exchange.life.until(reader.connect(true));
  return readers;
}

/** A channel that some of them follow before the others. */
async function follow(
  stage: Stage,
  readers: readonly ChannelReader[],
  kind: string,
): Promise<void> {
  const { random } = stage;
  const symbol = random.pick(SYMBOLS);
  for (const reader of random.chance(0.5) ? readers : random.shuffle([...readers])) {
    await stage.pass(random.pick(BETWEEN_MS));
    reader.subscribe([channelOf(reader, kind, symbol, random)]);
    if (random.chance(0.7)) await stage.do(reader.check());
  }
  for (const reader of readers) await stage.do(reader.check());
  for (const reader of readers) {
    if (random.chance(0.4)) continue;
    reader.unsubscribe(reader.names);
    if (random.chance(0.4)) reader.subscribe([channelOf(reader, kind, symbol, random)]);
    await stage.do(reader.settle());
  }
  for (const reader of readers) await stage.do(reader.check());
}
