/**
 * Proves that an explanation holds everything that is known of a commission, with sums that add up
 * to the last digit, the entries of the ledger that were made and no others, the right words when
 * it is 0, and nothing of anybody else's.
 */
import assert from "node:assert/strict";
import test from "node:test";
import {
  AFFILIATE_ENGINE,
  AFFILIATE_HISTORY,
  COMMISSION,
  DETAIL,
  SUB_UID,
  TRADER_UID,
} from "../../../test/support/affiliate-fixture.ts";
import { answerOf, CALLER_UID, refusalOf } from "../../../test/support/endpoint-call.ts";
import { DOUBLE_TIME_MS, ExchangeDouble } from "../../../test/support/exchange-double.ts";
import { parseDecimal, reject } from "../../domain/index.ts";
import type { Commission, CommissionDetail } from "../../queries/history-port.ts";
import { v2ExplainCommission, v3ExplainCommission } from "./explanations.ts";

const NOW = DOUBLE_TIME_MS;
const BOTH = [v2ExplainCommission, v3ExplainCommission] as const;
const QUERY = { query: { commissionId: "12" } };
const SPOT = `${CALLER_UID}/spot.available`;

function fixture(detail: CommissionDetail | null): ExchangeDouble {
  return new ExchangeDouble(AFFILIATE_ENGINE, { ...AFFILIATE_HISTORY, commission: () => detail });
}

interface Explained {
  readonly whyZero: string | null;
  readonly ledgerEntries: readonly object[];
  readonly calculation: Readonly<Record<string, string>>;
  readonly status: string;
}

async function explained(detail: CommissionDetail): Promise<Explained> {
  return (await answerOf(v2ExplainCommission, QUERY, fixture(detail))) as Explained;
}

test("every field of a settled commission that came through a sub-affiliate", async () => {
  for (const endpoint of BOTH) {
    assert.deepEqual(await answerOf(endpoint, QUERY, fixture(DETAIL)), {
      commissionId: "12",
      affiliateUid: String(CALLER_UID),
      uid: String(TRADER_UID),
      sourceType: 2,
      viaUid: String(SUB_UID),
      productType: "SPOT",
      symbol: "BTCUSDT",
      coin: "USDT",
      commission: "0.068257",
      time: NOW - 60_000,
      status: "settled",
      flags: [],
      fill: {
        tradeId: "77",
        role: "taker",
        price: "99000",
        quantity: "0.01149110",
        quoteQuantity: "1137.619",
        quoteCoin: "USDT",
        time: NOW - 60_000,
      },
      calculation: {
        fee: "0.682571",
        ownRate: "0.4",
        rateBelow: "0.3",
        rate: "0.1",
        exactProduct: "0.0682571",
        roundedOff: "0.0000001",
        gross: "0.068257",
        capped: "0",
        commission: "0.068257",
      },
      rateVersion: {
        uid: String(CALLER_UID),
        version: 2,
        spotRate: "0.4",
        futuresRate: "0.5",
        since: NOW - 90_000,
      },
      rateVersionBelow: {
        uid: String(SUB_UID),
        version: 5,
        spotRate: "0.3",
        futuresRate: "0.2",
        since: NOW - 90_000,
      },
      ledgerEntries: [
        entry(60_000, "fees", "affiliate-payable", "0.068257"),
        entry(30_000, "affiliate-payable", "fees", "0.5"),
        entry(30_000, "affiliate-payable", SPOT, "1"),
      ],
      settlement: {
        settlementId: "3",
        time: NOW - 30_000,
        accrued: "1.5",
        recovered: "0.5",
        paid: "1",
      },
      release: null,
      reversal: null,
      whyZero: null,
    });
  }
});

function entry(agoMs: number, from: string, to: string, amount: string) {
  return { time: NOW - agoMs, from, to, amount, coin: "USDT" };
}

test("the sums of a calculation are exact, whatever the digits", async () => {
  for (const [fee, rate, gross, capped, amount] of [
    ["0.000000000000000001", "0.00000001", "0", "0", "0"],
    ["123456789.123456789012345678", "0.49999999", "61728393.32716022449", "1.5", "61728391.8"],
    ["7", "0.5", "3.5", "3.5", "0"],
  ] as const) {
    const commission = { ...COMMISSION, fee, rate, amount };
    const { calculation } = await explained({ ...DETAIL, commission, gross, capped });
    const units = (text = "") => parseDecimal(text, 26) as bigint;
    const product = (parseDecimal(fee, 18) as bigint) * (parseDecimal(rate, 8) as bigint);
    assert.ok(calculation.exactProduct !== undefined && calculation.roundedOff !== undefined);
    const [exact, roundedOff] = [calculation.exactProduct, calculation.roundedOff].map(toUnits26);
    assert.equal(exact, product);
    assert.equal(roundedOff, product - units(gross));
  }
});

/** Decimal text with up to 26 decimals, which the exchange's own reader does not take. */
function toUnits26(text: string): bigint {
  const [whole = "", decimals = ""] = text.split(".");
  return BigInt(whole + decimals.padEnd(26, "0"));
}

test("a held, a released and a reversed commission, and the reversal itself", async () => {
  const flags: Commission["flags"] = ["self-referral", "wash-trade"];
  const waiting = { ...DETAIL, settlement: null, viaRateVersion: null };
  const held = await explained({
    ...waiting,
    commission: { ...COMMISSION, status: "held", flags },
  });
  assert.equal(held.status, "held");
  assert.deepEqual(held.ledgerEntries, [entry(60_000, "fees", "affiliate-payable", "0.068257")]);

  const release = { actor: "eve", reason: "checked by hand", timeMs: NOW - 20_000 };
  const released = await answerOf(v2ExplainCommission, QUERY, fixture({ ...waiting, release }));
  const told = (released as { release: unknown }).release;
  assert.deepEqual(told, { reason: "checked by hand", time: NOW - 20_000 });

  const reversal = {
    reversalId: 13,
    commissionId: 12,
    actor: "eve",
    reason: "traded with himself",
    timeMs: NOW - 10_000,
    fromPayable: "0.04",
    fromSpot: "0.02",
    owed: "0.008257",
  };
  const back = [
    entry(10_000, "affiliate-payable", "fees", "0.04"),
    entry(10_000, SPOT, "fees", "0.02"),
  ];
  const reversed = await explained({
    ...DETAIL,
    commission: { ...COMMISSION, status: "reversed" },
    reversal,
  });
  assert.equal(reversed.ledgerEntries.length, 5);
  assert.deepEqual(reversed.ledgerEntries.slice(3), back);

  const row: Commission = {
    ...COMMISSION,
    commissionId: 13,
    fee: "0",
    amount: "-0.068257",
    rate: "0",
    takerAmount: "0",
    status: "reversal",
  };
  const itself = await answerOf(
    v2ExplainCommission,
    QUERY,
    fixture({
      ...waiting,
      commission: row,
      fill: null,
      gross: "0",
      rateVersion: null,
      reversal,
    }),
  );
  const { fill, calculation, ledgerEntries, whyZero } = itself as Explained & { fill: null };
  assert.deepEqual([fill, calculation, whyZero], [null, null, null]);
  assert.deepEqual(ledgerEntries, back);
});

test("why a commission is 0, in words; and it was never posted", async () => {
  const zero = { ...COMMISSION, amount: "0" };
  const cases: readonly (readonly [change: Partial<Commission>, capped: string, words: RegExp])[] =
    [
      [{ fee: "0" }, "0", /paid no fee/],
      [{ rate: "0" }, "0", /rate for SPOT was 0/],
      [{ rate: "0", product: "contract" }, "0", /rate for FUTURES was 0/],
      [{ fee: "0.000001" }, "0", /smallest unit of USDT/],
      [{}, "0.068257", /0\.068257 USDT was cut by the cap/],
      [{ flags: ["wash-trade"] }, "0.068257", /flagged \(wash-trade\)/],
    ];
  for (const [change, capped, words] of cases) {
    const gross = capped;
    const commission = { ...zero, ...change };
    const { whyZero, ledgerEntries } = await explained({
      ...DETAIL,
      commission,
      gross,
      capped,
      settlement: null,
    });
    assert.match(whyZero ?? "", words);
    assert.deepEqual(ledgerEntries, []);
  }
});

test("somebody else's commission is the same answer as none", async () => {
  const commission = { ...COMMISSION, affiliateUid: CALLER_UID + 1 };
  for (const endpoint of BOTH) {
    for (const exchange of [fixture(null), fixture({ ...DETAIL, commission })]) {
      const found = await refusalOf(endpoint, QUERY, exchange);
      assert.deepEqual(found, ["unknown-commission", "commissionId"]);
    }
    const form = await refusalOf(endpoint, { query: { commissionId: "12a" } }, fixture(DETAIL));
    assert.deepEqual(form, ["invalid-parameter", "commissionId"]);
    const missing = await refusalOf(endpoint, {}, fixture(DETAIL));
    assert.deepEqual(missing, ["missing-parameter", "commissionId"]);
    const none = new ExchangeDouble({ affiliate: () => reject("not-an-affiliate", "uid") });
    assert.deepEqual(await refusalOf(endpoint, QUERY, none), ["not-an-affiliate", null]);
  }
});
