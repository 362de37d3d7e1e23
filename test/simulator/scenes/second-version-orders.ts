/**
 * Orders that are amended and cancelled by version 2, whose calls name a market: the right one, or
 * another one, in which there is no such order.
 */
import { exact } from "../../support/exact.ts";
import type { Random } from "../../support/random.ts";
import { hold } from "../breach.ts";
import { TWO_SYMBOLS } from "../markets.ts";
import type { SentOrder } from "../orders.ts";
import type { Trader } from "../trader.ts";
import { fundSpot } from "./referrals.ts";
import type { Scene, Stage } from "./stage.ts";

const ORDERS_MAX = 5;
const CALLS_MAX = 6;
/** Far below every other price, in both markets, and inside their bands. */
const PRICES = ["600", "600.01", "601.5", "610"];
const QUANTITIES = ["0.0034", "0.0035", "0.0051"];
const STRANGE_ID = "4611686018427387904";

type Data = Readonly<Record<string, unknown>>;
type Call = (stage: Stage, trader: Trader, orders: readonly SentOrder[]) => Promise<void>;

export const secondVersionOrders: Scene = async (stage) => {
  const { random, traders } = stage;
  // One that is halted takes no cancellation either.
  const { markets } = await stage.look();
  if (TWO_SYMBOLS.some((symbol) => markets.get(symbol)?.state !== "trading")) return;
  const trader = random.pick([...traders]);
  await fundSpot(stage, trader);
  const orders: SentOrder[] = [];
  for (let count = random.integer(2, ORDERS_MAX); count > 0; count--) {
    orders.push(await stage.place(trader, "spot", someOrder(random)));
  }
  for (let count = random.integer(2, CALLS_MAX); count > 0; count--) {
    const known = orders.filter(({ orderId }) => orderId !== null);
    const call = random.pick([amend, amend, cancel, cancel, cancelTogether, cancelSymbol]);
    if (known.length > 0) await call(stage, trader, known);
  }
  for (const symbol of TWO_SYMBOLS) await stage.clear("spot", symbol);
};

function someOrder(random: Random) {
  const terms = { side: "BUY", type: "LIMIT", timeInForce: "GTC", quantity: QUANTITIES[0] };
  return { symbol: random.pick([...TWO_SYMBOLS]), ...terms, price: random.pick(PRICES) };
}

/** By its id or its client's, in its market or another one. */
function named(random: Random, { body, clientOrderId, orderId }: SentOrder, clientName: string) {
  const symbol = random.chance(0.5) ? String(body.symbol) : random.pick([...TWO_SYMBOLS]);
  const key = random.chance(0.6) ? { orderId } : { [clientName]: clientOrderId };
  return { symbol, key, isRight: symbol === body.symbol };
}

const amend: Call = async (stage, trader, orders) => {
  const { random } = stage;
  const order = random.pick([...orders]);
  const { isRight, key, symbol } = named(random, order, "clientOrderId");
  const change = random.pick([
    { price: random.pick(PRICES) },
    { quantity: random.pick(QUANTITIES) },
    { price: random.pick(PRICES), quantity: random.pick(QUANTITIES) },
  ]);
  const wasOpen = (await openOf(stage, trader)).has(Number(order.orderId));
  if (isRight) trader.mayBe(order, change);
  const data = await ask(stage, trader, "amend-order", { symbol, ...key, ...change });
  const now = (await openOf(stage, trader)).get(Number(order.orderId));
  if (data === undefined) return;
  const detail = () => JSON.stringify([symbol, order.body, change, data]);
  if (data === null || now === undefined) {
    // One that has ended since is not there any more, and one that was refused stays.
    const isDue = data === null ? !isRight || !wasOpen || now !== undefined : isRight && wasOpen;
    return hold(isDue, "an amendment is of an order of the market", detail);
  }
  const isSame =
    isRight &&
    data.orderId === order.orderId &&
    data.clientOrderId === order.clientOrderId &&
    data.symbol === `${symbol}_SPBL` &&
    exact(String(data.price)) === now.price &&
    exact(String(data.quantity)) === now.quantity &&
    exact(String(data.fillQuantity)) === now.filled &&
    data.status === "open" &&
    data.uTime === String(now.updatedMs);
  hold(isSame, "an amendment answers what the order is", detail);
};

const cancel: Call = async (stage, trader, orders) => {
  const { random } = stage;
  const order = random.pick([...orders]);
  const { isRight, key, symbol } = named(random, order, "clientOid");
  const wasOpen = (await openOf(stage, trader)).has(Number(order.orderId));
  if (isRight) order.isCancelled = true;
  const data = await ask(stage, trader, "cancel-order", { symbol, ...key });
  const isOpen = (await openOf(stage, trader)).has(Number(order.orderId));
  if (data === undefined) return;
  const isDone = wasOpen && isRight;
  const isSame = data !== null && data.result === isDone && isOpen === (wasOpen && !isDone);
  hold(isSame, "a cancellation is of an order of the market", () =>
    JSON.stringify([symbol, order.body, wasOpen, isOpen, data]),
  );
};

/** Some of one market, among them perhaps one of another, and one that nobody has. */
const cancelTogether: Call = async (stage, trader, orders) => {
  const { random } = stage;
  const symbol = random.pick([...TWO_SYMBOLS]);
  const some = random.shuffle([...orders]).slice(0, random.integer(1, orders.length));
  const before = await openOf(stage, trader);
  for (const order of some) if (order.body.symbol === symbol) order.isCancelled = true;
  const ids = some.map(({ orderId }) => String(orderId));
  const orderIds = random.shuffle(random.chance(0.5) ? [...ids, STRANGE_ID] : ids);
  const data = await ask(stage, trader, "cancel-batch-orders", { symbol, orderIds });
  if (data === undefined) return;
  const due = orderIds.filter((id) => before.get(Number(id))?.symbol === symbol);
  await checkCancelled(stage, trader, { symbol, orderIds, due, data });
};

const cancelSymbol: Call = async (stage, trader, orders) => {
  const symbol = stage.random.pick([...TWO_SYMBOLS]);
  const before = await openOf(stage, trader);
  for (const order of orders) if (order.body.symbol === symbol) order.isCancelled = true;
  const data = await ask(stage, trader, "cancel-symbol-order", { symbol });
  if (data === undefined) return;
  const ofMarket = [...before.values()].filter((order) => order.symbol === symbol);
  const due = ofMarket.map(({ orderId }) => String(orderId));
  await checkCancelled(stage, trader, { symbol, orderIds: due, due, data });
};

interface Cancellation {
  readonly symbol: string;
  /** As they were sent. */
  readonly orderIds: readonly string[];
  readonly due: readonly string[];
  readonly data: Data | null;
}

async function checkCancelled(stage: Stage, trader: Trader, asked: Cancellation): Promise<void> {
  const { data, due, orderIds } = asked;
  const failed = (data?.failureList ?? []) as readonly { readonly orderId: string }[];
  const left = await openOf(stage, trader);
  const isSame =
    String(data?.successList) === String(due) &&
    String(failed.map(({ orderId }) => orderId)) ===
      String(orderIds.filter((id) => !due.includes(id))) &&
    due.every((id) => !left.has(Number(id)));
  hold(isSame, "orders of the market are cancelled, and no others", () => JSON.stringify(asked));
}

async function openOf(stage: Stage, { uid }: Trader) {
  const naive = await stage.look();
  return new Map(naive.openOrders(uid, null).map((order) => [order.orderId, order]));
}

/** What it is answered; null when it is refused, and undefined when nobody knows. */
async function ask(
  stage: Stage,
  trader: Trader,
  call: string,
  { symbol, ...body }: { readonly symbol: string } & Data,
): Promise<Data | null | undefined> {
  const path = `/api/v2/trade/${call}`;
  const outcome = await stage.do(trader.send("POST", path, { symbol: `${symbol}_SPBL`, ...body }));
  if (outcome === null || outcome.status === 429 || outcome.status === 503) return undefined;
  if (outcome.status === 200) return (outcome.body as { readonly data: Data }).data;
  trader.expectRefusal(outcome, call);
  return null;
}
