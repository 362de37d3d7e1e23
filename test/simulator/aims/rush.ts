/**
 * Changes of an account that follow each other faster than the disk. The first one is told, so that
 * its streams and books read their state; while they wait for a commit that is being synced, the
 * next change comes behind them. Nothing else may bring it to light.
 */
import type { Random } from "../../support/random.ts";
import { hold } from "../breach.ts";
import { CommandBookWatch } from "../command-books.ts";
import type { CheckedListener, Listener } from "../listener.ts";
import { CONTRACT_PRICE, SYMBOL } from "../markets.ts";
import { passTime } from "../pass-time.ts";
import type { Trader } from "../trader.ts";
import { PrivateWatch } from "../watches.ts";
import { farOrder } from "./reads-between.ts";
import type { World } from "./world.ts";

const ROUNDS_MAX = 3;
/** A call of the disk takes so long at most. */
const DISK_MS = [5, 20, 60];
const PAUSE_MAX_MS = 3;
const SIDES = [
  ["BUY", "LONG", "SELL"],
  ["SELL", "SHORT", "BUY"],
] as const;
/** Later than most of what others do in a step. */
const LATER_MS = [0, 200, 2_000];

export async function rush(
  { exchange, listeners, streamIntervalMs, traders }: World,
  random: Random,
): Promise<readonly CheckedListener[]> {
  const connected = listeners.filter(isChecked).filter(({ isConnected }) => isConnected);
  const watch = random.shuffle(connected).find((one) => one instanceof PrivateWatch);
  if (watch === undefined) return [];
  const { product, trader } = watch;
  const { files } = exchange.life;
  const pause = () => passTime(exchange, random.integer(0, PAUSE_MAX_MS));
  const place = () => heard(trader.place(product, farOrder(product, random)));
  await passTime(exchange, random.pick(LATER_MS));
  const isSlowed = files.slowestMs === 0;
  for (let round = random.integer(1, ROUNDS_MAX); round > 0; round--) {
    const held = product === "contract" ? await heldAgainst(trader, traders, random) : null;
    if (isSlowed) files.slowestMs = random.pick(DISK_MS);
    const first = place();
    await pause();
    const second = place();
    const order = await first;
    await pause();
    const isTakenBack = order.fate === "accepted" && random.chance(0.5);
    const listed = isTakenBack && product === "spot" ? heard(listOrders(trader)) : null;
    if (held !== null && random.chance(0.75)) await trader.place(product, held);
    else await (isTakenBack ? trader.cancel(order) : place());
    await Promise.all([second, listed]);
    if (isSlowed) files.slowestMs = 0;
    if (round > 1) await passTime(exchange, random.integer(0, 2 * streamIntervalMs));
  }
  return connected.filter((one) => one.product === product);
}

function isChecked(listener: Listener): listener is CheckedListener {
  return !(listener instanceof CommandBookWatch);
}

/** A position, and the order that ends it at once: somebody waits to be its other side. */
async function heldAgainst(
  trader: Trader,
  traders: readonly Trader[],
  random: Random,
): Promise<Record<string, string> | null> {
  const other = random.shuffle(traders.filter((one) => one !== trader))[0];
  const { naive } = trader.exchange.story;
  const free = SIDES.filter(([, side]) => naive.positionsOf(trader.uid, SYMBOL, side).length === 0);
  if (other === undefined || free.length === 0) return null;
  const quantity = random.pick(["0.001", "0.002"]);
  const terms = { symbol: SYMBOL, type: "LIMIT", price: CONTRACT_PRICE.toFixed(1), quantity };
  const [side, positionSide, opposite] = random.pick(free);
  const against = { ...terms, positionSide: side === "BUY" ? "SHORT" : "LONG" };
  await other.place("contract", { ...against, side: opposite, timeInForce: "GTC" });
  await trader.place("contract", { ...terms, side, positionSide, timeInForce: "IOC" });
  await other.place("contract", { ...terms, side, positionSide, timeInForce: "GTC" });
  return { ...terms, side: opposite, positionSide, timeInForce: "IOC" };
}

/** All of a market, of which one is about to end: each of them once. */
async function listOrders(trader: Trader): Promise<void> {
  const outcome = await trader.send("GET", `/api/v3/allOrders?symbol=${SYMBOL}&limit=20`);
  if (outcome?.status !== 200) return;
  const ids = (outcome.body as readonly { readonly orderId: number }[]).map((row) => row.orderId);
  const isOnce = new Set(ids).size === ids.length;
  hold(isOnce, "a list has each order once", () => `${trader.name}: ${ids}`);
}

/** What breaks off is told to whoever waits, and not before. */
function heard<Value>(work: Promise<Value>): Promise<Value> {
  work.catch(() => undefined);
  return work;
}
