/** A user of the simulated exchange: an account with a key, and what its client knows. */
import { ERRORS } from "../../src/api/errors.ts";
import {
  type AccountReader,
  type AccountState,
  readAccount,
} from "../support/account-histories.ts";
import { exact } from "../support/exact.ts";
import { type AssetRow, type Credentials, dataOf, type Query } from "../support/signed-client.ts";
import { Breach, hold } from "./breach.ts";
import { checkCancel } from "./cancel-check.ts";
import { type EntryRequest, OrderEntry, type Way } from "./entry.ts";
import { type Movement, spotChangeOf } from "./movement.ts";
import { momentAt, type OrderMoment, type OrderTimeline } from "./order-timelines.ts";
import {
  amends,
  type Change,
  OrderBookkeeping,
  type Product,
  type SentOrder,
  saidTerms,
  termsOf,
} from "./orders.ts";
import type { Outcome, SimulatedExchange, Wire } from "./simulated-exchange.ts";
import {
  isAmendedAs,
  isAt,
  isChangeOf,
  isPlacedAs,
  isPlacedAt,
  learnFills,
  type ToldOrder,
} from "./told-orders.ts";

/** Whatever else is taken back adds to what is written. */
const ORDERS = /orders?(\?|$)/i;
const ORDER_PATHS: Readonly<Record<Product, string>> = {
  spot: "/api/v3/order",
  contract: "/capi/v3/order",
};

const OPEN_ORDERS_PAGE = 100;

/** What refuses a request for its content or for the state of things; nothing else may. */
const REFUSED_STATUSES = new Set([400, 404, 409, 429, 503]);

/** They say nothing about the order. */
const UNJUDGED_STATUSES = new Set([429, 503]);

/** What an answer says beside what is compared with the order. */
interface Told {
  readonly said?: ToldOrder;
  readonly shown?: number | undefined;
}

const ORDER_NOT_FOUND = ERRORS["order-not-found"].v3.code;

export class Trader {
  readonly exchange: SimulatedExchange;
  readonly name: string;
  readonly uid: number;
  readonly credentials: Credentials;
  readonly orders = new OrderBookkeeping();
  /** What came to the spot account other than by fills, per asset, in 10^-18. */
  readonly funds = new Map<string, bigint>();
  /** On which its requests go, where there is a choice. */
  way: Way = "http";
  readonly #entry: OrderEntry;
  readonly #unanswered: Movement[] = [];
  #nextOrder = 1;
  #nextMovement = 1;

  constructor(exchange: SimulatedExchange, name: string, uid: number, credentials: Credentials) {
    this.exchange = exchange;
    this.name = name;
    this.uid = uid;
    this.credentials = credentials;
    this.#entry = new OrderEntry(exchange, credentials);
  }

  get nextOrderId(): string {
    return `${this.name}-${this.#nextOrder++}`;
  }

  get sentOrders(): number {
    return this.#nextOrder - 1;
  }

  async send(method: string, path: string, body?: object, wire?: Wire): Promise<Outcome> {
    const outcome = await this.#entry.send(this.way, { method, path, body }, wire);
    if (method === "DELETE" && ORDERS.test(path)) checkCancel(path, outcome);
    return outcome;
  }

  sendInARow(requests: readonly EntryRequest[]): Promise<readonly Outcome[]> {
    return this.#entry.sendInARow(requests);
  }

  async place(
    product: Product,
    content: Readonly<Record<string, unknown>>,
    wire?: Wire,
  ): Promise<SentOrder> {
    const order = this.newOrder(product, content);
    const asked = this.exchange.linearity.turn();
    const outcome = await this.send("POST", ORDER_PATHS[product], order.body, wire);
    this.placed(order, outcome, asked);
    return order;
  }

  /** What the first answer to a placement says. */
  placed(order: SentOrder, outcome: Outcome, asked: number): void {
    this.learn(order, outcome);
    if (order.orderId === null) return;
    const said = outcome?.status === 200 ? (outcome.body as ToldOrder) : {};
    learnFills(order, said);
    const { clientOrderId = order.clientOrderId } = said;
    const isSame = clientOrderId === order.clientOrderId;
    hold(isSame, "an order keeps its id", () => JSON.stringify([order.body, said]));
    this.#observe("write", "place", order, asked, null, { said, shown: outcome?.sequence });
  }

  /** The answer to the last attempt of a client that repeats by itself. */
  answered(order: SentOrder, outcome: Outcome, asked: number, isOnce: boolean): void {
    if (!isOnce) this.sentAgain(order);
    if (isOnce) this.placed(order, outcome, asked);
    else this.learn(order, outcome, true);
  }

  sentAgain(order: SentOrder): void {
    order.mayBeTwo ||= order.placedOn !== this.exchange.daysPassed;
  }

  /** One that is going to be sent. */
  newOrder(product: Product, content: Readonly<Record<string, unknown>>): SentOrder {
    const clientOrderId = this.nextOrderId;
    return this.expect(product, { ...content, newClientOrderId: clientOrderId }, clientOrderId);
  }

  /** One that may be there from now on, under an id that its body need not have. */
  expect(
    product: Product,
    body: Readonly<Record<string, unknown>>,
    clientOrderId: string,
  ): SentOrder {
    return this.orders.add({
      product,
      kind: "order",
      clientOrderId,
      placedOn: this.exchange.daysPassed,
      body,
      fate: "unknown",
      mayBeTwo: false,
      orderId: null,
      terms: new Set([termsOf(body.price, body.quantity)]),
      isCancelled: false,
      fills: null,
      seen: null,
    });
  }

  /** Several in one request; each is answered for itself. */
  async placeTogether(
    product: Product,
    contents: readonly Readonly<Record<string, string>>[],
    wire?: Wire,
  ): Promise<void> {
    const orders = contents.map((content) => this.newOrder(product, content));
    const asked = this.exchange.linearity.turn();
    const outcome = await this.#entry.sendTogether(product, orders, wire);
    if (outcome === null) return;
    if (outcome.status !== 200) {
      this.expectRefusal(outcome, "a batch");
      return;
    }
    const answers = outcome.body as readonly { readonly orderId: unknown }[];
    for (const [index, order] of orders.entries()) {
      const orderId = Number(answers[index]?.orderId ?? 0);
      order.fate = orderId > 0 ? "accepted" : "refused";
      if (orderId > 0) order.orderId = String(orderId);
      this.#observe("write", "place together", order, asked, null);
    }
  }

  /** Spot orders that no market takes, and that nobody asks about. */
  async refuseTogether(contents: readonly Readonly<Record<string, string>>[]): Promise<void> {
    const orders = contents.map((body) => ({ body }));
    const outcome = await this.#entry.sendTogether("spot", orders);
    if (outcome === null) return;
    if (outcome.status !== 200) return this.expectRefusal(outcome, "a batch");
    const rows = outcome.body as readonly { readonly orderId?: unknown }[];
    const isRefused = rows.every(({ orderId }) => Number(orderId ?? 0) === 0);
    hold(isRefused, "only what may be is accepted", () => JSON.stringify(rows));
  }

  /** An order was, at some moment since, what an answer says of it; null: it was new. */
  #observe(
    kind: "read" | "write" | "message",
    what: string,
    order: SentOrder,
    asked: number,
    wasSo: ((moment: OrderMoment, timeline: OrderTimeline) => boolean) | null,
    { said = {}, shown }: Told = {},
  ): void {
    const { linearity, story } = this.exchange;
    const { orderId, product } = order;
    const { lastUpdateId, transactTime } = said;
    const isPlaced = ({ sequence, timeMs }: OrderMoment, symbol: string): boolean => {
      const version = story.books.at(`${product} ${symbol}`, sequence)?.version;
      const isVersion = lastUpdateId === undefined || lastUpdateId === version;
      return isVersion && (transactTime === undefined || transactTime === timeMs);
    };
    if (orderId === null) return;
    const timeline = () => story.orders.get(product, orderId);
    linearity.observe({
      kind,
      what: `${this.name} ${what} ${product} ${order.clientOrderId} (${orderId}) ${lastUpdateId}`,
      asked,
      answered: linearity.turn(),
      shown,
      changes: () => timeline()?.moments.map(({ sequence }) => sequence) ?? [],
      fits: (sequence) => {
        const known = timeline();
        if (known === undefined) return false;
        const [first] = known.moments;
        if (wasSo === null) {
          const isFirst = first?.sequence === sequence && isPlaced(first, known.symbol);
          return isFirst && isPlacedAs(said, known, story);
        }
        const moment = momentAt(known, sequence);
        return moment !== undefined && wasSo(moment, known);
      },
    });
  }

  learn(order: SentOrder, outcome: Outcome, isRetry = false): void {
    if (outcome === null) return;
    if (outcome.status === 200) {
      const { orderId } = outcome.body as { orderId: number | string };
      const said = String(orderId);
      const isSame = order.orderId === null || order.orderId === said;
      hold(isSame, "a retry has the first answer", () => `${order.clientOrderId}: ${said}`);
      order.orderId = said;
      order.fate = "accepted";
      if (isRetry) this.#learnAgain(order, outcome.body as ToldOrder);
      return;
    }
    this.expectRefusal(outcome, JSON.stringify(order.body));
    // Nothing was carried out now, which says nothing about the first time.
    if (UNJUDGED_STATUSES.has(outcome.status) && isRetry) return;
    hold(order.fate !== "accepted", "a retry has the first answer", () => JSON.stringify(outcome));
    // A day behind the first one's end, it is another order that is refused.
    if (!order.mayBeTwo) order.fate = "refused";
    if (UNJUDGED_STATUSES.has(outcome.status)) return;
    const { body, product } = order;
    this.exchange.refusedOrders.push({ product, uid: this.uid, body });
  }

  /** What a retry is told, the order was at one moment. */
  #learnAgain(order: SentOrder, said: ToldOrder): void {
    learnFills(order, said);
    const { linearity, story } = this.exchange;
    if (said.executedQty === undefined) return;
    const wasSo = (moment: OrderMoment, timeline: OrderTimeline) =>
      isPlacedAt(said, moment, timeline, story);
    this.#observe("message", `retry ${JSON.stringify(said)}`, order, linearity.turn(), wasSo);
  }

  expectRefusal({ status, body }: NonNullable<Outcome>, what: string): void {
    if (REFUSED_STATUSES.has(status)) return;
    throw new Breach("answers", `${what}: ${status} ${JSON.stringify(body)}`);
  }

  async cancel(order: SentOrder, wire?: Wire): Promise<void> {
    const path = `${ORDER_PATHS[order.product]}?origClientOrderId=${order.clientOrderId}`;
    const asked = this.exchange.linearity.turn();
    const outcome = await this.send("DELETE", path, undefined, wire);
    this.cancelled(order, outcome, asked);
  }

  /** What the answer to a cancellation says. */
  cancelled(order: SentOrder, outcome: Outcome, asked: number): void {
    if (outcome === null) return;
    const what = `cancel ${order.clientOrderId}`;
    if (outcome.status !== 200) this.expectRefusal(outcome, what);
    else order.isCancelled = true;
    const { code } = outcome.body as { readonly code?: unknown };
    if (outcome.status !== 200 && code !== ORDER_NOT_FOUND) return;
    // Who has been told of an order knows that one which is not found has ended.
    if (order.orderId !== null) {
      const shown = outcome.sequence;
      this.#observe("read", what, order, asked, ({ isOpen }) => !isOpen, { shown });
    }
  }

  async cancelAll(product: Product, symbol: string): Promise<void> {
    const path = product === "spot" ? "/api/v3/openOrders" : "/capi/v3/allOpenOrders";
    const known = this.orders.ofFate(product, "accepted");
    const outcome = await this.send("DELETE", `${path}?symbol=${symbol}`);
    if (outcome === null) return;
    if (outcome.status !== 200) {
      this.expectRefusal(outcome, path);
      return;
    }
    for (const order of known) if (order.body.symbol === symbol) order.isCancelled = true;
  }

  /** An amendment of it is on its way. */
  mayBe(order: SentOrder, { price, quantity }: Change): void {
    for (const terms of [...order.terms]) {
      const [oldPrice, oldQuantity] = terms.split(" ");
      const newPrice = price === undefined ? oldPrice : String(exact(price));
      const newQuantity = quantity === undefined ? oldQuantity : String(exact(quantity));
      order.terms.add(`${newPrice} ${newQuantity}`);
    }
  }

  async amend(order: SentOrder, change: Change, wire?: Wire): Promise<void> {
    const before = [...order.terms];
    this.mayBe(order, change);
    const body = { origClientOrderId: order.clientOrderId, ...change };
    const asked = this.exchange.linearity.turn();
    const outcome = await this.send("PUT", ORDER_PATHS[order.product], body, wire);
    this.amended(order, change, before, outcome, asked);
  }

  /** What the answer to an amendment says; `before`: the terms that it had until then. */
  amended(
    order: SentOrder,
    change: Change,
    before: readonly string[],
    outcome: Outcome,
    asked: number,
  ): void {
    const { price, quantity } = change;
    if (outcome === null) return;
    if (outcome.status === 200) {
      const said = outcome.body as ToldOrder;
      const isChange = isChangeOf(before, change);
      const isDone = (moment: OrderMoment, timeline: OrderTimeline) =>
        (price === undefined || moment.price === exact(price)) &&
        (quantity === undefined || moment.quantity === exact(quantity)) &&
        isAmendedAs(said, moment, timeline, isChange);
      const what = `amend ${JSON.stringify(said)}`;
      this.#observe("read", what, order, asked, isDone, { shown: outcome.sequence });
      for (const terms of before) if (!amends(terms, change)) order.terms.delete(terms);
      return;
    }
    this.expectRefusal(outcome, JSON.stringify({ id: order.clientOrderId, ...change }));
    if (before.length > 1) return;
    order.terms.clear();
    for (const terms of before) order.terms.add(terms);
  }

  /** Asks for the order by its client id, as somebody does whose answer was lost. */
  async lookUp(order: SentOrder): Promise<void> {
    const path = `${ORDER_PATHS[order.product]}?origClientOrderId=${order.clientOrderId}`;
    const asked = this.exchange.linearity.turn();
    this.lookedUp(order, await this.send("GET", path), asked);
  }

  /** What the answer to a look at it says. */
  lookedUp(order: SentOrder, outcome: Outcome, asked: number): void {
    if (outcome === null) return;
    if (outcome.status === 200) {
      const row = outcome.body as Record<string, unknown>;
      hold(order.fate !== "refused", "a refused order leaves no trace", () => order.clientOrderId);
      const isSame = order.orderId === null || order.orderId === String(row.orderId);
      hold(isSame, "an order keeps its id", () => JSON.stringify(row));
      const terms = saidTerms(order, row.price, row.origQty);
      hold(order.terms.has(terms), "reads see writes", () => JSON.stringify(row));
      const isOpen = row.status === "NEW" || row.status === "PARTIALLY_FILLED";
      const mayBeOpen = !isOpen || !order.isCancelled;
      hold(mayBeOpen, "a cancelled order stays cancelled", () => JSON.stringify(row));
      if (order.fate === "unknown") order.fate = "accepted";
      order.orderId = String(row.orderId);
      const what = `look up ${JSON.stringify(row)}`;
      const shown = outcome.sequence;
      this.#observe("read", what, order, asked, (moment) => isAt(row, moment), { shown });
      return;
    }
    this.expectRefusal(outcome, `look up ${order.clientOrderId}`);
    if (UNJUDGED_STATUSES.has(outcome.status)) return;
    const isKnown = order.fate === "accepted";
    hold(!isKnown, "reads see writes", () => `${order.clientOrderId}: ${JSON.stringify(outcome)}`);
  }

  /** Sends an order again as it was sent: the first answer, or the first effect. */
  async retry(order: SentOrder): Promise<void> {
    const { exchange } = this;
    if (order.fate === "refused" || order.placedOn !== exchange.daysPassed) return;
    const retry = {};
    exchange.retries.add(retry);
    try {
      this.learn(order, await this.send("POST", ORDER_PATHS[order.product], order.body), true);
    } finally {
      exchange.retries.delete(retry);
    }
  }

  /** Moves money, and repeats it until it is known what became of it. */
  async move(kind: Movement["kind"], content: Readonly<Record<string, string>>): Promise<void> {
    const id = `${this.name}-money-${this.#nextMovement++}`;
    this.#unanswered.push({ kind, body: { ...content, id } });
    await this.settleMovements();
  }

  async settleMovements(): Promise<void> {
    for (const movement of [...this.#unanswered]) {
      const { kind, body } = movement;
      const outcome =
        kind === "own-transfer"
          ? await this.send("POST", "/api/v3/account/transfer", body)
          : await this.#askOperator(`users/${this.uid}/${kind}`, body);
      if (outcome === null) continue;
      const at = this.#unanswered.indexOf(movement);
      if (at < 0) continue;
      if (!UNJUDGED_STATUSES.has(outcome.status)) this.#unanswered.splice(at, 1);
      if (outcome.status === 200) this.#book(movement);
      else this.expectRefusal(outcome, JSON.stringify(body));
    }
  }

  /** Between its own wallets. */
  async transfer(content: Readonly<Record<string, string>>): Promise<void> {
    const id = `${this.name}-money-${this.#nextMovement++}`;
    this.#unanswered.push({ kind: "own-transfer", body: { ...content, clientTransferId: id } });
    await this.settleMovements();
  }

  #askOperator(path: string, body: object): Promise<Outcome> {
    return this.exchange.send("operator", this.exchange.operatorRequest("POST", path, body));
  }

  #book(movement: Movement): void {
    const { amount, asset } = spotChangeOf(movement);
    if (amount !== 0n) this.funds.set(asset, (this.funds.get(asset) ?? 0n) + amount);
  }

  get hasUnansweredMovements(): boolean {
    return this.#unanswered.length > 0;
  }

  #reader(): AccountReader {
    const { exchange, credentials } = this;
    return {
      v3: <Answer>(path: string, query: Query = {}) =>
        exchange.read<Answer>(credentials, path, query),
      async assets() {
        const path = "/api/v2/account/assets";
        const body = await exchange.read<unknown>(credentials, path);
        const rows = dataOf<AssetRow[]>({ status: 200, body } as never, path);
        return new Map(rows.map((row) => [row.coinName, row]));
      },
    };
  }

  readAccount(product: Product): Promise<AccountState> {
    return readAccount(this.#reader(), product);
  }

  /** What open orders are now, from the engine and not from the history. */
  async openOrders(product: Product, symbol: string): Promise<Record<string, unknown>[]> {
    const path = product === "spot" ? "/api/v3/openOrders" : "/capi/v3/openOrders";
    const { credentials, exchange, uid } = this;
    const { linearity, story } = exchange;
    const asked = linearity.turn();
    const query = { symbol, limit: OPEN_ORDERS_PAGE };
    const rows = await exchange.read<Record<string, unknown>[]>(credentials, path, query);
    if (rows.length === OPEN_ORDERS_PAGE) return rows;
    const said = rows.map((row) => openText(row.orderId, exact(String(row.executedQty))));
    linearity.observe({
      kind: "read",
      what: `${this.name} open ${product} orders ${said}`,
      asked,
      answered: linearity.turn(),
      changes: () => story.orders.changes(product, uid),
      fits: (sequence) => {
        const open: string[] = [];
        for (const timeline of story.orders.ofAccount(product, uid)) {
          const moment = momentAt(timeline, sequence);
          if (timeline.symbol !== symbol || moment?.isOpen !== true) continue;
          open.push(openText(timeline.orderId, moment.filled));
        }
        return String(open.sort()) === String(said.sort());
      },
    });
    return rows;
  }
}

function openText(orderId: unknown, filled: bigint): string {
  return `${orderId}: ${filled}`;
}
