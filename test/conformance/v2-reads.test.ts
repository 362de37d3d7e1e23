/**
 * Proves the v2 calls beside those of the specification, on the real process: two accounts trade
 * with them, each answer has its golden shape, and every list says what the v3 call for the same
 * says, whose own lists are proved elsewhere.
 */
import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { CANDLE_INTERVALS } from "../../src/domain/index.ts";
import { exact, sum, text } from "../support/exact.ts";
import { ExchangeProcess } from "../support/exchange-process.ts";
import {
  type Account,
  issueKey,
  listStandardMarkets,
  openAccount,
} from "../support/exchange-setup.ts";
import { dataOf, pathWithQuery, type Query, SignedClient } from "../support/signed-client.ts";
import {
  BILL,
  BOOK,
  CURRENCY,
  FILLS,
  FUNDING_BILLS,
  LISTED_TICKER,
  OPEN_ORDERS,
  ORDER,
  ORDER_HISTORY,
  PUBLIC_FILL,
  SYMBOL_INFO,
  TRANSFER,
} from "../support/v2-answers.ts";
import {
  dataIn,
  type Fields,
  get,
  NAME,
  order,
  place,
  post,
  type Row,
  SYMBOL,
} from "./v2-calls.ts";

const STEP_MS = 61_000;

interface Fixture {
  readonly exchange: ExchangeProcess;
  readonly alice: Account;
  readonly bob: Account;
}

/** Orders of every kind: partly filled, filled at several prices, cancelled, by amount, resting. */
async function trade({ exchange, alice, bob }: Fixture): Promise<void> {
  const sell = { side: "sell" };
  await place(bob, [
    order({ ...sell, price: "50100" }),
    order({ ...sell, price: "50101.5" }),
    order({ ...sell, price: "50103" }),
  ]);
  await exchange.operator.advanceClock(STEP_MS);
  await place(alice, [order({ price: "50102", quantity: "0.05" })]);
  await exchange.operator.advanceClock(STEP_MS);
  await place(bob, [order({ ...sell, orderType: "market", quantity: "0.004" })]);
  await place(alice, [
    order({ orderType: "market", price: "0", quantity: "250" }),
    order({ price: "49000" }),
    order({ price: "49000.01" }),
    order({ price: "48990" }),
    order({ force: "ioc", price: "47000" }),
  ]);
  await exchange.operator.advanceClock(STEP_MS);
  await place(bob, [order({ ...sell, price: "50102", quantity: "0.003" })]);
}

async function listings(t: TestContext, { alice }: Fixture): Promise<void> {
  const v3 = <Answer>(path: string, query: Query = {}): Promise<Answer> =>
    alice.client.v3(`/api/v3/${path}`, query);

  await t.test("time, currencies, products", async () => {
    const { serverTime } = await v3<{ serverTime: number }>("time");
    const now = await get<number>(alice, "public/time", {}, "integer");
    assert.ok(now >= serverTime && now < serverTime + 60_000);
    const coins = await v3<{ coin: string; coinId: number }[]>("coins");
    const listed = await get<Row[]>(alice, "public/currencies", {}, [CURRENCY]);
    assert.deepEqual(
      listed.map(({ coinId, coinName }) => [coinId, coinName]),
      coins.map(({ coinId, coin }) => [String(coinId), coin]),
    );
    const symbols = await v3<string[]>("apiTradingSymbols");
    const products = await get<string[]>(alice, "public/products", {}, ["string"]);
    assert.deepEqual(
      products,
      symbols.map((symbol) => `${symbol}_SPBL`),
    );
  });

  await t.test("exchangeInfo has the rules that v3 names", async () => {
    const { symbols } = await v3<{ symbols: Row[] }>("exchangeInfo");
    const rules = await get<Row[]>(alice, "public/exchangeInfo", {}, [SYMBOL_INFO]);
    assert.equal(rules.length, symbols.length);
    for (const [i, { symbol, baseCoin, quoteCoin, ...same }] of rules.entries()) {
      const row = symbols[i] as Row;
      assert.deepEqual({ ...row, ...same }, row);
      const names = [`${row.symbol}_SPBL`, row.baseAsset, row.quoteAsset];
      assert.deepEqual([symbol, baseCoin, quoteCoin], names);
    }
    for (const query of [{ symbol: "ethusdt_spbl" }, { symbols: "ethusdt_spbl" }]) {
      const [only] = await get<Row[]>(alice, "public/exchangeInfo", query, [SYMBOL_INFO]);
      assert.deepEqual(only, { ...rules[1], symbol: "ethusdt_spbl" });
    }
  });
}

async function tickersAndTrades(t: TestContext, { alice }: Fixture): Promise<void> {
  const v3 = (path: string, query: Query = {}): Promise<Row[]> =>
    alice.client.v3(`/api/v3/market/${path}`, query);

  await t.test("tickers", async () => {
    const [days, tickers] = [
      await v3("ticker/24hr"),
      await get<Row[]>(alice, "market/tickers", {}, [LISTED_TICKER]),
    ];
    assert.deepEqual(
      tickers.map(({ highTime: _, lowTime: __, startTime: ___, endTime: ____, ts, ...row }) => row),
      days.map((day) => ({
        symbol: `${day.symbol}_SPBL`,
        priceChange: day.priceChange,
        priceChangePercent: day.priceChangePercent,
        trades: day.count,
        size: day.volume,
        value: day.quoteVolume,
        high: day.highPrice,
        low: day.lowPrice,
        open: day.openPrice,
        close: day.lastPrice,
        lastPrice: day.lastPrice,
        openInterest: "0",
      })),
    );
    assert.notEqual(tickers[0]?.size, "0");
    const { markPrice: _, indexPrice: __, ...single } = await alice.client.ticker(SYMBOL);
    const unlike = { ts: 0, startTime: 0, endTime: 0 };
    assert.deepEqual({ ...single, ...unlike }, { ...tickers[0], ...unlike });
  });

  await t.test("fills are the v3 trades", async () => {
    for (const limit of [1, 3, 1000]) {
      const trades = await v3("trades", { symbol: NAME, limit });
      const query = { symbol: SYMBOL, limit };
      const fills = await get<Row[]>(alice, "market/fills", query, [PUBLIC_FILL]);
      assert.ok(fills.length > 0);
      assert.deepEqual(
        fills,
        trades.map(({ id, price, qty, quoteQty, time, isBuyerMaker, isBestMatch }) => ({
          symbol: SYMBOL,
          tradeId: id,
          fillTime: time,
          fillPrice: price,
          fillQuantity: qty,
          tradeValue: quoteQty,
          bestMatch: isBestMatch,
          buyerMaker: isBuyerMaker,
        })),
      );
    }
  });
}

async function candlesAndDepth(t: TestContext, { alice }: Fixture): Promise<void> {
  await t.test("candles are the v3 klines, newest first", async () => {
    for (const period of CANDLE_INTERVALS) {
      const asked = { symbol: NAME, interval: period, limit: 5 };
      const klines = await alice.client.v3<unknown[][]>("/api/v3/market/klines", asked);
      const request = { symbol: SYMBOL, period, limit: 5 };
      const path = pathWithQuery("/api/v2/market/candles", request);
      const rows = dataOf<unknown[][]>(await alice.client.raw({ method: "GET", path }), period);
      const columns = [0, 1, 2, 3, 4, 5, 7];
      const expected = klines.map((kline) => columns.map((column) => kline[column]));
      assert.deepEqual(rows, expected.reverse(), period);
    }
  });

  await t.test("depth: the v3 book, and its sums by steps", async () => {
    interface Depth {
      readonly asks: [string, string][];
      readonly bids: [string, string][];
    }
    for (const limit of [15, 200]) {
      const { asks, bids } = await alice.client.v3<Depth>("/api/v3/market/depth", {
        symbol: NAME,
        limit,
      });
      assert.ok(asks.length > 0 && bids.length > 2);
      const depth = (type: string): Promise<Depth> =>
        get(alice, "market/depth", { symbol: SYMBOL, limit, type }, BOOK);
      const { timestamp: _, ...plain } = (await depth("step0")) as Depth & { timestamp: string };
      assert.deepEqual(plain, { asks, bids });
      const total = (side: Depth["asks"]): string =>
        text(sum(side.map(([, quantity]) => exact(quantity))));
      for (let step = 1; step <= 5; step++) {
        const grouped = await depth(`step${step}`);
        assert.equal(total(grouped.asks), total(asks));
        assert.equal(total(grouped.bids), total(bids));
      }
      assert.deepEqual((await depth("step5")).bids.at(-1)?.[0], "48000");
    }
  });
}

const STATUSES: Readonly<Record<string, string>> = {
  NEW: "open",
  FILLED: "filled",
  CANCELED: "canceled",
};

/** What v2 has to say of an order that v3 shows with its fills, newest first. */
function expectedOrder(uid: number, row: Row, fills: readonly Row[], symbol: string): Fields {
  const prices = fills
    .filter(({ orderId }) => orderId === row.orderId)
    .map(({ price }) => String(price));
  const sorted = prices.toSorted((a, b) => Number(a) - Number(b));
  return {
    accountId: String(uid),
    symbol,
    orderId: String(row.orderId),
    clientOrderId: row.clientOrderId,
    price: row.price,
    quantity: row.type === "MARKET" && row.side === "BUY" ? "250" : row.origQty,
    orderType: String(row.type).toLowerCase(),
    side: String(row.side).toLowerCase(),
    status: STATUSES[String(row.status)],
    latestFillPrice: prices[0] ?? "0",
    maxFillPrice: sorted.at(-1) ?? "0",
    minFillPrice: sorted[0] ?? "0",
    fillQuantity: row.executedQty,
    fillTotalAmount: row.cummulativeQuoteQty,
    cTime: String(row.time),
    uTime: String(row.updateTime),
  };
}

interface Orders {
  readonly orderInfoResultList: Row[];
  readonly nextPage: boolean;
  readonly totals: number | null;
}

async function orderLists(t: TestContext, { alice, bob }: Fixture): Promise<void> {
  const query = { symbol: NAME };

  await t.test("orderInfo, history and open-orders are the v3 orders", async () => {
    for (const account of [alice, bob]) {
      const { uid, client } = account;
      const all = await client.v3<Row[]>("/api/v3/allOrders", query);
      const fills = await client.v3<Row[]>("/api/v3/myTrades", query);
      const expected = (rows: readonly Row[], symbol: string): Fields[] =>
        rows.map((row) => expectedOrder(uid, row, fills, symbol));
      for (const [i, { orderId, clientOrderId }] of all.entries()) {
        const wanted = expected([all[i] as Row], SYMBOL);
        for (const body of [{ orderId }, { orderId: String(orderId) }, { clientOrderId }]) {
          assert.deepEqual(await post(account, "trade/orderInfo", body, [ORDER]), wanted);
        }
      }
      const history = { symbol: "btcusdt", pageSize: "100" };
      const listed = await post<Orders>(account, "trade/history", history, ORDER_HISTORY);
      assert.deepEqual(listed.orderInfoResultList, expected(all, "btcusdt"));
      const open = await client.v3<Row[]>("/api/v3/openOrders", query);
      const body = { symbol: SYMBOL };
      const resting = await post<Orders>(account, "trade/open-orders", body, OPEN_ORDERS);
      assert.deepEqual(resting.orderInfoResultList, expected(open, SYMBOL));
      assert.deepEqual([resting.totals, resting.nextPage], [open.length, false]);
    }
  });

  await t.test("some order was filled at several prices, some by amount, some ended", async () => {
    const body = { symbol: SYMBOL, pageSize: 100 };
    const { orderInfoResultList } = await post<Orders>(alice, "trade/history", body, ORDER_HISTORY);
    const rows = orderInfoResultList;
    assert.ok(rows.some(({ maxFillPrice, minFillPrice }) => maxFillPrice !== minFillPrice));
    assert.ok(rows.some(({ quantity }) => quantity === "250"));
    assert.deepEqual(
      new Set(rows.map(({ status }) => status)),
      new Set(["open", "filled", "canceled"]),
    );
  });
}

async function orderPages(t: TestContext, { alice }: Fixture): Promise<void> {
  await t.test(
    "pages of orders follow on each other, and say whether there is another",
    async () => {
      for (const [path, page, size, shape] of [
        ["trade/history", "pageIndex", "pageSize", ORDER_HISTORY],
        ["trade/open-orders", "pageNo", "limit", OPEN_ORDERS],
      ] as const) {
        const whole = await post<Orders>(alice, path, { symbol: SYMBOL, [size]: 100 }, shape);
        const all = whole.orderInfoResultList;
        for (const limit of [1, 2, all.length]) {
          const rows: Row[] = [];
          for (let i = 0; rows.length < all.length; i++) {
            const body = { symbol: SYMBOL, [page]: i, [size]: String(limit) };
            const part = await post<Orders>(alice, path, body, shape);
            rows.push(...part.orderInfoResultList);
            assert.equal(part.nextPage, rows.length < all.length, `${path} ${limit} ${i}`);
          }
          assert.deepEqual(rows, all);
        }
      }
    },
  );

  await t.test("history: both ends of a time range are inside", async () => {
    const ask = (change: Fields): Promise<Orders> =>
      post(alice, "trade/history", { symbol: SYMBOL, pageSize: 100, ...change }, ORDER_HISTORY);
    const all = (await ask({})).orderInfoResultList;
    const [newest, oldest] = [Number(all[0]?.cTime), Number(all.at(-1)?.cTime)];
    const between = (from: number, to: number): Row[] =>
      all.filter(({ cTime }) => Number(cTime) >= from && Number(cTime) <= to);
    for (const [after, before] of [
      [oldest, newest],
      [oldest + 1, newest],
      [oldest, newest - 1],
      [oldest, oldest],
    ] as const) {
      const { orderInfoResultList } = await ask({ after: String(after), before });
      assert.deepEqual(orderInfoResultList, between(after, before));
    }
  });
}

interface Fills {
  readonly fillsOrderResultList: Row[];
  readonly nextPage: boolean;
}

async function fillLists(t: TestContext, { alice, bob }: Fixture): Promise<void> {
  await t.test("fills are the v3 fills, whole, by order, by time and by pages", async () => {
    for (const account of [alice, bob]) {
      const { uid, client } = account;
      const ask = async (change: Fields): Promise<Fills> =>
        post(account, "trade/fills", { symbol: SYMBOL, pageSize: 100, ...change }, FILLS);
      const trades = await client.v3<Row[]>("/api/v3/myTrades", { symbol: NAME });
      const expected = trades.map((fill) => ({
        accountId: String(uid),
        symbol: SYMBOL,
        baseCoin: "BTC",
        quoteCoin: "USDT",
        orderId: String(fill.orderId),
        fillId: String(fill.id),
        orderType: "",
        side: fill.isBuyer ? "buy" : "sell",
        fillPrice: fill.price,
        fillQuantity: fill.qty,
        fillTotalAmount: fill.quoteQty,
        fees: fill.commission,
        cTime: String(fill.time),
      }));
      assert.ok(expected.length > 4);
      assert.deepEqual(await ask({}), {
        fillsOrderResultList: expected,
        nextPage: false,
        totals: null,
      });
      for (const { orderId } of trades) {
        const ofOrder = expected.filter((fill) => fill.orderId === String(orderId));
        assert.deepEqual((await ask({ orderId })).fillsOrderResultList, ofOrder);
      }
      const before = Number(expected[1]?.cTime) - 1;
      const older = expected.filter(({ cTime }) => Number(cTime) <= before);
      assert.deepEqual((await ask({ before })).fillsOrderResultList, older);
      for (const [pageIndex] of expected.entries()) {
        const page = await ask({ pageIndex, pageSize: 1 });
        assert.deepEqual(page.fillsOrderResultList, [expected[pageIndex]]);
        assert.equal(page.nextPage, pageIndex < expected.length - 1);
      }
    }
  });
}

async function walletLists(t: TestContext, { exchange, alice }: Fixture): Promise<void> {
  const { client } = alice;
  await t.test("bills, fundingBills and transferRecords are those of v3", async () => {
    const contract = await issueKey(exchange, alice.uid, ["contract"]);
    const move = { fromType: "SPOT", toType: "CONTRACT", coinName: "USDT", amount: "12.5" };
    const mover = new SignedClient(exchange.port, contract);
    const transfer = { clientTransferId: "v2-reads", ...move };
    const moved = await mover.post("/api/v3/account/transfer", transfer);
    assert.equal(moved.status, 200, moved.text);
    mover.close();
    for (const body of [
      {},
      { limit: 100 },
      { coinId: 2, limit: 100 },
      { bizType: "transfer_out" },
      { bizType: "trade_in", coinId: 1, limit: 3 },
    ]) {
      const bills = await client.post("/api/v3/account/bills", body);
      const texts = "limit" in body ? { ...body, limit: String(body.limit) } : body;
      const ours = await post<Row[]>(alice, "account/bills", texts, [BILL]);
      assert.ok(ours.length > 0);
      assert.deepEqual(ours, bills.body);
    }
    for (const body of [{}, { coinId: 2 }, { pageSize: 1, pageIndex: 2 }]) {
      const bills = await client.post("/api/v3/account/fundingBills", body);
      assert.deepEqual(await post(alice, "account/fundingBills", body, FUNDING_BILLS), bills.body);
    }
    for (const query of [{}, { fromType: "SPOT" }, { fromType: "CONTRACT" }, { coinId: 2 }]) {
      const records = await client.v3("/api/v3/account/transferRecords", query);
      const answer = await client.get("/api/v2/account/transferRecords", query);
      assert.deepEqual(dataIn(answer, [TRANSFER]), records);
    }
  });
}

test("v2 beside the specification", async (t) => {
  const exchange = await ExchangeProcess.start({ process: "shared", threads: "many" });
  t.after(() => exchange.stop());
  await listStandardMarkets(exchange);
  const alice = await openAccount(exchange, { USDT: "100000", BTC: "1" });
  const bob = await openAccount(exchange, { USDT: "100000", BTC: "1" });
  const fixture: Fixture = { exchange, alice, bob };
  await trade(fixture);
  await listings(t, fixture);
  await tickersAndTrades(t, fixture);
  await candlesAndDepth(t, fixture);
  await orderLists(t, fixture);
  await orderPages(t, fixture);
  await fillLists(t, fixture);
  await walletLists(t, fixture);
  alice.client.close();
  bob.client.close();
});
