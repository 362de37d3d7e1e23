/** What traders do with a client of the product. */
import type { RialtoError } from "../../../src/client/index.ts";
import type { Random } from "../../support/random.ts";
import { contractPrice, contractQuantity, SYMBOL, spotPrice, spotQuantity } from "../markets.ts";
import { hasEnded, type Product, type SentOrder } from "../orders.ts";
import { passTime } from "../pass-time.ts";
import type { Outcome } from "../simulated-exchange.ts";
import type { SimulatedClient } from "./simulated-client.ts";

type Act = (client: SimulatedClient, random: Random) => Promise<void>;

export const PATHS: Readonly<Record<Product, string>> = {
  spot: "/api/v3/order",
  contract: "/capi/v3/order",
};
/** Histories stay one page. */
export const ORDERS_MAX = 350;
/** Of the event loop, about, until the first channels are accepted. */
const CONNECTED_TURNS = 40;

/** As a trader takes it who has read the answer himself; null when nobody knows. */
export function outcomeOf(answer: unknown, error: RialtoError | null): Outcome {
  if (answer !== null) return { status: 200, body: answer };
  if (error === null) return null;
  return { status: error.status, body: { code: error.code, msg: error.message } };
}

export function contentOf(product: Product, random: Random): Record<string, string> {
  const isSpot = product === "spot";
  const content = {
    symbol: SYMBOL,
    side: random.pick(["BUY", "SELL"]),
    type: "LIMIT",
    timeInForce: random.pick(["GTC", "GTC", "GTC", "IOC", "POST_ONLY"]),
    price: isSpot ? spotPrice(random) : contractPrice(random),
    quantity: isSpot ? spotQuantity(random) : contractQuantity(random),
  };
  if (!isSpot) return { ...content, positionSide: random.pick(["LONG", "SHORT"]) };
  return random.chance(0.3) ? { ...content, newOrderRespType: "FULL" } : content;
}

const place: Act = async (simulated, random) => {
  const { choice, client, machine, trader } = simulated;
  const product = random.pick(choice.products);
  const content = contentOf(product, random);
  if (trader.sentOrders > ORDERS_MAX) return;
  const call = { method: "POST", path: PATHS[product], isRepeatable: true };
  const asked = trader.exchange.linearity.turn();
  const isOwnId = random.chance(0.5);
  const own = trader.nextOrderId;
  const body = isOwnId ? { ...content, newClientOrderId: own } : content;
  let order: SentOrder | null = null;
  await simulated.call<object>(
    call,
    () => {
      const of = product === "spot" ? client.spot : client.contract;
      const sent = (of.placeOrder as (body: object) => Promise<object>)(body);
      const hex = Buffer.from(machine.lastBytes).toString("hex");
      const id = isOwnId ? own : `r-${hex}`;
      order = trader.expect(product, { ...content, newClientOrderId: id }, id);
      return sent;
    },
    (answer, error, isOnce) => {
      if (order !== null) trader.answered(order, outcomeOf(answer, error), asked, isOnce);
    },
  );
  if (order !== null && random.chance(0.3)) await lookUp(simulated, order);
};

async function lookUp(simulated: SimulatedClient, order: SentOrder): Promise<void> {
  const { client, trader } = simulated;
  const { clientOrderId: origClientOrderId, product } = order;
  const call = { method: "GET", path: PATHS[product], isRepeatable: true };
  const asked = trader.exchange.linearity.turn();
  await simulated.call<object>(
    call,
    () => {
      const of = product === "spot" ? client.spot : client.contract;
      return of.order({ origClientOrderId });
    },
    (answer, error) => trader.lookedUp(order, outcomeOf(answer, error), asked),
  );
}

function someOrder({ trader }: SimulatedClient, random: Random): SentOrder | null {
  const open = trader.orders.all.filter(({ fate, isCancelled, seen }) => {
    return fate === "accepted" && !isCancelled && (seen === null || !hasEnded(seen));
  });
  const known = trader.orders.all.filter(({ fate }) => fate !== "refused");
  const some = open.length > 0 && random.chance(0.85) ? open : known;
  return some.length === 0 ? null : random.pick(some.slice(-20));
}

const cancel: Act = async (simulated, random) => {
  const order = someOrder(simulated, random);
  if (order === null) return;
  const { client, trader } = simulated;
  const { clientOrderId: origClientOrderId, product } = order;
  const call = { method: "DELETE", path: PATHS[product], isRepeatable: true };
  const asked = trader.exchange.linearity.turn();
  await simulated.call<object>(
    call,
    () => {
      const of = product === "spot" ? client.spot : client.contract;
      return of.cancelOrder({ origClientOrderId });
    },
    (answer, error) => trader.cancelled(order, outcomeOf(answer, error), asked),
  );
  if (random.chance(0.3)) await lookUp(simulated, order);
};

const amend: Act = async (simulated, random) => {
  const order = someOrder(simulated, random);
  if (order === null) return;
  const { client, trader } = simulated;
  const { clientOrderId: origClientOrderId, product } = order;
  const isSpot = product === "spot";
  const price = isSpot ? spotPrice(random) : contractPrice(random);
  const quantity = isSpot ? spotQuantity(random) : contractQuantity(random);
  const change = random.pick([{ price }, { quantity }, { price, quantity }]);
  const call = { method: "PUT", path: PATHS[product], isRepeatable: true };
  const before = [...order.terms];
  trader.mayBe(order, change);
  const possible = [...order.terms];
  const asked = trader.exchange.linearity.turn();
  await simulated.call<object>(
    call,
    () => {
      const of = isSpot ? client.spot : client.contract;
      return of.amendOrder({ origClientOrderId, ...change });
    },
    (answer, error, isOnce) => {
      // An earlier attempt may have done it, and the order has ended since.
      const isKnown = error === null || error.attempts === 1;
      const outcome = outcomeOf(answer, error);
      const terms = isOnce ? before : possible;
      if (isKnown) trader.amended(order, change, terms, outcome, asked);
    },
  );
};

export const cancelAll: Act = async (simulated, random) => {
  const { choice, client, trader } = simulated;
  const product = random.pick(choice.products);
  const isSpot = product === "spot";
  const path = isSpot ? "/api/v3/openOrders" : "/capi/v3/allOpenOrders";
  const known = trader.orders.ofFate(product, "accepted");
  await simulated.call<unknown>(
    { method: "DELETE", path, isRepeatable: false },
    () => {
      if (isSpot) return client.spot.cancelOpenOrders({ symbol: SYMBOL });
      return client.contract.cancelAllOrders({ symbol: SYMBOL });
    },
    (answer, error) => {
      const outcome = outcomeOf(answer, error);
      if (outcome === null) return;
      if (outcome.status !== 200) trader.expectRefusal(outcome, path);
      else for (const order of known) order.isCancelled = true;
    },
  );
};

/** Ends, perhaps while it waits to connect, and begins again with other connections. */
const reopen: Act = async (simulated, random) => {
  if (simulated.isBusy) return;
  if (random.chance(0.5)) {
    for (const socket of simulated.network.sockets) socket.destroy();
    await passTime(simulated.trader.exchange, random.integer(1, 100));
  }
  await simulated.close();
  simulated.open();
  await simulated.subscribeMore(random.integer(0, CONNECTED_TURNS));
};

const stopReaders: Act = async (simulated) => simulated.stopReaders();

const ACTS: readonly (readonly [weight: number, name: string, act: Act])[] = [
  [10, "place", place],
  [3, "cancel", cancel],
  [3, "amend", amend],
  [1.5, "cancel-all", cancelAll],
  [1, "reopen", reopen],
  [0.5, "stop-readers", stopReaders],
];

export function clientAct(random: Random): { readonly name: string; readonly act: Act } {
  let at = random.next() * ACTS.reduce((sum, [weight]) => sum + weight, 0);
  for (const [weight, name, act] of ACTS) {
    at -= weight;
    if (at < 0) return { name, act };
  }
  return { name: "place", act: place };
}
