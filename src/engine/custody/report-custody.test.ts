/**
 * Proves that a report of custody compares with what the ledger owes: each part is the sum of what
 * deposits, fees and withdrawals made of it, what was sent counts as in flight until it is done,
 * and a report that is wrong changes nothing. The last report survives a snapshot.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { HASH_KEY } from "../../../test/support/hash-key.ts";
import { sha256 } from "../../../test/support/sha256.ts";
import { ByteWriter, type Command, type CustodyReport } from "../../protocol/index.ts";
import { Engine } from "../engine.ts";
import { RULES_VERSION } from "../rules-version.ts";

const NOW_MS = 1_000;
const ACTOR = { actor: "ann" };

function reportOf(engine: Engine): CustodyReport | null {
  const answer = engine.query({ type: "custody" }, NOW_MS);
  assert.ok(answer.ok);
  return (answer.value as { report: CustodyReport | null }).report;
}

function venue(): { engine: Engine; apply: (command: Command) => ReturnType<Engine["apply"]> } {
  const engine = Engine.create(sha256, HASH_KEY);
  let sequence = 0;
  const apply = (command: Command) => engine.apply(command, ++sequence, NOW_MS, new ByteWriter());
  const done = (command: Command) => assert.ok(apply(command).ok, command.type);
  done({ type: "adopt-rules", version: RULES_VERSION });
  done({ type: "set-asset", ...ACTOR, asset: "USDT", coinId: 2, name: "Tether", scale: 6 });
  done({ type: "set-asset", ...ACTOR, asset: "BTC", coinId: 1, name: "Bitcoin", scale: 8 });
  const user = { uid: 7, inviteCode: "code", invitedWith: null, kyc: false };
  done({ type: "register-user", ...ACTOR, ...user });
  const money = { ...ACTOR, uid: 7, asset: "USDT" } as const;
  const deposit = { ...money, requestId: "d", wallet: "spot", amount: "1000" } as const;
  done({ type: "deposit-funds", ...deposit });
  const toContract = { from: "spot", to: "contract", amount: "250.5" } as const;
  done({ type: "transfer-funds", ...money, requestId: "t", ...toContract });
  const fund = { ...ACTOR, requestId: "i", asset: "USDT", amount: "40" };
  done({ type: "deposit-insurance", ...fund });
  const holds = { dailyLimit: null, addressHoldMs: 0, keyHoldMs: 0 };
  const rules = { asset: "USDT", enabled: true, minAmount: "2", fee: "1", ...holds };
  done({ type: "set-withdrawal-rules", ...ACTOR, ...rules });
  const address = { ...money, network: "N", address: "a", memo: "", label: "" };
  done({ type: "add-withdrawal-address", ...address });
  const request = { ...ACTOR, requestId: "w", uid: 7, addressId: 1, amount: "100" };
  done({ type: "request-withdrawal", ...request });
  return { engine, apply };
}

function report(amount: string | null, asOfMs: number | null = null): Command {
  const balances = amount === null ? [] : [{ asset: "USDT", amount }];
  return { type: "report-custody", ...ACTOR, asOfMs, balances };
}

function step(state: "approved" | "sent" | "done"): Command {
  const about = { requestId: state, withdrawalId: 1, state, note: "tx" };
  return { type: "set-withdrawal-state", ...ACTOR, ...about };
}

test("each part is what happened to it, and what is in flight may be gone", () => {
  const { engine, apply } = venue();
  assert.equal(reportOf(engine), null);
  assert.ok(apply(report("1040", 900)).ok);
  const row = {
    asset: "USDT",
    liability: "1040",
    spotWallets: "749.5",
    contractWallets: "250.5",
    insurance: "40",
    fees: "0",
    clearing: "0",
    inFlight: "0",
    reported: "1040",
    difference: "0",
    shortage: "0",
  };
  const kept = { actor: "ann", asOfMs: 900, reportedMs: NOW_MS, rows: [row] };
  assert.deepEqual(reportOf(engine), kept);
  const sections = engine.snapshotSections();
  const restored = Engine.restore(sections, NOW_MS, sha256, HASH_KEY);
  assert.deepEqual(reportOf(restored), kept);
  assert.equal(restored.stateHash(), engine.stateHash());

  for (const state of ["approved", "sent"] as const) assert.ok(apply(step(state)).ok);
  const open = engine.query({ type: "open-withdrawals" }, NOW_MS);
  const none = { count: 0, oldestMs: null };
  assert.deepEqual(open.ok && open.value, [
    { state: "requested", ...none },
    { state: "approved", ...none },
    { state: "sent", count: 1, oldestMs: NOW_MS },
  ]);
  const compared = (amount: string | null) => {
    assert.ok(apply(report(amount)).ok);
    return reportOf(engine)?.rows[0];
  };
  const left = { liability: "1040", inFlight: "99", difference: "-99", shortage: "0" };
  assert.partialDeepStrictEqual(compared("941"), left);
  assert.partialDeepStrictEqual(compared("940.5"), { difference: "-99.5", shortage: "0.5" });
  assert.partialDeepStrictEqual(compared("1050"), { difference: "10", shortage: "0" });
  const silent = { reported: null, difference: null, shortage: null };
  assert.partialDeepStrictEqual(compared(null), { asset: "USDT", liability: "1040", ...silent });
  assert.ok(apply(step("done")).ok);
  const booked = { liability: "941", fees: "1", inFlight: "0", difference: "0" };
  assert.partialDeepStrictEqual(compared("941"), booked);
});

test("a report that is wrong is refused by its field and changes nothing", () => {
  const { engine, apply } = venue();
  assert.ok(apply(report("1040")).ok);
  const hash = engine.stateHash();
  const twice = [
    { asset: "USDT", amount: "1" },
    { asset: "USDT", amount: "2" },
  ];
  for (const [command, reason, field] of [
    [report("1", NOW_MS + 1), "out-of-range", "asOf"],
    [report("1.0000001"), "excess-precision", "balances"],
    [{ type: "report-custody", ...ACTOR, asOfMs: null, balances: twice }, "malformed", "balances"],
    [
      {
        ...{ type: "report-custody", ...ACTOR, asOfMs: null },
        balances: [{ asset: "XYZ", amount: "1" }],
      },
      "unknown-asset",
      "balances",
    ],
  ] as const) {
    assert.partialDeepStrictEqual(apply(command as Command), { ok: false, reason, field });
  }
  assert.equal(engine.stateHash(), hash);
});
