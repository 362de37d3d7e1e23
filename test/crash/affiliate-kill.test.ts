/**
 * Proves that `kill -9` neither loses nor doubles anything of the affiliate programme. The real
 * process is killed at random moments and restarted on the same folder, over and over, while
 * invitees trade both products, hours pass and are settled, and an operator releases, reverses and
 * settles commissions. After each start a reference recomputes every commission and settlement from
 * the journal, and the reports, balances and statements of every affiliate match the event stream.
 * They still do after another start, and after the history was deleted and rebuilt.
 */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import test from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { verifyStatement } from "../../src/affiliate-statement/index.ts";
import type { ReportedRow } from "../support/affiliate/commission-rows.ts";
import { naiveAffiliate } from "../support/affiliate/naive-affiliate-views.ts";
import {
  makeAffiliate,
  openAffiliate,
  openInvitee,
  V2_AFFILIATE,
  V3_AFFILIATE,
} from "../support/affiliate-setup.ts";
import { BTC_CONTRACT, listContract, pinMark, setIndex } from "../support/contract-setup.ts";
import {
  BUY_LONG,
  BUY_SHORT,
  orderBody,
  SELL_LONG,
  SELL_SHORT,
  SYMBOL,
} from "../support/contract-trading.ts";
import { ExchangeProcess } from "../support/exchange-process.ts";
import { type Account, BTCUSDT, listMarket } from "../support/exchange-setup.ts";
import { untilGone } from "../support/killed-exchange.ts";
import { PROGRAM } from "../support/program.ts";
import { Random, scaled, seededRandom } from "../support/random.ts";
import { type Query, SignedClient } from "../support/signed-client.ts";
import { JournalWitness } from "./journal-witness.ts";

/** Fewer do not show everything that they have to survive. */
const CYCLES = Math.max(4, scaled(4, 100));
/** Enough to earn something in, and over before the process starts again. */
const BEFORE_FULL_HOUR_MS = 1_500;
const EARNING_MS = 150;
const APPROACHES_MAX = 20;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const PAGE_SIZE = 200;
const DIRECTIONS = [BUY_LONG, SELL_SHORT, BUY_LONG, SELL_SHORT, SELL_LONG, BUY_SHORT] as const;
const random = seededRandom("crash/affiliate-kill");

interface CommissionPage {
  readonly total: number;
  readonly pages: number;
  readonly channelCommissionInfoItems: readonly (ReportedRow & { readonly date: number })[];
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

class Campaign {
  readonly #exchange: ExchangeProcess;
  readonly #witness: JournalWitness;
  #affiliates: Account[] = [];
  #traders: Account[] = [];
  #orders = 0;
  /** Nobody else moves the clock or settles. */
  #holdsClock = false;

  constructor(exchange: ExchangeProcess) {
    this.#exchange = exchange;
    this.#witness = new JournalWitness(exchange.dataFolder);
  }

  get witness(): JournalWitness {
    return this.#witness;
  }

  /** Three affiliates above one another, whose rates do not grow upwards everywhere. */
  async open(): Promise<void> {
    const exchange = this.#exchange;
    await listMarket(exchange, SYMBOL, BTCUSDT);
    await listContract(exchange, SYMBOL, BTC_CONTRACT);
    await setIndex(exchange, SYMBOL, "60000");
    await pinMark(exchange, SYMBOL, "60000");
    const funds = { spot: { USDT: "1000000", BTC: "20" }, contract: { USDT: "500000" } };
    const top = await openAffiliate(exchange, { spotRate: "0.4", futuresRate: "0.33333333" });
    const inviter = { permissions: ["affiliate", "read", "spot", "contract"], ...funds } as const;
    const middle = await openInvitee(exchange, top.uid, inviter);
    await makeAffiliate(exchange, middle.uid, { spotRate: "0.1", futuresRate: "0.8" }, top.uid);
    const lowest = await openInvitee(exchange, middle.uid, inviter);
    const rates = { spotRate: "0.30000001", futuresRate: "0.5" };
    await makeAffiliate(exchange, lowest.uid, rates, middle.uid);
    this.#affiliates = [top, middle, lowest];
    this.#traders = [middle, lowest];
    for (const { uid } of [lowest, lowest, middle, top]) {
      this.#traders.push(await openInvitee(exchange, uid, funds));
    }
    await exchange.operator.call("PUT", "/operator/v1/affiliate-policy", {
      ...{ capPerReferral30d: "400", holdSelfReferral: true },
      ...{ holdWashTrades: true, washTradeShare: "0.6" },
    });
  }

  /** In some the process is killed just before a full hour, which it then misses. */
  async cycle(missesHour: boolean): Promise<void> {
    const load = this.#traders.map((trader) => {
      const dice = new Random(random.integer(0, 2 ** 31));
      return untilGone(() => this.#trade(trader, dice));
    });
    const dice = new Random(random.integer(0, 2 ** 31));
    load.push(untilGone(() => this.#operate(dice)));
    await sleep(random.integer(200, 1_000));
    if (missesHour) await this.#approachFullHour();
    await this.#exchange.kill("SIGKILL");
    await Promise.all(load);
    if (missesHour) await sleep(BEFORE_FULL_HOUR_MS);
    this.#holdsClock = false;
    await this.#restarted();
    await this.#awayFromFullHours();
    await this.#check();
    const atMs = await this.#exchangeTime();
    const before = await this.#readAll(atMs);
    await this.#exchange.kill(random.chance(0.5) ? "SIGTERM" : "SIGKILL");
    await this.#restarted();
    assert.deepEqual(await this.#readAll(atMs), before);
  }

  /** Again when an advance that was under way came in between. */
  async #approachFullHour(): Promise<void> {
    this.#holdsClock = true;
    for (let approach = 0; approach < APPROACHES_MAX; approach++) {
      const leftMs = HOUR_MS - ((await this.#exchangeTime()) % HOUR_MS);
      if (leftMs <= BEFORE_FULL_HOUR_MS && leftMs > BEFORE_FULL_HOUR_MS / 2) break;
      const byMs = (leftMs > BEFORE_FULL_HOUR_MS ? leftMs : leftMs + HOUR_MS) - BEFORE_FULL_HOUR_MS;
      await this.#exchange.operator.advanceClock(byMs);
    }
    await sleep(EARNING_MS);
  }

  /** The history is thrown away, and comes back from the journal. */
  async rebuild(): Promise<void> {
    const atMs = await this.#exchangeTime();
    const before = await this.#readAll(atMs);
    await this.#exchange.kill("SIGKILL");
    const flags = ["projections", "rebuild", "--data-dir", this.#exchange.dataFolder];
    await promisify(execFile)(process.execPath, [PROGRAM, ...flags]);
    await this.#restarted();
    assert.deepEqual(await this.#readAll(atMs), before);
    await this.#check();
  }

  async #trade({ client }: Account, dice: Random): Promise<void> {
    const price = (dice.integer(599_990, 600_010) / 10).toFixed(1);
    const quantity = (dice.integer(1, 300) / 1000).toFixed(3);
    if (dice.chance(0.6)) {
      await client.post("/api/v3/order", {
        ...{ symbol: SYMBOL, side: dice.pick(["BUY", "SELL"]), type: "LIMIT", quantity, price },
        newClientOrderId: `kill-${++this.#orders}`,
      });
      return;
    }
    await client.post("/capi/v3/order", orderBody(dice.pick(DIRECTIONS), quantity, price));
  }

  /** Time passes, also over full hours, and somebody looks at commissions. */
  async #operate(dice: Random): Promise<void> {
    const { operator } = this.#exchange;
    const kind = dice.integer(this.#holdsClock ? 4 : 0, 9);
    const commissionId = dice.integer(1, Math.max(1, this.#orders));
    const path = `/operator/v1/commissions/${commissionId}`;
    const reason = { reason: "looked at" };
    if (kind < 3) await operator.advanceClock(dice.integer(1, 40) * MINUTE_MS);
    else if (kind < 4) await operator.call("POST", "/operator/v1/commission-settlements", reason);
    else if (kind < 6) await operator.send("POST", `${path}/releases`, reason);
    else if (kind < 9) await operator.send("POST", `${path}/reversals`, reason);
    else await this.#payDown(dice);
    if (dice.chance(0.05)) await operator.takeSnapshot();
    await sleep(15);
  }

  async #payDown(dice: Random): Promise<void> {
    const [, middle, lowest] = this.#affiliates;
    if (middle === undefined || lowest === undefined) return;
    await middle.client.post(`${V3_AFFILIATE}/internalWithdrawal`, {
      ...{ toUserId: lowest.uid, coin: dice.pick(["USDT", "BTC"]), amount: "0.0123" },
      clientWithdrawalId: `pay-${dice.integer(1, 40)}`,
    });
  }

  async #restarted(): Promise<void> {
    await this.#exchange.restart();
    const anew = (account: Account): Account => {
      account.client.close();
      const client = new SignedClient(this.#exchange.port, account.credentials);
      return { ...account, client };
    };
    const traders = new Map(this.#traders.map((trader) => [trader.uid, anew(trader)]));
    this.#traders = [...traders.values()];
    this.#affiliates = this.#affiliates.map((one) => traders.get(one.uid) ?? anew(one));
  }

  async #exchangeTime(): Promise<number> {
    const [first] = this.#affiliates as [Account, ...Account[]];
    const answer = await first.client.raw({ method: "GET", path: "/api/v3/time" });
    return (answer.body as { serverTime: number }).serverTime;
  }

  /** So that nothing is settled while reports are read. */
  async #awayFromFullHours(): Promise<void> {
    const nowMs = await this.#exchangeTime();
    const intoHourMs = nowMs % HOUR_MS;
    if (intoHourMs < 50 * MINUTE_MS) return;
    await this.#exchange.operator.advanceClock(HOUR_MS - intoHourMs + MINUTE_MS);
  }

  /** The journal, and everything that is told of it. */
  async #check(): Promise<void> {
    const { ok, violations, sequence, stateHash } = await this.#exchange.operator.invariants();
    assert.equal(ok, true, violations.join("; "));
    await this.#witness.readTo(sequence);
    assert.equal(this.#witness.stateHash, stateHash);
    const atMs = await this.#exchangeTime();
    for (const account of this.#affiliates) {
      await this.#checkBalances(account);
      for (const productType of ["SPOT", "FUTURES"]) {
        const rows = await this.#commissions(account, productType, atMs);
        const shown = rows.map(({ date, ...row }) => {
          assert.equal(String(date), row.dealTime);
          return row.status === "reversal" ? { ...row, sourceType: null } : row;
        });
        assert.deepEqual(shown, this.#witness.rows(account.uid, productType));
      }
      await this.#checkStatement(account, atMs);
    }
  }

  async #checkBalances({ uid, client }: Account): Promise<void> {
    const { programme } = this.#witness;
    const path = `/operator/v1/affiliates/${uid}`;
    const { balances } = await this.#exchange.operator.call<{ balances: unknown }>("GET", path);
    assert.deepEqual(balances, naiveAffiliate(programme, uid).balances);
    for (const [asset, { available, frozen }] of await client.assets()) {
      const { facts } = programme;
      assert.equal(available, programme.amountText(asset, facts.available(uid, asset)));
      assert.equal(frozen, programme.amountText(asset, facts.frozen(uid, asset)));
    }
  }

  /** The chain of all days is right in itself, and ends where its published head is. */
  async #checkStatement({ uid, client }: Account, atMs: number): Promise<void> {
    const path = `/operator/v1/affiliates/${uid}/statement-heads`;
    const { items } = await this.#exchange.operator.call<{
      items: { day: string; ordinal: number; hash: string }[];
    }>("GET", path);
    const last = items.at(-1);
    assert.ok(last !== undefined, "there is nothing in the chain");
    const range = { from: items[0]?.day ?? "", to: dayOf(atMs) };
    for (const format of ["json", "csv"]) {
      const query = { ...range, format };
      const { text } = await client.get(`${V3_AFFILIATE}/statement`, query);
      const verdict = await verifyStatement(text, sha256, last.hash);
      assert.ok(verdict.isValid, verdict.isValid ? "" : verdict.problem);
      assert.equal(verdict.statement.entries.length, last.ordinal);
    }
  }

  async #commissions(
    { client }: Account,
    productType: string,
    endTime: number,
  ): Promise<CommissionPage["channelCommissionInfoItems"]> {
    const rows: CommissionPage["channelCommissionInfoItems"][number][] = [];
    const query = { productType, startTime: endTime - 60 * DAY_MS, endTime, pageSize: PAGE_SIZE };
    for (let page = 1; ; page++) {
      const path = `${V3_AFFILIATE}/getAffiliateCommission`;
      const answer = await client.v3<CommissionPage>(path, { ...query, page });
      rows.push(...answer.channelCommissionInfoItems);
      if (page < answer.pages) continue;
      assert.equal(rows.length, answer.total);
      return rows;
    }
  }

  /** Every report up to a moment, as text. */
  async #readAll(atMs: number): Promise<unknown[]> {
    const answers: unknown[] = [];
    const range = { startTime: atMs - 60 * DAY_MS, endTime: atMs, pageSize: PAGE_SIZE };
    const statement = { from: dayOf(atMs - 20 * DAY_MS), to: dayOf(atMs) };
    for (const account of this.#affiliates) {
      const { client } = account;
      const read = async (path: string, query: Query) => {
        const { status, text } = await client.get(path, query);
        assert.equal(status, 200, text);
        answers.push(text.replace(/,"timestamp":\d+/, ""));
      };
      for (const productType of ["SPOT", "FUTURES"]) {
        answers.push(await this.#commissions(account, productType, atMs));
        const query = { ...range, productType };
        await read(`${V3_AFFILIATE}/querySubChannelTransactions`, query);
      }
      await read(`${V2_AFFILIATE}/getAffiliateUIDs`, range);
      await read(`${V2_AFFILIATE}/getChannelUserTradeAndAsset`, range);
      await read(`${V3_AFFILIATE}/getInternalWithdrawalStatus`, {});
      await read(`${V3_AFFILIATE}/statement`, { ...statement, format: "csv" });
    }
    return answers;
  }
}

function dayOf(timestampMs: number): string {
  return new Date(timestampMs).toISOString().slice(0, 10);
}

test("kill -9 while affiliates earn, over and over", async (t) => {
  const exchange = await ExchangeProcess.start();
  t.after(() => exchange.stop());
  const campaign = new Campaign(exchange);
  await campaign.open();
  for (let cycle = 1; cycle <= CYCLES; cycle++) {
    await t.test(`cycle ${cycle}`, () => campaign.cycle(cycle % 2 === 0));
  }
  await t.test("the history is built anew", () => campaign.rebuild());
  const { commissions, lateSettlements, settlements, programme } = campaign.witness;
  const held = [...programme.rows.values()].filter(({ event }) => event.isHeld).length;
  const counts = `${commissions} commissions, ${held} of them held, ${settlements} settlements`;
  const late = `${lateSettlements} of them after a missed hour`;
  t.diagnostic(`${counts}, ${late}, ${programme.reversals.size} reversals`);
  assert.ok(commissions > CYCLES * 50 && held > 0, counts);
  assert.ok(lateSettlements > 0 && settlements > lateSettlements, late);
  assert.ok(programme.reversals.size > 0, "nothing was taken back");
});
