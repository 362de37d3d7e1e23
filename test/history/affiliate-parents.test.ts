/**
 * Proves by example that what an affiliate earned before it had a parent is nothing of the
 * parent's, whatever becomes of it later: not even the last one before, but all of the first
 * behind.
 */
import assert from "node:assert/strict";
import test from "node:test";
import type { Event, EventOf } from "../../src/protocol/index.ts";
import { answerQuestion } from "../../src/queries/index.ts";
import { BTC_SPOT } from "../support/listings.ts";
import { openWritten, temporaryFolder, write } from "./history-folder.ts";

const [PARENT, SUB, TRADER] = [501, 502, 503];
const ONE_USDT = 100_000_000n;

const LISTED: readonly Event[] = [
  ...["USDT", "BTC"].map((asset, index): Event => {
    const coinId = index + 1;
    return { type: "asset-set", actor: "operator", asset, coinId, name: asset, scale: 8 };
  }),
  { type: "spot-market-set", actor: "operator", ...BTC_SPOT },
];

function affiliate(uid: number, parentUid: number | null): Event {
  const rates = { spotRateE8: 50_000_000, futuresRateE8: 0, rateVersion: 1 };
  const depth = parentUid === null ? 1 : 2;
  return { type: "affiliate-set", actor: "operator", uid, parentUid, depth, ...rates };
}

function earned(commissionId: number, isHeld: boolean): EventOf<"commission-accrued"> {
  return {
    type: "commission-accrued",
    ...{ commissionId, tradeId: commissionId, product: "spot", symbol: BTC_SPOT.symbol },
    ...{ isMaker: false, traderUid: TRADER, affiliateUid: SUB, viaUid: null, asset: "USDT" },
    ...{ feeMinor: 2n * ONE_USDT, rateE8: 50_000_000, rateVersion: 1, viaRateVersion: null },
    ...{ notionalMinor: 1_000n * ONE_USDT, cappedMinor: 0n, commissionMinor: ONE_USDT },
    ...{ flags: isHeld ? ["self-referral"] : [], isHeld },
  };
}

const ACTED = { actor: "operator", reason: "looked at" } as const;
const ABOUT = { affiliateUid: SUB, asset: "USDT", amountMinor: ONE_USDT } as const;

const RELEASED: Event = { type: "commission-released", ...ACTED, ...ABOUT, commissionId: 2 };
const REVERSED: Event = {
  type: "commission-reversed",
  ...{ ...ACTED, ...ABOUT, reversalId: 4, commissionId: 2 },
  ...{ traderUid: TRADER, product: "spot", symbol: BTC_SPOT.symbol },
  ...{ fromPayableMinor: ONE_USDT, fromSpotMinor: 0n, owedMinor: 0n, spotEquityMinor: 0n },
};

const SETTLED: Event = {
  type: "commissions-settled",
  ...{ settlementId: 1, affiliateUid: SUB, asset: "USDT", uptoCommissionId: 4 },
  ...{ accruedMinor: ONE_USDT, recoveredMinor: 0n, paidMinor: ONE_USDT },
  spotEquityMinor: ONE_USDT,
};

for (const [what, before, later] of [
  ["held, and released", earned(2, true), RELEASED],
  ["not held, and taken back", earned(2, false), REVERSED],
] as const) {
  test(`a commission of before is ${what} behind it`, async (t) => {
    const { projector, db } = await openWritten(t, temporaryFolder());
    let sequence = 0;
    const happens = async (...events: Event[]) => {
      const command = { sequence: ++sequence, timestampMs: Date.UTC(2026, 0, 30), events };
      write(projector, [[command]]);
      const question = {
        parentUid: PARENT,
        subUid: null,
        product: "spot",
        time: { fromMs: null, toMs: null },
        page: { page: 1, pageSize: 10 },
      } as const;
      return (await answerQuestion(db, "sub-affiliate-days", question)).answer.rows;
    };
    await happens(...LISTED, affiliate(PARENT, null), affiliate(SUB, null));
    await happens(earned(1, false), before);
    assert.deepEqual(await happens(affiliate(SUB, PARENT)), []);
    await happens(earned(3, false));
    await happens(later);
    const [row, ...others] = await happens(SETTLED);
    assert.deepEqual(others, []);
    assert.deepEqual([row?.subUid, row?.volume, row?.paidCommission], [SUB, "1000", "1"]);
  });
}
