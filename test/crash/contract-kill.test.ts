/**
 * Proves that `kill -9` loses nothing of contracts. The real process is killed at random moments
 * and restarted on the same folder, over and over, while traders open, close and place conditional
 * orders, the mark jumps so that some of them are liquidated, and funding slots pass. After each
 * start every acknowledged order exists under its id; every wallet equals the end of its own chain
 * of income; long and short sizes are equal; the ledger sums to zero; and another start changes
 * nothing visible.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import {
  BTC_CONTRACT,
  listContract,
  openContractAccount,
  pinMark,
  setIndex,
} from "../support/contract-setup.ts";
import {
  BUY_LONG,
  BUY_SHORT,
  done,
  isolate,
  orderBody,
  orderOf,
  positionsOf,
  SELL_LONG,
  SELL_SHORT,
  SYMBOL,
  walletOf,
} from "../support/contract-trading.ts";
import { exact, sum, text } from "../support/exact.ts";
import { ExchangeProcess } from "../support/exchange-process.ts";
import type { Account } from "../support/exchange-setup.ts";
import { untilGone } from "../support/killed-exchange.ts";
import { Random, scaled, seededRandom } from "../support/random.ts";
import { SignedClient } from "../support/signed-client.ts";

const CYCLES = scaled(8, 200);
const TRADERS = 6;
const FUNDS = "20000";
const HOUR_MS = 3_600_000;
const DIRECTIONS = [BUY_LONG, SELL_SHORT, BUY_LONG, SELL_SHORT, SELL_LONG, BUY_SHORT] as const;
const random = seededRandom("crash/contract-kill");

interface Trader {
  account: Account;
  /** By id, what was acknowledged. */
  readonly orders: Map<number, string>;
}

interface IncomePage {
  readonly nextKey: object | null;
  readonly items: readonly { readonly income: string; readonly balance: string }[];
}

async function actOnce({ account, orders }: Trader, dice: Random): Promise<void> {
  const direction = dice.pick(DIRECTIONS);
  const price = (dice.integer(596_000, 604_000) / 10).toFixed(1);
  const quantity = (dice.integer(1, 400) / 1000).toFixed(3);
  const kind = dice.integer(0, 9);
  if (kind === 0) {
    await account.client.delete("/capi/v3/allOpenOrders", { symbol: SYMBOL });
  } else if (kind === 1) {
    await account.client.post("/capi/v3/algoOrder", {
      symbol: SYMBOL,
      ...direction,
      type: dice.pick(["STOP_MARKET", "TAKE_PROFIT_MARKET"]),
      quantity,
      triggerPrice: price,
      clientAlgoId: `algo-${dice.integer(0, 1_000_000_000)}`,
    });
  } else if (kind === 2) {
    await account.client.post("/capi/v3/closePositions", {});
  } else {
    const opens = direction === BUY_LONG || direction === SELL_SHORT;
    const isLong = direction.positionSide === "LONG";
    const stop = { slTriggerPrice: isLong ? "58000" : "62000" };
    const attached = opens && dice.chance(0.2) ? stop : {};
    const body = orderBody(direction, quantity, price, attached);
    const answer = await account.client.post("/capi/v3/order", body);
    if (answer.status !== 200) {
      assert.equal(answer.status, 400, answer.text);
      return;
    }
    const { orderId, clientOrderId } = answer.body as { orderId: string; clientOrderId: string };
    orders.set(Number(orderId), clientOrderId);
  }
}

class Campaign {
  acknowledged = 0;
  #cycles = 0;
  readonly #exchange: ExchangeProcess;
  readonly #traders: Trader[] = [];

  constructor(exchange: ExchangeProcess) {
    this.#exchange = exchange;
  }

  async open(): Promise<void> {
    for (let i = 0; i < TRADERS; i++) {
      const account = await openContractAccount(this.#exchange, FUNDS);
      if (i % 2 === 0) await isolate(account, 50);
      this.#traders.push({ account, orders: new Map() });
    }
  }

  async cycle(): Promise<void> {
    const load = this.#traders.map((trader) => {
      const dice = new Random(random.integer(0, 2 ** 31));
      return untilGone(() => actOnce(trader, dice));
    });
    const dice = new Random(random.integer(0, 2 ** 31));
    load.push(untilGone(() => this.#disturb(dice)));
    await sleep(random.integer(100, 700));
    // Positions of 50x on either side do not survive both.
    if (this.#cycles++ % 2 === 0) {
      for (const price of ["58000", "62000"]) await pinMark(this.#exchange, SYMBOL, price);
    }
    await this.#exchange.kill("SIGKILL");
    await Promise.all(load);
    await this.#restarted();
    await this.#check();
    const before = await this.#readAll();
    await this.#exchange.kill(random.chance(0.5) ? "SIGTERM" : "SIGKILL");
    await this.#restarted();
    assert.deepEqual(await this.#readAll(), before);
  }

  /** What an operator and time do while others trade. */
  async #disturb(dice: Random): Promise<void> {
    const jump = dice.chance(0.15) ? 18_000 : 3_000;
    const price = ((600_000 + dice.integer(-jump, jump)) / 10).toFixed(1);
    await pinMark(this.#exchange, SYMBOL, price);
    if (dice.chance(0.2)) await this.#exchange.operator.advanceClock(dice.integer(1, 9) * HOUR_MS);
    if (dice.chance(0.1)) await this.#exchange.operator.takeSnapshot();
    await sleep(20);
  }

  /** Every connection is new; the mark is held, so that nothing changes while it is read. */
  async #restarted(): Promise<void> {
    await this.#exchange.restart();
    for (const trader of this.#traders) {
      const { account } = trader;
      account.client.close();
      const client = new SignedClient(this.#exchange.port, account.credentials);
      trader.account = { ...account, client };
    }
    await pinMark(this.#exchange, SYMBOL, "60000");
  }

  async #check(): Promise<void> {
    const { ok, violations, totals } = await this.#exchange.operator.invariants();
    assert.equal(ok, true, violations.join("; "));
    for (const [asset, accounts] of Object.entries(totals)) {
      assert.equal(sum(Object.values(accounts).map(exact)), 0n, `${asset} does not sum to zero`);
    }
    const sizes = { LONG: 0n, SHORT: 0n };
    for (const trader of this.#traders) {
      const { account, orders } = trader;
      for (const [orderId, clientOrderId] of orders) {
        assert.equal((await orderOf(account, orderId)).clientOrderId, clientOrderId);
      }
      this.acknowledged += orders.size;
      orders.clear();
      for (const { side, size } of await positionsOf(account)) {
        sizes[side as "LONG" | "SHORT"] += exact(size);
      }
      await this.#checkChain(account);
    }
    assert.equal(text(sizes.LONG), text(sizes.SHORT), "open interest");
  }

  async #checkChain(account: Account): Promise<void> {
    let cursor: object | null = {};
    let next = (await walletOf(account)).balance;
    while (cursor !== null) {
      const body: object = { limit: 100, ...cursor };
      const page: IncomePage = await done(account, "account/income", body);
      for (const { income, balance } of page.items) {
        assert.equal(balance, next, "a row does not end where the next one begins");
        next = text(exact(balance) - exact(income));
      }
      cursor = page.nextKey;
    }
    assert.equal(next, "0");
  }

  /** How often something happened to any of the traders, up to a page of each. */
  async count(incomeType: string): Promise<number> {
    let found = 0;
    for (const { account } of this.#traders) {
      const page: IncomePage = await done(account, "account/income", { limit: 100, incomeType });
      found += page.items.length;
    }
    return found;
  }

  async #readAll(): Promise<unknown[]> {
    const paths = [
      "openOrders",
      "openAlgoOrders",
      "account/position/allPosition",
      "account/balance",
    ];
    const answers: unknown[] = [];
    for (const { account } of this.#traders) {
      for (const path of paths) answers.push(await account.client.v3(`/capi/v3/${path}`));
    }
    return answers;
  }
}

test("kill -9 while contracts are traded, over and over", async (t) => {
  const exchange = await ExchangeProcess.start();
  t.after(() => exchange.stop());
  await listContract(exchange, SYMBOL, BTC_CONTRACT);
  await setIndex(exchange, SYMBOL, "60000");
  await pinMark(exchange, SYMBOL, "60000");
  const campaign = new Campaign(exchange);
  await campaign.open();
  for (let cycle = 1; cycle <= CYCLES; cycle++) {
    await t.test(`cycle ${cycle}`, () => campaign.cycle());
  }
  const liquidations = await campaign.count("start_liquidate");
  const payments = await campaign.count("position_funding");
  t.diagnostic(
    `${campaign.acknowledged} acknowledged orders found, ${liquidations} liquidations, ` +
      `${payments} payments of funding`,
  );
  assert.ok(liquidations > 0 && payments > 0, `${liquidations} liquidations, ${payments} payments`);
  assert.ok(campaign.acknowledged > CYCLES * 5, `only ${campaign.acknowledged} orders`);
});
