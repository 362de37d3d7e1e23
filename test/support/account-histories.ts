/**
 * The REST state of one account in the format of its streams: orders open and ended, fills,
 * balances, positions. Only the fields that both have.
 */
import type { Query, SignedClient } from "./signed-client.ts";

/** What is asked for the state of an account. */
export type AccountReader = Pick<SignedClient, "v3" | "assets">;

export type Row = Readonly<Record<string, unknown>>;

/** By the names that `AccountWatch` gives its rows. */
export interface AccountState {
  readonly orders: ReadonlyMap<string, Row>;
  readonly fills: ReadonlyMap<string, Row>;
  readonly balances: ReadonlyMap<string, Row>;
  /** Open ones alone. */
  readonly positions: ReadonlyMap<string, Row>;
}

export type Product = "spot" | "contract";

const SPOT_SYMBOLS = ["BTCUSDT", "ETHUSDT"];
/** The most that a page has. */
const ORDERS_PAGE = 1000;
const CONTRACT_TRADES_PAGE = 100;

export function fillKey({ id, orderId }: Row): string {
  return `${id}/${orderId}`;
}

function mapBy(rows: Iterable<Row>, keyOf: (row: Row) => string): Map<string, Row> {
  return new Map([...rows].map((row) => [keyOf(row), row]));
}

const byId = ({ id }: Row): string => String(id);
const byCoin = ({ coin }: Row): string => String(coin);

export function readAccount(client: AccountReader, product: Product): Promise<AccountState> {
  return product === "spot" ? readSpot(client) : readContract(client);
}

async function readSpot(client: AccountReader): Promise<AccountState> {
  const orders: Row[] = [];
  const fills: Row[] = [];
  for (const symbol of SPOT_SYMBOLS) {
    const query = { symbol, limit: ORDERS_PAGE };
    orders.push(...(await full(client, "/api/v3/allOrders", query)).map(spotOrder));
    fills.push(...(await full(client, "/api/v3/myTrades", query)).map(spotFill));
  }
  const assets = [...(await client.assets()).values()];
  const balances = assets.map(({ coinName: coin, equity, available, frozen }) => {
    return { coin, equity, available, frozen };
  });
  return {
    orders: mapBy(orders, byId),
    fills: mapBy(fills, fillKey),
    balances: mapBy(balances, byCoin),
    positions: new Map(),
  };
}

/** One page that must hold everything. */
async function full(client: AccountReader, path: string, query: Query): Promise<Row[]> {
  const rows = await client.v3<Row[]>(path, query);
  if (rows.length === query.limit) throw new Error(`${path}: more than a page of ${query.limit}`);
  return rows;
}

function spotOrder(order: Row): Row {
  return {
    id: String(order.orderId),
    symbol: order.symbol,
    clientOrderId: order.clientOrderId,
    orderSide: order.side,
    type: order.type,
    timeInForce: order.timeInForce,
    status: order.status,
    price: order.price,
    size: order.origQty,
    cumFillSize: order.executedQty,
    cumFillValue: order.cummulativeQuoteQty,
    createdTime: String(order.time),
    updatedTime: String(order.updateTime),
  };
}

function spotFill(trade: Row): Row {
  return {
    id: String(trade.id),
    symbol: trade.symbol,
    orderId: String(trade.orderId),
    orderSide: trade.isBuyer ? "BUY" : "SELL",
    fillSize: trade.qty,
    fillValue: trade.quoteQty,
    fillFee: trade.commission,
    direction: trade.maker ? "MAKER" : "TAKER",
    createdTime: String(trade.time),
  };
}

async function readContract(client: AccountReader): Promise<AccountState> {
  const open = await allPages(client, "/capi/v3/openOrders", 0, OPEN_PAGE);
  const ended = await allPages(client, "/capi/v3/order/history", 0, ORDERS_PAGE);
  const openAlgos = await allPages(client, "/capi/v3/openAlgoOrders", 1, OPEN_PAGE);
  const algoPage = { limit: ORDERS_PAGE };
  const { orders: endedAlgos } = await client.v3<{ orders: Row[] }>(
    "/capi/v3/allAlgoOrders",
    algoPage,
  );
  const orders = [...open, ...ended].map(contractOrder);
  const algos = [...openAlgos, ...endedAlgos].map(algoOrder);
  const fills = (await contractTrades(client)).map(contractFill);
  const balances = await client.v3<Row[]>("/capi/v3/account/balance");
  const positions = await client.v3<Row[]>("/capi/v3/account/position/allPosition");
  return {
    orders: mapBy([...orders, ...algos], byId),
    fills: mapBy(fills, fillKey),
    balances: mapBy(
      balances.map(({ asset, availableBalance, balance }) => {
        return { coin: asset, amount: availableBalance, legacyAmount: balance };
      }),
      byCoin,
    ),
    positions: mapBy(positions.map(positionWords), byId),
  };
}

const OPEN_PAGE = 100;

async function allPages(
  client: AccountReader,
  path: string,
  firstPage: number,
  limit: number,
): Promise<Row[]> {
  const rows: Row[] = [];
  for (let page = firstPage; ; page++) {
    const next = await client.v3<Row[]>(path, { limit, page });
    rows.push(...next);
    if (next.length < limit) return rows;
  }
}

/** All of them: page by page back in time, with an overlap, as several may be of one moment. */
async function contractTrades(client: AccountReader): Promise<Row[]> {
  const found = new Map<string, Row>();
  let query: Query = { limit: CONTRACT_TRADES_PAGE };
  for (;;) {
    const page = await client.v3<Row[]>("/capi/v3/userTrades", query);
    const before = found.size;
    for (const trade of page) found.set(fillKey(trade), trade);
    if (page.length < CONTRACT_TRADES_PAGE) return [...found.values()];
    // More than a page is of one moment.
    if (found.size === before) return await tradesById(client);
    query = { limit: CONTRACT_TRADES_PAGE, endTime: Number(page.at(-1)?.time) };
  }
}

/** The oldest first; both sides of a match with oneself are on one page. */
async function tradesById(client: AccountReader): Promise<Row[]> {
  const found: Row[] = [];
  for (let fromId = 1; ; ) {
    const query = { limit: CONTRACT_TRADES_PAGE, fromId };
    const page = await client.v3<Row[]>("/capi/v3/userTrades", query);
    found.push(...page);
    if (page.length < CONTRACT_TRADES_PAGE) return found;
    fromId = Number(page.at(-1)?.id) + 1;
  }
}

function contractOrder(order: Row): Row {
  return {
    id: String(order.orderId),
    symbol: order.symbol,
    clientOrderId: order.clientOrderId,
    orderSide: order.side,
    positionSide: order.positionSide,
    type: order.type,
    timeInForce: order.timeInForce,
    status: order.status,
    price: order.price,
    size: order.origQty,
    cumFillSize: order.executedQty,
    cumFillValue: order.cumQuote,
    createdTime: String(order.time),
    updatedTime: String(order.updateTime),
  };
}

const ALGO_WORDS: Readonly<Record<string, string>> = {
  NEW: "UNTRIGGERED",
  UNTRIGGERED: "UNTRIGGERED",
  TRIGGERED: "NEW",
  FILLED: "FILLED",
  CANCELED: "CANCELED",
};

function algoOrder(algo: Row): Row {
  return {
    id: String(algo.algoId),
    symbol: algo.symbol,
    clientOrderId: algo.clientAlgoId,
    orderSide: algo.side,
    positionSide: algo.positionSide,
    type: algo.orderType,
    timeInForce: algo.timeInForce,
    status: ALGO_WORDS[String(algo.algoStatus)],
    price: algo.price,
    size: algo.quantity,
    triggerPrice: algo.triggerPrice,
    triggerPriceType: algo.workingType,
    triggerTime: String(algo.triggerTime),
    createdTime: String(algo.createTime),
    updatedTime: String(algo.updateTime),
  };
}

function contractFill(trade: Row): Row {
  return {
    id: String(trade.id),
    symbol: trade.symbol,
    orderId: String(trade.orderId),
    orderSide: trade.side,
    positionSide: trade.positionSide,
    fillSize: trade.qty,
    fillValue: trade.quoteQty,
    fillFee: trade.commission,
    realizePnl: trade.realizedPnl,
    direction: trade.maker ? "MAKER" : "TAKER",
    createdTime: String(trade.time),
  };
}

const TEXT_IN_STREAMS = new Set([
  "id",
  "separatedOpenOrderId",
  "createdMatchSequenceId",
  "updatedMatchSequenceId",
  "createdTime",
  "updatedTime",
]);
const NOT_IN_STREAMS = new Set(["marginSize", "unrealizePnl", "liquidatePrice"]);
const RENAMED: Readonly<Record<string, string>> = {
  asset: "coin",
  marginType: "marginMode",
  isAutoAppendIsolatedMargin: "autoAppendIsolatedMargin",
};

function positionWords(position: Row): Row {
  const words: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(position)) {
    if (NOT_IN_STREAMS.has(name)) continue;
    words[RENAMED[name] ?? name] = TEXT_IN_STREAMS.has(name) ? String(value) : value;
  }
  return words;
}
