/** Spot trading of version 3, from the public data to the wallets. */
import type { Recorder, Sent } from "./recorder.ts";

const SYMBOL = { symbol: "BTCUSDT" } as const;
const NO_MARKET = { symbol: "FOOUSDT" } as const;

type Order = Readonly<Record<string, string>>;

/** Of Bob, so that there is something to trade with. */
async function rest(recorder: Recorder, order: Order): Promise<void> {
  const body = { ...SYMBOL, type: "LIMIT", timeInForce: "GTC", ...order };
  await recorder.send("v3-place-order", { as: "bob", body });
  await recorder.pass(40);
}

export async function playSpot(recorder: Recorder): Promise<void> {
  await listings(recorder);
  await rest(recorder, { side: "SELL", price: "60010", quantity: "0.5", newClientOrderId: "mm/1" });
  await rest(recorder, { side: "SELL", price: "60020", quantity: "0.8", newClientOrderId: "mm/2" });
  await rest(recorder, { side: "BUY", price: "59990", quantity: "0.4", newClientOrderId: "mm/3" });
  await rest(recorder, { side: "BUY", price: "59980", quantity: "0.7", newClientOrderId: "mm/4" });
  await orders(recorder);
  await marketData(recorder);
  await wallets(recorder);
}

async function listings(recorder: Recorder): Promise<void> {
  await recorder.shows("v3-server-time", "Exchange time");
  await recorder.shows("v3-ping", "It answers");
  await recorder.shows("v3-coins", "All assets");
  await recorder.shows("v3-exchange-info", "One market", { query: SYMBOL });
  await recorder.refuses("v3-exchange-info", "No such market", -1121, { query: NO_MARKET });
  await recorder.shows("v3-api-trading-symbols", "All of them");
}

async function orders(recorder: Recorder): Promise<void> {
  const place = (order: Order): Sent => ({ as: "alice", body: { ...SYMBOL, ...order } });
  const bid = { side: "BUY", type: "LIMIT", timeInForce: "GTC", price: "59950", quantity: "0.02" };
  const id = "v3-place-order";
  const first = await recorder.shows<{ orderId: number }>(
    id,
    "A limit order",
    place({ ...bid, newClientOrderId: "bot/1" }),
  );
  await recorder.pass(210);
  const market = { side: "BUY", type: "MARKET", quantity: "0.05", newClientOrderId: "bot/2" };
  const second = await recorder.shows<{ orderId: number }>(id, "A market order", place(market));
  await recorder.pass(900);
  const large = { ...bid, quantity: "1000", newClientOrderId: "bot/3" };
  await recorder.refuses(id, "The balance does not cover it", -2201, place(large));
  const crooked = { ...bid, price: "59950.001", newClientOrderId: "bot/3" };
  await recorder.refuses(id, "A price between two ticks", -1160, place(crooked));
  const reused = { ...bid, quantity: "0.03", newClientOrderId: "bot/1" };
  await recorder.refuses(id, "The client order id of another order", -2202, place(reused));

  const orderId = String(second.orderId);
  await recorder.shows("v3-order", "By order id", { as: "alice", query: { orderId } });
  const byOwnId = { as: "alice", query: { origClientOrderId: "bot/1" } } as const;
  await recorder.shows("v3-order", "By client order id", byOwnId);
  const unknown = { as: "alice", query: { orderId: "987654321" } } as const;
  await recorder.refuses("v3-order", "No such order", -2200, unknown);
  await recorder.shows("v3-open-orders", "Of one market", { as: "alice", query: SYMBOL });
  const elsewhere = { as: "alice", query: NO_MARKET } as const;
  await recorder.refuses("v3-open-orders", "No such market", -1121, elsewhere);
  await histories(recorder);
  await cancels(recorder, first.orderId);
}

async function histories(recorder: Recorder): Promise<void> {
  const newest = { ...SYMBOL, limit: "2" };
  await recorder.shows("v3-all-orders", "The newest two", { as: "alice", query: newest });
  const backwards = { ...SYMBOL, startTime: "1767605400000", endTime: "1767600000000" };
  const query = { as: "alice", query: backwards } as const;
  await recorder.refuses("v3-all-orders", "The range ends before it begins", -1171, query);
  await recorder.shows("v3-my-trades", "The newest two", { as: "alice", query: newest });
  const first = { as: "alice", query: { ...SYMBOL, fromId: "1", limit: "1" } } as const;
  await recorder.shows("v3-my-trades", "The first from a trade id on", first);
  const many = { as: "alice", query: { ...SYMBOL, limit: "5000" } } as const;
  await recorder.refuses("v3-my-trades", "More than a page has", -1140, many);
}

async function cancels(recorder: Recorder, orderId: number): Promise<void> {
  const id = "v3-cancel-order";
  const query = { orderId: String(orderId) };
  await recorder.shows(id, "By order id", { as: "alice", query });
  await recorder.refuses(id, "It has ended", -2200, { as: "alice", query });
  await recorder.refuses(id, "Neither id was sent", -1140, { as: "alice" });
  const bid = { ...SYMBOL, side: "BUY", type: "LIMIT", price: "59900", quantity: "0.01" };
  for (const newClientOrderId of ["bot/4", "bot/5"]) {
    await recorder.send("v3-place-order", { as: "alice", body: { ...bid, newClientOrderId } });
  }
  const several = { origClientOrderIds: ["bot/4", "bot/1"] };
  const batch = "v3-cancel-orders";
  await recorder.shows(batch, "One of two succeeds", { as: "alice", body: several });
  await recorder.refuses(batch, "No ids", -1140, { as: "alice", body: {} });
  const everything = { as: "alice", query: SYMBOL } as const;
  await recorder.shows("v3-cancel-open-orders", "What is left", everything);
  const elsewhere = { as: "alice", query: NO_MARKET } as const;
  await recorder.refuses("v3-cancel-open-orders", "No such market", -1121, elsewhere);
  await recorder.pass(1_300);
}

async function marketData(recorder: Recorder): Promise<void> {
  for (const id of ["v3-ticker-price", "v3-ticker-24hr", "v3-book-ticker"]) {
    await recorder.shows(id, "One market", { query: SYMBOL });
    await recorder.refuses(id, "No such market", -1121, { query: NO_MARKET });
  }
  await recorder.shows("v3-depth", "Fifteen prices a side", { query: { ...SYMBOL, limit: "15" } });
  const levels = { query: { ...SYMBOL, limit: "20" } };
  await recorder.refuses("v3-depth", "Another number of prices", -1140, levels);
  const minutes = { ...SYMBOL, interval: "1m" };
  await recorder.shows("v3-klines", "The last two minutes", { query: { ...minutes, limit: "2" } });
  const weeks = { query: { ...SYMBOL, interval: "2w" } };
  await recorder.refuses("v3-klines", "No such interval", -1142, weeks);
  await recorder.shows("v3-trades", "The latest trade", { query: { ...SYMBOL, limit: "1" } });
  await recorder.refuses("v3-trades", "No market was named", -1141);
}

async function wallets(recorder: Recorder): Promise<void> {
  await recorder.shows("v3-account", "All assets", { as: "alice" });
  const stranger = { permission: "affiliate" } as const;
  await recorder.refuses("v3-account", "A key that may not read this", -1052, stranger);
  const transfer = {
    clientTransferId: "to-contracts-1",
    fromType: "SPOT",
    toType: "CONTRACT",
    coinName: "USDT",
    amount: "50000",
  };
  await recorder.shows("v3-transfer", "To the contract wallet", { as: "alice", body: transfer });
  const all = { ...transfer, clientTransferId: "to-contracts-2", amount: "10000000" };
  await recorder.refuses("v3-transfer", "More than there is", -2201, { as: "alice", body: all });
  await recorder.pass(500);
  const bills = { coinId: 2, limit: 2 };
  await recorder.shows("v3-bills", "The newest two in USDT", { as: "alice", body: bills });
  const rows = { as: "alice", body: { limit: 1000 } } as const;
  await recorder.refuses("v3-bills", "More than a page has", -1140, rows);
  const funding = { as: "alice", body: { pageIndex: 1, pageSize: 2 } } as const;
  await recorder.shows("v3-funding-bills", "The newest two", funding);
  const page = { as: "alice", body: { pageIndex: 0 } } as const;
  await recorder.refuses("v3-funding-bills", "Pages begin with 1", -1140, page);
  const out = { as: "alice", query: { fromType: "SPOT", limit: "5" } } as const;
  await recorder.shows("v3-transfer-records", "Out of the spot wallet", out);
  const nowhere = { as: "alice", query: { fromType: "FUND" } } as const;
  await recorder.refuses("v3-transfer-records", "No such wallet", -1142, nowhere);
  const faucet = { clientFaucetId: "more-usdt-1", coinName: "USDT", amount: "1000" };
  await recorder.shows("v3-faucet", "To the spot wallet", { as: "alice", body: faucet });
  const other = { as: "alice", body: { ...faucet, amount: "2000" } } as const;
  await recorder.refuses("v3-faucet", "The id was used for another amount", -1140, other);
}
