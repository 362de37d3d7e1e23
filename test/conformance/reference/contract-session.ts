/** Contract trading: settings, orders, conditional orders, positions, funding, the demo calls. */
import { type Recorder, type Sent, WALL_MS } from "./recorder.ts";

const SYMBOL = { symbol: "BTCUSDT" } as const;
const NO_MARKET = { symbol: "FOOUSDT" } as const;
const ETHER = { symbol: "ETHUSDT" } as const;
const LONG = { side: "BUY", positionSide: "LONG" } as const;
const SHORT = { side: "SELL", positionSide: "SHORT" } as const;
const CLOSE_LONG = { side: "SELL", positionSide: "LONG" } as const;

type Fields = Readonly<Record<string, unknown>>;

const alice = (body: Fields): Sent => ({ as: "alice", body });
const asked = (query: Readonly<Record<string, string>>): Sent => ({ as: "alice", query });
const limit = (fields: Fields): Fields => ({
  ...SYMBOL,
  type: "LIMIT",
  timeInForce: "GTC",
  ...fields,
});

export async function playContracts(recorder: Recorder): Promise<void> {
  await settings(recorder);
  await orders(recorder);
  await conditionalOrders(recorder);
  await presets(recorder);
  await isolatedPosition(recorder);
  await demoAccount(recorder);
  await cancels(recorder);
}

/** The funding of 16:00 has passed. */
export async function readContracts(recorder: Recorder): Promise<void> {
  await marketData(recorder);
  await prices(recorder);
  await wallet(recorder);
}

async function settings(recorder: Recorder): Promise<void> {
  const id = "contract-leverage";
  const leverage = { ...SYMBOL, marginType: "CROSSED", crossLeverage: 25 };
  await recorder.shows(id, "Of cross positions", alice(leverage));
  const high = alice({ ...SYMBOL, crossLeverage: 200 });
  await recorder.refuses(id, "More than the market allows", -3313, high);
  const isolated = { ...ETHER, marginType: "ISOLATED", separatedType: "COMBINED" };
  await recorder.shows("contract-margin-type", "Margin of its own", alice(isolated));
  await recorder.shows("contract-symbol-config", "One market", asked(ETHER));
  await recorder.refuses("contract-symbol-config", "No such market", -1121, asked(NO_MARKET));
  await recorder.shows("contract-commission-rate", "One market", asked(SYMBOL));
  await recorder.refuses("contract-commission-rate", "No market was named", -1140, asked({}));
  await recorder.shows("contract-account-config", "The account", { as: "alice" });
  const stranger = { permission: "spot" } as const;
  const title = "A key that may not read this";
  await recorder.refuses("contract-account-config", title, -1052, stranger);
}

async function orders(recorder: Recorder): Promise<void> {
  const id = "contract-place-order";
  const ask = { ...SHORT, price: "60010", quantity: "0.5", newClientOrderId: "mm/11" };
  await recorder.send(id, { as: "bob", body: limit(ask) });
  const bid = { ...LONG, price: "59990", quantity: "0.5", newClientOrderId: "mm/12" };
  await recorder.send(id, { as: "bob", body: limit(bid) });
  await recorder.pass(300);
  const market = { ...SYMBOL, ...LONG, type: "MARKET", quantity: "0.2" };
  const opened = { ...market, newClientOrderId: "bot/11" };
  await recorder.shows(id, "A market order that opens a long", alice(opened));
  await recorder.pass(400);
  const waiting = limit({ ...LONG, price: "59500", quantity: "0.05", newClientOrderId: "bot/12" });
  const targets = { tpTriggerPrice: "62000", slTriggerPrice: "58500", SlWorkingType: "MARK_PRICE" };
  const { orderId } = await recorder.shows<{ orderId: string }>(
    id,
    "A limit order with take-profit and stop-loss",
    alice({ ...waiting, ...targets }),
  );
  const large = limit({ ...LONG, price: "59500", quantity: "30", newClientOrderId: "bot/13" });
  await recorder.refuses(id, "Margin does not cover it", -3201, alice(large));
  const far = limit({ ...LONG, price: "95000", quantity: "0.01", newClientOrderId: "bot/13" });
  await recorder.refuses(id, "Too far from the mark", -3204, alice(far));
  const timeless = { ...SYMBOL, ...LONG, type: "LIMIT", price: "59500", quantity: "0.01" };
  const unsaid = alice({ ...timeless, newClientOrderId: "bot/13" });
  await recorder.refuses(id, "A limit order without time in force", -1140, unsaid);
  const batchOrders = [
    limit({ ...LONG, price: "59400", quantity: "0.01", newClientOrderId: "bot/14" }),
    limit({ ...CLOSE_LONG, price: "61000", quantity: "5", newClientOrderId: "bot/15" }),
  ];
  await recorder.shows("contract-place-orders", "One of two succeeds", alice({ batchOrders }));
  const none = alice({ batchOrders: [] });
  await recorder.refuses("contract-place-orders", "No orders", -1140, none);
  await recorder.pass(250);
  await recorder.shows("contract-order", "By order id", asked({ orderId }));
  const { clientOrderId: origClientOrderId } = await recorder.send<{ clientOrderId: string }>(
    "contract-order",
    asked({ orderId }),
  );
  await recorder.shows("contract-order", "By client order id", asked({ origClientOrderId }));
  const unknown = asked({ orderId: "987654321" });
  await recorder.refuses("contract-order", "No such order", -3200, unknown);
  const page = asked({ ...SYMBOL, limit: "1" });
  await recorder.shows("contract-open-orders", "The oldest", page);
  await recorder.refuses("contract-open-orders", "No such market", -1121, asked(NO_MARKET));
}

async function conditionalOrders(recorder: Recorder): Promise<void> {
  const id = "contract-place-algo-order";
  const close = { ...SYMBOL, ...CLOSE_LONG, quantity: "0.05" };
  const stop = { ...close, type: "STOP_MARKET", triggerPrice: "58000", clientAlgoId: "stop/1" };
  const { orderId } = await recorder.shows<{ orderId: string }>(id, "A stop-loss", alice(stop));
  const trailing = { ...close, type: "TRAILING_STOP_MARKET", callbackRate: "1.5" };
  await recorder.shows(id, "A trailing stop", alice({ ...trailing, clientAlgoId: "trail/1" }));
  const late = { ...stop, triggerPrice: "61000", clientAlgoId: "stop/2" };
  await recorder.refuses(id, "It would be triggered at once", -3207, alice(late));
  const open = "contract-open-algo-orders";
  await recorder.shows(open, "The newest", asked({ ...SYMBOL, limit: "1" }));
  await recorder.refuses(open, "No such market", -1121, asked(NO_MARKET));
  const cancel = "contract-cancel-algo-order";
  await recorder.shows(cancel, "By order id", asked({ orderId }));
  await recorder.refuses(cancel, "It has ended", -3200, asked({ orderId }));
}

async function presets(recorder: Recorder): Promise<void> {
  const id = "contract-place-tp-sl-order";
  const take = { ...SYMBOL, planType: "TAKE_PROFIT", positionSide: "LONG", quantity: "0.05" };
  const target = alice({ ...take, clientAlgoId: "target/1", triggerPrice: "63000" });
  const [{ orderId }] = await recorder.shows<[{ orderId: number }]>(
    id,
    "A take-profit at market price",
    target,
  );
  const behind = alice({ ...take, clientAlgoId: "target/2", triggerPrice: "50000" });
  await recorder.refuses(id, "The price is there already", -3207, behind);
  const modify = "contract-modify-tp-sl-order";
  const changed = alice({ orderId, triggerPrice: "63500", executePrice: "63450" });
  await recorder.shows(modify, "Another trigger, and a limit price", changed);
  const unknown = alice({ orderId: 987654321, triggerPrice: "63500" });
  await recorder.refuses(modify, "No such order", -3200, unknown);
  const all = "contract-cancel-all-algo-orders";
  await recorder.shows(all, "Of one market", asked(SYMBOL));
  await recorder.refuses(all, "No such market", -1121, asked(NO_MARKET));
  const history = "contract-all-algo-orders";
  await recorder.shows(history, "The newest", asked({ ...SYMBOL, limit: "1" }));
  const months = asked({ startTime: "1750000000000", endTime: "1767605400000" });
  await recorder.refuses(history, "A range above 90 days", -1170, months);
}

async function isolatedPosition(recorder: Recorder): Promise<void> {
  const ask = { ...ETHER, ...SHORT, price: "3000", quantity: "4", newClientOrderId: "mm/13" };
  await recorder.send("contract-place-order", { as: "bob", body: limit(ask) });
  const buy = { ...ETHER, ...LONG, type: "MARKET", quantity: "2", newClientOrderId: "bot/16" };
  await recorder.send("contract-place-order", alice(buy));
  await recorder.pass(800);
  const single = "contract-single-position";
  const [{ id }] = await recorder.shows<[{ id: number }]>(single, "One market", asked(ETHER));
  await recorder.refuses(single, "No such market", -1121, asked(NO_MARKET));
  await recorder.shows("contract-all-positions", "All markets", { as: "alice" });
  const stranger = { permission: "spot" } as const;
  const title = "A key that may not read this";
  await recorder.refuses("contract-all-positions", title, -1052, stranger);
  const margin = "contract-position-margin";
  const add = { isolatedPositionId: id, amount: "150", type: 1 };
  await recorder.shows(margin, "150 USDT more", alice(add));
  const take = alice({ ...add, amount: "1000", type: 2 });
  await recorder.refuses(margin, "More than can be taken back", -1054, take);
  const append = "contract-auto-append-margin";
  await recorder.shows(append, "Switched on", alice({ positionId: id, autoAppendMargin: true }));
  const unknown = alice({ positionId: 987654321, autoAppendMargin: true });
  await recorder.refuses(append, "No such position", -1054, unknown);
  const held = alice({ ...ETHER, marginType: "CROSSED" });
  await recorder.refuses("contract-margin-type", "A position is open", -3209, held);
  const bid = { ...ETHER, ...LONG, price: "2995", quantity: "4", newClientOrderId: "mm/14" };
  await recorder.send("contract-place-order", { as: "bob", body: limit(bid) });
  const close = "contract-close-positions";
  await recorder.shows(close, "All of a market", alice(ETHER));
  await recorder.refuses(close, "No such position", -1054, alice({ positionId: 987654321 }));
  await recorder.pass(350);
}

async function demoAccount(recorder: Recorder): Promise<void> {
  const order = limit({ ...CLOSE_LONG, price: "60500", quantity: "0.01", symbol: "BTCSUSDT" });
  const id = "contract-demo-place-order";
  await recorder.shows(id, "A limit order", alice({ ...order, newClientOrderId: "demo/1" }));
  const elsewhere = { ...order, symbol: "FOOSUSDT", newClientOrderId: "demo/2" };
  await recorder.refuses(id, "No such market", -1121, alice(elsewhere));
  await recorder.shows("contract-demo-balance", "The wallet", { as: "alice" });
  await recorder.shows("contract-demo-positions", "All markets", { as: "alice" });
  const stranger = { permission: "spot" } as const;
  for (const read of ["contract-demo-balance", "contract-demo-positions"]) {
    await recorder.refuses(read, "A key that may not read this", -1052, stranger);
  }
  const history = "contract-demo-order-history";
  await recorder.shows(history, "The newest", asked({ symbol: "BTCSUSDT", limit: "1" }));
  await recorder.refuses(history, "No such market", -1121, asked({ symbol: "FOOSUSDT" }));
}

async function cancels(recorder: Recorder): Promise<void> {
  const id = "contract-cancel-order";
  const byOwnId = asked({ origClientOrderId: "bot/12" });
  await recorder.shows(id, "By client order id", byOwnId);
  await recorder.refuses(id, "It has ended", -3200, byOwnId);
  const several = { origClientOrderIdList: ["bot/14", "bot/12"] };
  const batch = "contract-cancel-orders";
  await recorder.shows(batch, "One of two succeeds", alice(several));
  const both = alice({ ...several, orderIdList: [1] });
  await recorder.refuses(batch, "Both kinds of ids", -1128, both);
  const all = "contract-cancel-all-orders";
  await recorder.shows(all, "Of one market", asked(SYMBOL));
  await recorder.refuses(all, "No such market", -1121, asked(NO_MARKET));
  await recorder.pass(900);
  const history = "contract-order-history";
  await recorder.shows(history, "The newest", asked({ ...SYMBOL, limit: "1" }));
  const months = asked({ startTime: "1750000000000", endTime: "1767605400000" });
  await recorder.refuses(history, "A range above 90 days", -1170, months);
  const fills = "contract-user-trades";
  await recorder.shows(fills, "The newest", asked({ ...SYMBOL, limit: "1" }));
  const first = asked({ ...SYMBOL, fromId: "1", limit: "1" });
  await recorder.shows(fills, "The first from a trade id on", first);
  await recorder.refuses(fills, "No such market", -1121, asked(NO_MARKET));
}

async function marketData(recorder: Recorder): Promise<void> {
  await recorder.shows("contract-time", "Exchange time");
  await recorder.shows("contract-api-trading-symbols", "All of them");
  for (const id of [
    "contract-exchange-info",
    "contract-ticker-24hr",
    "contract-book-ticker",
    "contract-open-interest",
    "contract-premium-index",
  ]) {
    await recorder.shows(id, "One market", { query: SYMBOL });
    await recorder.refuses(id, "No such market", -1121, { query: NO_MARKET });
  }
  const levels = { ...SYMBOL, limit: "15" };
  await recorder.shows("contract-depth", "Fifteen prices a side", { query: levels });
  const twenty = { query: { ...SYMBOL, limit: "20" } };
  await recorder.refuses("contract-depth", "Another number of prices", -1140, twenty);
  await recorder.shows("contract-trades", "The latest", { query: { ...SYMBOL, limit: "1" } });
  await recorder.refuses("contract-trades", "No market was named", -1140);
}

async function prices(recorder: Recorder): Promise<void> {
  const hours = { ...SYMBOL, interval: "1h", limit: "2" };
  const weeks = { query: { ...SYMBOL, interval: "2w" } };
  for (const id of [
    "contract-klines",
    "contract-index-price-klines",
    "contract-mark-price-klines",
  ]) {
    await recorder.shows(id, "The last two hours", { query: hours });
    await recorder.refuses(id, "No such interval", -1140, weeks);
  }
  const start = String(WALL_MS - (WALL_MS % 3_600_000));
  const range = { ...hours, startTime: start, endTime: String(WALL_MS), priceType: "MARK" };
  await recorder.shows("contract-history-klines", "An hour of the mark", { query: range });
  const backwards = { ...hours, startTime: String(WALL_MS), endTime: start };
  const title = "The range ends before it begins";
  await recorder.refuses("contract-history-klines", title, -1171, { query: backwards });
  const mark = { query: { ...SYMBOL, priceType: "MARK" } };
  await recorder.shows("contract-symbol-price", "The mark", mark);
  await recorder.refuses("contract-symbol-price", "No such market", -1121, { query: NO_MARKET });
  await recorder.shows("contract-funding-rate", "The last one", {
    query: { ...SYMBOL, limit: "1" },
  });
  const month = { ...SYMBOL, startTime: "1765000000000", endTime: "1767605400000" };
  const id = "contract-funding-rate";
  await recorder.refuses(id, "A range above 7 days", -1170, { query: month });
}

async function wallet(recorder: Recorder): Promise<void> {
  await recorder.shows("contract-balance", "The wallet", { as: "alice" });
  const stranger = { permission: "spot" } as const;
  await recorder.refuses("contract-balance", "A key that may not read this", -1052, stranger);
  const id = "contract-income";
  await recorder.shows(id, "The newest two", alice({ asset: "USDT", limit: 2 }));
  const funding = { incomeType: "position_funding", limit: 1 };
  await recorder.shows(id, "The latest funding", alice(funding));
  await recorder.refuses(id, "No such asset", -3613, alice({ asset: "FOO" }));
}
