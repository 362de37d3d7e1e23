/**
 * What a client calls beside single orders: several in one request, more than fit on its trading
 * WebSocket at once, what it no longer waits for, and reads that must show what it knows.
 */

import { ERRORS } from "../../../src/api/errors.ts";
import { RialtoError } from "../../../src/client/index.ts";
import type { Random } from "../../support/random.ts";
import { hold } from "../breach.ts";
import { SYMBOL } from "../markets.ts";
import type { Product, SentOrder } from "../orders.ts";
import { passTime } from "../pass-time.ts";
import { contentOf, ORDERS_MAX, outcomeOf, PATHS } from "./client-acts.ts";
import { inTurns } from "./client-machine.ts";
import type { Attempt } from "./client-network.ts";
import type { SimulatedClient } from "./simulated-client.ts";

type Act = (client: SimulatedClient, random: Random) => Promise<void>;

const BATCH_MAX: Readonly<Record<Product, number>> = { spot: 10, contract: 5 };
/** The exchange takes 256 at once. */
const BURST = { least: 260, most: 310 };
/** Some of them wait for room. */
const PLACED_FROM = 200;
const NOT_FOUND = ERRORS["order-not-found"].v3.code;
const ABORT_TURNS_MAX = 12;
/** In which the last attempt of a call would have been repeated. */
const REPEATED_MS = 700;

interface PlacedRow {
  readonly orderId?: number | string;
  readonly clientOrderId?: string;
  readonly code?: number;
}

const placeTogether: Act = async (simulated, random) => {
  const { choice, client, trader } = simulated;
  const taken = choice.products.filter((product) => {
    return product === "contract" || choice.transport === "websocket";
  });
  if (taken.length === 0 || trader.sentOrders > ORDERS_MAX) return;
  const product = random.pick(taken);
  const count = random.integer(1, BATCH_MAX[product]);
  const orders = Array.from({ length: count }, () => {
    return trader.newOrder(product, contentOf(product, random));
  });
  const asked = trader.exchange.linearity.turn();
  const bodies = orders.map(({ body }) => body) as never;
  await simulated.call<readonly PlacedRow[]>(
    { method: "POST", path: "/capi/v3/batchOrders", isRepeatable: true },
    () => (product === "spot" ? client.spot : client.contract).placeOrders(bodies),
    (answer, error, isOnce) => {
      if (!isOnce) for (const order of orders) trader.sentAgain(order);
      if (error !== null) trader.expectRefusal(outcomeOf(null, error) as never, "a batch");
      if (answer === null) return;
      hold(answer.length === count, "each order of a batch is answered", () => String(answer));
      for (const [index, order] of orders.entries()) {
        takeRow(simulated, order, answer[index] ?? {}, isOnce ? asked : null);
      }
    },
  );
};

/** `asked`: null when an earlier attempt may have done it. */
function takeRow(
  { trader }: SimulatedClient,
  order: SentOrder,
  { clientOrderId, orderId }: PlacedRow,
  asked: number | null,
): void {
  const isSame = clientOrderId === undefined || clientOrderId === order.clientOrderId;
  hold(isSame, "a batch is answered in its order", () => `${clientOrderId}`);
  const isPlaced = Number(orderId ?? 0) > 0;
  const outcome = { status: 200, body: { orderId, clientOrderId: order.clientOrderId } };
  if (isPlaced && asked !== null) trader.placed(order, outcome, asked);
  else if (isPlaced) trader.learn(order, outcome, true);
  else if (asked !== null) order.fate = "refused";
}

/** Of which none has an id from its caller: each is given one of its own. */
const placeNameless: Act = async (simulated, random) => {
  const { choice, client, trader } = simulated;
  if (!choice.products.includes("contract") || trader.sentOrders > ORDERS_MAX) return;
  const count = random.integer(2, BATCH_MAX.contract);
  const bodies = Array.from({ length: count }, () => contentOf("contract", random)) as never;
  await simulated.call<readonly PlacedRow[]>(
    { method: "POST", path: "/capi/v3/batchOrders", isRepeatable: true },
    () => client.contract.placeOrders(bodies),
    (answer, error) => {
      if (error !== null) trader.expectRefusal(outcomeOf(null, error) as never, "a batch");
      const ids = (answer ?? []).flatMap(({ clientOrderId = [] }) => clientOrderId);
      hold(new Set(ids).size === ids.length, "each order has an id of its own", () => `${ids}`);
    },
  );
};

const cancelTogether: Act = async (simulated, random) => {
  const { choice, client, trader } = simulated;
  const product = random.pick(choice.products);
  const known = trader.orders.ofFate(product, "accepted").slice(-30);
  if (known.length === 0) return;
  const some = random.shuffle([...known]).slice(0, random.integer(1, 4));
  const ids = some.map(({ clientOrderId }) => clientOrderId);
  const path = product === "spot" ? "/api/v3/order/batch" : "/capi/v3/batchOrders";
  await simulated.call<{ readonly orderList: readonly CancelledRow[] }>(
    { method: "DELETE", path, isRepeatable: true },
    () => {
      if (product === "spot") return client.spot.cancelOrders({ origClientOrderIds: ids });
      return client.contract.cancelOrders({ origClientOrderIdList: ids });
    },
    (answer, error) => {
      if (error !== null) trader.expectRefusal(outcomeOf(null, error) as never, path);
      for (const [index, { origClientOrderId, status, success }] of rowsOf(answer)) {
        const order = some[index];
        const isSame = origClientOrderId === order?.clientOrderId;
        hold(isSame, "a batch is answered in its order", () => `${origClientOrderId}`);
        if (order === undefined) continue;
        order.isCancelled ||= status === "CANCELED" || success === true;
      }
    },
  );
};

interface CancelledRow {
  readonly origClientOrderId?: string;
  /** On spot. */
  readonly status?: string;
  readonly success?: boolean;
}

function rowsOf(answer: { readonly orderList: readonly CancelledRow[] } | null) {
  return [...(answer?.orderList ?? [])].entries();
}

/** Calls take effect in their order, also those that wait for room. */
const burst: Act = async (simulated, random) => {
  const { choice, client, trader } = simulated;
  const isOne = choice.transport === "websocket" && trader.exchange.limits === null;
  if (!isOne || trader.sentOrders > ORDERS_MAX || !choice.products.includes("spot")) return;
  const order = trader.newOrder("spot", contentOf("spot", random));
  const { clientOrderId: origClientOrderId } = order;
  const count = random.integer(BURST.least, BURST.most);
  const placedAt = random.integer(PLACED_FROM, count - 1);
  const asked = trader.exchange.linearity.turn();
  let looks: readonly Found[] = [];
  await simulated.call<object>(
    { method: "GET", path: PATHS.spot, isRepeatable: true },
    async () => {
      let placing: Promise<object> | null = null;
      const sent: Promise<Found>[] = [];
      for (let index = 0; index < count; index++) {
        if (index === placedAt) placing = client.spot.placeOrder(order.body as never);
        sent.push(lookOf(client.spot.order({ origClientOrderId }, { attempts: 1 })));
      }
      placing?.catch(() => undefined);
      looks = await Promise.all(sent);
      return (await placing) as object;
    },
    (answer, error, isOnce) => {
      const outcome = outcomeOf(answer, error);
      trader.answered(order, outcome, asked, isOnce);
      if (outcome?.status !== 200 || looks.includes("unknown")) return;
      const first = looks.indexOf("found");
      const detail = () => `found by look ${first} instead of ${placedAt} of ${count}`;
      hold(first === placedAt, "calls take effect in their order", detail);
      const isFound = !looks.slice(first).includes("not found");
      hold(isFound, "reads see writes", () => `${order.clientOrderId} among ${count}`);
    },
  );
};

type Found = "found" | "not found" | "unknown";

async function lookOf(asked: Promise<unknown>): Promise<Found> {
  try {
    await asked;
    return "found";
  } catch (error) {
    const isAnswered = error instanceof RialtoError && error.code === NOT_FOUND;
    return isAnswered ? "not found" : "unknown";
  }
}

interface End {
  readonly answer?: object;
  readonly error?: unknown;
}

const giveUp: Act = async (simulated, random) => {
  const { choice, client, network, trader } = simulated;
  if (trader.sentOrders > ORDERS_MAX) return;
  const product = random.pick(choice.products);
  const order = trader.newOrder(product, contentOf(product, random));
  const ending = new AbortController();
  const reason = new Error("enough");
  const of = product === "spot" ? client.spot : client.contract;
  const turns = random.integer(-1, ABORT_TURNS_MAX);
  if (turns < 0) ending.abort(reason);
  // Sometimes it waits for its next attempt.
  if (random.chance(0.4)) network.faults = [{ cutAfterTurns: 0 }];
  const attempts: Attempt[] = [];
  network.attempts = attempts;
  const place = of.placeOrder as (body: object, options: object) => Promise<object>;
  let end: End | null = null;
  const placing = place(order.body, { signal: ending.signal }).then(
    (answer) => {
      end = { answer };
    },
    (error: unknown) => {
      end = { error };
    },
  );
  void simulated.follow(placing);
  if (turns >= 0) await inTurns(turns);
  const wasOver = end !== null;
  ending.abort(reason);
  const isIt = ({ method, path }: Attempt) => method === "POST" && path === PATHS[product];
  const sent = () => attempts.filter(isIt).length;
  await inTurns(1);
  trader.sentAgain(order);
  const before = sent();
  const said = end as End | null;
  const isRight = said !== null && (wasOver || said.error === reason || said.answer !== undefined);
  const detail = () => `${order.clientOrderId} after ${turns} turns: ${String(said?.error)}`;
  hold(isRight, "a call that nobody waits for ends at once", detail);
  await passTime(trader.exchange, REPEATED_MS);
  const both = () => `${order.clientOrderId}: ${sent()} instead of ${before}`;
  hold(sent() === before, "a call that nobody waits for is not repeated", both);
};

const readSequence: Act = async (simulated, random) => {
  const { choice, client, network } = simulated;
  const product = random.pick(choice.products);
  const minSequence = Math.max(0, client.sequence - random.pick([0, 0, 1]));
  const path = product === "spot" ? "/api/v3/openOrders" : "/capi/v3/openOrders";
  const order = { symbol: SYMBOL };
  const attempts = simulated.choice.transport === "http" ? network.minSequences : null;
  await simulated.call<object>(
    { method: "GET", path, isRepeatable: true },
    () => {
      if (product === "contract") return client.contract.openOrders(order, { minSequence });
      return client.spot.openOrders(order, { minSequence });
    },
    () => {
      const asked = attempts?.at(-1);
      const isAsked = attempts === null || asked === minSequence;
      hold(isAsked, "a client asks for what it knows", () => `${asked} instead of ${minSequence}`);
    },
  );
};

const ACTS: readonly (readonly [weight: number, name: string, act: Act])[] = [
  [4, "place-together", placeTogether],
  [1, "place-nameless", placeNameless],
  [2, "cancel-together", cancelTogether],
  [2, "burst", burst],
  [2, "give-up", giveUp],
  [2, "read-sequence", readSequence],
];

export function moreCall(random: Random): { readonly name: string; readonly act: Act } {
  let at = random.next() * ACTS.reduce((sum, [weight]) => sum + weight, 0);
  for (const [weight, name, act] of ACTS) {
    at -= weight;
    if (at < 0) return { name, act };
  }
  return { name: "place-together", act: placeTogether };
}
