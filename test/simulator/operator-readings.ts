/**
 * What an operator may ask of users, their keys, orders, positions and money, and of the audit log,
 * with every filter and page, and what the naive exchange and history answer. Commissions are in a
 * file of their own.
 */
import type { HistoryQuestion } from "../../src/queries/index.ts";
import {
  naiveContractBalances,
  naiveContractOpenOrders,
  naiveOpenConditionalOrders,
  naivePositions,
} from "../models/contract/naive-contract-views.ts";
import { naiveBalances, naiveOpenOrders } from "../models/naive-views.ts";
import { text } from "../support/exact.ts";
import type { Random } from "../support/random.ts";
import {
  cursorPage,
  type OperatorKnown,
  type OperatorQuestion,
  type OperatorReadings,
  pathOf,
  type Row,
} from "./operator-questions.ts";
import { maybe, sentRange, someLimit, someRange } from "./questions.ts";

const LIMIT_USUAL = 100;
const LIMIT_MOST = 1_000;
const ALL = 1_000_000;

const someUser = ({ naive }: OperatorKnown, random: Random) => random.pick([...naive.users.keys()]);

function picked(row: Row, names: readonly string[]): Row {
  return Object.fromEntries(names.map((name) => [name, row[name]]));
}

function users({ naive, programme }: OperatorKnown, random: Random): OperatorQuestion {
  const all = [...naive.users.values()].sort((one, other) => one.uid - other.uid);
  const rows = all.map(({ feeRates: _, registeredMs: registeredAt, ...user }) => {
    return { ...user, registeredAt, house: programme.facts.user(user.uid).isHouse };
  });
  if (random.chance(0.2)) {
    const one = random.pick(rows);
    return { path: `users/${one.uid}`, due: () => one };
  }
  return cursorPage(random, "users", rows, ({ uid }) => uid);
}

function feeRates(known: OperatorKnown, random: Random): OperatorQuestion {
  const user = known.naive.users.get(someUser(known, random));
  const items = [...(user?.feeRates ?? [])]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([key, { maker, taker }]) => {
      const [product, symbol = null] = key.split(":");
      return { product, symbol, makerFeeRate: text(maker), takerFeeRate: text(taker) };
    });
  return { path: `users/${user?.uid}/fee-rates`, due: () => ({ items }) };
}

function balances(known: OperatorKnown, random: Random): OperatorQuestion {
  const uid = someUser(known, random);
  const contract = ["asset", "available", "orderMargin", "positionMargin", "balance"];
  return {
    path: `users/${uid}/balances`,
    due: () => ({
      spot: (naiveBalances(known.naive, uid) as Row[]).map(({ coinId: _, ...row }) => row),
      contract: (naiveContractBalances(known.naive, uid) as Row[]).map((row) => {
        return picked(row, contract);
      }),
    }),
  };
}

/** By their text, as they are listed. */
function keys(known: OperatorKnown, random: Random): OperatorQuestion | null {
  const rows = [...known.keys.values()].sort((one, other) => (one.apiKey < other.apiKey ? -1 : 1));
  const one = maybe(random, rows);
  if (one !== null && random.chance(0.3)) {
    return { path: `api-keys/${one.apiKey}`, due: () => one };
  }
  const uid = one === null ? null : one.uid;
  const path = uid === null ? "api-keys" : `users/${uid}/api-keys`;
  const own = rows.filter((key) => uid === null || key.uid === uid);
  return cursorPage(random, path, own, ({ apiKey }) => apiKey);
}

const ORDER = ["orderId", "clientOrderId", "symbol", "side", "price", "quantity"] as const;

function orderOf(product: string, row: Row): Row {
  return {
    ...{ product, ...picked(row, [...ORDER, "filledQuantity", "status"]), type: row.orderType },
    ...{ positionSide: row.positionSide ?? null, triggerPrice: row.triggerPrice ?? null },
    ...{ reason: row.reason ?? null, createdAt: row.createdMs },
    updatedAt: row.updatedMs ?? row.endedMs,
  };
}

function conditionalOf({ algoId, clientAlgoId, ...row }: Row): Row {
  const ids = { orderId: algoId, clientOrderId: clientAlgoId, filledQuantity: "0" };
  return orderOf("contract", { ...row, ...ids });
}

function openOrdersOf({ naive }: OperatorKnown, uid: number) {
  const contract = naiveContractOpenOrders(naive, uid) as Row[];
  return [
    ...naiveOpenOrders(naive, uid).map((row) => orderOf("spot", row)),
    ...contract.map((row) => orderOf("contract", row)),
  ];
}

function openOrders(known: OperatorKnown, random: Random): OperatorQuestion {
  const uid = someUser(known, random);
  const due = () => {
    const conditional = naiveOpenConditionalOrders(known.naive, uid) as Row[];
    return { items: [...openOrdersOf(known, uid), ...conditional.map(conditionalOf)] };
  };
  return { path: `users/${uid}/open-orders`, due };
}

function endedOf({ history }: OperatorKnown, product: "spot" | "contract", of: EndedOf): Row[] {
  const question = { ...of, created: { fromMs: null, toMs: null } };
  const rows =
    product === "spot"
      ? history.answer("ended-spot-orders", question)
      : history.answer("ended-contract-orders", question);
  return rows.map((row) => orderOf(product, { ...row, updatedMs: undefined }));
}

type EndedOf = Omit<HistoryQuestion<"ended-spot-orders">, "created">;

function endedOrders(known: OperatorKnown, random: Random): OperatorQuestion {
  const uid = someUser(known, random);
  const product = maybe(random, ["spot", "contract"] as const);
  const symbol = maybe(random, ["BTCUSDT", "ETHUSDT"]);
  const all = endedOf(known, product ?? "spot", { uid, symbol, offset: 0, limit: ALL });
  const { limit, sent } = someLimit(random, LIMIT_USUAL, LIMIT_MOST, Math.ceil(all.length / 2));
  const page = random.chance(0.5)
    ? undefined
    : random.integer(1, Math.ceil(all.length / limit) + 1);
  const query = { product: product ?? undefined, symbol: symbol ?? undefined, page, limit: sent };
  return endedOrdersQuestion(uid, all, limit, query);
}

/** Of all markets, the newest first, as many as there are or a few less. */
export function newestSpotOrders(known: OperatorKnown, uid: number, less: number) {
  const all = endedOf(known, "spot", { uid, symbol: null, offset: 0, limit: ALL });
  const limit = Math.min(LIMIT_MOST, Math.max(1, all.length - less));
  return endedOrdersQuestion(uid, all, limit, { limit });
}

interface EndedQuery {
  readonly product?: "spot" | "contract" | undefined;
  readonly symbol?: string | undefined;
  readonly page?: number | undefined;
  readonly limit: number | undefined;
}

function endedOrdersQuestion(
  uid: number,
  all: readonly Row[],
  limit: number,
  query: EndedQuery,
): OperatorQuestion {
  const { page = 1 } = query;
  const offset = (page - 1) * limit;
  const items = all.slice(offset, offset + limit);
  const next = items.length < limit ? null : page + 1;
  const path = pathOf(`users/${uid}/ended-orders`, { ...query });
  return { path, due: () => ({ items, next }) };
}

const POSITION = ["id", "symbol", "side", "marginType", "leverage", "size", "asset", "openValue"];

function positions(known: OperatorKnown, random: Random): OperatorQuestion {
  const uid = someUser(known, random);
  const due = () => ({
    items: (naivePositions(known.naive, uid) as Row[]).map((row) => ({
      ...picked(row, [...POSITION, "unrealizePnl", "fundingFee", "liquidatePrice"]),
      margin: row.marginSize,
      isSeparated: row.separatedMode === "SEPARATED",
      ...{ createdAt: row.createdTime, updatedAt: row.updatedTime },
    })),
  });
  return { path: `users/${uid}/positions`, due };
}

const MOVEMENTS = [
  ["deposits", "deposit-funds"],
  ["withdrawals", "withdraw-funds"],
  ["transfers", "transfer-funds"],
] as const;

/** As they were asked for by an operator, and one with the balance of its first answer. */
function movements(known: OperatorKnown, random: Random): OperatorQuestion {
  const { history, naive } = known;
  const uid = someUser(known, random);
  const [name, command] = random.pick([...MOVEMENTS]);
  const of = { command, uid, asset: null, afterMovementId: 0, limit: ALL };
  const all = history.answer("operator-movements", of).map((row) => {
    const { amount, asset, from, movementId, requestId: id, timeMs: time, to } = row;
    const ends = command === "transfer-funds" ? { from, to } : { account: from ?? to };
    return { movementId, shown: { id, asset, amount, time, ...ends } };
  });
  const one = maybe(random, all);
  if (one !== null && random.chance(0.5)) {
    const { shown } = one;
    const balance = naive.balanceBehind(command, uid, shown.id);
    const path = `users/${uid}/${name}/${encodeURIComponent(shown.id)}`;
    return { path, due: () => ({ ...shown, balance }) };
  }
  const path = `users/${uid}/${name}`;
  const idOf = ({ movementId }: (typeof all)[number]) => movementId;
  return cursorPage(random, path, all, idOf, ({ shown }) => shown);
}

function insurance({ history, naive }: OperatorKnown, random: Random): OperatorQuestion {
  const asset = random.pick(["USDT", "USDT", "BTC"]);
  const name = random.pick([null, "deposits", "withdrawals"] as const);
  const balance = text(naive.house("insurance", asset));
  if (name === null) return { path: `insurance/${asset}`, due: () => ({ asset, balance }) };
  const command = name === "deposits" ? "deposit-insurance" : "withdraw-insurance";
  const of = { command, uid: 0, asset, afterMovementId: 0, limit: ALL } as const;
  const all = history.answer("operator-movements", of);
  const shown = ({ amount, requestId: id, timeMs: time }: (typeof all)[number]) => {
    return { id, asset, amount, time };
  };
  const path = `insurance/${asset}/${name}`;
  return cursorPage(random, path, all, ({ movementId }) => movementId, shown);
}

/** Of each kind that a search finds. */
const FOUND_MAX = 20;

function foundOpen({ product, orderId, clientOrderId, symbol }: Row, uid: number): Row {
  const order = { product, symbol, clientOrderId, status: null };
  return { kind: "open-order", uid, id: String(orderId), ...order };
}

function foundEnded(known: OperatorKnown, orderId: number | null, clientOrderId: string | null) {
  const question = { orderId, clientOrderId, limit: FOUND_MAX };
  return known.history.answer("orders-by-id", question).map(({ orderId: id, ...row }) => {
    return { kind: "ended-order", id: String(id), ...row };
  });
}

/** Also those that have placed an order which rests. */
function liveConditionalsOf({ conditionalOrders }: OperatorKnown["naive"]) {
  return conditionalOrders.filter(({ status }) => status !== "FILLED" && status !== "CANCELED");
}

const NO_ORDER = { product: null, symbol: null, clientOrderId: null };

function foundBy(known: OperatorKnown, said: string): Row[] {
  const { keys: all, naive } = known;
  const uids = [...naive.users.keys()];
  const isKey = /^(rialto|weex)_[0-9a-f]{0,32}$/.test(said);
  const found = [...all.values()].filter(({ apiKey }) => isKey && apiKey.startsWith(said));
  const own = found
    .sort((one, other) => (one.apiKey < other.apiKey ? -1 : 1))
    .slice(0, FOUND_MAX)
    .map(({ apiKey: id, uid }) => ({ kind: "api-key", uid, id, ...NO_ORDER, status: null }));
  const open = uids.flatMap((uid) => {
    return openOrdersOf(known, uid).map((row) => ({ uid, row }));
  });
  const byClient = open.filter(({ row }) => row.clientOrderId === said).slice(0, FOUND_MAX);
  const items = [
    ...own,
    ...byClient.map(({ row, uid }) => foundOpen(row, uid)),
    ...foundEnded(known, null, said),
  ];
  const number = Number(said);
  if (!/^[1-9]\d*$/.test(said) || !Number.isSafeInteger(number)) return items;
  const user = naive.users.get(number);
  const conditional = liveConditionalsOf(naive).map((row) => {
    return { uid: row.uid, row: conditionalOf({ ...row }) };
  });
  const byId = [...open, ...conditional].filter(({ row }) => row.orderId === number);
  const spotFirst = byId.sort(({ row }) => (row.product === "spot" ? -1 : 1));
  return [
    ...items,
    ...(user === undefined
      ? []
      : [{ kind: "user", uid: number, id: said, ...NO_ORDER, status: user.state }]),
    ...spotFirst.map(({ row, uid }) => foundOpen(row, uid)),
    ...foundEnded(known, number, null),
  ];
}

/** Whose it is nobody says: a uid, an order's id of either side, a key or how one begins. */
function find(known: OperatorKnown, random: Random): OperatorQuestion {
  const uid = someUser(known, random);
  const product = random.pick(["spot", "contract"] as const);
  const orders = [
    ...openOrdersOf(known, uid),
    ...endedOf(known, product, { uid, symbol: null, offset: 0, limit: LIMIT_USUAL }),
    ...(naiveOpenConditionalOrders(known.naive, uid) as Row[]).map(conditionalOf),
  ];
  const order = orders.length === 0 ? {} : random.pick(orders);
  const key = random.pick([...known.keys.keys()]);
  const said = String(
    random.pick([
      uid,
      order.orderId ?? 1,
      order.clientOrderId || "nobody's",
      key,
      key.slice(0, random.integer("rialto_".length, "rialto_".length + 3)),
    ]),
  );
  const path = `search/${encodeURIComponent(said)}`;
  return { path, due: () => ({ items: foundBy(known, said) }) };
}

type AuditEntry = ReturnType<typeof auditOf>[number];

function auditOf({ history }: OperatorKnown) {
  return history.answer("audit", { afterAuditId: 0, beforeAuditId: null, limit: ALL });
}

/** An entry in words begins with who did it and ends with why. */
function auditItems(entries: readonly AuditEntry[], said: unknown): Row[] {
  const { items } = said as { readonly items: readonly Row[] };
  return entries.map(({ auditId: id, details: told, timeMs: time, ...entry }, index) => {
    const details = JSON.parse(told) as { readonly reason?: string };
    const { reason = "" } = details;
    const sentence = String(items[index]?.sentence);
    const isSaid =
      sentence.startsWith(`${entry.actor} `) &&
      sentence.endsWith(reason === "" ? "" : `: ${reason}`) &&
      !/undefined|null|NaN/.test(sentence);
    return { id, ...entry, time, sentence: isSaid ? sentence : "in words", details };
  });
}

function audit(known: OperatorKnown, random: Random): OperatorQuestion {
  const all = auditOf(known);
  const idOf = () => (all.length === 0 ? 0 : random.pick(all).auditId + random.integer(-1, 1));
  const [one, other] = [idOf(), idOf()];
  const after = maybe(random, [Math.min(one, other)]);
  const before = maybe(random, [Math.max(one, other)]);
  const { limit, sent } = someLimit(random, LIMIT_USUAL, LIMIT_MOST);
  const query = { after: after ?? undefined, before: before ?? undefined, limit: sent };
  const bounds = { afterAuditId: after ?? 0, beforeAuditId: before };
  return {
    path: pathOf("audit", query),
    due: (said) => {
      const entries = known.history.answer("audit", { ...bounds, limit });
      const last = entries.length < limit ? undefined : entries.at(-1);
      return { items: auditItems(entries, said), next: last?.auditId ?? null };
    },
  };
}

/** As long a word as may be searched for. */
const SEARCHED = /[A-Za-z0-9]{3,128}/g;

/** By what some entry has, and often by what another one has, too. */
function auditSearch(known: OperatorKnown, random: Random): OperatorQuestion | null {
  const all = auditOf(known);
  if (all.length === 0) return null;
  const some = () => random.pick(all);
  // What two operators did is of either of them.
  const together = all.filter(({ actor }) => actor.includes(" and "));
  const ofBoth = random.pick(together.length > 0 && random.chance(0.5) ? together : all);
  const details = JSON.parse(some().details) as Row;
  const words = some().details.match(SEARCHED) ?? [];
  const word = maybe(random, words);
  const range = someRange(
    known,
    random,
    all.map(({ timeMs }) => timeMs),
  );
  const filter = {
    actor: random.chance(0.3) ? random.pick(ofBoth.actor.split(" and ")) : null,
    action: random.chance(0.3) ? some().action : null,
    uid: random.chance(0.3) && typeof details.uid === "number" ? details.uid : null,
    symbol: random.chance(0.2) && typeof details.symbol === "string" ? details.symbol : null,
    text: word !== null && random.chance(0.3) ? word.toUpperCase() : null,
    time: range,
  };
  const { time: _, ...filters } = filter;
  const isFiltered = Object.values({ ...filters, ...range }).some((value) => value !== null);
  if (!isFiltered) return null;
  const before = maybe(random, all)?.auditId;
  const { limit, sent } = someLimit(random, LIMIT_USUAL, LIMIT_MOST);
  const question = { filter, beforeAuditId: before ?? ALL, limit };
  const named = Object.fromEntries(
    Object.entries(filters).map(([name, value]) => [name, value ?? undefined]),
  );
  return {
    path: pathOf("audit", { ...named, ...sentRange(range), before, limit: sent }),
    due: (said) => {
      const found = known.history.answer("audit-search", question);
      return { items: auditItems(found.entries, said), next: found.beforeAuditId };
    },
  };
}

function counts(known: OperatorKnown): OperatorQuestion {
  const { keys: all, naive } = known;
  const uids = [...naive.users.keys()];
  const total = (of: (uid: number) => number) => uids.reduce((sum, uid) => sum + of(uid), 0);
  return {
    path: "status",
    due: (said) => ({
      ...(said as Row),
      users: uids.length,
      apiKeys: all.size,
      openOrders: total((uid) => naive.openOrders(uid, null).length),
      positions: naive.positions.length,
      contractOpenOrders: total((uid) => naive.openContractOrders(uid, null).length),
      algoOrders: liveConditionalsOf(naive).length,
    }),
  };
}

export const ACCOUNT_READINGS: OperatorReadings = {
  users,
  feeRates,
  balances,
  keys,
  openOrders,
  endedOrders,
  positions,
  movements,
  insurance,
  find,
  audit,
  auditSearch,
  counts,
};
