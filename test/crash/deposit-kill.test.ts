/**
 * Proves that `kill -9` neither loses a reported deposit nor credits one twice. The real process is
 * killed at random moments and restarted on the same folder, while a watcher reports transactions
 * of a network outside, several at once and again and again with the confirmations of the moment.
 * Whoever got no answer reports again. After each life, what was answered as credited is so, once;
 * at the end every transaction is one deposit, the balances and totals are the plain sums, also
 * from a history that was built anew, and reports of credited deposits change nothing.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { ExchangeProcess } from "../support/exchange-process.ts";
import { rebuildHistory, untilGone } from "../support/killed-exchange.ts";
import { Random, scaled, seededRandom } from "../support/random.ts";

const CYCLES = Math.max(3, scaled(3));
const REPEATED_MAX = scaled(200);
const USERS = [801, 802, 803];
const REQUIRED = 4;
const V1 = "/operator/v1";
const REPORTS = `${V1}/deposit-reports`;
const random = seededRandom("crash/deposit-kill");

/** A transaction outside, whose confirmations only grow unless it is replaced. */
interface Transaction {
  readonly transactionId: string;
  readonly outputIndex: number;
  readonly uid: number;
  readonly amount: string;
  confirmations: number;
}

interface Deposit {
  readonly depositId: number;
  readonly uid: number;
  readonly amount: string;
  readonly transactionId: string;
  readonly outputIndex: number;
  readonly state: string;
}

const keyOf = ({ transactionId, outputIndex }: Transaction | Deposit): string =>
  `${transactionId}:${outputIndex}`;

class Campaign {
  readonly #exchange: ExchangeProcess;
  readonly #transactions: Transaction[] = [];
  /** What was answered as credited, by transaction and output. */
  readonly #credited = new Map<string, number>();
  #inFlight = new Set<Transaction>();
  repeated = 0;

  constructor(exchange: ExchangeProcess) {
    this.#exchange = exchange;
  }

  async open(): Promise<void> {
    const { operator } = this.#exchange;
    await operator.call("PUT", `${V1}/deposit-rules/USDT/main`, { confirmations: REQUIRED });
    for (const uid of USERS) await operator.call("POST", `${V1}/users`, { uid });
  }

  async cycle(): Promise<void> {
    const load = [1, 2, 3, 4].map(() => {
      const dice = new Random(random.integer(0, 2 ** 31));
      return untilGone(() => this.#watch(dice));
    });
    await sleep(random.integer(200, 900));
    await this.#exchange.kill("SIGKILL");
    await Promise.all(load);
    await this.#exchange.restart();
    const lost = [...this.#inFlight];
    this.#inFlight = new Set();
    this.repeated += lost.length;
    for (const transaction of lost) await this.#report(transaction);
    await this.check();
  }

  /** A block was found outside: something is new, or has one more confirmation, or one less. */
  async #watch(dice: Random): Promise<void> {
    const open = this.#transactions.filter(({ confirmations }) => confirmations < REQUIRED + 2);
    if (open.length < 5 || dice.chance(0.3)) {
      const number = this.#transactions.length;
      this.#transactions.push({
        // Two outputs of one transaction are two deposits.
        transactionId: `0x${number >> 1}`,
        outputIndex: number & 1,
        uid: dice.pick(USERS),
        amount: String(dice.integer(1, 999)),
        confirmations: 0,
      });
      return;
    }
    const transaction = dice.pick(open);
    transaction.confirmations += dice.chance(0.1) && transaction.confirmations > 0 ? -1 : 1;
    await this.#report(transaction);
  }

  /** Remembered as in flight until its answer is there. */
  async #report(transaction: Transaction): Promise<void> {
    this.#inFlight.add(transaction);
    const report = { ...transaction, network: "main", asset: "USDT" };
    const { operator } = this.#exchange;
    const answer = await operator.call<Deposit>("POST", REPORTS, report);
    this.#inFlight.delete(transaction);
    if (answer.state === "credited") this.#credited.set(keyOf(transaction), answer.depositId);
  }

  async all(): Promise<readonly Deposit[]> {
    const found: Deposit[] = [];
    for (let after: number | null = 0; after !== null; ) {
      const path = `${REPORTS}?after=${after}&limit=1000`;
      const page: { items: Deposit[]; next: number | null } = await this.#exchange.operator.call(
        "GET",
        path,
      );
      found.push(...page.items);
      after = page.next;
    }
    return found;
  }

  async check(): Promise<void> {
    const { operator } = this.#exchange;
    const all = await this.all();
    const byKey = new Map(all.map((one) => [keyOf(one), one]));
    assert.equal(byKey.size, all.length, "a transaction and output is one deposit");
    for (const [key, depositId] of this.#credited) {
      assert.partialDeepStrictEqual(byKey.get(key), { depositId, state: "credited" }, key);
    }
    for (const transaction of this.#transactions) {
      const { uid, amount } = transaction;
      const deposit = byKey.get(keyOf(transaction));
      if (deposit !== undefined) assert.partialDeepStrictEqual(deposit, { uid, amount });
    }
    const credited = all.filter(({ state }) => state === "credited");
    const sum = (some: readonly Deposit[]) =>
      some.reduce((total, { amount }) => total + Number(amount), 0);
    for (const uid of USERS) {
      const path = `${V1}/users/${uid}/balances`;
      const { spot } = await operator.call<{ spot: Record<string, string>[] }>("GET", path);
      const usdt = spot.find(({ asset }) => asset === "USDT");
      const mine = credited.filter((one) => one.uid === uid);
      assert.equal(usdt?.available, String(sum(mine)), `${uid}`);
    }
    const { violations, totals } = await operator.invariants();
    assert.deepEqual(violations, []);
    assert.equal(totals.USDT?.external, String(-sum(credited)));
  }

  get counts(): string {
    return `${this.#transactions.length} transactions, ${this.#credited.size} credited`;
  }

  get creditedCount(): number {
    return this.#credited.size;
  }

  /** Reports of credited deposits, with any confirmations, answer the same and change nothing. */
  async repeatAll(): Promise<void> {
    const { operator } = this.#exchange;
    const before = await operator.stateHash();
    const credited = this.#transactions.filter((one) => this.#credited.has(keyOf(one)));
    for (const transaction of random.shuffle(credited).slice(0, REPEATED_MAX)) {
      const confirmations = random.integer(0, 9);
      const report = { ...transaction, network: "main", asset: "USDT", confirmations };
      const depositId = this.#credited.get(keyOf(transaction));
      const answer = await operator.call<Deposit>("POST", REPORTS, report);
      assert.deepEqual(answer, { depositId, state: "credited" });
    }
    assert.equal(await operator.stateHash(), before);
  }

  async rebuild(): Promise<void> {
    const before = await this.all();
    await rebuildHistory(this.#exchange);
    assert.deepEqual(await this.all(), before);
    await this.check();
  }
}

test("kill -9 while deposits are reported and credited, over and over", async (t) => {
  const exchange = await ExchangeProcess.start();
  t.after(() => exchange.stop());
  const campaign = new Campaign(exchange);
  await campaign.open();
  for (let cycle = 1; cycle <= CYCLES; cycle++) {
    await t.test(`cycle ${cycle}`, () => campaign.cycle());
  }
  await t.test("credited deposits are reported again", () => campaign.repeatAll());
  await t.test("the history is built anew", () => campaign.rebuild());
  t.diagnostic(`${campaign.counts}; ${campaign.repeated} reports repeated after a crash`);
  assert.ok(campaign.creditedCount > 10, campaign.counts);
  assert.ok(campaign.repeated > 0, "nothing was in flight");
});
