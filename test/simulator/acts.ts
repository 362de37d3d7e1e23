/** What traders do in one step. */
import type { Random } from "../support/random.ts";
import type { Acts, TraderAct } from "./act.ts";
import { AFFILIATE_TRADER_ACTS } from "./affiliate-acts.ts";
import { hold } from "./breach.ts";
import { CONTRACT_ACTS, write } from "./contract-acts.ts";
import { placeAtBoundary } from "./directed.ts";
import { KEY_ACTS } from "./key-acts.ts";
import { LIMIT_ACTS } from "./limits.ts";
import {
  contractPrice,
  contractQuantity,
  largeOrder,
  SYMBOL,
  spotPrice,
  spotQuantity,
  TWO_SYMBOLS,
} from "./markets.ts";
import { operate } from "./operate.ts";
import { hasEnded, type Product, type SentOrder } from "./orders.ts";
import { passTime } from "./pass-time.ts";
import { PIPELINES } from "./pipeline.ts";
import { REPEATS } from "./repeats.ts";
import type { Trader } from "./trader.ts";

/** From less than a lot costs. */
const QUOTE_AMOUNTS = ["0.001", "0.009", "0.9", "1", "1.5", "2.01", "3.33333333", "20", "900"];

function spotOrder(random: Random): Record<string, unknown> {
  const newOrderRespType = random.pick([undefined, "RESULT", "FULL", "FULL"]);
  const isTold = newOrderRespType === undefined ? {} : { newOrderRespType };
  if (random.chance(0.12)) {
    const side = random.pick(["BUY", "SELL"]);
    const isByAmount = side === "BUY" && random.chance(0.6);
    const size = isByAmount
      ? { quoteAmount: random.pick(QUOTE_AMOUNTS) }
      : { quantity: random.pick([spotQuantity(random), "0.004", "0.01"]), ...isTold };
    return { symbol: SYMBOL, side, type: "MARKET", ...size };
  }
  return {
    ...isTold,
    symbol: SYMBOL,
    side: random.pick(["BUY", "SELL"]),
    type: "LIMIT",
    timeInForce: random.pick(["GTC", "GTC", "GTC", "GTC", "IOC", "FOK", "POST_ONLY"]),
    price: spotPrice(random),
    quantity: spotQuantity(random),
  };
}

function contractOrder(random: Random): Record<string, unknown> {
  const isMarket = random.chance(0.15);
  const terms = isMarket
    ? { type: "MARKET" }
    : {
        type: "LIMIT",
        timeInForce: random.pick(["GTC", "GTC", "GTC", "IOC", "FOK", "POST_ONLY"]),
        price: contractPrice(random),
      };
  return {
    symbol: SYMBOL,
    side: random.pick(["BUY", "SELL"]),
    positionSide: random.pick(["LONG", "SHORT"]),
    quantity: contractQuantity(random),
    ...terms,
  };
}

function someOrder(trader: Trader, product: Product, random: Random): SentOrder | null {
  const known = trader.orders.all.filter((order) => order.product === product);
  const open = known.filter(({ fate, isCancelled, seen }) => {
    return fate === "accepted" && !isCancelled && (seen === null || !hasEnded(seen));
  });
  const some = open.length > 0 && random.chance(0.8) ? open : known;
  return some.length === 0 ? null : random.pick(some.slice(-40));
}

const place =
  (product: Product): TraderAct =>
  async (trader, random, wire) => {
    const content = product === "spot" ? spotOrder(random) : contractOrder(random);
    const order = await trader.place(product, content, wire);
    if (random.chance(0.3)) await trader.lookUp(order);
    const isOfSeveral = (order.fills?.length ?? 0) > 1;
    if (random.chance(isOfSeveral ? 0.8 : 0.1)) await trader.retry(order);
  };

/** More levels on one side than a stream shows, the farthest last. */
const ladder =
  (product: Product): TraderAct =>
  async (trader, random, wire) => {
    const side = random.pick(["BUY", "SELL"]);
    const away = side === "BUY" ? -1 : 1;
    const isSpot = product === "spot";
    const orders = Array.from({ length: LADDER_ORDERS }, (_, index) => {
      const steps = away * (index + 10);
      const content = isSpot
        ? { price: (1_000 + steps * 0.01).toFixed(2), quantity: "0.001" }
        : { price: (60_000 + steps * 0.1).toFixed(1), quantity: "0.001" };
      const positionSide = side === "BUY" ? "LONG" : "SHORT";
      const terms = { symbol: SYMBOL, side, type: "LIMIT", timeInForce: "GTC", ...content };
      return isSpot ? terms : { ...terms, positionSide };
    });
    for (let from = 0; from < orders.length; from += BATCH_ORDERS) {
      await trader.placeTogether(product, orders.slice(from, from + BATCH_ORDERS), wire);
    }
  };

const LADDER_ORDERS = 18;
const BATCH_ORDERS = 9;

const cancel =
  (product: Product): TraderAct =>
  async (trader, random, wire) => {
    const order = someOrder(trader, product, random);
    if (order === null) return;
    await trader.cancel(order, wire);
    if (random.chance(0.3)) await trader.lookUp(order);
  };

/** What changes nothing, or next to nothing; null for an order that says no price or quantity. */
function edgeOf({ body, product, seen }: SentOrder, random: Random) {
  if (body.price === undefined || body.quantity === undefined) return null;
  const digits = product === "spot" ? 5 : 3;
  const beside = (value: unknown, lots: number) => {
    return (Number(value) + lots / 10 ** digits).toFixed(digits);
  };
  const price = String(seen?.price ?? body.price);
  const quantity = String(seen?.size ?? body.quantity);
  const filled = seen?.cumFillSize ?? "0";
  const quantities = [quantity, beside(quantity, 1), beside(quantity, -1), beside(filled, 1)];
  return random.pick([
    { price, quantity },
    { price },
    { quantity: random.pick(quantities) },
    { price, quantity: random.pick(quantities) },
  ]);
}

const amend =
  (product: Product): TraderAct =>
  async (trader, random, wire) => {
    const order = someOrder(trader, product, random);
    if (order === null) return;
    const isSpot = product === "spot";
    const price = isSpot ? spotPrice(random) : contractPrice(random);
    const quantity = isSpot ? spotQuantity(random) : contractQuantity(random);
    const edge = random.chance(0.2) ? edgeOf(order, random) : null;
    const change = edge ?? random.pick([{ price }, { quantity }, { price, quantity }]);
    await trader.amend(order, change, wire);
    if (random.chance(0.3)) await trader.lookUp(order);
  };

const cancelAll =
  (product: Product): TraderAct =>
  (trader) =>
    trader.cancelAll(product, SYMBOL);

const spotCountdown = (random: Random): object => ({
  countdownMs: random.pick([0, 5_000, 10_000, 60_000]),
});

/** One for each market and for all, of other lengths; some are changed before they end. */
const countdowns =
  (product: Product): TraderAct =>
  async (trader, random) => {
    const path = `${product === "spot" ? "/api" : "/capi"}/v3/order/cancelAllAfter`;
    for (let round = 0; round < 2; round++) {
      for (const symbol of random.shuffle([null, ...TWO_SYMBOLS])) {
        if (random.chance(0.3)) continue;
        const scope = symbol === null ? {} : { symbol };
        await trader.send("POST", path, { ...scope, countdownMs: random.pick(COUNTDOWNS_MS) });
      }
    }
  };

const COUNTDOWNS_MS = [0, 1_000, 1_500, 3_000, 5_000, 7_000, 12_000, 30_000, 60_000];

/** Trades in the last moments of a minute, and in the first of the next. */
const tradeAtMinuteEnd =
  (product: Product): TraderAct =>
  async (trader, random) => {
    const { exchange } = trader;
    const nowMs = Math.max(exchange.nowMs, exchange.story.timeMs);
    const leftMs = MINUTE_MS - (nowMs % MINUTE_MS);
    await passTime(exchange, Math.max(1, leftMs - random.pick([1, 30, 300, 2_000])));
    for (let count = 0; count < 2; count++)
      await trader.place(product, largeOrder(product, random));
    await passTime(exchange, random.pick([1, 400, 2_500]));
    for (let count = 0; count < 2; count++)
      await trader.place(product, largeOrder(product, random));
  };

const MINUTE_MS = 60_000;

/** One that ends while its market is halted, and may be taken back before that resumes. */
const heldCountdown =
  (product: Product): TraderAct =>
  async (trader, random) => {
    const { exchange } = trader;
    const isSpot = product === "spot";
    const path = `${isSpot ? "/api" : "/capi"}/v3/order/cancelAllAfter`;
    const scope = random.chance(0.5) ? { symbol: SYMBOL } : {};
    const away = isSpot ? { price: "990.00", quantity: "0.001" } : { price: "59990.0" };
    const terms = { symbol: SYMBOL, side: "BUY", type: "LIMIT", timeInForce: "GTC", ...away };
    await trader.place(product, isSpot ? terms : { ...terms, ...CONTRACT_TERMS });
    await trader.send("POST", path, { ...scope, countdownMs: HELD_COUNTDOWN_MS });
    const market = `markets/${product}/${SYMBOL}`;
    await operate(exchange, "PATCH", market, { state: "halted" });
    await passTime(exchange, HELD_COUNTDOWN_MS + random.integer(-1, 2_000));
    const change = random.pick([null, 0, 60_000]);
    if (change !== null) await trader.send("POST", path, { ...scope, countdownMs: change });
    await passTime(exchange, random.integer(1, 500));
    await operate(exchange, "PATCH", market, { state: "trading" });
  };

const HELD_COUNTDOWN_MS = 5_000;
const CONTRACT_TERMS = { positionSide: "LONG", quantity: "0.001" };

/** Of one kind of position or of several. */
function leverages(random: Random): Record<string, number> {
  const names = ["crossLeverage", "isolatedLongLeverage", "isolatedShortLeverage"];
  const chosen = random.shuffle(names).slice(0, random.pick([1, 1, 2, 3]));
  return Object.fromEntries(chosen.map((name) => [name, random.integer(1, 100)]));
}

const settings: TraderAct = (trader, random, wire) =>
  random.chance(0.7)
    ? write("POST", "/capi/v3/account/leverage", () => {
        return { symbol: SYMBOL, ...leverages(random) };
      })(trader, random, wire)
    : write("POST", "/capi/v3/account/marginType", () => {
        const marginType = random.pick(["CROSSED", "ISOLATED"]);
        const separatedType = random.pick(["COMBINED", "SEPARATED", undefined]);
        return { symbol: SYMBOL, marginType, separatedType };
      })(trader, random, wire);

/** Also one unit beyond 2^53, and 2^62 of them. */
const AMOUNTS = [
  ...["12.5", "0.00000001", "1000", "100000000", "5000"],
  ...["90071992.54740993", "46116860184.27387904"],
];

const money: TraderAct = async (trader, random) => {
  const kind = random.pick(["deposits", "withdrawals", "transfers"] as const);
  const amount = random.pick(AMOUNTS);
  const account = random.pick(["spot", "contract"]);
  const asset = account === "spot" ? random.pick(["BTC", "USDT"]) : "USDT";
  if (kind === "transfers") {
    const to = account === "spot" ? "contract" : "spot";
    await trader.move(kind, { asset: "USDT", amount, from: account, to });
  } else await trader.move(kind, { account, asset, amount: asset === "BTC" ? "1.5" : amount });
};

/** Asks for what it has just done: the past as well as the present must know of it. */
const readOwn =
  (product: Product): TraderAct =>
  async (trader) => {
    const { rows, known } = await readOpen(trader, product);
    for (const row of rows) {
      const order = trader.orders.get(product, String(row.clientOrderId));
      if (order === undefined) continue;
      const detail = () => JSON.stringify(row);
      hold(order.fate !== "refused", "a refused order leaves no trace", detail);
      const wasOpen = !known.has(order.clientOrderId);
      hold(wasOpen, "a cancelled order stays cancelled", detail);
    }
  };

async function readOpen(trader: Trader, product: Product) {
  const cancelled = trader.orders.all.filter((order) => order.product === product);
  const known = new Set(
    cancelled.filter(({ isCancelled }) => isCancelled).map(({ clientOrderId }) => clientOrderId),
  );
  return { rows: await trader.openOrders(product, SYMBOL), known };
}

export const TRADER_ACTS: Acts<TraderAct> = {
  "spot-place": [60, place("spot")],
  "spot-ladder": [2, ladder("spot")],
  "contract-ladder": [2, ladder("contract")],
  "spot-cancel": [20, cancel("spot")],
  "spot-amend": [20, amend("spot")],
  "spot-cancel-all": [2, cancelAll("spot")],
  "spot-countdown": [2, write("POST", "/api/v3/order/cancelAllAfter", spotCountdown)],
  "spot-minute-end": [3, tradeAtMinuteEnd("spot")],
  "contract-minute-end": [3, tradeAtMinuteEnd("contract")],
  "spot-countdowns": [4, countdowns("spot")],
  "contract-countdowns": [4, countdowns("contract")],
  "spot-held-countdown": [4, heldCountdown("spot")],
  "contract-held-countdown": [4, heldCountdown("contract")],
  "spot-read": [5, readOwn("spot")],
  "contract-place": [50, place("contract")],
  "contract-cancel": [15, cancel("contract")],
  "contract-amend": [15, amend("contract")],
  "contract-cancel-all": [2, cancelAll("contract")],
  "contract-close": [3, write("POST", "/capi/v3/closePositions", () => ({ symbol: SYMBOL }))],
  "contract-settings": [3, settings],
  "contract-read": [5, readOwn("contract")],
  "spot-boundary": [8, placeAtBoundary("spot")],
  "contract-boundary": [8, placeAtBoundary("contract")],
  money: [6, money],
  ...CONTRACT_ACTS,
  ...REPEATS,
  ...PIPELINES,
  ...LIMIT_ACTS,
  ...KEY_ACTS,
  ...AFFILIATE_TRADER_ACTS,
};
