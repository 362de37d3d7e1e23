/**
 * Proves on the real engine and over sockets what the private channels send in cases that random
 * trading does not cover: a balance that soon returns to its old value, money that arrives without
 * an order, the user's own fee rates, and fills from before anyone subscribed.
 */
import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import type { StreamClient } from "../../../test/support/stream-client.ts";
import { SYMBOL } from "../../../test/support/stream-fixture.ts";
import { StreamServer } from "../../../test/support/stream-server.ts";
import type { Product } from "../../domain/index.ts";
import { type Command, submitAll } from "../../protocol/index.ts";

type Entry = Readonly<Record<string, unknown>>;

async function open(t: TestContext): Promise<StreamServer> {
  const server = await StreamServer.open();
  t.after(() => server.close());
  return server;
}

function entriesOf(client: StreamClient, event: string): Entry[] {
  return client.of(event).flatMap(({ d }) => d as Entry[]);
}

function order(
  product: Product,
  uid: number,
  side: "BUY" | "SELL",
  clientOrderId: string,
  quantity: string,
): Command {
  const terms = {
    uid,
    symbol: SYMBOL,
    clientOrderId,
    side,
    orderType: "LIMIT",
    timeInForce: "GTC",
    price: "1000",
    quantity,
  } as const;
  if (product === "spot") return { type: "place-spot-order", ...terms, quantityUnit: "base" };
  return {
    type: "place-contract-order",
    ...terms,
    positionSide: side === "BUY" ? "LONG" : "SHORT",
    tpTriggerPrice: null,
    slTriggerPrice: null,
    tpWorkingType: "CONTRACT_PRICE",
    slWorkingType: "CONTRACT_PRICE",
  };
}

function cancel(product: Product, uid: number, clientOrderId: string): Command {
  const target = { uid, orderId: null, clientOrderId };
  return product === "spot"
    ? { type: "cancel-spot-order", symbol: SYMBOL, ...target }
    : { type: "cancel-contract-order", ...target };
}

for (const product of ["spot", "contract"] as const) {
  test(`${product}: a balance that is again what it was is sent`, async (t) => {
    const server = await open(t);
    const { fixture } = server;
    const uid = await fixture.user();
    const client = await server.private(product, uid);
    await client.subscribe("account", "orders");
    // Both commands run before the balance is queried.
    const commands = [order(product, uid, "BUY", "a", "1"), cancel(product, uid, "a")];
    const submissions = commands.map((command) => ({ kind: "command", command }) as const);
    await submitAll(fixture.exchange, submissions);
    await client.until(() => client.of("account").length > 0, "the balance");
    const usdt = entriesOf(client, "account").findLast(({ coin }) => coin === "USDT");
    assert.equal(usdt?.[product === "spot" ? "available" : "amount"], "100000000");
    await client.close();
  });

  test(`${product}: orders carry the user's own fee rates`, async (t) => {
    const server = await open(t);
    const { fixture } = server;
    const uid = await fixture.user();
    const rates = (symbol: string | null, makerFeeRate: string, takerFeeRate: string) =>
      fixture.must({
        type: "set-fee-rates",
        actor: "operator",
        uid,
        product,
        symbol,
        makerFeeRate,
        takerFeeRate,
      });
    await rates(null, "0.00010", "0.0003");
    const client = await server.private(product, uid);
    await client.subscribe("orders");
    const seen = async (clientOrderId: string): Promise<unknown[]> => {
      await fixture.must(order(product, uid, "BUY", clientOrderId, "1"));
      const isIt = (entry: Entry): boolean => entry.clientOrderId === clientOrderId;
      await client.until(() => entriesOf(client, "orders").some(isIt), "the order");
      const entry = entriesOf(client, "orders").find(isIt);
      return [entry?.makerFeeRate, entry?.takerFeeRate];
    };
    assert.deepEqual(await seen("a"), ["0.0001", "0.0003"]);
    await rates(SYMBOL, "0", "0.0002");
    assert.deepEqual(await seen("b"), ["0", "0.0002"]);
    const other = product === "spot" ? "contract" : "spot";
    await fixture.must({
      type: "set-fee-rates",
      actor: "operator",
      uid,
      product: other,
      symbol: SYMBOL,
      makerFeeRate: "0.005",
      takerFeeRate: "0.005",
    });
    assert.deepEqual(await seen("c"), ["0", "0.0002"]);
    await client.close();
  });

  test(`${product}: fills from before anybody listened count`, async (t) => {
    const server = await open(t);
    const { fixture } = server;
    const [uid, other] = [await fixture.user(), await fixture.user()];
    await fixture.must(order(product, uid, "SELL", "rests", "2"));
    await fixture.must(order(product, other, "BUY", "takes", "0.5"));
    const asked: unknown[] = [];
    fixture.exchange.historyScript = {
      "order-fill-totals": (question) => {
        asked.push(question);
        const [{ orderId = 0 } = {}] = question.orders;
        const prices = { last: "1000", highest: "1001", lowest: "999.5" };
        return [{ orderId, fee: "0.25", realizedPnl: "-1.5", ...prices }];
      },
    };
    const client = await server.private(product, uid);
    await client.subscribe("orders");
    await fixture.must(order(product, other, "BUY", "again", "0.5"));
    await client.until(() => client.of("orders").length > 0, "the order");
    const [entry] = entriesOf(client, "orders");
    const [fee] = product === "spot" ? ["0.75"] : ["0.35"];
    assert.deepEqual(
      [entry?.cumFillSize, entry?.cumFillFee, entry?.maxFillPrice, entry?.minFillPrice],
      ["1", fee, "1001", "999.5"],
    );
    if (product === "contract") assert.equal(entry?.cumRealizePnl, "-1.5");
    const orders = [{ orderId: Number(entry?.id), filledQuantity: "0.5" }];
    assert.deepEqual(asked, [{ product, uid, orders }]);
    await client.close();
  });
}

test("spot: what affiliates receive and give is told to both", async (t) => {
  const server = await open(t);
  const { fixture } = server;
  const [affiliate, maker, trader] = [await fixture.user(), await fixture.user(), 77];
  const actor = "operator";
  const rates = { spotRate: "0.5", futuresRate: "0.5", parentUid: null };
  await fixture.must({ type: "set-affiliate", actor, uid: affiliate, ...rates });
  const terms = { inviteCode: "TRADER", invitedWith: "INVITE1", kyc: false };
  await fixture.must({ type: "register-user", actor, uid: trader, ...terms });
  const funds = { actor, requestId: "t", uid: trader, wallet: "spot", asset: "USDT" } as const;
  await fixture.must({ type: "deposit-funds", ...funds, amount: "5000" });
  const clients = [await server.private("spot", affiliate), await server.private("spot", trader)];
  const [ofAffiliate, ofTrader] = clients as [StreamClient, StreamClient];
  for (const client of clients) await client.subscribe("account");
  const row = (client: StreamClient, asset: string): unknown =>
    entriesOf(client, "account").findLast(({ coin }) => coin === asset)?.equity;

  await fixture.must(order("spot", maker, "SELL", "m", "1"));
  await fixture.must(order("spot", trader, "BUY", "t", "1"));
  await fixture.must({ type: "settle-commissions", actor, reason: "test" });
  // Half of the buyer's fee of 0.002.
  await ofAffiliate.until(() => row(ofAffiliate, "BTC") === "100000000.001", "the commission");
  const payment = { uid: affiliate, toUid: trader, asset: "USDT", amount: "5", requestId: null };
  await fixture.must({ type: "withdraw-internally", ...payment });
  await ofAffiliate.until(() => row(ofAffiliate, "USDT") === "99999995", "what was sent");
  await ofTrader.until(() => row(ofTrader, "USDT") === "4005", "what was received");
  await fixture.must({
    type: "reverse-commission",
    actor,
    commissionId: 1,
    reason: "test",
    affiliateUid: affiliate,
    traderUid: trader,
    product: "spot",
    symbol: SYMBOL,
    asset: "BTC",
    amount: "0.001",
  });
  await ofAffiliate.until(() => row(ofAffiliate, "BTC") === "100000000", "what was taken back");
  const causes = ofAffiliate.of("account").map(({ msgEvent }) => msgEvent);
  assert.deepEqual(causes, ["DepositUpdate", "WithdrawUpdate", "WithdrawUpdate"]);
  for (const client of clients) await client.close();
});

test("a withdrawal is told when its money is frozen, free again, or gone", async (t) => {
  const server = await open(t);
  const { fixture } = server;
  const uid = await fixture.user();
  const actor = "operator";
  const limits = { enabled: true, minAmount: "1", fee: "0.5", dailyLimit: null };
  const holds = { addressHoldMs: 0, keyHoldMs: 0 };
  const asset = "USDT";
  await fixture.must({ type: "set-withdrawal-rules", actor, asset, ...limits, ...holds });
  const target = { network: "main", address: "a", memo: "", label: "" };
  await fixture.must({ type: "add-withdrawal-address", actor, uid, asset, ...target });
  const client = await server.private("spot", uid);
  await client.subscribe("account", "withdrawals");
  const request = (requestId: string): Command => {
    return { type: "request-withdrawal", actor, requestId, uid, addressId: 1, amount: "5" };
  };
  const step = (withdrawalId: number, state: "approved" | "rejected" | "sent" | "done") =>
    fixture.must({
      ...{ type: "set-withdrawal-state", actor, requestId: state, withdrawalId, state },
      note: "x",
    });
  const frozen = () => entriesOf(client, "account").findLast(({ coin }) => coin === asset)?.frozen;
  const equity = () => entriesOf(client, "account").findLast(({ coin }) => coin === asset)?.equity;

  await fixture.must(request("one"));
  await client.until(() => frozen() === "5", "the first is frozen");
  const before = equity();
  await step(1, "rejected");
  await client.until(() => frozen() === "0", "it is free again");
  await fixture.must(request("two"));
  await client.until(() => frozen() === "5", "the second is frozen");
  for (const state of ["approved", "sent", "done"] as const) await step(2, state);
  await client.until(() => frozen() === "0", "it is gone");
  assert.equal(Number(before) - Number(equity()), 5);
  const causes = client.of("account").map(({ msgEvent }) => msgEvent);
  assert.deepEqual(new Set(causes), new Set(["WithdrawUpdate"]));
  assert.equal(causes.length, 4, "approval and sending move no money");
  const rows = entriesOf(client, "withdrawals").map(({ withdrawalId, status, txId }) => {
    return [withdrawalId, status, txId];
  });
  assert.deepEqual(rows, [
    [1, "REQUESTED", ""],
    [1, "REJECTED", ""],
    [2, "REQUESTED", ""],
    [2, "APPROVED", ""],
    [2, "SENT", "x"],
    [2, "DONE", "x"],
  ]);
  await client.close();
});
