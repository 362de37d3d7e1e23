/**
 * Proves that the private streams are the histories. Over random sessions on spot and on contracts
 * an account that was listened to from its first deposit on, and that asked REST for nothing, knows
 * what REST answers: every fill, each once, the last state of every order, also of conditional ones
 * and of those that liquidation, netting and deleveraging made, balances and positions. One who
 * comes later, and all of them after the process was killed in the middle, ask REST once and know
 * the same. Versions have no gap and never go back.
 */
import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import type { Product, Row } from "../support/account-histories.ts";
import { AccountWatch } from "../support/account-watch.ts";
import {
  depositContract,
  listStandardContracts,
  openContractAccount,
  passFundingSlot,
  pinMark,
} from "../support/contract-setup.ts";
import {
  BUY_LONG,
  BUY_SHORT,
  isolate,
  openBoth,
  place,
  SELL_SHORT,
} from "../support/contract-trading.ts";
import { exact, text } from "../support/exact.ts";
import { ExchangeProcess } from "../support/exchange-process.ts";
import { type Account, listStandardMarkets, openAccount } from "../support/exchange-setup.ts";
import { scaled, seededRandom } from "../support/random.ts";
import { CONTRACT_ACTS, RandomSession, SPOT_ACTS } from "../support/random-session.ts";
import { SignedClient } from "../support/signed-client.ts";

const random = seededRandom("conformance/streams-private");
/** More in one session, and a page of the histories would not hold it. */
const ACTS = Math.min(scaled(300), 700);
const SYMBOL = "BTCUSDT";

interface Sessions {
  readonly exchange: ExchangeProcess;
  readonly product: Product;
  readonly session: RandomSession;
  accounts: Account[];
  watches: AccountWatch[];
}

/** Fees and prices of each order that was filled are those of its fills. */
function checkTotals(watch: AccountWatch): number {
  const byOrder = new Map<string, Row[]>();
  for (const fill of watch.fills.values()) {
    const key = String(fill.orderId);
    byOrder.set(key, [...(byOrder.get(key) ?? []), fill]);
  }
  let checked = 0;
  for (const [id, order] of watch.orders) {
    const fills = byOrder.get(id);
    // What REST says of an order has no fees.
    if (fills === undefined || order.cumFillFee === undefined) continue;
    checked++;
    const sum = (name: string): string =>
      text(fills.reduce((total, fill) => total + exact(String(fill[name])), 0n));
    assert.equal(order.cumFillFee, sum("fillFee"), `fees of ${id}`);
    if ("cumRealizePnl" in order) assert.equal(order.cumRealizePnl, sum("realizePnl"));
    const size = exact(String(order.cumFillSize));
    assert.equal(text(size), sum("fillSize"));
    const [highest, lowest] = [order.maxFillPrice, order.minFillPrice].map((price) =>
      exact(String(price)),
    );
    assert.ok((lowest ?? 0n) > 0n && (lowest ?? 0n) <= (highest ?? 0n));
  }
  return checked;
}

async function check({ exchange, watches }: Sessions): Promise<void> {
  for (const watch of watches) await watch.agrees(exchange);
}

async function killed(sessions: Sessions): Promise<void> {
  const { exchange } = sessions;
  await exchange.kill("SIGKILL");
  await exchange.restart();
  sessions.accounts = sessions.accounts.map(({ uid, client }) => {
    client.close();
    const { credentials } = client;
    return { uid, credentials, client: new SignedClient(exchange.port, credentials) };
  });
}

/** Listens from the beginning, then later, then after a kill; the same acts in between. */
async function course(
  t: TestContext,
  sessions: Sessions,
  act: (count: number) => Promise<void>,
): Promise<void> {
  const { exchange, product, accounts } = sessions;
  await act(ACTS);
  await check(sessions);
  let checked = 0;
  for (const watch of sessions.watches) {
    assert.equal(watch.repeatedFills, 0, "each fill is one message");
    assert.ok(watch.fills.size > 0);
    checked += checkTotals(watch);
  }
  assert.ok(checked > 0);
  t.diagnostic(`${checked} orders with fills`);

  const late = accounts.map((account) => new AccountWatch(account, product));
  for (const watch of late) await watch.catchUp(exchange);
  sessions.watches.push(...late);
  await act(Math.ceil(ACTS / 4));
  await check(sessions);
  for (const watch of late) checkTotals(watch);

  // The process ends in the midst of requests; what was answered is there, and told of by REST.
  const interrupted = act(ACTS).catch(() => undefined);
  const [first] = sessions.watches;
  const messages = (first?.messages ?? 0) + 5;
  while ((first?.messages ?? 0) < messages) await new Promise((resolve) => setImmediate(resolve));
  await killed(sessions);
  await interrupted;
  await act(10);
  for (const watch of sessions.watches) await watch.catchUp(exchange);
  await check(sessions);
  await act(Math.ceil(ACTS / 4));
  await check(sessions);
  for (const watch of sessions.watches) {
    checkTotals(watch);
    await watch.close();
  }
}

test("spot: streams are the histories", async (t) => {
  const exchange = await ExchangeProcess.start();
  t.after(() => exchange.stop());
  await listStandardMarkets(exchange);
  const accounts = [await openAccount(exchange), await openAccount(exchange)];
  accounts.push(await openAccount(exchange));
  const watches = accounts.map((account) => new AccountWatch(account, "spot"));
  for (const watch of watches) await watch.listen(exchange);
  for (const { uid } of accounts) {
    for (const [asset, amount] of [
      ["USDT", "10000000"],
      ["BTC", "1000"],
      ["ETH", "1000"],
    ]) {
      const body = { id: `d-${uid}-${asset}`, account: "spot", asset, amount };
      await exchange.operator.call("POST", `/operator/v1/users/${uid}/deposits`, body);
    }
  }
  const session = new RandomSession(random, exchange);
  const sessions: Sessions = { exchange, product: "spot", session, accounts, watches };
  await course(t, sessions, (count) => session.run(SPOT_ACTS, sessions.accounts, count));
});

/** One is liquidated where nobody buys, one into the book, and one has both sides netted first. */
async function forcedEnds({ exchange, accounts, watches }: Sessions): Promise<void> {
  const [alice, bob, carol, dave] = accounts as [Account, Account, Account, Account];
  await isolate(alice, 20);
  await openBoth(alice, bob, "1", "60000");
  // Nobody buys what Alice loses: her position is closed against Bob's.
  await pinMark(exchange, SYMBOL, "57332.5");
  await pinMark(exchange, SYMBOL, "60000");
  await isolate(carol, 20);
  await openBoth(carol, bob, "1", "60000");
  await place(bob, BUY_SHORT, "1", "57332.5");
  await pinMark(exchange, SYMBOL, "57332.5");
  await pinMark(exchange, SYMBOL, "60000");
  await openBoth(dave, bob, "0.5", "60000");
  await openBoth(bob, dave, "0.2", "60000");
  // 3,000 less 0.3 × 10,000 is not enough for what both sides need.
  await pinMark(exchange, SYMBOL, "50000");
  await pinMark(exchange, SYMBOL, "60000");
  await depositContract(exchange, dave.uid, "1000000");
  await openBoth(bob, alice, "0.01", "60000");
  await place(bob, SELL_SHORT, "0.02", "60000");
  await place(alice, BUY_LONG, "0.01", "60000");
  await passFundingSlot(exchange, alice, SYMBOL);
  const sources = new Set(
    watches.flatMap(({ orders }) => [...orders.values()].map(({ orderSource }) => orderSource)),
  );
  for (const source of ["API", "LIQUIDATION", "ADL", "NETTING"])
    assert.ok(sources.has(source), source);
}

test("contract: streams are the histories", async (t) => {
  const exchange = await ExchangeProcess.start();
  t.after(() => exchange.stop());
  await listStandardContracts(exchange);
  const accounts = [await openContractAccount(exchange), await openContractAccount(exchange)];
  accounts.push(await openContractAccount(exchange), await openContractAccount(exchange));
  const watches = accounts.map((account) => new AccountWatch(account, "contract"));
  for (const watch of watches) await watch.listen(exchange);
  for (const [i, amount] of ["1000000", "1000000", "1000000", "3000"].entries()) {
    await depositContract(exchange, accounts[i]?.uid ?? 0, amount);
  }
  const session = new RandomSession(random, exchange);
  const sessions: Sessions = { exchange, product: "contract", session, accounts, watches };
  await forcedEnds(sessions);
  await course(t, sessions, async (count) => {
    await session.run(CONTRACT_ACTS, sessions.accounts, count);
    // What may be used changes with the mark, which sends no message: each does something more.
    await pinMark(exchange, SYMBOL, "60000");
    for (const account of sessions.accounts) {
      const orderId = await place(account, BUY_LONG, "0.001", "58500");
      await account.client.delete("/capi/v3/order", { orderId });
    }
  });
});
