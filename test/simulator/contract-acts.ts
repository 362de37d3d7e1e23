/**
 * What traders do with contracts beside plain orders: conditional orders up to their limit and
 * back, countdowns over two markets and through a halt, and slots of funding with other premiums.
 */
import type { Random } from "../support/random.ts";
import type { Acts, OperatorAct, TraderAct } from "./act.ts";
import {
  contractPrice,
  contractQuantity,
  indexPrice,
  OTHER_CONTRACT_PRICE,
  SYMBOL,
  TWO_SYMBOLS,
} from "./markets.ts";
import { operate } from "./operate.ts";
import { passTime } from "./pass-time.ts";
import type { Wire } from "./simulated-exchange.ts";
import type { Trader } from "./trader.ts";

const CONDITIONAL_PATH = "/capi/v3/algoOrder";
const COUNTDOWN_PATH = "/capi/v3/order/cancelAllAfter";
/** Of the seeds in which few are allowed, one more. */
const FEW_ORDERS = 7;
/** Around which the index and the orders of a slot of funding are. */
const FUNDING_PRICE = 60_000;
const MINUTE_MS = 60_000;
const SLOT_MS = 8 * 60 * MINUTE_MS;

/** A write of which only the kind of the answer is known beforehand. */
export const write =
  (method: string, path: string, bodyOf: (random: Random, trader: Trader) => object): TraderAct =>
  async (trader, random, wire) => {
    await send(trader, method, path, bodyOf(random, trader), wire);
  };

async function send(
  trader: Trader,
  method: string,
  path: string,
  body: object | undefined,
  wire?: Wire,
): Promise<void> {
  const outcome = await trader.send(method, path, body, wire);
  if (outcome === null || outcome.status === 200) return;
  trader.expectRefusal(outcome, `${method} ${path} ${JSON.stringify(body)}`);
}

function conditionalOf(random: Random, trader: Trader): Record<string, string> {
  const type = random.pick(["STOP", "STOP_MARKET", "TAKE_PROFIT", "TAKE_PROFIT_MARKET"]);
  const workingType = random.pick(["CONTRACT_PRICE", "MARK_PRICE"]);
  const isOther = random.chance(0.25);
  const away = random.integer(-20, 20);
  const otherPrice = (OTHER_CONTRACT_PRICE + away).toFixed(2);
  const price = isOther ? otherPrice : contractPrice(random);
  const positionSide = random.pick(["LONG", "SHORT"]);
  return {
    symbol: isOther ? TWO_SYMBOLS[1] : SYMBOL,
    side: random.pick(["BUY", "SELL"]),
    positionSide,
    type,
    quantity: isOther ? "0.01" : contractQuantity(random),
    triggerPrice: isOther ? otherPrice : indexPrice(random),
    ...(type.endsWith("MARKET") ? {} : { price }),
    workingType,
    ...presetsOf(Number(isOther ? otherPrice : price), positionSide, random),
    clientAlgoId: trader.nextOrderId,
  };
}

/** A take-profit and a stop-loss that come with the order, mostly on the right sides. */
function presetsOf(price: number, positionSide: string, random: Random): Record<string, string> {
  if (random.chance(0.5)) return {};
  const away = (positionSide === "LONG" ? 1 : -1) * random.integer(1, 900);
  const digits = price < FUNDING_PRICE / 2 ? 2 : 1;
  const words = (ticks: number) => (price + ticks / 10).toFixed(digits);
  return {
    ...(random.chance(0.8) ? { presetTakeProfitPrice: words(away) } : {}),
    ...(random.chance(0.8) ? { presetStopLossPrice: words(-away) } : {}),
  };
}

/** What is refused while nothing else happens, the naive exchange must refuse too. */
export async function placeConditional(
  trader: Trader,
  body: Readonly<Record<string, string>>,
  wire?: Wire,
): Promise<void> {
  const outcome = await trader.send("POST", CONDITIONAL_PATH, body, wire);
  if (outcome === null || outcome.status === 200) return;
  trader.expectRefusal(outcome, JSON.stringify(body));
  if (outcome.status === 429 || outcome.status === 503) return;
  trader.exchange.refusedOrders.push({ product: "conditional", uid: trader.uid, body });
}

const conditional: TraderAct = (trader, random, wire) =>
  placeConditional(trader, conditionalOf(random, trader), wire);

interface Waiting {
  readonly algoId: unknown;
  readonly triggerPrice: unknown;
}

/** One that waits, or null. */
async function someWaiting(trader: Trader, random: Random): Promise<Waiting | null> {
  const { credentials, exchange } = trader;
  const path = "/capi/v3/openAlgoOrders";
  const rows = await exchange.read<Waiting[]>(credentials, path);
  return rows.length === 0 ? null : random.pick(rows);
}

const endConditional: TraderAct = async (trader, random, wire) => {
  if (random.chance(0.2)) {
    const query = random.chance(0.5) ? `?symbol=${random.pick(TWO_SYMBOLS)}` : "";
    await send(trader, "DELETE", `/capi/v3/algoOpenOrders${query}`, undefined, wire);
    return;
  }
  const waiting = await someWaiting(trader, random);
  if (waiting === null) return;
  const orderId = String(waiting.algoId);
  if (random.chance(0.5)) {
    await send(trader, "DELETE", `${CONDITIONAL_PATH}?orderId=${orderId}`, undefined, wire);
  } else {
    const triggerPriceType = random.pick(["CONTRACT_PRICE", "MARK_PRICE", undefined, undefined]);
    // Beside where it is, most are not reached yet.
    const near = (Number(waiting.triggerPrice) + random.integer(-20, 20) / 10).toFixed(1);
    const triggerPrice = random.chance(0.7) ? near : indexPrice(random);
    const body = { orderId, triggerPrice, triggerPriceType };
    await send(trader, "POST", "/capi/v3/modifyTpSlOrder", body, wire);
  }
};

/** As many as are allowed, where that is few; then some end, and as many again. */
const fillUp: TraderAct = async (trader, random, wire) => {
  for (let round = 0; round < 2; round++) {
    for (let count = 0; count < FEW_ORDERS; count++) {
      const symbol = SYMBOL;
      // Far enough that most of them wait.
      const triggerPrice = String(FUNDING_PRICE + random.integer(1_000, 2_900));
      const sides = { side: "BUY", positionSide: "LONG", type: "STOP_MARKET" };
      const clientAlgoId = trader.nextOrderId;
      const body = { symbol, ...sides, quantity: "0.001", triggerPrice, clientAlgoId };
      await placeConditional(trader, body, wire);
    }
    if (round === 0) await endConditional(trader, random, wire);
  }
};

/** For a position, if there is one; some with a quantity of their own. */
const protect: TraderAct = (trader, random, wire) =>
  write("POST", "/capi/v3/placeTpSlOrder", () => ({
    symbol: SYMBOL,
    clientAlgoId: trader.nextOrderId,
    planType: random.pick(["TAKE_PROFIT", "STOP_LOSS"]),
    triggerPrice: indexPrice(random),
    positionSide: random.pick(["LONG", "SHORT"]),
    ...(random.chance(0.5) ? { quantity: contractQuantity(random) } : {}),
    triggerPriceType: random.pick(["CONTRACT_PRICE", "MARK_PRICE"]),
  }))(trader, random, wire);

/** An order to which a take-profit and a stop-loss are attached. */
const placeAttached: TraderAct = async (trader, random, wire) => {
  const isLong = random.chance(0.5);
  const price = contractPrice(random);
  // Most are near enough that the next trades trigger them.
  const distance = random.pick([random.integer(1, 300), random.integer(1, 30) / 10]);
  const away = (isLong ? 1 : -1) * distance;
  await trader.place(
    "contract",
    {
      symbol: SYMBOL,
      side: isLong ? "BUY" : "SELL",
      positionSide: isLong ? "LONG" : "SHORT",
      type: "LIMIT",
      timeInForce: "GTC",
      price,
      quantity: contractQuantity(random),
      ...(random.chance(0.8) ? { tpTriggerPrice: (Number(price) + away).toFixed(1) } : {}),
      ...(random.chance(0.8) ? { slTriggerPrice: (Number(price) - away).toFixed(1) } : {}),
    },
    wire,
  );
};

/** Attached ones up to the limit of conditional orders, where that is few. */
const attachUp: TraderAct = async (trader, random, wire) => {
  await send(trader, "DELETE", "/capi/v3/algoOpenOrders", undefined, wire);
  for (let count = 0; count <= FEW_ORDERS / 2; count++) {
    const price = FUNDING_PRICE - random.integer(1_000, 2_000);
    const terms = { symbol: SYMBOL, side: "BUY", positionSide: "LONG", type: "LIMIT" };
    const attached = random.pick([
      { tpTriggerPrice: String(price + 100), slTriggerPrice: String(price - 100) },
      { tpTriggerPrice: String(price + 100) },
    ]);
    const order = { ...terms, timeInForce: "GTC", price: String(price), quantity: "0.001" };
    await trader.place("contract", { ...order, ...attached }, wire);
  }
};

interface PositionRow {
  readonly id: number;
  readonly symbol: string;
}

/** Margin of an isolated position, and whether it takes more by itself. */
const moveMargin: TraderAct = async (trader, random, wire) => {
  const { credentials, exchange } = trader;
  const path = "/capi/v3/account/position/allPosition";
  const rows = await exchange.read<PositionRow[]>(credentials, path);
  if (rows.length === 0) return;
  const { id } = random.pick(rows);
  if (random.chance(0.3)) {
    const body = { positionId: id, autoAppendMargin: random.chance(0.6) };
    return await send(trader, "POST", "/capi/v3/account/modifyAutoAppendMargin", body, wire);
  }
  const amount = random.pick(["0.00000001", "0.5", "7", "100"]);
  const body = { isolatedPositionId: id, amount, type: random.pick([1, 1, 2]) };
  await send(trader, "POST", "/capi/v3/account/positionMargin", body, wire);
};

/** Both sides of one market at once, one of them larger. */
const hedge: TraderAct = async (trader, random, wire) => {
  const large = random.pick(["LONG", "SHORT"]);
  for (const positionSide of ["LONG", "SHORT"]) {
    const side = positionSide === "LONG" ? "BUY" : "SELL";
    const away = (side === "BUY" ? 1 : -1) * random.integer(0, 40);
    const price = (FUNDING_PRICE + away / 10).toFixed(1);
    const quantity = positionSide === large ? "0.09" : "0.03";
    const terms = { symbol: SYMBOL, side, positionSide, type: "LIMIT", timeInForce: "GTC" };
    await trader.place("contract", { ...terms, price, quantity }, wire);
  }
};

async function moveIndex(trader: Trader, price: string): Promise<void> {
  const body = { price, force: true };
  await operate(trader.exchange, "PUT", `index-prices/${SYMBOL}`, body);
  await passTime(trader.exchange, 1_100);
}

/** An isolated position on either side, and other leverages once it has a profit or a loss. */
const isolate: TraderAct = async (trader, random, wire) => {
  await trader.cancelAll("contract", SYMBOL);
  const mode = { symbol: SYMBOL, marginType: "ISOLATED", separatedType: "COMBINED" };
  await send(trader, "POST", "/capi/v3/account/marginType", mode, wire);
  const leverages = (least: number) => ({
    symbol: SYMBOL,
    isolatedLongLeverage: random.integer(least, 50),
    isolatedShortLeverage: random.integer(least, 50),
  });
  const path = "/capi/v3/account/leverage";
  await send(trader, "POST", path, leverages(20), wire);
  await hedge(trader, random, wire);
  await trader.cancelAll("contract", SYMBOL);
  await moveIndex(trader, (FUNDING_PRICE + random.integer(-900, 900)).toFixed(1));
  for (let count = 0; count < 3; count++) await send(trader, "POST", path, leverages(5), wire);
};

/** A part of a position is about to be closed when what closes all of it is triggered. */
const closeTwice: TraderAct = async (trader, random, wire) => {
  const positionSide = random.pick(["LONG", "SHORT"]);
  const isLong = positionSide === "LONG";
  const side = isLong ? "SELL" : "BUY";
  const away = (isLong ? 1 : -1) * random.integer(300, 900);
  await hedge(trader, random, wire);
  await trader.place("contract", {
    ...{ symbol: SYMBOL, side, positionSide, type: "LIMIT", timeInForce: "GTC" },
    price: (FUNDING_PRICE + away).toFixed(1),
    quantity: random.pick(["0.001", "0.01", "0.03"]),
  });
  const triggerPrice = (FUNDING_PRICE + away / 3).toFixed(1);
  const order = { symbol: SYMBOL, positionSide, triggerPrice, triggerPriceType: "MARK_PRICE" };
  const clientAlgoId = trader.nextOrderId;
  const planType = "TAKE_PROFIT";
  await send(trader, "POST", "/capi/v3/placeTpSlOrder", { ...order, clientAlgoId, planType }, wire);
  await moveIndex(trader, (FUNDING_PRICE + away).toFixed(1));
};

/** Between the caller's own wallets. */
const transferOwn: TraderAct = async (trader, random) => {
  const [fromType, toType] = random.pick([
    ["SPOT", "CONTRACT"],
    ["CONTRACT", "SPOT"],
  ] as const);
  const amount = random.pick(["1.5", "0.00000001", "40", "900"]);
  await trader.transfer({ fromType, toType, coinName: "USDT", amount });
};

/** Orders of both kinds in two markets, and a countdown for one of them or for both. */
const countdownOfMarkets: TraderAct = async (trader, random, wire) => {
  for (let count = random.integer(2, 5); count > 0; count--) {
    await conditional(trader, random, wire);
  }
  const symbol = random.pick([null, ...TWO_SYMBOLS]);
  const body = { countdownMs: 1_000, ...(symbol === null ? {} : { symbol }) };
  await send(trader, "POST", COUNTDOWN_PATH, body, wire);
  await passTime(trader.exchange, random.pick([999, 1_001, 1_200]));
};

/** A countdown ends while its market is halted; some take it back before the halt is over. */
const countdownInHalt: TraderAct = async (trader, random) => {
  const { exchange } = trader;
  await trader.place("contract", {
    symbol: SYMBOL,
    side: "BUY",
    positionSide: "LONG",
    type: "LIMIT",
    timeInForce: "GTC",
    price: "59000",
    quantity: "0.001",
  });
  const market = `markets/contract/${SYMBOL}`;
  const symbol = random.chance(0.5) ? { symbol: SYMBOL } : {};
  await send(trader, "POST", COUNTDOWN_PATH, { countdownMs: 1_000, ...symbol });
  await operate(exchange, "PATCH", market, { state: "halted" });
  await passTime(exchange, random.pick([900, 1_100]));
  const again = random.pick([null, 0, 0, 60_000]);
  if (again !== null) await send(trader, "POST", COUNTDOWN_PATH, { countdownMs: again, ...symbol });
  await operate(exchange, "PATCH", market, { state: "trading" });
  await passTime(exchange, random.pick([1, 200]));
};

const countdown = (random: Random): object => ({
  countdownMs: random.pick([0, 5_000, 10_000, 60_000]),
  ...(random.chance(0.5) ? { symbol: random.pick(TWO_SYMBOLS) } : {}),
});

export const CONTRACT_ACTS: Acts<TraderAct> = {
  "contract-countdown": [2, write("POST", COUNTDOWN_PATH, countdown)],
  "contract-countdown-markets": [2, countdownOfMarkets],
  "contract-countdown-halt": [1, countdownInHalt],
  "contract-conditional": [10, conditional],
  "contract-conditional-end": [4, endConditional],
  "contract-conditional-full": [2, fillUp],
  "contract-protect": [4, protect],
  "contract-attached": [5, placeAttached],
  "contract-attached-full": [2, attachUp],
  "contract-hedge": [3, hedge],
  "contract-isolate": [3, isolate],
  "contract-close-twice": [3, closeTwice],
  "contract-margin": [2, moveMargin],
  "contract-transfer": [2, transferOwn],
  "spot-transfer": [2, transferOwn],
};

/** To behind two slots of funding, each with an index of its own. */
export const passFunding: OperatorAct = async (exchange, random) => {
  for (let slots = 0; slots < 2; slots++) {
    const price = (FUNDING_PRICE + random.integer(-400, 400)).toFixed(1);
    await operate(exchange, "PUT", `index-prices/${SYMBOL}`, { price, force: true });
    for (const ms of [MINUTE_MS, random.integer(1, 5) * MINUTE_MS, SLOT_MS - 10 * MINUTE_MS]) {
      await operate(exchange, "POST", "sandbox/clock/advance", { ms });
    }
    await operate(exchange, "POST", "sandbox/clock/advance", { ms: 10 * MINUTE_MS });
  }
};
