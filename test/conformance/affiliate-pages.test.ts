/**
 * Proves that pages of a report of both bounds neither skip nor repeat a row while new ones arrive:
 * invitees trade and register all the time, and meanwhile windows that have just ended are read
 * page by page, in both versions, with every filter and many page sizes. What each reading found is
 * compared with what is there when nothing happens any more: the rows of that window, in order.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import {
  openAffiliate,
  openInvitee,
  passFullHour,
  registerInvitee,
  V2_AFFILIATE,
  V3_AFFILIATE,
} from "../support/affiliate-setup.ts";
import { ExchangeProcess } from "../support/exchange-process.ts";
import { type Account, BTCUSDT, listMarket } from "../support/exchange-setup.ts";
import { type Random, scaled, seededRandom } from "../support/random.ts";
import type { Query } from "../support/signed-client.ts";
import type { CommissionPage, CommissionRow } from "./affiliate-calls.ts";

const READINGS = scaled(25);
/** Rows before the first reading. */
const ROWS_FIRST = 60;
const ATTEMPTS_MAX = 500;
const PAGE_SIZES = [1, 3, 7, 20, 200];
const WINDOW_MAX_MS = 400;
/** Between two orders, so that there is something to read and not too much of it. */
const PAUSE_MS = 4;
const DAY_MS = 86_400_000;
const random = seededRandom("conformance/affiliate-pages");

interface Referral {
  readonly uid: string;
  readonly registerTime: number;
}

/** A window that was read, with what was found in it. */
interface Reading<Row> {
  readonly query: Query & { readonly startTime: number; readonly endTime: number };
  readonly rows: readonly Row[];
}

class Fixture {
  readonly exchange: ExchangeProcess;
  readonly affiliate: Account;
  readonly #traders: readonly Account[];
  #isOver = false;
  #orders = 0;

  constructor(exchange: ExchangeProcess, affiliate: Account, traders: readonly Account[]) {
    this.exchange = exchange;
    this.affiliate = affiliate;
    this.#traders = traders;
  }

  get traderUids(): number[] {
    return this.#traders.map(({ uid }) => uid);
  }

  /** Until told to stop. */
  async trade(): Promise<void> {
    while (!this.#isOver) {
      for (const side of ["BUY", "SELL"] as const) await this.#order(side);
      await sleep(PAUSE_MS);
    }
  }

  async register(): Promise<void> {
    while (!this.#isOver) {
      await registerInvitee(this.exchange, this.affiliate.uid);
      await sleep(PAUSE_MS);
    }
  }

  stop(): void {
    this.#isOver = true;
  }

  async #order(side: "BUY" | "SELL"): Promise<void> {
    this.#orders++;
    const { client } = this.#traders[this.#orders % this.#traders.length] as Account;
    const answer = await client.post("/api/v3/order", {
      ...{ symbol: "BTCUSDT", side, type: "LIMIT", price: "60000", quantity: "0.001" },
      newClientOrderId: `page-${this.#orders}`,
    });
    assert.equal(answer.status, 200, answer.text);
  }

  async now(): Promise<number> {
    const answer = await this.affiliate.client.raw({ method: "GET", path: "/api/v3/time" });
    return (answer.body as { serverTime: number }).serverTime;
  }

  async commissionPage(version: "v2" | "v3", query: Query): Promise<CommissionPage> {
    const { client } = this.affiliate;
    const call = "getAffiliateCommission";
    if (version === "v3") return client.v3(`${V3_AFFILIATE}/${call}`, query);
    const { status, text, body } = await client.get(`${V2_AFFILIATE}/${call}`, query);
    assert.equal(status, 200, text);
    return (body as { data: CommissionPage }).data;
  }

  /** Waits until there are so many rows. */
  async rowsUpTo(rows: number, query: Query): Promise<void> {
    for (let attempts = 0; attempts < ATTEMPTS_MAX; attempts++) {
      if ((await this.commissionPage("v3", query)).total >= rows) return;
      await sleep(20);
    }
    assert.fail(`there are no ${rows} rows`);
  }

  async referralPage(query: Query): Promise<{ total: number; list: readonly Referral[] }> {
    const path = `${V2_AFFILIATE}/getAffiliateUIDs`;
    const { status, text, body } = await this.affiliate.client.get(path, query);
    assert.equal(status, 200, text);
    return body as { total: number; list: readonly Referral[] };
  }

  /** Page after page; every page says the same of the whole. */
  async commissions(version: "v2" | "v3", query: Query, pageSize: number) {
    const rows: CommissionRow[] = [];
    let total: number | null = null;
    for (let page = 1; ; page++) {
      const answer = await this.commissionPage(version, { ...query, page, pageSize });
      total ??= answer.total;
      assert.equal(answer.total, total, "the window grew while it was read");
      assert.equal(answer.pages, Math.ceil(total / pageSize));
      rows.push(...answer.channelCommissionInfoItems);
      if (page >= answer.pages) break;
    }
    assert.equal(rows.length, total);
    return rows;
  }

  async referrals(query: Query, pageSize: number): Promise<Referral[]> {
    const rows: Referral[] = [];
    for (let page = 1; ; page++) {
      const answer = await this.referralPage({ ...query, page, pageSize });
      rows.push(...answer.list);
      if (page * pageSize >= answer.total) return rows;
    }
  }

  /** Ends now or a little earlier, and is so short that even pages of one row come to an end. */
  async window(dice: Random) {
    const endTime = (await this.now()) - dice.pick([0, 0, 1, 150]);
    return { startTime: endTime - dice.integer(0, WINDOW_MAX_MS), endTime };
  }
}

async function openFixture(): Promise<Fixture> {
  const exchange = await ExchangeProcess.start({ process: "shared", threads: "many" });
  await passFullHour(exchange);
  await listMarket(exchange, "BTCUSDT", BTCUSDT);
  const affiliate = await openAffiliate(exchange);
  const spot = { USDT: "1000000", BTC: "20" };
  const traders: Account[] = [];
  for (let i = 0; i < 3; i++) traders.push(await openInvitee(exchange, affiliate.uid, { spot }));
  return new Fixture(exchange, affiliate, traders);
}

async function readWindows(fixture: Fixture): Promise<Reading<CommissionRow>[]> {
  const readings: Reading<CommissionRow>[] = [];
  while (readings.length < READINGS) {
    const uid = random.chance(0.4) ? { uid: random.pick(fixture.traderUids) } : {};
    const coin = random.chance(0.4) ? { coin: random.pick(["USDT", "BTC"]) } : {};
    const query = { ...(await fixture.window(random)), ...uid, ...coin };
    const version = random.pick(["v2", "v3"] as const);
    const rows = await fixture.commissions(version, query, random.pick(PAGE_SIZES));
    readings.push({ query, rows });
  }
  return readings;
}

async function readReferrals(fixture: Fixture): Promise<Reading<Referral>[]> {
  const readings: Reading<Referral>[] = [];
  while (readings.length < READINGS) {
    const query = await fixture.window(random);
    readings.push({ query, rows: await fixture.referrals(query, random.pick([2, 5, 20])) });
  }
  return readings;
}

function isWithin({ query }: Reading<unknown>, timeMs: number): boolean {
  return timeMs >= query.startTime && timeMs <= query.endTime;
}

test("pages neither skip nor repeat while rows arrive", async (t) => {
  const fixture = await openFixture();
  t.after(() => fixture.exchange.stop());
  const beganMs = await fixture.now();
  const load = Promise.all([fixture.trade(), fixture.register()]);
  const always = { startTime: beganMs - DAY_MS, endTime: beganMs + DAY_MS };
  await fixture.rowsUpTo(ROWS_FIRST, always);
  const commissions = await readWindows(fixture);
  const referrals = await readReferrals(fixture);
  fixture.stop();
  await load;

  const all = await fixture.commissions("v3", always, 200);
  const ids = all.map(({ commissionId }) => Number(commissionId));
  assert.deepEqual(
    ids,
    ids.toSorted((one, other) => other - one),
    "newest first",
  );
  for (const reading of commissions) {
    const { uid, coin } = reading.query;
    const expected = all
      .filter(({ date }) => isWithin(reading, date))
      .filter((row) => uid === undefined || row.uid === String(uid))
      .filter((row) => coin === undefined || row.coin === coin);
    assert.deepEqual(reading.rows, expected, JSON.stringify(reading.query));
  }
  const invitees = await fixture.referrals(always, 200);
  for (const reading of referrals) {
    const expected = invitees.filter(({ registerTime }) => isWithin(reading, registerTime));
    assert.deepEqual(reading.rows, expected, JSON.stringify(reading.query));
  }
  const found = commissions.reduce((total, { rows }) => total + rows.length, 0);
  const later = all.length - ROWS_FIRST;
  t.diagnostic(`${found} rows read in ${READINGS} windows, while ${later} were added`);
  assert.ok(later > READINGS && found > READINGS, `${found} found, ${later} added`);
});
