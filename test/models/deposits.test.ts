/**
 * Proves that reported deposits are credited once, against plain sums: random reports of few
 * transactions by watchers that repeat, lag and contradict each other, with confirmations that grow
 * and shrink, drops and restarts from snapshots. What is pending is bounded, and an exchange
 * without reports has no trace of them.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { RULES_VERSION } from "../../src/engine/index.ts";
import type { CommandOf } from "../../src/protocol/index.ts";
import { ONE, text as textOf } from "../support/exact.ts";
import { scaled, seededRandom } from "../support/random.ts";
import { eventsOf, LiveEngine } from "./live-engine.ts";
import { NaiveDeposits } from "./naive-deposits.ts";
import { PlainWallets } from "./naive-wallets.ts";

const random = seededRandom("models/deposits");
const OPERATIONS = scaled(4_000);
const ACTOR = "watcher";
const FUNDS = 100;
const NETWORKS = ["main", "side", "closed"] as const;

type Report = CommandOf<"report-deposit">;

function open() {
  const live = new LiveEngine();
  live.must({ type: "adopt-rules", version: RULES_VERSION });
  live.listMarket();
  const users = [live.fundedUser(String(FUNDS)), live.fundedUser(String(FUNDS))];
  return { live, users };
}

function setRules(live: LiveEngine, network: string, confirmations: number): void {
  live.must({ type: "set-deposit-rules", actor: ACTOR, asset: "QUO", network, confirmations });
}

function report(changes: Partial<Report> & Pick<Report, "uid">): Report {
  const target = { network: "main", transactionId: "0x1", outputIndex: 0 };
  const terms = { asset: "QUO", amount: "5", confirmations: 0 };
  return { type: "report-deposit", actor: ACTOR, ...target, ...terms, ...changes };
}

function available(live: LiveEngine, uid: number): string | undefined {
  const balances = live.engine.query({ type: "spot-balances", uid }, live.nowMs);
  assert.ok(balances.ok);
  const rows = balances.value as { asset: string; available: string }[];
  return rows.find(({ asset }) => asset === "QUO")?.available;
}

class Run {
  readonly live: LiveEngine;
  readonly users: readonly number[];
  readonly wallets = new PlainWallets();
  readonly naive = new NaiveDeposits(this.wallets);
  readonly counts = new Map<string, number>();
  readonly #reported: Report[] = [];

  constructor() {
    const { live, users } = open();
    this.live = live;
    this.users = users;
    for (const uid of users) this.wallets.arrive(uid, "QUO", BigInt(FUNDS) * ONE);
  }

  operate(step: number): void {
    this.live.nowMs += random.integer(0, 5);
    const roll = random.next();
    if (roll < 0.02) {
      const network = random.pick(["main", "side"] as const);
      const confirmations = random.integer(0, 6);
      setRules(this.live, network, confirmations);
      const rules = { type: "set-deposit-rules", actor: ACTOR, asset: "QUO" } as const;
      this.naive.setRules({ ...rules, network, confirmations });
    } else if (roll < 0.06) this.#drop();
    else if (roll < 0.3 && this.#reported.length > 0) this.#send(random.pick(this.#reported));
    else this.#report(Math.floor(step / 20));
    if (random.chance(0.01)) this.live.restart();
  }

  #count(what: string): void {
    this.counts.set(what, (this.counts.get(what) ?? 0) + 1);
  }

  #report(latest: number): void {
    const transaction = random.integer(Math.max(0, latest - 20), latest);
    // Whose it is and how much follow from the transaction, but for the few that are wrong.
    const isRight = random.chance(0.97);
    const uid = this.users[(transaction + (isRight ? 0 : 1)) % 2] ?? 0;
    const target = { network: random.pick(NETWORKS), transactionId: `0x${transaction}` };
    const terms = { outputIndex: random.integer(0, 1), amount: String((transaction % 9) + 1) };
    const command = report({ uid, ...target, ...terms, confirmations: random.integer(0, 7) });
    this.#reported.push(command);
    this.#send(command);
  }

  #send(command: Report): void {
    const verdict = this.naive.report(command, this.live.nowMs);
    const { result, events } = this.live.execute(command);
    if (!verdict.ok) {
      const given = result.ok ? "accepted" : `${result.reason} ${result.field}`;
      assert.ok(verdict.reasons.includes(given), `${given} instead of ${verdict.reasons}`);
      this.#count(given);
      return;
    }
    assert.ok(result.ok, JSON.stringify(result));
    assert.deepEqual(result.value, verdict.answer);
    for (const type of ["deposit-changed", "funds-moved"] as const) {
      const due: number = verdict.events.filter((one) => one.type === type).length;
      assert.equal(eventsOf(events, type).length, due, `${due} ${type}`);
    }
    const { state } = verdict.answer as { readonly state: string };
    this.#count(verdict.events.length === 0 && state === "credited" ? "again" : state);
  }

  #drop(): void {
    const depositId = random.integer(1, this.naive.deposits.length + 1);
    const command = { type: "drop-deposit", actor: ACTOR, depositId } as const;
    const verdict = this.naive.drop(command);
    const { result } = this.live.execute(command);
    assert.equal(result.ok ? "ok" : result.reason, verdict.ok ? "ok" : "unknown-deposit");
    if (verdict.ok) this.#count("dropped");
  }
}

test("random reports are credited once each, and as plain sums say", (t) => {
  const run = new Run();
  const { live, users, wallets, counts } = run;
  for (let i = 0; i < OPERATIONS; i++) run.operate(i);
  for (const uid of users) {
    assert.equal(available(live, uid), textOf(wallets.available(uid, "QUO")));
  }
  const checked = live.engine.query({ type: "invariants" }, live.nowMs);
  assert.ok(checked.ok);
  assert.deepEqual((checked.value as { violations: string[] }).violations, []);
  const text = [...counts].map(([what, times]) => `${times} ${what}`).join(", ");
  t.diagnostic(`${OPERATIONS} operations: ${text}`);
  for (const what of ["pending", "credited", "again", "dropped", "conflict transactionId"]) {
    assert.ok((counts.get(what) ?? 0) > 10, text);
  }
  assert.ok((counts.get("deposits-closed network") ?? 0) > 0, text);
});

test("at most 100,000 deposits are pending; the others are refused, not forgotten", () => {
  const { live, users } = open();
  const uid = users[0] ?? 0;
  setRules(live, "main", 2);
  for (let i = 0; i < 100_000; i++) live.must(report({ uid, transactionId: `0x${i}` }));
  const next = report({ uid, transactionId: "0xnext" });
  assert.partialDeepStrictEqual(live.execute(next).result, { ok: false, reason: "conflict" });
  live.must(report({ uid, transactionId: "0x7", confirmations: 2 }));
  live.must(next);
  live.restart();
  const again = live.must(report({ uid, transactionId: "0x7", confirmations: 9 }));
  assert.deepEqual(again, { value: { depositId: 8, state: "credited" }, events: [] });
});

test("reports and rules that cannot be are refused by field", () => {
  const { live, users } = open();
  const uid = users[0] ?? 0;
  const namesOf = () => live.engine.snapshotSections().map(({ name }) => name);
  assert.deepEqual(
    namesOf().filter((name) => name.includes("deposit")),
    [],
  );
  setRules(live, "main", 1);
  for (const [changes, reason, field] of [
    [{ uid: 9 }, "unknown-user", "uid"],
    [{ asset: "NONE" }, "unknown-asset", "asset"],
    [{ amount: "0" }, "out-of-range", "amount"],
    [{ amount: "0.000000001" }, "excess-precision", "amount"],
    [{ transactionId: "" }, "malformed", "transactionId"],
    [{ network: "other" }, "deposits-closed", "network"],
  ] as const) {
    const { result } = live.execute(report({ uid, ...changes }));
    assert.partialDeepStrictEqual(result, { ok: false, reason, field });
  }
  const rules = { type: "set-deposit-rules", actor: ACTOR, asset: "QUO", network: "main" } as const;
  for (const [changes, reason, field] of [
    [{ asset: "NONE" }, "unknown-asset", "asset"],
    [{ network: "a b" }, "malformed", "network"],
    [{ confirmations: 10_001 }, "out-of-range", "confirmations"],
  ] as const) {
    const { result } = live.execute({ ...rules, confirmations: 1, ...changes });
    assert.partialDeepStrictEqual(result, { ok: false, reason, field });
  }
});
