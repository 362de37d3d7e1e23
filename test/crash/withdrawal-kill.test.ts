/**
 * Proves that `kill -9` neither loses a withdrawal nor sends one twice. The real process is killed
 * at random moments and restarted on the same folder, while users' withdrawals are requested and
 * decided, and a payer outside sends what is approved, as the operating page says: it records the
 * reference first and sends when that is answered. Whoever got no answer repeats the same call.
 * After each life, what was answered is still so; at the end every request is one withdrawal, each
 * that was done was sent once, no other was, and the balances and totals are those of plain sums,
 * also from a history that was built anew.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { allWithdrawals, type Withdrawal } from "../support/all-withdrawals.ts";
import { ExchangeProcess } from "../support/exchange-process.ts";
import { rebuildHistory, untilGone } from "../support/killed-exchange.ts";
import { Random, scaled, seededRandom } from "../support/random.ts";

const CYCLES = Math.max(3, scaled(3));
const REPEATED_MAX = scaled(300);
const USERS = [701, 702, 703];
const DEPOSIT = 1_000_000;
const FEE = 2;
const V1 = "/operator/v1";
const random = seededRandom("crash/withdrawal-kill");

interface Call {
  readonly method: string;
  readonly path: string;
  readonly body: { readonly id: string };
}

/** What was answered, which must stay so. */
interface Answered {
  readonly call: Call;
  readonly text: string;
}

const RANK: Readonly<Record<string, number>> = {
  ...{ requested: 1, approved: 2, rejected: 2 },
  ...{ sent: 3, done: 4, failed: 4 },
};

class Campaign {
  readonly #exchange: ExchangeProcess;
  readonly answered: Answered[] = [];
  /** What left outside, by reference. */
  readonly paid = new Map<string, number>();
  #inFlight: Call[] = [];
  #requests = 0;
  repeated = 0;

  constructor(exchange: ExchangeProcess) {
    this.#exchange = exchange;
  }

  async open(): Promise<void> {
    const { operator } = this.#exchange;
    const rules = { minAmount: "3", fee: String(FEE), addressHoldMs: 0, keyHoldMs: 0 };
    await operator.call("PUT", `${V1}/withdrawal-rules/USDT`, rules);
    for (const uid of USERS) {
      await operator.call("POST", `${V1}/users`, { uid });
      const funds = { account: "spot", asset: "USDT", amount: String(DEPOSIT) };
      await operator.call("POST", `${V1}/users/${uid}/deposits`, { id: "d", ...funds });
      const address = { asset: "USDT", network: "main", address: `a${uid}` };
      await operator.call("POST", `${V1}/users/${uid}/withdrawal-addresses`, address);
    }
  }

  async cycle(): Promise<void> {
    const workers = [this.#ask, this.#ask, this.#decide, this.#pay, this.#finish];
    const load = workers.map((work) => {
      const dice = new Random(random.integer(0, 2 ** 31));
      return untilGone(() => work.call(this, dice));
    });
    await sleep(random.integer(200, 900));
    await this.#exchange.kill("SIGKILL");
    await Promise.all(load);
    await this.#exchange.restart();
    await this.#recover();
    await this.check();
  }

  /** Remembered as in flight until its answer is there. */
  async #send(call: Call): Promise<boolean> {
    this.#inFlight.push(call);
    const { status, text } = await this.#exchange.operator.send(call.method, call.path, call.body);
    this.#inFlight = this.#inFlight.filter((one) => one !== call);
    if (status < 300) this.answered.push({ call, text });
    // Several work at once: what another has decided meanwhile, and too many open ones.
    else assert.match(text, /withdrawal-state|withdrawal-limit/, text);
    return status < 300;
  }

  async #ask(dice: Random): Promise<void> {
    const user = dice.integer(0, USERS.length - 1);
    const terms = {
      uid: USERS[user] ?? 0,
      addressId: user + 1,
      amount: String(dice.integer(3, 99)),
    };
    const body = { id: `w-${++this.#requests}`, ...terms };
    await this.#send({ method: "POST", path: `${V1}/withdrawal-requests`, body });
    await sleep(4);
  }

  async #decide(dice: Random): Promise<void> {
    for (const { withdrawalId } of await this.#some("requested")) {
      const state = dice.chance(0.8) ? "approved" : "rejected";
      await this.#step(withdrawalId, state, "decided");
    }
  }

  /** Sends outside only what it has recorded as sent, with an answer. */
  async #pay(): Promise<void> {
    for (const { withdrawalId } of await this.#some("approved")) {
      const reference = `tx-${withdrawalId}`;
      if (await this.#step(withdrawalId, "sent", reference)) this.#payOutside(reference);
    }
  }

  #payOutside(reference: string): void {
    this.paid.set(reference, (this.paid.get(reference) ?? 0) + 1);
  }

  async #finish(dice: Random): Promise<void> {
    for (const { withdrawalId, reference } of await this.#some("sent")) {
      if (!this.paid.has(reference)) continue;
      const hasFailed = dice.chance(0.1);
      if (!(await this.#step(withdrawalId, hasFailed ? "failed" : "done", ""))) continue;
      if (hasFailed) this.paid.delete(reference);
    }
    if (dice.chance(0.1)) await this.#exchange.operator.takeSnapshot();
  }

  async #some(state: string): Promise<readonly Withdrawal[]> {
    const path = `${V1}/withdrawal-requests?state=${state}&limit=10`;
    const { items } = await this.#exchange.operator.call<{ items: Withdrawal[] }>("GET", path);
    if (items.length === 0) await sleep(5);
    return items;
  }

  #step(withdrawalId: number, state: string, note: string): Promise<boolean> {
    const path = `${V1}/withdrawal-requests/${withdrawalId}`;
    const body = { id: `${state}-${withdrawalId}`, state, note };
    return this.#send({ method: "PATCH", path, body });
  }

  /** Everyone repeats what was not answered; the payer looks up what it had recorded. */
  async #recover(): Promise<void> {
    const calls = this.#inFlight;
    this.#inFlight = [];
    for (const call of calls) {
      this.repeated++;
      const isDone = await this.#send(call);
      const { id } = call.body;
      if (isDone && id.startsWith("failed-")) this.paid.delete(`tx-${id.slice(7)}`);
    }
    for (const { state, reference } of await this.all()) {
      if (state === "sent" && !this.paid.has(reference)) this.#payOutside(reference);
    }
  }

  all(): Promise<readonly Withdrawal[]> {
    return allWithdrawals(this.#exchange.operator);
  }

  async check(): Promise<void> {
    const { operator } = this.#exchange;
    const all = await this.all();
    assert.equal(new Set(all.map(({ id }) => id)).size, all.length, "a request is one withdrawal");
    for (const { call, text } of this.answered) {
      const { withdrawalId, state } = JSON.parse(text) as Withdrawal;
      const now = all[withdrawalId - 1];
      const isKept = now !== undefined && (RANK[now.state] ?? 0) >= (RANK[state] ?? 0);
      assert.ok(isKept, `${call.body.id} was answered ${text} and is ${now?.state}`);
    }
    for (const { state, reference, withdrawalId } of all) {
      const isOut = state === "sent" || state === "done";
      const times = this.paid.get(`tx-${withdrawalId}`) ?? 0;
      assert.equal(times, isOut ? 1 : 0, `${withdrawalId} is ${state} and was sent ${times} times`);
      if (isOut) assert.equal(reference, `tx-${withdrawalId}`);
    }
    const sum = (some: readonly Withdrawal[]) =>
      some.reduce((total, { amount }) => total + Number(amount), 0);
    for (const uid of USERS) {
      const mine = all.filter((one) => one.uid === uid);
      const open = sum(
        mine.filter(({ state }) => ["requested", "approved", "sent"].includes(state)),
      );
      const gone = sum(mine.filter(({ state }) => state === "done"));
      const path = `${V1}/users/${uid}/balances`;
      const { spot } = await operator.call<{ spot: Record<string, string>[] }>("GET", path);
      const usdt = spot.find(({ asset }) => asset === "USDT");
      assert.equal(usdt?.frozen, String(open));
      assert.equal(usdt?.available, String(DEPOSIT - open - gone));
    }
    const done = all.filter(({ state }) => state === "done");
    const { violations, totals } = await operator.invariants();
    assert.deepEqual(violations, []);
    assert.equal(totals.USDT?.fees, String(done.length * FEE));
    const left = sum(done) - done.length * FEE;
    assert.equal(totals.USDT?.external, String(left - DEPOSIT * USERS.length));
  }

  /** The first answers again, word for word, and nothing happens. */
  async repeatAll(): Promise<void> {
    const { operator } = this.#exchange;
    const before = await operator.stateHash();
    for (const { call, text } of random.shuffle([...this.answered]).slice(0, REPEATED_MAX)) {
      assert.equal((await operator.send(call.method, call.path, call.body)).text, text);
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

test("kill -9 while withdrawals are requested, decided and sent, over and over", async (t) => {
  const exchange = await ExchangeProcess.start();
  t.after(() => exchange.stop());
  const campaign = new Campaign(exchange);
  await campaign.open();
  for (let cycle = 1; cycle <= CYCLES; cycle++) {
    await t.test(`cycle ${cycle}`, () => campaign.cycle());
  }
  await t.test("answered calls again", () => campaign.repeatAll());
  await t.test("the history is built anew", () => campaign.rebuild());
  const states = new Map<string, number>();
  for (const { state } of await campaign.all()) states.set(state, (states.get(state) ?? 0) + 1);
  const counts = [...states].map(([state, count]) => `${count} ${state}`).join(", ");
  t.diagnostic(`${counts}; ${campaign.repeated} calls repeated after a crash`);
  for (const state of ["rejected", "done", "failed"]) assert.ok(states.get(state), counts);
  assert.ok(campaign.repeated > 0, "nothing was in flight");
});
