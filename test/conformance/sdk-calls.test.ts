/**
 * Proves that the client's calls work as documented: every method of spot, contracts and the
 * affiliate programme is called on a real exchange, and every answer matches its schema, from which
 * the static types are derived, without extra fields.
 */
import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import {
  type RialtoClient,
  type RialtoError,
  verifyAffiliateStatement,
} from "../../src/client/index.ts";
import { CheckedFetch } from "../support/checked-fetch.ts";
import { type ClientFixture, clientOf, openClientFixture } from "../support/client-fixture.ts";
import { pinMark } from "../support/contract-setup.ts";

const symbol = "BTCUSDT";
/** The calls of the client: each has to have been answered in the end. */
const CALLS = 102;

interface Clients {
  readonly fixture: ClientFixture;
  readonly alice: RialtoClient;
  readonly bob: RialtoClient;
  readonly affiliate: RialtoClient;
}

async function tradeSpot({ alice, bob }: Clients): Promise<void> {
  const limit = { symbol, type: "LIMIT", quantity: "0.5" } as const;
  const ask = await alice.spot.placeOrder({ ...limit, side: "SELL", price: "60000" });
  const bid = await bob.spot.placeOrder({
    ...limit,
    side: "BUY",
    price: "60000",
    quantity: "0.2",
    newClientOrderId: "bid-1",
  });
  assert.equal(bid.clientOrderId, "bid-1");
  const [fill] = await bob.spot.myTrades({ symbol, orderId: bid.orderId });
  assert.deepEqual([fill?.qty, fill?.price, fill?.isBuyer], ["0.2", "60000", true]);
  const order = await alice.spot.order({ orderId: ask.orderId });
  assert.deepEqual([order.status, order.executedQty], ["NEW", "0.2"]);
  assert.equal((await bob.spot.order({ origClientOrderId: "bid-1" })).status, "FILLED");
  const [level] = (await alice.spot.depth({ symbol, limit: 200 })).asks;
  assert.deepEqual(level, ["60000", "0.3"]);
  assert.equal((await alice.spot.cancelOrder({ orderId: ask.orderId })).status, "CANCELED");
  await assert.rejects(
    alice.spot.cancelOrder({ orderId: ask.orderId }),
    (error: RialtoError) => error.code === -2200 && error.status === 400,
  );
  const rest = { ...limit, side: "BUY", price: "50000", quantity: "0.1" } as const;
  const placed = [await alice.spot.placeOrder(rest), await alice.spot.placeOrder(rest)];
  await alice.spot.placeOrder(rest);
  const { orderList } = await alice.spot.cancelOrders({
    orderIds: placed.map(({ orderId }) => orderId),
  });
  assert.deepEqual(
    orderList.map(({ status }) => status),
    ["CANCELED", "CANCELED"],
  );
  const [open, ...others] = await alice.spot.openOrders({ symbol });
  assert.equal(others.length, 0);
  const { orderId } = open ?? { orderId: 0 };
  const amended = await alice.spot.amendOrder({ orderId, quantity: "0.05" });
  assert.deepEqual([amended.origQty, amended.keptPriority], ["0.05", true]);
  await alice.spot.testOrder(rest);
  await assert.rejects(
    alice.spot.testOrder({ ...rest, quantity: "900" }),
    (error: RialtoError) => error.code === -2201,
  );
  await alice.spot.cancelAllAfter({ countdownMs: 60_000 });
  assert.equal((await alice.spot.countdowns()).length, 1);
  await alice.spot.cancelAllAfter({ countdownMs: 0 });
  assert.deepEqual(await alice.spot.countdowns(), []);
  assert.equal((await alice.spot.cancelOpenOrders({ symbol })).length, 1);
  assert.equal((await alice.spot.openOrders()).length, 0);
  assert.equal((await alice.spot.allOrders({ symbol })).length, 4);
}

async function readSpot({ alice }: Clients): Promise<void> {
  const { spot } = alice;
  assert.ok((await spot.serverTime()).serverTime > 0);
  await spot.ping();
  assert.ok((await spot.coins()).some(({ coin }) => coin === "BTC"));
  assert.deepEqual(await spot.tradingSymbols(), ["BTCUSDT", "ETHUSDT"]);
  const both = await spot.exchangeInfo({ symbols: ["BTCUSDT", "ETHUSDT"] });
  assert.equal(both.symbols.length, 2);
  assert.equal((await spot.exchangeInfo({ symbol })).symbols[0]?.tickSize, "0.01");
  assert.equal((await spot.prices({ symbol }))[0]?.price, "60000");
  assert.equal((await spot.tickers()).length, 2);
  assert.equal((await spot.bookTickers({ symbol })).length, 1);
  assert.equal((await spot.klines({ symbol, interval: "1m" })).at(-1)?.[4], "60000");
  assert.equal((await spot.trades({ symbol, limit: 1 }))[0]?.qty, "0.2");
  const account = await spot.account();
  assert.ok(account.balances.some(({ asset, free }) => asset === "BTC" && free === "99.8"));
  assert.equal((await spot.bills({ bizType: "trade_out", limit: 5 })).length, 1);
  assert.equal((await spot.fundingBills()).items.length, 4);
}

async function transferFunds({ alice }: Clients): Promise<void> {
  const transfer = { fromType: "SPOT", toType: "CONTRACT", coinName: "USDT" } as const;
  await alice.spot.transfer({ ...transfer, amount: "100" });
  const clientTransferId = "transfer-1";
  const once = await alice.spot.transfer({ ...transfer, amount: "7", clientTransferId });
  assert.deepEqual(await alice.spot.transfer({ ...transfer, amount: "7", clientTransferId }), once);
  assert.equal((await alice.spot.transfers()).length, 2);
  const credit = { coinName: "USDT", amount: "3" } as const;
  const first = await alice.spot.faucet({ ...credit, toType: "CONTRACT" });
  assert.notEqual(first.clientFaucetId, (await alice.spot.faucet(credit)).clientFaucetId);
}

async function first<Row extends { readonly status: string }>(
  channel: AsyncIterable<Row>,
  status: Row["status"],
): Promise<Row | null> {
  for await (const row of channel) if (row.status === status) return row;
  return null;
}

async function withdraw({ fixture, alice }: Clients): Promise<void> {
  const { operator } = fixture.exchange;
  const hold = { addressHoldMs: 0, keyHoldMs: 0 };
  await operator.call("PUT", "/operator/v1/withdrawal-rules/USDT", { minAmount: "1", ...hold });
  await operator.call("PUT", "/operator/v1/deposit-rules/USDT/main", { confirmations: 2 });
  const target = { asset: "USDT", network: "main", address: "a1" } as const;
  const { spot } = alice;
  const stream = alice.streams.spotAccount();
  const channels = { withdrawals: stream.withdrawals(), deposits: stream.deposits() };
  await Promise.all(Object.values(channels).map(({ ready }) => ready));
  const rejected = first(channels.withdrawals, "REJECTED");
  const pending = first(channels.deposits, "PENDING");
  const { addressId } = await spot.addWithdrawalAddress({ ...target, label: "cold" });
  assert.equal((await spot.withdrawalAddresses())[0]?.label, "cold");
  const once = await spot.withdraw({ addressId, amount: "10", clientWithdrawalId: "out-1" });
  const again = await spot.withdraw({ addressId, amount: "10", clientWithdrawalId: "out-1" });
  assert.deepEqual(again, once);
  const { withdrawalId } = await spot.withdraw({ addressId, amount: "20" });
  assert.equal((await spot.cancelWithdrawal({ withdrawalId })).status, "REJECTED");
  const { steps } = await spot.withdrawal({ withdrawalId });
  assert.deepEqual(
    steps.map(({ status, isOwn }) => [status, isOwn]),
    [
      ["REQUESTED", true],
      ["REJECTED", true],
    ],
  );
  const [older] = await spot.withdrawals({ beforeId: withdrawalId });
  assert.deepEqual([older?.amount, older?.status], ["10", "REQUESTED"]);
  const seen = { network: "main", transactionId: "0x1", asset: "USDT", amount: "7" };
  const report = { ...seen, uid: fixture.alice.uid, confirmations: 1 };
  await operator.call("POST", "/operator/v1/deposit-reports", report);
  const [deposit] = await spot.deposits({ status: "PENDING" });
  assert.equal(deposit?.txId, "0x1");
  assert.deepEqual(await pending, deposit);
  assert.deepEqual([await rejected], await spot.withdrawals({ status: "REJECTED" }));
  stream.close();
  await spot.removeWithdrawalAddress({ addressId });
}

async function manageKeys({ alice }: Clients): Promise<void> {
  const { spot } = alice;
  const made = await spot.createApiKey({ permissions: ["read"], passphrase: "sdk-calls-1" });
  assert.match(made.secret, /^[0-9a-f]{64}$/);
  const listed = (await spot.apiKeys()).find(({ apiKey }) => apiKey === made.apiKey);
  assert.deepEqual([listed?.permissions, listed?.isThis], [["read"], false]);
  assert.equal((await spot.revokeApiKey({ apiKey: made.apiKey })).revoked, true);
}

async function callV2({ alice }: Clients): Promise<void> {
  const { spotV2 } = alice;
  assert.equal((await spotV2.ticker({ symbol })).lastPrice, "60000");
  assert.ok((await spotV2.assets()).some(({ coinName }) => coinName === "ETH"));
  const order = { symbol, side: "buy", orderType: "limit", force: "normal" } as const;
  const { orderId } = await spotV2.placeOrder({ ...order, price: "50000", quantity: "0.1" });
  const cancelled = await spotV2.cancelOrder({ symbol, orderId });
  assert.equal(cancelled.result, true);
  assert.equal((await spotV2.cancelOrder({ symbol, orderId: String(orderId) })).result, false);
}

async function readContracts({ alice }: Clients): Promise<void> {
  const { contract } = alice;
  assert.ok((await contract.serverTime()).serverTime > 0);
  assert.equal((await contract.exchangeInfo()).symbols.length, 2);
  assert.deepEqual(await contract.tradingSymbols(), ["BTCUSDT", "ETHUSDT"]);
  await contract.depth({ symbol });
  assert.equal((await contract.tickers({ symbol })).length, 1);
  assert.equal((await contract.bookTickers()).length, 2);
  assert.ok((await contract.trades({ symbol })).length > 0);
  assert.ok((await contract.klines({ symbol, interval: "1m" })).length > 0);
  await contract.indexPriceKlines({ symbol, interval: "1m" });
  await contract.markPriceKlines({ symbol, interval: "1m" });
  await contract.historyKlines({ symbol, interval: "1m", priceType: "MARK" });
  assert.equal((await contract.symbolPrice({ symbol })).price, "60000");
  assert.equal((await contract.openInterest({ symbol })).openInterest, "1");
  assert.equal((await contract.premiumIndex({ symbol }))[0]?.indexPrice, "60000");
  await contract.fundingRates({ symbol });
}

async function tradeContracts({ alice, bob }: Clients): Promise<void> {
  const limit = { symbol, type: "LIMIT", timeInForce: "GTC", price: "60000" } as const;
  const short = { ...limit, side: "SELL", positionSide: "SHORT", quantity: "1" } as const;
  const { orderId } = await bob.contract.placeOrder(short);
  const long = { symbol, side: "BUY", positionSide: "LONG", quantity: "1" } as const;
  await alice.contract.placeOrder({ ...long, type: "MARKET" });
  assert.equal((await bob.contract.order({ orderId })).status, "FILLED");
  assert.equal((await alice.contract.positions())[0]?.size, "1");
  assert.equal((await bob.contract.positionsOf({ symbol }))[0]?.side, "SHORT");
  const [fill] = await alice.contract.userTrades({ symbol });
  assert.equal(fill?.qty, "1");
  const far = { ...long, type: "LIMIT", timeInForce: "GTC", price: "50000" } as const;
  const placed = await alice.contract.placeOrders([far, far, { ...far, price: "50000.001" }]);
  assert.deepEqual(
    placed.map(({ success }) => success),
    [true, true, false],
  );
  assert.equal((await alice.contract.openOrders()).length, 2);
  const [one, other] = placed;
  await alice.contract.cancelOrder({ orderId: one?.orderId ?? "" });
  const { orderList } = await alice.contract.cancelOrders({ orderIdList: [other?.orderId ?? ""] });
  assert.equal(orderList[0]?.success, true);
  await alice.contract.placeOrder(far);
  assert.equal((await alice.contract.cancelAllOrders({ symbol })).length, 1);
  assert.ok((await alice.contract.orderHistory()).length >= 4);
}

async function tradeConditionally({ alice }: Clients): Promise<void> {
  const { contract } = alice;
  const stop = { symbol, side: "SELL", positionSide: "LONG", type: "STOP_MARKET" } as const;
  const placed = await contract.placeAlgoOrder({ ...stop, quantity: "1", triggerPrice: "50000" });
  const [tp] = await contract.placeTpSlOrder({
    symbol,
    planType: "TAKE_PROFIT",
    triggerPrice: "70000",
    positionSide: "LONG",
  });
  assert.equal(tp?.success, true);
  await contract.modifyTpSlOrder({ orderId: tp?.orderId ?? 0, triggerPrice: "71000" });
  const open = await contract.openAlgoOrders({ symbol });
  assert.deepEqual(open.map(({ triggerPrice }) => triggerPrice).toSorted(), ["50000", "71000"]);
  assert.equal((await contract.cancelAlgoOrder({ orderId: placed.orderId })).success, true);
  assert.equal((await contract.cancelAllAlgoOrders()).length, 1);
  assert.equal((await contract.algoOrderHistory()).orders.length, 2);
}

async function keepContracts({ fixture, alice }: Clients): Promise<void> {
  const { contract } = alice;
  assert.equal((await contract.balance())[0]?.asset, "USDT");
  assert.equal((await contract.accountConfig()).canTrade, true);
  assert.equal((await contract.symbolConfig({ symbol }))[0]?.marginType, "CROSSED");
  assert.equal((await contract.commissionRate({ symbol })).symbol, symbol);
  assert.equal((await contract.setLeverage({ symbol, crossLeverage: 10 })).crossLeverage, "10");
  assert.ok((await contract.income()).items.length > 0);
  const other = "ETHUSDT";
  await contract.setMarginType({ symbol: other, marginType: "ISOLATED" });
  const resting = { symbol: other, type: "LIMIT", timeInForce: "GTC", price: "3000" } as const;
  const bob = clientOf(fixture.exchange, fixture.bob);
  await bob.contract.placeOrder({
    ...resting,
    side: "SELL",
    positionSide: "SHORT",
    quantity: "1",
  });
  await contract.placeOrder({ ...resting, side: "BUY", positionSide: "LONG", quantity: "1" });
  const [position] = await contract.positionsOf({ symbol: other });
  const positionId = position?.id ?? 0;
  await contract.changePositionMargin({ isolatedPositionId: positionId, amount: "50", type: 1 });
  await contract.setAutoAppendMargin({ positionId, autoAppendMargin: true });
  await bob.contract.placeOrder({
    ...resting,
    side: "BUY",
    positionSide: "LONG",
    quantity: "1",
  });
  const dear = { ...resting, price: "3050", quantity: "1" } as const;
  const order = { ...dear, side: "SELL", positionSide: "SHORT" } as const;
  await contract.testOrder(order);
  const { orderId } = await contract.placeOrder(order);
  const amended = await contract.amendOrder({ orderId, quantity: "0.5" });
  assert.deepEqual([amended.origQty, amended.keptPriority], ["0.5", true]);
  await contract.cancelAllAfter({ symbol: other, countdownMs: 60_000 });
  assert.equal((await contract.countdowns()).length, 1);
  await contract.cancelAllAfter({ symbol: other, countdownMs: 0 });
  await contract.cancelOrder({ orderId });
  const [closed] = await contract.closePositions({ symbol: other });
  assert.equal(closed?.success, true);
  await pinMark(fixture.exchange, symbol, null);
}

async function earnCommissions({ fixture, affiliate }: Clients): Promise<void> {
  const { affiliate: programme } = affiliate;
  const { channelCommissionInfoItems: items } = await programme.commissions();
  const [first] = items;
  assert.ok(first !== undefined);
  const explained = await programme.explain({ commissionId: first.commissionId });
  assert.equal(explained.commission, first.commission);
  const [day] = await programme.commissionDays();
  assert.ok(day !== undefined && day.commissions > 0);
  const referrals = await programme.referrals();
  const profile = await programme.profile();
  assert.equal(profile.inviteCode, referrals.channelUserInfoItemList[0]?.inviteCode);
  assert.deepEqual(
    referrals.channelUserInfoItemList.map(({ uid }) => Number(uid)).toSorted(),
    [fixture.alice.uid, fixture.bob.uid].toSorted(),
  );
  assert.equal((await programme.referralActivity({ uid: fixture.alice.uid })).records.length, 1);
  await programme.subAffiliates({ productType: "SPOT" });
  await fixture.exchange.operator.call("POST", "/operator/v1/commission-settlements", {
    reason: "for a test",
  });
  const payment = { toUserId: fixture.alice.uid, coin: "USDT", amount: "1" } as const;
  const clientWithdrawalId = "payment-1";
  const { id } = await programme.withdrawInternally({ ...payment, clientWithdrawalId });
  const again = await programme.withdrawInternally({ ...payment, clientWithdrawalId });
  assert.equal(again.id, id);
  const { items: paid } = await programme.internalWithdrawals({ withdrawID: id });
  assert.deepEqual(
    paid.map(({ amount }) => amount),
    ["1"],
  );
}

async function checkStatements({ affiliate: { affiliate } }: Clients): Promise<void> {
  const heads = await affiliate.statementHeads();
  const { date, hash } = heads.at(-1) ?? { date: "", hash: "" };
  for (const format of ["json", "csv"] as const) {
    const text = await affiliate.statement({ from: date, to: date, format });
    const verdict = await affiliate.verifyStatement(text, hash);
    assert.ok(verdict.isValid, JSON.stringify(verdict));
    assert.ok(verdict.statement.entries.length > 0);
    const at = text.lastIndexOf("0.");
    const forged = `${text.slice(0, at)}9${text.slice(at + 1)}`;
    assert.equal((await verifyAffiliateStatement(forged, hash)).isValid, false);
    assert.equal((await verifyAffiliateStatement(text, "0".repeat(64))).isValid, false);
  }
}

const STEPS: readonly (readonly [string, (clients: Clients) => Promise<void>])[] = [
  ["spot: trading", tradeSpot],
  ["spot: reading", readSpot],
  ["spot: transfers", transferFunds],
  ["spot: withdrawals", withdraw],
  ["spot: API keys", manageKeys],
  ["v2", callV2],
  ["contracts: trading", tradeContracts],
  ["contracts: market data", readContracts],
  ["contracts: conditional orders", tradeConditionally],
  ["contracts: account", keepContracts],
  ["affiliate: reports and payments", earnCommissions],
  ["affiliate: statements", checkStatements],
];

test("every call of the client, on a real exchange", async (t: TestContext) => {
  const fixture = await openClientFixture();
  t.after(() => fixture.exchange.stop());
  const checked = new CheckedFetch();
  const open = (party: ClientFixture["alice"]): RialtoClient =>
    clientOf(fixture.exchange, party, { fetch: checked.fetch });
  const clients: Clients = {
    fixture,
    alice: open(fixture.alice),
    bob: open(fixture.bob),
    affiliate: open(fixture.affiliate),
  };
  for (const [name, step] of STEPS) await t.test(name, () => step(clients));
  assert.equal(checked.answered.size, CALLS, [...checked.answered].sort().join(" "));
});
