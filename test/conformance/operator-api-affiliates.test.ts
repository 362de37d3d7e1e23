/**
 * Proves from outside how an operator runs the affiliate programme: rates and the tree, what a fill
 * earned and where it comes from, holds, releases and reversals with a reason, the settlement by
 * the clock and by hand, other rates over the same past, and that a statement ends in the head that
 * the operator publishes. All of it is in the audit under the name of who asked, and the money adds
 * up.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import {
  openAffiliate,
  openInvitee,
  passFullHour,
  V3_AFFILIATE,
} from "../support/affiliate-setup.ts";
import { ExchangeProcess, temporaryFolder } from "../support/exchange-process.ts";
import {
  type Account,
  BTCUSDT,
  listAssets,
  listMarket,
  openAccount,
} from "../support/exchange-setup.ts";
import type { HttpAnswer } from "../support/http-exchange.ts";
import { PROGRAM } from "../support/program.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const TOP_RATES = { spotRate: "0.4", futuresRate: "0.5" };
const CHILD_RATES = { spotRate: "0.25", futuresRate: "0.3" };
const ACTOR = "compliance@venue";

interface Balance {
  readonly asset: string;
  readonly payable: string;
  readonly held: string;
  readonly owed: string;
}

interface Detail {
  readonly commissionId: number;
  readonly affiliateUid: number;
  readonly amount: string;
  readonly status: string;
}

class Programme {
  readonly exchange: ExchangeProcess;
  readonly top: Account;
  readonly child: Account;
  readonly trader: Account;
  readonly stranger: Account;
  readonly startedMs: number;
  #orders = 0;

  private constructor(
    exchange: ExchangeProcess,
    accounts: Record<"top" | "child" | "trader" | "stranger", Account>,
    startedMs: number,
  ) {
    this.exchange = exchange;
    this.top = accounts.top;
    this.child = accounts.child;
    this.trader = accounts.trader;
    this.stranger = accounts.stranger;
    this.startedMs = startedMs;
  }

  static async open(exchange: ExchangeProcess): Promise<Programme> {
    await listAssets(exchange);
    await listMarket(exchange, "BTCUSDT", BTCUSDT);
    const top = await openAffiliate(exchange, TOP_RATES);
    const child = await openAffiliate(exchange, CHILD_RATES, top.uid);
    const trader = await openInvitee(exchange, child.uid, { spot: { BTC: "10" } });
    const stranger = await openAccount(exchange, { USDT: "1000000" });
    const { time } = await exchange.operator.call<{ time: number }>("GET", "/operator/v1/status");
    return new Programme(exchange, { top, child, trader, stranger }, time);
  }

  call<Answer>(method: string, path: string, body?: unknown): Promise<Answer> {
    return this.exchange.operator.call(method, `/operator/v1/${path}`, body);
  }

  async refused(method: string, path: string, body?: unknown): Promise<readonly unknown[]> {
    const answer: HttpAnswer = await this.exchange.operator.send(
      method,
      `/operator/v1/${path}`,
      body,
    );
    const { error } = answer.body as { error: { code: string; field?: string } };
    return [answer.status, error.code, error.field];
  }

  /** The trader sells so much at 50,000: the fee is 0.1 % in USDT, 50 for one bitcoin. */
  async sell(quantity: string): Promise<void> {
    const order = { symbol: "BTCUSDT", orderType: "limit", force: "normal", price: "50000" };
    this.#orders++;
    const clientOrderId = `o-${this.#orders}`;
    await this.stranger.client.placed({ ...order, side: "buy", quantity, clientOrderId });
    await this.trader.client.placed({ ...order, side: "sell", quantity, clientOrderId });
  }

  async balances({ uid }: Account): Promise<readonly Balance[]> {
    const { balances } = await this.call<{ balances: Balance[] }>("GET", `affiliates/${uid}`);
    return balances;
  }

  async available({ uid }: Account): Promise<string | undefined> {
    const path = `users/${uid}/balances`;
    const { spot } = await this.call<{ spot: Record<string, string>[] }>("GET", path);
    return spot.find(({ asset }) => asset === "USDT")?.available;
  }
}

async function ratesAndTree(t: TestContext, fixture: Programme): Promise<void> {
  await t.test("rates, tree and policy are read back; what cannot be is refused", async () => {
    const { top, child, stranger } = fixture;
    const { items } = await fixture.call<{ items: object[] }>("GET", "affiliates");
    assert.partialDeepStrictEqual(items, [
      { uid: top.uid, parentUid: null, depth: 1, ...TOP_RATES, rateVersion: 1, balances: [] },
      { uid: child.uid, parentUid: top.uid, depth: 2, ...CHILD_RATES, rateVersion: 1 },
    ]);
    const path = `affiliates/${top.uid}`;
    const cycle = await fixture.refused("PUT", path, { ...TOP_RATES, parentUid: child.uid });
    assert.deepEqual(cycle, [409, "conflict", "parentUid"]);
    const high = await fixture.refused("PUT", path, { ...TOP_RATES, spotRate: "0.50000001" });
    assert.deepEqual(high, [400, "out-of-range", "spotRate"]);
    const none = await fixture.refused("GET", `affiliates/${stranger.uid}`);
    assert.deepEqual(none, [404, "not-an-affiliate", "uid"]);
    const off = { capPerReferral30d: null, holdSelfReferral: false, holdWashTrades: false };
    assert.partialDeepStrictEqual(await fixture.call("GET", "affiliate-policy"), off);
  });
}

async function settlement(t: TestContext, fixture: Programme): Promise<void> {
  await t.test("a fill earns both at once, and the full hour pays them", async () => {
    const { top, child, stranger, trader } = fixture;
    await fixture.sell("1");
    assert.deepEqual(await fixture.balances(child), [
      { asset: "USDT", payable: "12.5", held: "0", owed: "0" },
    ]);
    assert.deepEqual(await fixture.balances(top), [
      { asset: "USDT", payable: "7.5", held: "0", owed: "0" },
    ]);
    const first = await fixture.call<Detail>("GET", "commissions/1");
    assert.partialDeepStrictEqual(first, {
      affiliateUid: child.uid,
      traderUid: trader.uid,
      product: "spot",
      symbol: "BTCUSDT",
      asset: "USDT",
      fee: "50",
      rate: "0.25",
      amount: "12.5",
      status: "accrued",
      viaUid: null,
      takerAmount: "50000",
      fill: { role: "taker", price: "50000", quantity: "1", quoteAsset: "USDT" },
      rateVersion: { uid: child.uid, version: 1, ...CHILD_RATES },
      settlement: null,
    });
    assert.partialDeepStrictEqual(await fixture.call("GET", "commissions/2"), {
      affiliateUid: top.uid,
      viaUid: child.uid,
      rate: "0.15",
      amount: "7.5",
      viaRateVersion: { uid: child.uid, version: 1 },
    });
    await fixture.exchange.operator.advanceClock(HOUR_MS);
    assert.deepEqual(await fixture.balances(top), []);
    assert.deepEqual(
      [await fixture.available(child), await fixture.available(top)],
      ["12.5", "7.5"],
    );
    const paid = { accrued: "12.5", recovered: "0", paid: "12.5" };
    const settled = await fixture.call("GET", "commissions/1");
    assert.partialDeepStrictEqual(settled, { status: "settled", settlement: paid });

    await fixture.call("PATCH", `users/${stranger.uid}`, { house: true });
    const user = await fixture.call<{ house: boolean }>("GET", `users/${stranger.uid}`);
    assert.equal(user.house, true);
  });

  await t.test("nobody has to wait for the full hour", async () => {
    const { top, child } = fixture;
    await fixture.sell("0.5");
    const waiting = await fixture.call<{ items: object[] }>("GET", "commission-settlements");
    assert.deepEqual(waiting.items, [
      { affiliateUid: top.uid, asset: "USDT", payable: "3.75", owed: "0" },
      { affiliateUid: child.uid, asset: "USDT", payable: "6.25", owed: "0" },
    ]);
    const reason = "before the holidays";
    const made = await fixture.call("POST", "commission-settlements", { reason });
    assert.deepEqual(made, { settlements: 2 });
    assert.equal(await fixture.available(top), "11.25");
  });
}

/** Sends with a name of the operator's own people. */
async function asCompliance(fixture: Programme, path: string, reason: string): Promise<HttpAnswer> {
  const { operatorPort, readyLine } = fixture.exchange;
  const { operatorToken } = JSON.parse(readyLine) as { operatorToken: string };
  const response = await fetch(`http://127.0.0.1:${operatorPort}/operator/v1/${path}`, {
    method: "POST",
    headers: {
      Authorization: `Bearer ${operatorToken}`,
      "Content-Type": "application/json",
      "X-Operator": ACTOR,
    },
    body: JSON.stringify({ reason }),
  });
  const text = await response.text();
  return { status: response.status, text, body: JSON.parse(text) } as HttpAnswer;
}

async function holdsAndReversals(t: TestContext, fixture: Programme): Promise<void> {
  await t.test("a linked trader's commission is held, then released or taken back", async () => {
    const { child, trader, top } = fixture;
    await fixture.call("PUT", "affiliate-policy", { holdSelfReferral: true });
    const sent = await child.client.post(`${V3_AFFILIATE}/internalWithdrawal`, {
      toUserId: String(trader.uid),
      coin: "USDT",
      amount: "1",
    });
    assert.equal(sent.status, 200, sent.text);
    await fixture.sell("1");
    await fixture.sell("2");
    const { items } = await fixture.call<{ items: Detail[] }>(
      "GET",
      `commissions?affiliateUid=${child.uid}`,
    );
    assert.deepEqual(
      items.map(({ amount }) => amount),
      ["12.5", "25"],
    );
    const [one, other] = items.map(({ commissionId }) => commissionId);
    await fixture.call("POST", "commission-settlements", { reason: "the held ones stay" });
    assert.deepEqual(await fixture.balances(child), [
      { asset: "USDT", payable: "0", held: "37.5", owed: "0" },
    ]);
    assert.equal(
      (await asCompliance(fixture, `commissions/${one}/releases`, "checked")).status,
      200,
    );
    const twin = await fixture.call<{ items: object[] }>("GET", `commissions/${one}/releases`);
    assert.partialDeepStrictEqual(twin.items, [{ actor: ACTOR, reason: "checked" }]);
    assert.equal((await asCompliance(fixture, `commissions/${one}/releases`, "again")).status, 404);
    const back = await asCompliance(fixture, `commissions/${other}/reversals`, "wash trade");
    const sources = { fromPayable: "25", fromSpot: "0", owed: "0" };
    assert.partialDeepStrictEqual(back.body, { commissionId: other, actor: ACTOR, ...sources });
    assert.partialDeepStrictEqual(await fixture.call("GET", `commissions/${other}`), {
      status: "reversed",
      reversal: { reason: "wash trade", ...sources },
    });
    assert.deepEqual(await fixture.balances(top), []);
    await fixture.call("PUT", "affiliate-policy", {});
  });

  await t.test("what was paid out comes back from the wallet, and the rest is owed", async () => {
    const { child } = fixture;
    const free = (await fixture.available(child)) as string;
    const withdrawal = { id: "gone", account: "spot", asset: "USDT", amount: free };
    await fixture.call("POST", "commission-settlements", { reason: "pay the released one" });
    await fixture.call("POST", `users/${child.uid}/withdrawals`, withdrawal);
    // 12.5 of the released one is in the wallet; 12.5 of the first fill goes back first.
    const first = await asCompliance(fixture, "commissions/1/reversals", "charged back");
    assert.partialDeepStrictEqual(first.body, { fromPayable: "0", fromSpot: "12.5", owed: "0" });
    assert.equal((await asCompliance(fixture, "commissions/1/reversals", "twice")).status, 409);
    const reversed = (first.body as { reversalId: number }).reversalId;
    const ofReversal = await fixture.refused("POST", `commissions/${reversed}/reversals`, {
      reason: "no",
    });
    assert.deepEqual(ofReversal, [404, "unknown-commission", "commissionId"]);
    const next = await asCompliance(fixture, "commissions/3/reversals", "charged back too");
    assert.partialDeepStrictEqual(next.body, { fromPayable: "0", fromSpot: "0", owed: "6.25" });
    await fixture.sell("1");
    await fixture.call("POST", "commission-settlements", { reason: "what is owed is kept" });
    assert.deepEqual([await fixture.balances(child), await fixture.available(child)], [[], "6.25"]);
  });
}

async function whatIf(t: TestContext, fixture: Programme): Promise<void> {
  await t.test("other rates over the same past: rows, totals, and what is refused", async () => {
    const { child, top, startedMs } = fixture;
    const body = {
      rates: [{ uid: child.uid, spotRate: "0.3", futuresRate: "0.3" }],
      startTime: startedMs,
      endTime: startedMs + DAY_MS,
    };
    const hash = await fixture.exchange.operator.stateHash();
    const found = await fixture.call<{ fills: number; rows: object[]; totals: object[] }>(
      "POST",
      "commission-what-if",
      body,
    );
    // Fees of 5.5 bitcoin: 275 USDT, of which the child gets 0.05 more and the top so much less.
    const asset = "USDT";
    const rows = [
      { affiliateUid: top.uid, actual: "41.25", proposed: "27.5", difference: "-13.75" },
      { affiliateUid: child.uid, actual: "68.75", proposed: "82.5", difference: "13.75" },
    ].map((row) => ({ ...row, product: "spot", asset }));
    const key = (row: object) => (row as { affiliateUid: number }).affiliateUid;
    assert.deepEqual(
      found.rows.toSorted((one, other) => key(one) - key(other)),
      rows,
    );
    assert.deepEqual(found.totals, [{ asset, actual: "110", proposed: "110", difference: "0" }]);
    assert.equal(found.fills, 5);
    assert.equal(await fixture.exchange.operator.stateHash(), hash);
    const long = { ...body, endTime: startedMs + 91 * DAY_MS };
    const refusal = await fixture.refused("POST", "commission-what-if", long);
    assert.deepEqual(refusal, [400, "out-of-range", "endTime"]);
  });
}

async function statements(t: TestContext, fixture: Programme): Promise<void> {
  await t.test("a statement that is checked offline ends in the published head", async () => {
    const { child } = fixture;
    await fixture.exchange.operator.advanceClock(DAY_MS);
    const path = `affiliates/${child.uid}/statement-heads`;
    const { items } = await fixture.call<{ items: { day: string; hash: string }[] }>("GET", path);
    const [head] = items;
    assert.partialDeepStrictEqual(items, [{ complete: true }]);
    const days = { from: head?.day as string, to: head?.day as string };
    const folder = temporaryFolder();
    for (const format of ["csv", "json"]) {
      const statement = await child.client.get(`${V3_AFFILIATE}/statement`, { ...days, format });
      const file = join(folder, `statement.${format}`);
      writeFileSync(file, statement.text);
      const flags = ["affiliate", "verify", file, "--json", "--head", head?.hash as string];
      const run = spawnSync(process.execPath, [PROGRAM, ...flags], { encoding: "utf8" });
      assert.equal(run.status, 0, run.stdout + run.stderr);
      const changed = statement.text.replace(`${fixture.trader.uid}`, `${fixture.stranger.uid}`);
      writeFileSync(file, changed);
      const again = spawnSync(process.execPath, [PROGRAM, ...flags], { encoding: "utf8" });
      assert.equal(again.status, 1, again.stdout);
      assert.equal(typeof JSON.parse(again.stdout).line, "number");
    }
  });
}

async function audit(t: TestContext, fixture: Programme): Promise<void> {
  await t.test("who did what stands in the audit, and the money adds up", async () => {
    const { items } = await fixture.call<{
      items: { action: string; actor: string; details: { reason?: string } }[];
    }>("GET", "audit?limit=1000");
    const done = items.map(({ action, actor }) => `${action} ${actor}`);
    for (const expected of [
      "affiliate-set operator",
      "affiliate-policy-set operator",
      "house-account-set operator",
      "settlement-asked operator",
      `commission-released ${ACTOR}`,
      `commission-reversed ${ACTOR}`,
    ]) {
      assert.ok(done.includes(expected), expected);
    }
    assert.ok(items.some(({ details }) => details.reason === "wash trade"));
    const { ok, violations } = await fixture.exchange.operator.invariants();
    assert.equal(ok, true, violations.join("; "));
  });
}

test("the operator's side of the affiliate programme", async (t) => {
  const exchange = await ExchangeProcess.start({ process: "shared", threads: "many" });
  t.after(() => exchange.stop());
  await passFullHour(exchange);
  const fixture = await Programme.open(exchange);
  await ratesAndTree(t, fixture);
  await settlement(t, fixture);
  await holdsAndReversals(t, fixture);
  await whatIf(t, fixture);
  await statements(t, fixture);
  await audit(t, fixture);
});
