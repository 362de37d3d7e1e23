/**
 * Proves what is remembered of movements of funds: from rules version 3 on no number of users' own
 * transfers makes a deposit, a withdrawal or any other movement of the operator count twice, over
 * restarts and over the adoption of the rules; before, all share one memory, as journals of those
 * versions need it. A user's own ids are the newest of all users.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { sha256Hex } from "../../src/app/event-digest.ts";
import { Engine, RULES_VERSION } from "../../src/engine/index.ts";
import type { CommandOf } from "../../src/protocol/index.ts";
import { OTHER_HASH_KEY } from "../support/hash-key.ts";
import { LiveEngine } from "./live-engine.ts";

const ACTOR = "operator";
const REMEMBERED_MAX = 1_000_000;

type Funds = CommandOf<
  "deposit-funds" | "withdraw-funds" | "transfer-funds" | "deposit-insurance" | "withdraw-insurance"
>;

/** One of each that the operator can make, under one id: an id is per user and kind. */
function operatorsMovements(uid: number): Funds[] {
  const body = { actor: ACTOR, requestId: "one", asset: "QUO", amount: "5" } as const;
  return [
    { type: "deposit-funds", ...body, uid, wallet: "spot" },
    { type: "withdraw-funds", ...body, uid, wallet: "spot", amount: "2" },
    { type: "transfer-funds", ...body, uid, from: "spot", to: "contract" },
    { type: "deposit-insurance", ...body },
    { type: "withdraw-insurance", ...body, amount: "1" },
  ];
}

function openExchange(rulesVersion: number) {
  const live = new LiveEngine();
  live.must({ type: "adopt-rules", version: rulesVersion });
  live.listMarket();
  const [user, trader] = [live.fundedUser(), live.fundedUser()];
  let transfers = 0;
  const transfer = (): CommandOf<"transfer-own-funds"> => {
    const [from, to] = transfers % 2 === 0 ? ["spot", "contract"] : ["contract", "spot"];
    const ids = { requestId: `t${transfers++}`, uid: trader, asset: "QUO", amount: "1" };
    return { type: "transfer-own-funds", ...ids, from, to } as CommandOf<"transfer-own-funds">;
  };
  return { live, user, transfer };
}

function answersTo(live: LiveEngine, movements: readonly Funds[]): unknown[] {
  return movements.map((movement) => live.must(movement).value);
}

/** Every movement again: the first answers, and nothing happens. */
function assertRepeated(live: LiveEngine, movements: readonly Funds[], answers: unknown[]): void {
  const before = live.engine.stateHash();
  assert.deepEqual(answersTo(live, movements), answers);
  assert.equal(live.engine.stateHash(), before);
  for (const movement of movements) {
    const { result } = live.execute({ ...movement, amount: "3" });
    assert.equal(result.ok ? "accepted" : result.reason, "conflict");
  }
}

test("a million transfers of a trader push no movement of the operator out", () => {
  const { live, user, transfer } = openExchange(3);
  const movements = operatorsMovements(user);
  const answers = answersTo(live, movements);
  const first = transfer();
  const answered = live.must(first).value;
  for (let i = 1; i < REMEMBERED_MAX; i++) live.execute(transfer());
  assert.deepEqual(live.must(first), { value: answered, events: [] });
  live.execute(transfer());
  assert.ok(live.must(first).events.length > 0, "the oldest of users' own ids went");
  assertRepeated(live, movements, answers);
  live.restart();
  assertRepeated(live, movements, answers);
});

test("adopting version 3 carries over what is remembered", () => {
  for (const version of [1, 2]) {
    const { live, user, transfer } = openExchange(version);
    const movements = operatorsMovements(user);
    const answers = answersTo(live, movements);
    const own = transfer();
    const answered = live.must(own).value;
    const names = live.engine.snapshotSections().map(({ name }) => name);
    assert.ok(!names.includes("kept-movements"));
    live.must({ type: "adopt-rules", version: RULES_VERSION });
    assertRepeated(live, movements, answers);
    assert.deepEqual(live.must(own), { value: answered, events: [] });
    live.restart();
    assertRepeated(live, movements, answers);
    assert.deepEqual(live.must(own), { value: answered, events: [] });
    const asked = live.engine.query(
      { type: "funds-movement", command: "deposit-funds", uid: user, requestId: "one" },
      live.nowMs,
    );
    assert.partialDeepStrictEqual(asked, {
      ok: true,
      value: { requestId: "one", uid: user, asset: "QUO", amount: "5", from: "external" },
    });
  }
});

test("an asset that a kept movement is written in keeps its scale", () => {
  const live = new LiveEngine();
  live.must({ type: "adopt-rules", version: RULES_VERSION });
  const asset = { actor: ACTOR, asset: "NEW", coinId: 9, name: "New" } as const;
  live.must({ type: "set-asset", ...asset, scale: 4 });
  live.must({ type: "set-asset", ...asset, scale: 5 });
  const body = { actor: ACTOR, asset: "NEW", amount: "1.00001" } as const;
  live.must({ type: "deposit-insurance", ...body, requestId: "in" });
  live.must({ type: "withdraw-insurance", ...body, requestId: "out" });
  const sections = live.engine.snapshotSections();
  const restored = Engine.restore(sections, live.nowMs, sha256Hex, OTHER_HASH_KEY);
  assert.equal(restored.stateHash(), live.engine.stateHash());
  live.restart();
  const { result } = live.execute({ type: "set-asset", ...asset, scale: 4 });
  assert.equal(result.ok ? "accepted" : result.reason, "conflict");
});
