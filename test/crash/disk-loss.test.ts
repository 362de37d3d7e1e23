/**
 * Proves that a venue that loses its disk comes back to the second before, and that a withdrawal
 * of that second is neither lost nor sent twice. The real process trades money with the outside
 * while `rialto backup --every 1s` ships its journal to another folder; it is killed hard and its
 * data folder deleted in the same moment, while withdrawals are requested by users and staff,
 * decided and sent. It is restored where it was, beside the backup that goes on, and mended as
 * docs/operating/money.md says. What was answered before the round before the last is all there;
 * at the end each transfer outside is one withdrawal or one booking, each withdrawal that is done
 * was sent once, and custody has to the unit what the exchange owes.
 */
import assert from "node:assert/strict";
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import test from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { allWithdrawals, type Withdrawal } from "../support/all-withdrawals.ts";
import { ExchangeProcess, temporaryFolder } from "../support/exchange-process.ts";
import { issueKey } from "../support/exchange-setup.ts";
import type { HttpAnswer } from "../support/http-exchange.ts";
import { untilGone } from "../support/killed-exchange.ts";
import { Custody, sumOf, type Transfer } from "../support/outside-money.ts";
import { PROGRAM } from "../support/program.ts";
import { Random, scaled, seededRandom } from "../support/random.ts";
import { type Credentials, SignedClient } from "../support/signed-client.ts";
import { waitUntil } from "../support/wait-until.ts";

const LOSSES = Math.max(2, scaled(2));
const USERS = [901, 902, 903];
const FUNDS = 1_000_000;
const FEE = 2;
/** Sent after a round of the backup, before the disk is lost. */
const SENT_SINCE = 3;
const V1 = "/operator/v1";
const TOKEN = "an-operator-token-that-outlives-the-disk";
const random = seededRandom("crash/disk-loss");

type Order = Omit<Transfer, "isReturned">;

/** What was answered before a moment is remembered by how many answers there were. */
interface Answered {
  readonly reference: string;
  readonly state: string;
}

const RANK: Readonly<Record<string, number>> = {
  ...{ requested: 1, approved: 2, rejected: 2 },
  ...{ sent: 3, done: 4, failed: 4 },
};

/** The same for the same request, whatever number the exchange gave it. */
const referenceOf = ({ uid, id }: { uid: number; id: string }): string => `${uid}/${id}`;

function orderOf(withdrawal: Withdrawal): Order {
  const { uid, address, amount } = withdrawal;
  return { reference: referenceOf(withdrawal), uid, address, amount: Number(amount) - FEE };
}

/** `rialto backup --every 1s`, a unit beside the exchange: nobody tells it of a loss. */
class Shipping {
  readonly target = join(temporaryFolder(), "backup");
  readonly #child: ChildProcess;
  rounds = 0;
  errors = "";

  constructor(dataFolder: string, onRound: () => void) {
    const flags = ["--data-dir", dataFolder, "--every", "1s", "--json"];
    this.#child = spawn(process.execPath, [PROGRAM, "backup", this.target, ...flags]);
    createInterface({ input: this.#child.stdout as NodeJS.ReadableStream }).on("line", () => {
      this.rounds++;
      onRound();
    });
    this.#child.stderr?.on("data", (chunk: Buffer) => {
      this.errors += chunk.toString();
    });
  }

  /** The backup's disk is slow: what comes now is in no backup. */
  hold(): void {
    this.#child.kill("SIGSTOP");
  }

  goOn(): void {
    this.#child.kill("SIGCONT");
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null) return;
    this.#child.kill("SIGKILL");
    await once(this.#child, "close");
  }
}

class Venue {
  readonly #safe = temporaryFolder();
  readonly #exchange: ExchangeProcess;
  readonly custody = new Custody();
  readonly #keys = new Map<number, Credentials>();
  #clients = new Map<number, SignedClient>();
  /** Requests as their users and the staff remember them, answered or not. */
  readonly #asked: { readonly uid: number; readonly id: string; readonly amount: string }[] = [];
  #answered: Answered[] = [];
  /** Deposits that were answered as credited. */
  #credited = new Set<string>();
  #requests = 0;
  readonly lost = { steps: 0, transfers: 0, booked: 0 };

  constructor(exchange: ExchangeProcess) {
    this.#exchange = exchange;
  }

  get answers(): number {
    return this.#answered.length;
  }

  async open(): Promise<void> {
    const { operator } = this.#exchange;
    const rules = { minAmount: "3", fee: String(FEE), addressHoldMs: 0, keyHoldMs: 0 };
    await operator.call("PUT", `${V1}/withdrawal-rules/USDT`, rules);
    await operator.call("PUT", `${V1}/deposit-rules/USDT/main`, { confirmations: 2 });
    for (const uid of USERS) {
      await operator.call("POST", `${V1}/users`, { uid });
      this.#keys.set(uid, await issueKey(this.#exchange, uid, ["read", "withdraw"]));
      const address = { asset: "USDT", network: "main", address: `a${uid}` };
      await operator.call("POST", `${V1}/users/${uid}/withdrawal-addresses`, address);
      this.custody.receive(uid, FUNDS);
    }
    await this.reportDeposits();
    copyFileSync(join(this.#exchange.dataFolder, "master.key"), join(this.#safe, "master.key"));
  }

  /** The exchange has come to life: ports are new. */
  connect(): void {
    for (const client of this.#clients.values()) client.close();
    const { port } = this.#exchange;
    this.#clients = new Map(
      [...this.#keys].map(([uid, key]) => [uid, new SignedClient(port, key)]),
    );
  }

  /** Everyone works until the exchange is gone. */
  load(): Promise<unknown> {
    const workers = [this.#ask, this.#decide, this.#pay, this.#finish, this.#deposit];
    return Promise.all(
      workers.map((work) => {
        const dice = new Random(random.integer(0, 2 ** 31));
        return untilGone(() => work.call(this, dice));
      }),
    );
  }

  async #ask(dice: Random): Promise<void> {
    const uid = dice.pick(USERS);
    const isOwn = dice.chance(0.5);
    const id = `${isOwn ? "own" : "staff"}-${++this.#requests}`;
    const request = { uid, id, amount: String(dice.integer(3, 99)) };
    this.#asked.push(request);
    await this.#request(request);
    await sleep(2);
  }

  async #request({ uid, id, amount }: { uid: number; id: string; amount: string }) {
    const addressId = USERS.indexOf(uid) + 1;
    const own = { addressId, amount, clientWithdrawalId: id };
    const answer = id.startsWith("own")
      ? await this.#clients.get(uid)?.post("/api/v3/withdrawal", own)
      : await this.#send("POST", `${V1}/withdrawal-requests`, { id, uid, addressId, amount });
    // Too many open ones: it is asked for again another time.
    if (answer !== undefined && answer.status >= 400)
      return assert.match(answer.text, /-1141|limit/);
    this.#answered.push({ reference: referenceOf({ uid, id }), state: "requested" });
  }

  async #decide(dice: Random): Promise<void> {
    for (const withdrawal of await this.#some("requested")) {
      const approves = dice.chance(0.8) && !(await this.#isBooked(withdrawal));
      await this.#step(withdrawal, approves ? "approved" : "rejected", "decided");
    }
  }

  /** Sent in a second that was lost, and booked out after it: the request came again. */
  async #isBooked(withdrawal: Withdrawal): Promise<boolean> {
    const id = encodeURIComponent(referenceOf(withdrawal));
    const path = `${V1}/users/${withdrawal.uid}/withdrawals/${id}`;
    const { status } = await this.#exchange.operator.send("GET", path);
    return status === 200;
  }

  /** Sends outside what is recorded as sent, with an answer; now and then it dies in between. */
  async #pay(dice: Random): Promise<void> {
    for (const withdrawal of await this.#some("approved")) {
      const isSent = await this.#step(withdrawal, "sent", referenceOf(withdrawal));
      if (isSent && dice.chance(0.9)) this.custody.send(orderOf(withdrawal), dice.chance(0.1));
    }
  }

  async #finish(dice: Random): Promise<void> {
    for (const withdrawal of await this.#some("sent")) {
      const { isReturned } = this.custody.send(orderOf(withdrawal), false);
      if (dice.chance(0.5)) await this.#step(withdrawal, isReturned ? "failed" : "done", "");
    }
    if (dice.chance(0.1)) await this.#exchange.operator.takeSnapshot();
  }

  async #deposit(dice: Random): Promise<void> {
    this.custody.receive(dice.pick(USERS), dice.integer(1, 50));
    await this.reportDeposits();
    await sleep(10);
  }

  /** All that the network has, and the exchange did not answer as credited. */
  async reportDeposits(): Promise<void> {
    const { operator } = this.#exchange;
    for (const { transactionId, uid, amount } of this.custody.received) {
      if (this.#credited.has(transactionId)) continue;
      const transaction = { network: "main", transactionId, uid, asset: "USDT" };
      const report = { ...transaction, amount: String(amount), confirmations: 2 };
      await operator.call("POST", `${V1}/deposit-reports`, report);
      this.#credited.add(transactionId);
    }
  }

  async #some(state: string): Promise<readonly Withdrawal[]> {
    const path = `${V1}/withdrawal-requests?state=${state}&limit=10`;
    const { items } = await this.#exchange.operator.call<{ items: Withdrawal[] }>("GET", path);
    if (items.length === 0) await sleep(5);
    return items;
  }

  async #step(withdrawal: Withdrawal, state: string, note: string): Promise<boolean> {
    const reference = referenceOf(withdrawal);
    const path = `${V1}/withdrawal-requests/${withdrawal.withdrawalId}`;
    const body = { id: `${state}:${reference}`.slice(0, 64), state, note };
    const { status, text } = await this.#send("PATCH", path, body);
    if (status < 300) this.#answered.push({ reference, state });
    else assert.match(text, /withdrawal-state/, text);
    return status < 300;
  }

  #send(method: string, path: string, body: object): Promise<HttpAnswer> {
    return this.#exchange.operator.send(method, path, body);
  }

  /** With the process goes the folder; nobody is asked first. */
  async loseDisk(): Promise<void> {
    await this.#exchange.kill("SIGKILL");
    rmSync(this.#exchange.dataFolder, { recursive: true, maxRetries: 5 });
  }

  /** As the page says, into the folder that was lost; the backup beside it goes on. */
  async restore(source: string): Promise<void> {
    const { dataFolder } = this.#exchange;
    const words = [PROGRAM, "restore", source, "--data-dir", dataFolder];
    const { status, stderr } = spawnSync(process.execPath, words, { encoding: "utf8" });
    assert.equal(status, 0, stderr);
    copyFileSync(join(this.#safe, "master.key"), join(dataFolder, "master.key"));
    await this.#exchange.restart();
    this.connect();
    const path = `${V1}/withdrawal-requests?limit=1`;
    await waitUntil("the history is built anew", async () => {
      return (await this.#exchange.operator.send("GET", path)).status === 200;
    });
  }

  /** Of what was answered, all before a moment is there, and nothing is counted twice after it. */
  async compare(durable: number): Promise<void> {
    const all = await this.all();
    const states = new Map(all.map((each) => [referenceOf(each), each.state]));
    const isThere = ({ reference, state }: Answered): boolean =>
      (RANK[states.get(reference) ?? ""] ?? 0) >= (RANK[state] ?? 0);
    for (const each of this.#answered.slice(0, durable)) {
      assert.ok(isThere(each), `${each.reference} was ${each.state} a round before the last`);
    }
    this.lost.steps += this.#answered.filter((each) => !isThere(each)).length;
    this.#answered = this.#answered.filter(isThere);
    this.#credited = new Set();
  }

  /** What the page tells to do before users come back. */
  async mend(): Promise<void> {
    await this.reportDeposits();
    const known = new Map((await this.all()).map((each) => [referenceOf(each), each]));
    for (const transfer of this.custody.transfers) {
      const { reference, uid, amount, isReturned } = transfer;
      const withdrawal = known.get(reference);
      if (withdrawal !== undefined) {
        if ((RANK[withdrawal.state] ?? 0) >= 3) continue;
        this.lost.transfers++;
        if (withdrawal.state === "requested") await this.#step(withdrawal, "approved", "was sent");
        await this.#step(withdrawal, "sent", reference);
      } else if (!isReturned) {
        const booking = { id: reference, account: "spot", asset: "USDT", amount: String(amount) };
        const path = `${V1}/users/${uid}/withdrawals`;
        const isNew = !(await this.#isBooked({ uid, id: reference.split("/")[1] } as Withdrawal));
        await this.#exchange.operator.call("POST", path, booking);
        if (isNew) this.lost.transfers++;
        if (isNew) this.lost.booked++;
      }
    }
  }

  /** Users and staff compare their own records with the venue that came back. */
  async repeatRequests(): Promise<void> {
    const known = new Set((await this.all()).map(referenceOf));
    for (const request of this.#asked) {
      if (!known.has(referenceOf(request))) await this.#request(request);
    }
  }

  all(): Promise<readonly Withdrawal[]> {
    return allWithdrawals(this.#exchange.operator);
  }

  /** Until nothing is open. */
  async settle(): Promise<void> {
    const dice = new Random(random.integer(0, 2 ** 31));
    await this.reportDeposits();
    const open = ["requested", "approved", "sent"];
    await waitUntil("every withdrawal has ended", async () => {
      await this.repeatRequests();
      await this.#decide(dice);
      await this.#pay(dice);
      await this.#finish(dice);
      const all = await this.all();
      const known = new Set(all.map(referenceOf));
      const isAsked = this.#asked.every((request) => known.has(referenceOf(request)));
      return isAsked && all.every(({ state }) => !open.includes(state));
    });
  }

  /** Transfers, withdrawals, bookings and balances are those of plain sums. */
  async check(): Promise<void> {
    const { operator } = this.#exchange;
    const all = await this.all();
    const done = all.filter(({ state }) => state === "done");
    assert.equal(new Set(all.map(referenceOf)).size, all.length, "a request is one withdrawal");
    for (const withdrawal of all) {
      const transfer = this.custody.find(referenceOf(withdrawal));
      const { state, uid, id } = withdrawal;
      if (state === "done" || state === "failed") {
        const { isReturned, ...order } = transfer ?? assert.fail(`${id} was never sent`);
        assert.deepEqual(order, orderOf(withdrawal));
        assert.equal(isReturned, state === "failed", id);
      } else {
        const isBooked = await this.#isBooked(withdrawal);
        assert.equal(transfer?.isReturned ?? true, !isBooked, `${id} of ${uid} is ${state}`);
      }
    }
    const paid = new Set(done.map(referenceOf));
    const left = this.custody.transfers.filter(({ isReturned }) => !isReturned);
    const booked = left.filter(({ reference }) => !paid.has(reference));
    assert.equal(booked.length, this.lost.booked);
    for (const uid of USERS) {
      const of = <Row extends { readonly uid: number }>(rows: readonly Row[]) =>
        rows.filter((row) => row.uid === uid);
      const path = `${V1}/users/${uid}/balances`;
      const { spot } = await operator.call<{ spot: Record<string, string>[] }>("GET", path);
      const usdt = spot.find(({ asset }) => asset === "USDT");
      const expected = sumOf(of(this.custody.received)) - sumOf(of(done)) - sumOf(of(booked));
      assert.deepEqual([usdt?.available, usdt?.frozen], [String(expected), "0"], String(uid));
    }
    const amount = String(this.custody.holdings);
    const report = { balances: [{ asset: "USDT", amount }] };
    const { items } = await operator.call<{ items: Record<string, string>[] }>(
      "POST",
      `${V1}/custody/balances`,
      report,
    );
    const usdt = items.find(({ asset }) => asset === "USDT");
    assert.deepEqual([usdt?.difference, usdt?.shortage], ["0", "0"]);
    assert.deepEqual((await operator.invariants()).violations, []);
  }
}

test("a disk is lost while withdrawals are requested, decided and sent", async (t) => {
  const options = { sandbox: false, operatorToken: TOKEN, env: { RIALTO_OPERATOR_TOKEN: TOKEN } };
  const exchange = await ExchangeProcess.start(options);
  const venue = new Venue(exchange);
  // What was answered when a round was told was answered before the next one began.
  let answers: [number, number] = [0, 0];
  let sent = 0;
  const shipping = new Shipping(exchange.dataFolder, () => {
    answers = [answers[1], venue.answers];
    sent = venue.custody.transfers.length;
  });
  // In this order: the backup would write into the folder that is being removed.
  t.after(() => shipping.stop());
  t.after(() => exchange.stop());
  await venue.open();
  venue.connect();
  const round = async (): Promise<void> => {
    const { rounds } = shipping;
    await waitUntil("the backup has a round", async () => shipping.rounds > rounds);
  };
  for (let loss = 1; loss <= LOSSES; loss++) {
    await t.test(`loss ${loss}`, async () => {
      await round();
      const load = venue.load();
      await round();
      shipping.hold();
      const isTime = async () => venue.custody.transfers.length >= sent + SENT_SINCE;
      await waitUntil("something is sent that no backup has", isTime);
      const [durable] = answers;
      await venue.loseDisk();
      shipping.goOn();
      await load;
      await venue.restore(shipping.target);
      await venue.compare(durable);
      await venue.mend();
      await venue.settle();
      await venue.check();
    });
  }
  const { steps, transfers, booked } = venue.lost;
  const { custody } = venue;
  t.diagnostic(
    `${custody.transfers.length} transfers, ${custody.repeated} ordered again; lost: ` +
      `${steps} answered steps, with ${transfers} transfers, ${booked} of them booked out`,
  );
  assert.ok(steps > 0 && transfers > 0, "a loss cost nothing: nothing was tried");
});
