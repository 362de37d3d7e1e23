/**
 * Goal: a restored state goes on as the one that never stopped, no unit of money is lost, and a
 * state without affiliates is written as before there were any. Method: random traffic in a growing
 * tree, spot and contracts with liquidations, holds, releases, reversals, payments and days that
 * go by, through two engines of which one is restored every few commands. From the events alone:
 * the commissions of a side and what rounding left are the highest rate of its chain, and what came
 * in less what went out is what affiliates have coming.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { AffiliateFixture } from "../../../test/support/engine/affiliate-fixture.ts";
import { type Random, scaled, seededRandom } from "../../../test/support/random.ts";
import { sha256 } from "../../../test/support/sha256.ts";
import type { Event, EventOf } from "../../protocol/index.ts";
import { AFFILIATE_SECTIONS } from "./snapshot-sections.ts";

const random = seededRandom("affiliate traffic");
const AFFILIATES = [1, 2, 3, 4, 5, 6];
const HOUR_MS = 60 * 60 * 1000;
const RATES = ["0", "0.1", "0.12345678", "0.3", "0.33333333", "0.5"];
const ONE_E8 = 100_000_000n;

type Row = EventOf<"commission-accrued">;

/** What the events so far say of money. */
class Books {
  readonly rows: Row[] = [];
  readonly seen = new Set<string>();
  readonly #rates = new Map<number, EventOf<"affiliate-set">>();
  readonly #comingMinor = new Map<string, bigint>();
  #side: Row[] = [];

  note(event: Event): void {
    this.seen.add(event.type);
    if (event.type === "commission-accrued") {
      if (!this.#isSameSide(event)) this.#closeSide(0n);
      this.#side.push(event);
      this.rows.push(event);
      this.#add(event.asset, event.commissionMinor);
      for (const flag of event.flags) this.seen.add(flag);
      if (event.cappedMinor > 0n) this.seen.add("capped");
      this.seen.add(`${event.product} commission`);
      return;
    }
    this.#closeSide(event.type === "commission-rounded" ? event.residueMinor : 0n);
    if (event.type === "affiliate-set") this.#rates.set(event.uid, event);
    if (event.type === "commissions-settled") this.#add(event.asset, -event.accruedMinor);
    if (event.type === "commission-reversed") {
      this.#add(event.asset, -event.fromPayableMinor);
      if (event.owedMinor > 0n) this.seen.add("owed");
    }
  }

  comingMinor(asset: string): bigint {
    return this.#comingMinor.get(asset) ?? 0n;
  }

  #add(asset: string, amountMinor: bigint): void {
    this.#comingMinor.set(asset, this.comingMinor(asset) + amountMinor);
  }

  #isSameSide({ tradeId, traderUid }: Row): boolean {
    const [first] = this.#side;
    return first === undefined || (first.tradeId === tradeId && first.traderUid === traderUid);
  }

  #closeSide(residueMinor: bigint): void {
    const [first] = this.#side;
    if (first === undefined) {
      assert.equal(residueMinor, 0n);
      return;
    }
    let highestE8 = 0;
    let uid: number | null = first.affiliateUid;
    while (uid !== null) {
      const rates = this.#rates.get(uid);
      assert.ok(rates !== undefined);
      const rateE8 = first.product === "spot" ? rates.spotRateE8 : rates.futuresRateE8;
      highestE8 = Math.max(highestE8, rateE8);
      uid = rates.parentUid;
    }
    let grossMinor = 0n;
    for (const row of this.#side) {
      assert.equal(
        row.commissionMinor + row.cappedMinor,
        (row.feeMinor * BigInt(row.rateE8)) / ONE_E8,
      );
      grossMinor += row.commissionMinor + row.cappedMinor;
    }
    assert.equal(grossMinor + residueMinor, (first.feeMinor * BigInt(highestE8)) / ONE_E8);
    this.#side = [];
  }
}

class Traffic {
  readonly fixture = new AffiliateFixture(sha256, 40);
  readonly books = new Books();
  readonly #random: Random;
  readonly #traders: number[] = [];
  #nextUid = 100;

  constructor(random: Random) {
    this.#random = random;
    this.fixture.listContract();
    this.fixture.index("60000");
    for (const uid of AFFILIATES) this.fixture.trader(uid, uid === 1 ? null : 1);
    this.#register();
  }

  step(): void {
    const random = this.#random;
    const kind = random.next();
    if (kind < 0.45) this.#spot();
    else if (kind < 0.65) this.#contract();
    else if (kind < 0.72) this.#affiliate();
    else if (kind < 0.76) this.#register();
    else if (kind < 0.8) this.#policy();
    else if (kind < 0.88) this.#correct();
    else if (kind < 0.93) this.#pay();
    else this.fixture.wait(random.pick([1000, HOUR_MS / 3, 5 * HOUR_MS, 24 * HOUR_MS]));
    this.#look();
  }

  #look(): void {
    const { books, fixture } = this;
    for (const event of fixture.events) books.note(event);
    fixture.events = [];
    if (!this.#random.chance(0.1)) return;
    const { totals } = fixture.ask({ type: "invariants" });
    for (const [asset, accounts] of Object.entries(totals)) {
      const minor = BigInt(Math.round(Number(accounts["affiliate-payable"]) * 1e8));
      assert.equal(minor, books.comingMinor(asset));
    }
  }

  #trader(): number {
    return this.#random.pick(this.#random.chance(0.2) ? AFFILIATES : this.#traders);
  }

  #register(): void {
    const uid = this.#nextUid++;
    const inviterUid = this.#random.pick([...AFFILIATES, ...this.#traders, null]);
    if (this.#random.chance(0.4)) {
      this.fixture.user(uid, inviterUid);
      this.fixture.deposit(uid, "USDT", "100", "contract");
    } else {
      this.fixture.trader(uid, inviterUid);
    }
    this.#traders.push(uid);
  }

  #spot(): void {
    const { fixture } = this;
    const random = this.#random;
    const symbol = random.pick(["BTCUSDT", "BTCUSDT", "ETHBTC"]);
    const side = random.pick(["BUY", "SELL"] as const);
    const quantity = `${random.pick([0, 0, 1, 9])}.${random.integer(1000, 9999)}`;
    const price = `${random.integer(95, 105)}.${random.integer(1000, 9999)}`;
    fixture.execute({ ...fixture.spotOrder(this.#trader(), side, quantity, price), symbol });
  }

  #contract(): void {
    const { fixture } = this;
    const random = this.#random;
    if (random.chance(0.2)) {
      fixture.index(random.pick(["56000", "60000", "64000"]));
      return;
    }
    const intents = ["BUY LONG", "BUY LONG", "SELL SHORT", "SELL SHORT", "SELL LONG"] as const;
    const price = String(60_000 + random.integer(-20, 20) * 50);
    const quantity = `0.0${random.integer(10, 99)}`;
    fixture.execute(fixture.contractOrder(this.#trader(), random.pick(intents), quantity, price));
  }

  #affiliate(): void {
    const random = this.#random;
    const uid = random.pick(AFFILIATES);
    const parentUid = random.pick([null, ...AFFILIATES]);
    const { fixture } = this;
    fixture.execute(fixture.affiliate(uid, random.pick(RATES), random.pick(RATES), parentUid));
    const house = random.chance(0.1);
    fixture.execute({ type: "set-house-account", actor: "", uid: this.#trader(), house });
  }

  #policy(): void {
    const random = this.#random;
    this.fixture.policy({
      capPerReferral30d: random.pick([null, "0.5", "3"]),
      holdSelfReferral: random.chance(0.7),
      holdWashTrades: random.chance(0.7),
      washTradeShare: random.pick(["0", "0.2", "0.5"]),
    });
  }

  #correct(): void {
    const { fixture } = this;
    const random = this.#random;
    if (random.chance(0.2)) fixture.settle();
    const query = { affiliateUid: null, afterCommissionId: 0, limit: 50 };
    const held = fixture.ask({ type: "held-commissions", ...query });
    if (held.length > 0 && random.chance(0.5)) {
      fixture.execute(fixture.release(random.pick(held).commissionId));
    }
    const { rows } = this.books;
    if (rows.length > 0) fixture.execute(fixture.reversal(random.pick(rows)));
  }

  #pay(): void {
    const { fixture } = this;
    const random = this.#random;
    const uid = random.pick(AFFILIATES);
    const requestId = random.chance(0.5) ? `request-${random.integer(1, 40)}` : null;
    fixture.execute(fixture.payment(uid, this.#trader(), random.pick(["1", "250"]), requestId));
    // What is spent elsewhere cannot be taken back.
    const free = fixture.free(uid, "USDT");
    if (free !== "0" && random.chance(0.3)) fixture.withdraw(uid, "USDT", free);
  }
}

test("restored or not, the same happens, and all money is accounted for", () => {
  const traffic = new Traffic(random);
  for (let i = 0; i < scaled(2_000); i++) traffic.step();
  assert.ok(traffic.books.rows.length > 250);
  const { seen } = traffic.books;
  for (const what of [
    "spot commission",
    "contract commission",
    "liquidation-settled",
    "capped",
    "self-referral",
    "wash-trade",
    "commission-rounded",
    "commission-released",
    "commission-reversed",
    "owed",
    "commissions-settled",
    "settlement-asked",
    "internal-withdrawal-made",
    "house-account-set",
  ]) {
    assert.ok(seen.has(what), `${what} happened`);
  }
});

function affiliateSections(fixture: AffiliateFixture): string[] {
  const names: readonly string[] = AFFILIATE_SECTIONS.map(({ name }) => name);
  const sections = fixture.engine.snapshotSections().map(({ name }) => name);
  return sections.filter((name) => names.includes(name));
}

test("a state without affiliates has no section of theirs, one with all of it has all", () => {
  const fixture = new AffiliateFixture(sha256);
  fixture.trader(10);
  fixture.trader(2);
  fixture.trader(20, 2);
  fixture.trader(21, 2);
  fixture.trade(20, 10);
  fixture.wait(HOUR_MS);
  fixture.must({ type: "set-house-account", actor: "", uid: 10, house: true });
  fixture.must({ type: "set-house-account", actor: "", uid: 10, house: false });
  assert.deepEqual(affiliateSections(fixture), []);
  fixture.must(fixture.affiliate(2, "0.3", "0"));
  assert.deepEqual(affiliateSections(fixture), ["affiliates"]);
  fixture.must({ type: "set-house-account", actor: "", uid: 10, house: true });
  fixture.policy({ capPerReferral30d: "100", holdSelfReferral: true, holdWashTrades: true });
  fixture.must(fixture.payment(2, 20, "1", "one"));
  fixture.trade(21, 10);
  const [row] = fixture.emitted("commission-accrued");
  assert.ok(row !== undefined);
  fixture.must(fixture.reversal(row));
  fixture.trade(20, 10);
  assert.equal(affiliateSections(fixture).length, AFFILIATE_SECTIONS.length);
});
