/**
 * Listeners that leave channels and subscribe to them again on one connection, many channels at
 * once, the same one twice, and what is refused in between; some of whom answer no ping.
 */
import { Random } from "../../support/random.ts";
import type { World } from "../aims/world.ts";
import { someChannel } from "../channels/channel-names.ts";
import { ChannelReader } from "../channels/channel-reader.ts";
import { askForMany, askWrongly } from "../channels/wrong-requests.ts";
import { largeOrder } from "../markets.ts";
import { passTime } from "../pass-time.ts";
import type { SimulatedExchange } from "../simulated-exchange.ts";
import type { Trader } from "../trader.ts";

const READERS = new WeakMap<SimulatedExchange, ChannelReader[]>();
/** Of a seed, of each product. */
const READERS_MAX = 2;
const OPERATIONS_MAX = 8;
const CHANNELS_MAX = 4;
/** For which channels are left: the interval of streams, and until a heartbeat at the longest. */
const AWAY_MS = [0, 1, 150, 1_100, 31_000];
const PING_MS = 30_000;
/** A call of the disk takes so long at most while somebody subscribes. */
const SYNC_MS = 4;
const MESSAGE_BYTES_MAX = 16 * 1024;

/** Most of them read public channels of version 3, which has more; others an account's. */
function readersOf(world: World, random: Random): ChannelReader[] {
  const { exchange, products, traders } = world;
  const known = READERS.get(exchange);
  if (known !== undefined) return known;
  const readers = products.flatMap((product) =>
    Array.from({ length: READERS_MAX }, () => {
      const version = random.pick(["v3", "v3", "v2"] as const);
      const trader = random.pick([null, null, null, random.pick(traders)]);
      return new ChannelReader({ exchange, product, version }, trader);
    }),
  );
  READERS.set(exchange, readers);
  return readers;
}

export async function changeSubscriptions(world: World, random: Random): Promise<void> {
  const readers = readersOf(world, random);
  const isSlowed = random.chance(0.3) && world.exchange.life.files.slowestMs === 0;
  if (isSlowed) world.exchange.life.files.slowestMs = SYNC_MS;
  const some = random.shuffle([...readers]).slice(0, random.integer(1, READERS_MAX));
  const acts = some.map((reader) => {
    return operate(reader, world, new Random(random.integer(0, 0x7fffffff)));
  });
  if (random.chance(0.5)) acts.push(leaveForAWhile(world, random));
  await Promise.all(acts);
  if (isSlowed) world.exchange.life.files.slowestMs = 0;
}

async function operate(reader: ChannelReader, world: World, random: Random): Promise<void> {
  const { exchange } = world;
  if (exchange.limits !== null && random.chance(0.4)) await reader.reachLimits(random.chance(0.5));
  if (!(await reader.connect(random.chance(0.85)))) return;
  for (let count = random.integer(1, OPERATIONS_MAX); count > 0; count--) {
    random.pick([subscribe, subscribe, leave, leave, beat])(reader, random);
    if (random.chance(0.5)) askWrongly(reader, random);
    if (random.chance(0.3)) await reader.settle();
    if (random.chance(0.15)) await placeAmong(world, reader, random);
    if (random.chance(0.3)) await passTime(exchange, random.pick(AWAY_MS.slice(0, -1)));
  }
  await reader.settle();
  if (random.chance(exchange.limits === null ? 0.1 : 0.6)) askForMany(reader);
  await reader.settle();
  if (random.chance(0.04)) await misuse(reader, random);
  if (!reader.isDeaf || random.chance(0.5)) return;
  for (let count = random.integer(1, 6); count > 0; count--) {
    await passTime(exchange, PING_MS);
    reader.checkEnd();
    if (random.chance(0.2)) reader.beat(random);
  }
}

function subscribe(reader: ChannelReader, random: Random): void {
  const channels = Array.from({ length: random.integer(1, CHANNELS_MAX) }, () =>
    someChannel(reader, random),
  );
  reader.subscribe(channels);
}

/** Some of its channels or all, and perhaps one that it does not have, or that there is not. */
function leave(reader: ChannelReader, random: Random): void {
  const all = random.shuffle([...reader.names]);
  const some = random.chance(0.4) ? all : all.slice(0, random.integer(0, 2));
  const other = random.chance(0.5) ? [random.pick([someChannel(reader, random).name, "x"])] : [];
  const names = [...some, ...other];
  if (names.length > 0) reader.unsubscribe(random.shuffle(names));
}

function beat(reader: ChannelReader, random: Random): void {
  reader.beat(random);
}

/** On its way, or whole. */
async function placeAmong(world: World, { product }: ChannelReader, random: Random): Promise<void> {
  const trader = random.pick(world.traders);
  const placed = trader.place(product, largeOrder(product, random));
  placed.catch(() => undefined);
  if (random.chance(0.5)) await placed;
}

/** What ends a connection; a message that is as long as it may be does not. */
async function misuse(reader: ChannelReader, random: Random): Promise<void> {
  const request = '{"method":"PONG","id":"long"}';
  if (reader.version === "v3" && !reader.isPrivate) {
    reader.ask(request.padEnd(MESSAGE_BYTES_MAX), { result: true, id: "long" });
    await reader.settle();
  }
  if (random.chance(0.5)) {
    reader.mayEnd(1008, "messages are text");
    reader.send(Buffer.from(request));
  } else {
    reader.mayEnd(1009, "");
    reader.send(request.padEnd(MESSAGE_BYTES_MAX + 1));
  }
  await reader.ends();
}

/** A listener of the simulation leaves some of its channels or all, and comes back. */
async function leaveForAWhile(world: World, random: Random): Promise<void> {
  const { exchange, listeners, traders } = world;
  const there = listeners.filter(({ isConnected }) => isConnected);
  if (there.length === 0) return;
  const watch = random.pick(there);
  const { channels, product } = watch;
  const count = random.chance(0.5) ? channels.length : random.integer(1, channels.length);
  const names = random.shuffle([...channels]).slice(0, count);
  const trader: Trader = "trader" in watch ? watch.trader : random.pick(traders);
  const own = new Random(random.integer(0, 0x7fffffff));
  const awayMs = own.pick(AWAY_MS);
  const writes: Promise<unknown>[] = [];
  const place = () => {
    const placed = trader.place(product, largeOrder(product, own));
    placed.catch(() => undefined);
    writes.push(placed);
    return placed;
  };
  await watch.leave(names, async () => {
    if (own.chance(0.7)) await place();
    if (awayMs > 0) await passTime(exchange, awayMs);
    if (own.chance(0.5)) void place();
    await passTime(exchange, own.integer(0, SYNC_MS));
  });
  await Promise.all(writes);
}

/** While nobody sends anything. */
export async function checkSubscriptions({ exchange }: World): Promise<void> {
  for (const reader of READERS.get(exchange) ?? []) {
    await exchange.life.until(reader.check());
  }
}
