/**
 * Proves that the picture of a commission says all that its explanation says: every number, every
 * ledger entry once and with the step that made it, in the order in which things happened.
 */
import assert from "node:assert/strict";
import test from "node:test";
import type { CommissionExplanation } from "../../../client/index.ts";
import { explanationSteps, ratePercent } from "./explanation-steps.ts";

const HOUR_MS = 3_600_000;
const FILLED_MS = Date.UTC(2026, 10, 22, 6, 23, 55);

const ACCRUED: CommissionExplanation = {
  commissionId: "12",
  affiliateUid: "3001",
  uid: "1001",
  sourceType: 2,
  viaUid: "3002",
  productType: "SPOT",
  symbol: "BTCUSDT",
  coin: "USDT",
  commission: "1068.257",
  time: FILLED_MS,
  status: "accrued",
  flags: [],
  fill: {
    tradeId: "77",
    role: "taker",
    price: "99000",
    quantity: "0.01149110",
    quoteQuantity: "1137.619",
    quoteCoin: "USDT",
    time: FILLED_MS,
  },
  calculation: {
    fee: "10682.571",
    ownRate: "0.4",
    rateBelow: "0.3",
    rate: "0.1",
    exactProduct: "1068.2571",
    roundedOff: "0.0001",
    gross: "1068.257",
    capped: "0",
    commission: "1068.257",
  },
  rateVersion: { uid: "3001", version: 2, spotRate: "0.4", futuresRate: "0.5", since: 0 },
  rateVersionBelow: { uid: "3002", version: 5, spotRate: "0.3", futuresRate: "0.2", since: 0 },
  ledgerEntries: [
    { time: FILLED_MS, from: "fees", to: "affiliate-payable", amount: "1068.257", coin: "USDT" },
  ],
  settlement: null,
  release: null,
  reversal: null,
  whyZero: null,
};

const SETTLED: CommissionExplanation = {
  ...ACCRUED,
  status: "reversed",
  flags: ["wash-trade"],
  release: { reason: "it was his sister", time: FILLED_MS + 1 },
  settlement: {
    settlementId: "3",
    time: FILLED_MS + HOUR_MS,
    accrued: "1500",
    recovered: "5",
    paid: "1495",
  },
  reversal: {
    reversalId: "99",
    commissionId: "12",
    reason: "wash trade after all",
    time: FILLED_MS + 2 * HOUR_MS,
    fromPayable: "0.257",
    fromSpot: "1000",
    owed: "68",
  },
  ledgerEntries: [
    ...ACCRUED.ledgerEntries,
    entry(1, "affiliate-payable", "fees", "5"),
    entry(1, "affiliate-payable", "3001/spot.available", "1495"),
    entry(2, "affiliate-payable", "fees", "0.257"),
    entry(2, "3001/spot.available", "fees", "1000"),
  ],
};

function entry(hours: number, from: string, to: string, amount: string) {
  return { time: FILLED_MS + hours * HOUR_MS, from, to, amount, coin: "USDT" };
}

function linesOf(explained: CommissionExplanation, id: string): string {
  return (
    explanationSteps(explained)
      .find((step) => step.id === id)
      ?.lines.join("\n") ?? ""
  );
}

function idsOf(explained: CommissionExplanation): string[] {
  return explanationSteps(explained).map(({ id }) => id);
}

test("a commission that waits: fill and rate lead to the product, and that to the ledger", () => {
  const steps = explanationSteps(ACCRUED);
  assert.deepEqual(
    steps.map(({ id, after }) => [id, after.join()]),
    [
      ["fill", ""],
      ["fee", "fill"],
      ["rate", ""],
      ["product", "fee,rate"],
      ["commission", "product"],
      ["accrual", "commission"],
      ["waiting", "accrual"],
    ],
  );
  assert.match(linesOf(ACCRUED, "rate"), /Yours: 40%.*− UID 3002: 30%.*= 10%$/s);
  const product = linesOf(ACCRUED, "product");
  assert.equal(
    product,
    "10,682.571 × 0.1\n= 1,068.2571 USDT\n− 0.0001 USDT rounded off\n= 1,068.257 USDT",
  );
});

test("settled, released and reversed: every ledger entry once, in its step", () => {
  assert.deepEqual(idsOf(SETTLED).slice(5), [
    "accrual",
    "hold",
    "release",
    "settlement",
    "reversal",
  ]);
  const all = explanationSteps(SETTLED).flatMap(({ lines }) => lines);
  assert.equal(all.filter((line) => line.includes(" → ")).length, SETTLED.ledgerEntries.length);
  assert.match(linesOf(SETTLED, "settlement"), /− 5 USDT deducted.*→ 3001\/spot.available: 1,495/s);
  assert.match(linesOf(SETTLED, "reversal"), /By entry 99.*: 1,000 USDT\nTo be ded.*: 68 USDT/s);
  assert.match(linesOf(SETTLED, "release"), /his sister/);
});

test("held, capped, nothing at all, and a reversal by itself", () => {
  const held = { ...ACCRUED, status: "held", flags: ["self-referral"] } as const;
  assert.match(linesOf({ ...held, flags: [...held.flags] }, "hold"), /Awaiting the operator/);
  assert.ok(!idsOf({ ...held, flags: [...held.flags] }).includes("waiting"));
  const calculation = {
    ...ACCRUED.calculation,
    capped: "8.25",
    commission: "1060.007",
  } as NonNullable<CommissionExplanation["calculation"]>;
  assert.match(linesOf({ ...ACCRUED, calculation }, "product"), /− 8.25 USDT above the cap$/);
  const whyZero = "The fill paid no fee, and a commission is a share of the fee.";
  const zero = { ...ACCRUED, commission: "0", ledgerEntries: [], whyZero };
  assert.deepEqual(idsOf(zero).slice(-2), ["commission", "zero"]);
  const { settlement, release, ...rest } = SETTLED;
  const reversal: CommissionExplanation = {
    ...rest,
    ...{ status: "reversal", flags: [], fill: null, calculation: null, rateVersion: null },
    ...{ rateVersionBelow: null, settlement: null, release: null },
    ledgerEntries: SETTLED.ledgerEntries.slice(-2),
  };
  assert.ok(settlement !== null && release !== null);
  assert.deepEqual(idsOf(reversal), ["reversal"]);
  assert.match(linesOf(reversal, "reversal"), /^Reverses commission 12\n/);
});

test("rates as percent have every digit", () => {
  assert.deepEqual(["0.4", "0.12345678", "1", "0"].map(ratePercent), [
    "40%",
    "12.345678%",
    "100%",
    "0%",
  ]);
});
