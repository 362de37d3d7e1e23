/** Spot trading of version 2: the same market, in the format of older clients. */
import type { Recorder, Sent } from "./recorder.ts";

const SYMBOL = { symbol: "BTCUSDT_SPBL" } as const;
const NO_MARKET = { symbol: "FOOUSDT_SPBL" } as const;

type Fields = Readonly<Record<string, unknown>>;

const alice = (body: Fields): Sent => ({ as: "alice", body });

export async function playSpotV2(recorder: Recorder): Promise<void> {
  await listings(recorder);
  await orders(recorder);
  await lists(recorder);
  await cancels(recorder);
  await marketData(recorder);
  await wallets(recorder);
}

async function listings(recorder: Recorder): Promise<void> {
  await recorder.shows("v2-server-time", "Exchange time");
  await recorder.shows("v2-currencies", "All assets");
  await recorder.shows("v2-products", "All of them");
  await recorder.shows("v2-exchange-info", "One market", { query: SYMBOL });
  await recorder.refuses("v2-exchange-info", "No such market", "40034", { query: NO_MARKET });
}

const BID = { ...SYMBOL, side: "buy", orderType: "limit", force: "normal", price: "59970" };

async function orders(recorder: Recorder): Promise<void> {
  const id = "v2-place-order";
  const limit = { ...BID, quantity: "0.03", clientOrderId: "old/1" };
  await recorder.shows(id, "A limit order", alice(limit));
  const spend = { orderType: "market", quantity: "1500", clientOrderId: "old/2" };
  const { price: _, ...bid } = BID;
  await recorder.shows(id, "A market order that spends 1,500 USDT", alice({ ...bid, ...spend }));
  const much = { ...BID, quantity: "1000", clientOrderId: "old/3" };
  await recorder.refuses(id, "The balance does not cover it", "43012", alice(much));
  const shy = { ...BID, quantity: "0.03", clientOrderId: "old/3", force: "gtc" };
  await recorder.refuses(id, "No such time in force", "40020", alice(shy));
  await recorder.pass(700);
  const { symbol, ...single } = BID;
  const orderList = [
    { ...single, price: "59960", quantity: "0.01", clientOrderId: "old/4" },
    { ...single, price: "59960.001", quantity: "0.01", clientOrderId: "old/5" },
  ];
  const batch = "v2-place-orders";
  await recorder.shows(batch, "One of two succeeds", alice({ symbol, orderList }));
  const elsewhere = alice({ ...NO_MARKET, orderList });
  await recorder.refuses(batch, "No such market", "40034", elsewhere);
  await recorder.pass(150);
}

async function lists(recorder: Recorder): Promise<void> {
  const byOwnId = alice({ clientOrderId: "old/2" });
  await recorder.shows("v2-order", "By client order id", byOwnId);
  const unknown = alice({ orderId: "987654321" });
  await recorder.refuses("v2-order", "No such order", "43001", unknown);
  await recorder.refuses("v2-order", "Neither id was sent", "40913", alice({}));
  const page = alice({ ...SYMBOL, limit: 1 });
  await recorder.shows("v2-open-orders", "The newest", page);
  await recorder.refuses("v2-open-orders", "No such market", "40034", alice(NO_MARKET));
  await recorder.shows("v2-order-history", "The newest", alice({ ...SYMBOL, pageSize: 1 }));
  const rows = alice({ ...SYMBOL, pageSize: 500 });
  await recorder.refuses("v2-order-history", "More than a page has", "40020", rows);
  await recorder.shows("v2-fills", "The newest", alice({ ...SYMBOL, pageSize: 1 }));
  await recorder.refuses("v2-fills", "More than a page has", "40020", rows);
}

async function cancels(recorder: Recorder): Promise<void> {
  const one = alice({ ...SYMBOL, clientOid: "old/4" });
  await recorder.shows("v2-cancel-order", "By client order id", one);
  await recorder.shows("v2-cancel-order", "One that has ended", one);
  const neither = alice(SYMBOL);
  await recorder.refuses("v2-cancel-order", "Neither id was sent", "40913", neither);
  const several = alice({ ...SYMBOL, clientOids: ["old/1", "old/4"] });
  await recorder.shows("v2-cancel-orders", "One of two succeeds", several);
  const many = { ...SYMBOL, orderIds: Array.from({ length: 51 }, (_, index) => index + 1) };
  await recorder.refuses("v2-cancel-orders", "More than fifty", "40912", alice(many));
  await recorder.send(
    "v2-place-order",
    alice({ ...BID, quantity: "0.02", clientOrderId: "old/6" }),
  );
  const id = "v2-cancel-symbol-orders";
  await recorder.shows(id, "What is left", alice(SYMBOL));
  await recorder.refuses(id, "No such market", "40034", alice(NO_MARKET));
  await recorder.pass(600);
}

async function marketData(recorder: Recorder): Promise<void> {
  await recorder.shows("v2-ticker", "One market", { query: SYMBOL });
  await recorder.refuses("v2-ticker", "No such market", "40034", { query: NO_MARKET });
  await recorder.shows("v2-tickers", "All markets");
  await recorder.shows("v2-public-fills", "The latest", { query: { ...SYMBOL, limit: "1" } });
  await recorder.refuses("v2-public-fills", "No market was named", "40019");
  const minutes = { ...SYMBOL, period: "1m" };
  await recorder.shows("v2-candles", "The last minute", { query: { ...minutes, limit: "1" } });
  const weeks = { query: { ...SYMBOL, period: "2w" } };
  await recorder.refuses("v2-candles", "No such interval", "40020", weeks);
  const steps = { query: { ...SYMBOL, type: "step3", limit: "15" } };
  await recorder.shows("v2-depth", "Added up by ten", steps);
  const finest = { query: { ...SYMBOL, type: "step9" } };
  await recorder.refuses("v2-depth", "No such step", "40020", finest);
}

async function wallets(recorder: Recorder): Promise<void> {
  await recorder.shows("v2-account-assets", "All assets", { as: "alice" });
  const stranger = { permission: "affiliate" } as const;
  await recorder.refuses("v2-account-assets", "A key that may not read this", "40014", stranger);
  const fills = { coinId: 1, bizType: "trade_in", limit: 1 };
  await recorder.shows("v2-bills", "The newest bitcoin that was bought", alice(fills));
  await recorder.refuses("v2-bills", "No such kind", "40020", alice({ bizType: "gift" }));
  await recorder.shows("v2-funding-bills", "The newest", alice({ pageSize: 1 }));
  const page = alice({ pageIndex: 0 });
  await recorder.refuses("v2-funding-bills", "Pages begin with 1", "40020", page);
  const newest = { as: "alice", query: { limit: "1" } } as const;
  await recorder.shows("v2-transfer-records", "The newest", newest);
  const rows = { as: "alice", query: { limit: "501" } } as const;
  await recorder.refuses("v2-transfer-records", "More than a page has", "40020", rows);
}
