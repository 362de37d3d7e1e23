/**
 * Proves the four-eyes rule of the engine against a naive list: random proposals, decisions, rules
 * and days, over restarts from snapshots. Money moves exactly when two different operators wanted
 * it; whoever repeats gets the first answer; what expired stays undone; and an exchange that never
 * had a rule has no trace of it.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { PROPOSAL_LIFE_MS } from "../../src/domain/index.ts";
import { RULES_VERSION } from "../../src/engine/index.ts";
import type { CommandOf } from "../../src/protocol/index.ts";
import { scaled, seededRandom } from "../support/random.ts";
import { LiveEngine } from "./live-engine.ts";

const random = seededRandom("models/approvals");
const OPERATIONS = scaled(4_000);
const NAMES = ["ann", "bob", "eve"] as const;
const HOUR_MS = 3_600_000;

interface Naive {
  readonly proposalId: number;
  readonly requestId: string;
  readonly amount: number;
  readonly proposer: string;
  readonly atMs: number;
  state: "waiting" | "approved" | "rejected";
  decider: string;
}

class Run {
  readonly live = new LiveEngine();
  readonly uid: number;
  readonly counts = new Map<string, number>();
  readonly #proposals: Naive[] = [];
  /** Amounts that were deposited, by request id. */
  readonly #deposited = new Map<string, number>();
  #above: number | null = null;
  #ids = 0;

  constructor() {
    this.live.must({ type: "adopt-rules", version: RULES_VERSION });
    this.live.listMarket();
    this.uid = this.live.fundedUser("0.5");
  }

  operate(): void {
    this.live.nowMs += random.chance(0.05) ? random.integer(0, 9 * HOUR_MS) : random.integer(0, 9);
    const roll = random.next();
    if (roll < 0.03) this.#setRule();
    else if (roll < 0.5) this.#deposit();
    else this.#decide();
    if (random.chance(0.01)) this.live.restart();
  }

  #setRule(): void {
    const above = random.pick([null, 0, 10, 50]);
    const rule = { action: "deposits", asset: "QUO", above: above?.toString() ?? null } as const;
    this.live.must({ type: "set-approval-rule", actor: "max", ...rule });
    this.#above = above;
  }

  #deposit(): void {
    const isAgain = random.chance(0.2) && this.#ids > 0;
    const number = isAgain ? random.integer(1, this.#ids) : ++this.#ids;
    const requestId = `d${number}`;
    const amount = (number * 7) % 90;
    const proposer = random.pick(NAMES);
    const terms = {
      uid: this.uid,
      wallet: "spot",
      asset: "QUO",
      amount: String(amount + 1),
    } as const;
    const command = { type: "deposit-funds", actor: proposer, requestId, ...terms } as const;
    const asked = this.live.engine.query({ type: "needs-approval", command }, this.live.nowMs);
    assert.ok(asked.ok);
    const isDone = this.#deposited.has(requestId);
    const isNeeded = this.#above !== null && amount + 1 > this.#above && !isDone;
    assert.deepEqual(asked.value, { isNeeded });
    if (isNeeded) this.#propose(command, proposer, amount + 1);
    else {
      this.live.must(command);
      this.#deposited.set(requestId, amount + 1);
      this.#count(isDone ? "repeated deposit" : "direct deposit");
      const { result } = this.live.execute({ type: "propose", actor: "", proposer, command });
      assert.equal(result.ok, false, "what needs no proposal is not proposed");
    }
  }

  #propose(command: CommandOf<"deposit-funds">, proposer: string, amount: number): void {
    const { requestId } = command;
    const { nowMs } = this.live;
    const same = this.#proposals.find(
      (one) =>
        one.state === "waiting" &&
        one.requestId === requestId &&
        one.proposer === proposer &&
        nowMs < one.atMs + PROPOSAL_LIFE_MS,
    );
    const { value } = this.live.must({ type: "propose", actor: proposer, proposer, command });
    if (same !== undefined) {
      assert.equal(value.proposalId, same.proposalId);
      this.#count("repeated proposal");
      return;
    }
    const proposalId = this.#proposals.length + 1;
    const expiresMs = nowMs + PROPOSAL_LIFE_MS;
    assert.deepEqual(value, { proposalId, state: "waiting", expiresMs });
    const entry = { proposalId, requestId, amount, proposer, atMs: nowMs };
    this.#proposals.push({ ...entry, state: "waiting", decider: "" });
    this.#count("proposal");
  }

  #decide(): void {
    const waiting = this.#proposals.filter(({ state }) => state === "waiting");
    const one = random.pick(random.chance(0.8) && waiting.length > 0 ? waiting : this.#proposals);
    if (one === undefined) return;
    const decider = random.pick(NAMES);
    const decision = random.pick(["approved", "approved", "rejected"] as const);
    const isExpired = this.live.nowMs >= one.atMs + PROPOSAL_LIFE_MS;
    const isRepeat = one.state === decision && one.decider === decider;
    const isAllowed = one.state === "waiting" && !isExpired && one.proposer !== decider;
    const terms = { actor: decider, decider, proposalId: one.proposalId, decision, note: "" };
    const before = this.live.sequence;
    const { result } = this.live.execute({ type: "decide-proposal", ...terms });
    // What expired may be forgotten, which is refused as well.
    assert.equal(result.ok, isRepeat || isAllowed, JSON.stringify({ one, terms, result }));
    assert.equal(this.live.sequence > before, isAllowed);
    if (!isAllowed) {
      this.#count(isRepeat ? "repeated decision" : isExpired ? "expired" : "refused");
      return;
    }
    one.state = decision;
    one.decider = decider;
    this.#count(decision);
    if (decision === "approved") this.#deposited.set(one.requestId, one.amount);
  }

  #count(what: string): void {
    this.counts.set(what, (this.counts.get(what) ?? 0) + 1);
  }

  check(): void {
    const { engine, nowMs } = this.live;
    const balances = engine.query({ type: "spot-balances", uid: this.uid }, nowMs);
    assert.ok(balances.ok);
    const rows = balances.value as { asset: string; available: string }[];
    const sum = [...this.#deposited.values()].reduce((total, amount) => total + amount, 0);
    assert.equal(rows.find(({ asset }) => asset === "QUO")?.available, `${sum}.5`);
  }
}

test("money moves when two operators want it, and never otherwise", (t) => {
  const run = new Run();
  for (let i = 0; i < OPERATIONS; i++) {
    run.operate();
    if (random.chance(0.05)) run.check();
  }
  run.check();
  const counts = [...run.counts].map(([what, count]) => `${count} ${what}`).join(", ");
  t.diagnostic(`${OPERATIONS} operations: ${counts}`);
  for (const what of [
    ...["direct deposit", "repeated deposit", "proposal", "repeated proposal"],
    ...["approved", "rejected", "refused", "expired", "repeated decision"],
  ]) {
    assert.ok((run.counts.get(what) ?? 0) > 0, `${what} never happened: ${counts}`);
  }
});

test("at most a thousand wait, and an exchange without rules has no trace of them", () => {
  const live = new LiveEngine();
  live.must({ type: "adopt-rules", version: RULES_VERSION });
  live.listMarket();
  const uid = live.fundedUser();
  const names = () => live.engine.snapshotSections().map(({ name }) => name);
  const isTrace = (name: string) => /approval|proposal/.test(name);
  assert.deepEqual(names().filter(isTrace), []);
  const rule = { action: "deposits", asset: "QUO", above: "0" } as const;
  live.must({ type: "set-approval-rule", actor: "max", ...rule });
  const propose = (id: number) => {
    const terms = { uid, wallet: "spot", asset: "QUO", amount: "1", requestId: `d${id}` } as const;
    const command = { type: "deposit-funds", actor: "ann", ...terms } as const;
    return { type: "propose", actor: "ann", proposer: "ann", command } as const;
  };
  for (let id = 1; id <= 1_000; id++) live.must(propose(id));
  assert.partialDeepStrictEqual(live.execute(propose(1_001)).result, { ok: false });
  live.restart();
  assert.partialDeepStrictEqual(live.execute(propose(1_001)).result, { ok: false });
  live.nowMs += PROPOSAL_LIFE_MS;
  live.must(propose(1_001));
});
