/**
 * Proves the life of withdrawals against a naive ledger: random requests, steps in and out of
 * order, repetitions, rules, address books and holds, beside orders that freeze the same money;
 * every answer, every balance and the totals are those of plain numbers, over restarts from
 * snapshots. Then: what is bounded, and that an exchange without withdrawals has no trace of them.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { WITHDRAWAL_STEPS } from "../../src/domain/index.ts";
import { RULES_VERSION } from "../../src/engine/index.ts";
import type { Command, CommandOf } from "../../src/protocol/index.ts";
import { ONE, text } from "../support/exact.ts";
import { scaled, seededRandom } from "../support/random.ts";
import { eventsOf, LiveEngine } from "./live-engine.ts";
import { PlainWallets } from "./naive-wallets.ts";
import { NaiveWithdrawals, stateOf, type Verdict } from "./naive-withdrawals.ts";

const random = seededRandom("models/withdrawals");
const cancels = seededRandom("models/withdrawals/cancels");
const OPERATIONS = scaled(6_000);
const ASSETS = ["ACO", "QUO"] as const;
const FUNDS = "500";
const HOUR_MS = 3_600_000;
const ACTOR = "operator";

function rules(changes: Partial<CommandOf<"set-withdrawal-rules">> = {}) {
  return {
    type: "set-withdrawal-rules",
    actor: ACTOR,
    asset: "QUO",
    enabled: true,
    minAmount: "1",
    fee: "0",
    dailyLimit: null,
    addressHoldMs: 0,
    keyHoldMs: 0,
    ...changes,
  } as const;
}

function address(uid: number, changes: Partial<CommandOf<"add-withdrawal-address">> = {}) {
  const entry = { network: "main", address: "a1", memo: "", label: "mine", ...changes };
  return { type: "add-withdrawal-address", actor: ACTOR, uid, asset: "QUO", ...entry } as const;
}

class Run {
  readonly live = new LiveEngine();
  readonly wallets = new PlainWallets();
  readonly naive = new NaiveWithdrawals(this.wallets);
  readonly users: number[];
  readonly counts = new Map<string, number>();
  readonly #orders: { uid: number; clientOrderId: string; amount: bigint }[] = [];
  #sent: Command[] = [];
  #ids = 0;

  constructor() {
    this.live.must({ type: "adopt-rules", version: RULES_VERSION });
    this.live.listMarket();
    this.users = [1, 2, 3].map(() => this.live.fundedUser(FUNDS));
    for (const uid of this.users) {
      for (const asset of ASSETS) this.wallets.arrive(uid, asset, BigInt(FUNDS) * ONE);
    }
  }

  operate(): void {
    this.live.nowMs += random.chance(0.02) ? random.integer(0, 20 * HOUR_MS) : random.integer(0, 9);
    const roll = random.next();
    if (roll < 0.02) this.#setRules();
    else if (roll < 0.08) this.#changeBook();
    else if (roll < 0.1) this.#changeUser();
    else if (roll < 0.16) this.#order();
    else if (roll < 0.5) this.#request();
    else if (roll < 0.9) this.#step();
    else if (this.#sent.length > 0) this.#send(random.pick(this.#sent), true);
    if (cancels.chance(0.05)) this.#cancel();
    if (random.chance(0.01)) this.live.restart();
    if (random.chance(0.05)) this.check();
  }

  #setRules(): void {
    const asset = random.pick(ASSETS);
    const dailyLimit = random.chance(0.4) ? String(random.integer(20, 200)) : null;
    const hold = () => random.pick([0, 5, 40, HOUR_MS]);
    const fee = random.pick(["0", "0.25", "1.00000001"]);
    const set = { asset, dailyLimit, fee, minAmount: "2", enabled: random.chance(0.9) };
    const command = rules({ ...set, addressHoldMs: hold(), keyHoldMs: hold() });
    this.live.must(command);
    assert.ok(this.naive.setRules(command).ok);
  }

  #changeBook(): void {
    const uid = random.pick(this.users);
    const addressId = this.#addressOf(uid);
    if (random.chance(0.4)) {
      this.#send({ type: "remove-withdrawal-address", actor: ACTOR, uid, addressId });
      return;
    }
    const label = random.chance(0.9) ? "mine" : "other";
    const entry = { asset: random.pick(ASSETS), memo: random.pick(["", "7"]), label };
    this.#send(address(uid, { ...entry, address: random.pick(["a1", "a2", "a3"]) }));
  }

  #changeUser(): void {
    const uid = random.pick(this.users);
    if (random.chance(0.5)) {
      const key = { label: "", permissions: [], ipAllowList: [], expiresAtMs: null };
      this.live.must({ type: "set-api-key", actor: ACTOR, apiKey: `k${uid}`, uid, ...key });
      this.naive.changeKey(uid, this.live.nowMs);
      return;
    }
    const state = this.wallets.frozenUsers.has(uid) ? "active" : "frozen";
    const kept = { kyc: null, selfTradePrevention: null };
    this.live.must({ type: "update-user", actor: ACTOR, uid, state, ...kept });
    if (state === "frozen") this.wallets.frozenUsers.add(uid);
    else this.wallets.frozenUsers.delete(uid);
  }

  /** Bids rest: nobody sells. They freeze what withdrawals freeze as well. */
  #order(): void {
    const open = this.#orders.shift();
    if (open !== undefined && random.chance(0.7)) {
      const { uid, clientOrderId, amount } = open;
      const id = { orderId: null, clientOrderId, symbol: "ACOQUO" };
      this.live.must({ type: "cancel-spot-order", uid, ...id });
      this.wallets.freeze(uid, "QUO", -amount);
      return;
    }
    if (open !== undefined) this.#orders.push(open);
    const uid = random.pick(this.users);
    const quantity = random.integer(1, 40);
    const command = this.live.order(uid, "BUY", "1", String(quantity));
    if (!this.live.execute(command).result.ok) return;
    const amount = BigInt(quantity) * ONE;
    this.#orders.push({ uid, clientOrderId: command.clientOrderId, amount });
    this.wallets.freeze(uid, "QUO", amount);
  }

  #request(): void {
    const uid = random.pick(this.users);
    const actor = random.pick(["", ACTOR]);
    const amount = text(BigInt(random.integer(1_00000000, 60_00000000)) * (ONE / UNIT));
    const requestId = random.chance(0.95) ? `r${++this.#ids}` : `r${random.integer(1, this.#ids)}`;
    const addressId = this.#addressOf(uid);
    this.#send({ type: "request-withdrawal", actor, requestId, uid, addressId, amount });
  }

  #step(): void {
    const { withdrawals } = this.naive;
    const open = withdrawals.filter((one) => OPEN_STATES.includes(stateOf(one)));
    const one = random.pick(random.chance(0.9) && open.length > 0 ? open : withdrawals);
    const withdrawalId = one?.withdrawalId ?? 77;
    const likely = one === undefined ? [] : (LIKELY[stateOf(one)] ?? []);
    const state = random.pick(random.chance(0.8) && likely.length > 0 ? likely : WITHDRAWAL_STEPS);
    const requestId = random.chance(0.9) ? `s${++this.#ids}` : (one?.steps.at(-1)?.id ?? "s");
    const note = random.pick(["", "0xabc", "0xabc"]);
    this.#send({
      type: "set-withdrawal-state",
      actor: ACTOR,
      requestId,
      withdrawalId,
      state,
      note,
    });
  }

  #cancel(): void {
    const { withdrawals } = this.naive;
    const open = withdrawals.filter((one) => stateOf(one) === "requested");
    const one = cancels.pick(cancels.chance(0.7) && open.length > 0 ? open : withdrawals);
    const uid = cancels.chance(0.9) ? (one?.uid ?? 1) : cancels.pick(this.users);
    this.#send({ type: "cancel-withdrawal", uid, withdrawalId: one?.withdrawalId ?? 77 });
  }

  #addressOf(uid: number): number {
    const mine = this.naive.addresses.filter((one) => one.uid === uid);
    return mine.length > 0 && random.chance(0.95)
      ? random.pick(mine).addressId
      : random.integer(1, 9);
  }

  #send(command: Command, isAgain = false): void {
    const verdict = this.#verdict(command);
    const before = this.live.sequence;
    const { result } = this.live.execute(command);
    if (!isAgain) this.#sent = [...this.#sent.slice(-400), command];
    const kind = command.type === "set-withdrawal-state" ? command.state : command.type;
    if (!verdict.ok) {
      assert.ok(!result.ok, `${kind} was accepted and is ${verdict.reasons.join(" and ")}`);
      const given = `${result.reason} ${result.field}`;
      assert.ok(verdict.reasons.includes(given), `${kind}: ${given}, not ${verdict.reasons}`);
      this.#count(result.reason);
      return;
    }
    assert.ok(result.ok, `${kind} was refused: ${JSON.stringify(result)}`);
    assert.deepEqual(result.value, verdict.answer);
    const isNew = verdict.events.length > 0;
    assert.equal(this.live.sequence > before, isNew, `${kind} happens once`);
    this.#count(isNew ? kind : "repeated");
  }

  #verdict(command: Command): Verdict {
    const { naive, live } = this;
    switch (command.type) {
      case "add-withdrawal-address":
        return naive.addAddress(command, live.nowMs);
      case "remove-withdrawal-address":
        return naive.removeAddress(command);
      case "request-withdrawal":
        return naive.request(command, live.nowMs);
      case "set-withdrawal-state":
        return naive.step(command, live.nowMs);
      case "cancel-withdrawal":
        return naive.cancel(command, live.nowMs);
      default:
        throw new Error(command.type);
    }
  }

  #count(what: string): void {
    this.counts.set(what, (this.counts.get(what) ?? 0) + 1);
  }

  /** Balances, totals and the engine's own invariants. */
  check(): void {
    const { engine, nowMs } = this.live;
    for (const uid of this.users) {
      const balances = engine.query({ type: "spot-balances", uid }, nowMs);
      assert.ok(balances.ok);
      for (const { asset, available, frozen } of balances.value as BalanceRow[]) {
        const naive = this.wallets.wallet(uid, asset);
        const shown = { available: text(naive.available), frozen: text(naive.frozen) };
        assert.deepEqual({ available, frozen }, shown, `${uid} ${asset}`);
      }
    }
    const checked = engine.query({ type: "invariants" }, nowMs);
    assert.ok(checked.ok);
    const { violations, totals } = checked.value as Invariants;
    assert.deepEqual(violations, []);
    for (const asset of ASSETS) {
      const deposited = BigInt(FUNDS) * BigInt(this.users.length) * ONE;
      const left = this.wallets.left.get(asset) ?? 0n;
      assert.equal(totals[asset]?.external, text(left - deposited));
      assert.equal(totals[asset]?.fees, text(this.wallets.fees.get(asset) ?? 0n));
    }
  }
}

interface BalanceRow {
  readonly asset: string;
  readonly available: string;
  readonly frozen: string;
}

interface Invariants {
  readonly violations: readonly string[];
  readonly totals: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/** Naive amounts are exact; the engine's assets have 8 decimals. */
const UNIT = 10n ** 8n;
const OPEN_STATES = ["requested", "approved", "sent"];
const LIKELY: Readonly<Record<string, readonly (typeof WITHDRAWAL_STEPS)[number][]>> = {
  requested: ["approved", "approved", "rejected"],
  approved: ["sent"],
  sent: ["done", "done", "failed"],
};

test("random withdrawals are those of a naive ledger", (t) => {
  const run = new Run();
  for (let i = 0; i < OPERATIONS; i++) run.operate();
  run.check();
  const counts = [...run.counts].map(([what, count]) => `${count} ${what}`).join(", ");
  t.diagnostic(`${OPERATIONS} operations: ${counts}`);
  for (const state of WITHDRAWAL_STEPS) assert.ok((run.counts.get(state) ?? 0) > 10, counts);
  for (const reason of [
    ...["withdrawals-closed", "user-frozen", "out-of-range", "withdrawal-on-hold", "conflict"],
    ...["withdrawal-limit", "insufficient-balance", "withdrawal-state", "unknown-address"],
    ...["cancel-withdrawal", "unknown-withdrawal"],
    "repeated",
  ]) {
    assert.ok((run.counts.get(reason) ?? 0) > 0, `${reason} never happened: ${counts}`);
  }
});

function openWithdrawals() {
  const live = new LiveEngine();
  live.must({ type: "adopt-rules", version: RULES_VERSION });
  live.listMarket();
  const uid = live.fundedUser();
  const plainHash = live.engine.stateHash();
  live.must(rules());
  const { addressId } = live.must(address(uid)).value;
  const request = (id: number): CommandOf<"request-withdrawal"> => {
    const terms = { uid, addressId, amount: "1" };
    return { type: "request-withdrawal", actor: "", requestId: `r${id}`, ...terms };
  };
  const step = (withdrawalId: number, state: (typeof WITHDRAWAL_STEPS)[number]) => {
    const terms = { requestId: state, state, note: "x" };
    return { type: "set-withdrawal-state", actor: ACTOR, withdrawalId, ...terms } as const;
  };
  return { live, uid, plainHash, request, step };
}

test("a user has at most 100 open withdrawals and 100 addresses", () => {
  const { live, uid, request, step } = openWithdrawals();
  for (let i = 1; i <= 100; i++) live.must(request(i));
  const refused = { ok: false, reason: "withdrawal-limit", field: "uid" };
  assert.partialDeepStrictEqual(live.execute(request(101)).result, refused);
  live.restart();
  assert.partialDeepStrictEqual(live.execute(request(101)).result, refused);
  live.must(step(7, "rejected"));
  live.must(request(101));
  for (let i = 2; i <= 100; i++) live.must(address(uid, { address: `b${i}` }));
  const full = { ok: false, reason: "conflict", field: "uid" };
  assert.partialDeepStrictEqual(live.execute(address(uid, { address: "c" })).result, full);
});

test("the last 100,000 ended withdrawals are remembered, open ones always", () => {
  const { live, request, step } = openWithdrawals();
  const open = live.must(request(0)).value;
  const first = live.must(request(1)).value;
  const rejected = live.must(step(2, "rejected")).value;
  for (let i = 2; i <= 100_000; i++) {
    live.must(request(i));
    live.must(step(i + 1, "rejected"));
  }
  assert.deepEqual(live.must(request(1)), { value: first, events: [] });
  assert.deepEqual(live.must(step(2, "rejected")), { value: rejected, events: [] });
  live.must(request(100_001));
  live.must(step(100_002, "rejected"));
  const gone = { ok: false, reason: "unknown-withdrawal", field: "withdrawalId" };
  assert.partialDeepStrictEqual(live.execute(step(2, "rejected")).result, gone);
  assert.deepEqual(live.must(request(0)), { value: open, events: [] });
  assert.ok(live.must(request(1)).events.length > 0, "its id is free again");
});

test("done books the money out once, in the ordinary movement", () => {
  const { live, uid, request, step } = openWithdrawals();
  live.must(rules({ fee: "0.25" }));
  live.must(request(1));
  for (const state of ["approved", "sent"] as const) live.must(step(1, state));
  const { events } = live.must(step(1, "done"));
  const moved = eventsOf(events, "funds-moved");
  assert.equal(moved.length, 1);
  assert.partialDeepStrictEqual(moved[0], { uid, from: "spot", to: null, amountMinor: UNIT });
  const [changed] = eventsOf(events, "withdrawal-changed");
  assert.partialDeepStrictEqual(changed, { state: "done", reference: "x", feeMinor: UNIT / 4n });
  assert.deepEqual(live.must(step(1, "done")).events, []);
});

test("rules that contradict themselves are refused by field", () => {
  const { live } = openWithdrawals();
  const year = 366 * 24 * HOUR_MS;
  for (const [changes, reason, field] of [
    [{ asset: "NONE" }, "unknown-asset", "asset"],
    [{ fee: "1" }, "out-of-range", "minAmount"],
    [{ minAmount: "0" }, "out-of-range", "minAmount"],
    [{ minAmount: "0.000000001" }, "excess-precision", "minAmount"],
    [{ fee: "x" }, "malformed", "fee"],
    [{ dailyLimit: "0.5" }, "out-of-range", "dailyLimit"],
    [{ addressHoldMs: year }, "out-of-range", "addressHoldMs"],
    [{ keyHoldMs: year }, "out-of-range", "keyHoldMs"],
  ] as const) {
    const { result } = live.execute(rules(changes));
    assert.partialDeepStrictEqual(result, { ok: false, reason, field });
  }
  assert.deepEqual(live.execute(rules()).events, []);
});

test("an exchange that never used withdrawals has no section of them", () => {
  const { live, plainHash } = openWithdrawals();
  const fresh = new LiveEngine();
  fresh.must({ type: "adopt-rules", version: RULES_VERSION });
  fresh.listMarket();
  fresh.fundedUser();
  assert.equal(fresh.engine.stateHash(), plainHash);
  const namesOf = (one: LiveEngine) => one.engine.snapshotSections().map(({ name }) => name);
  assert.deepEqual(
    namesOf(fresh).filter((name) => name.startsWith("withdrawal")),
    [],
  );
  assert.ok(namesOf(live).includes("withdrawal-rules"));
});
