/**
 * Proves that an affiliate is told the own place as the engine knows it, with the full hour that
 * comes next, and the days of the range that was asked for, whose open ends never cause a refusal.
 */
import assert from "node:assert/strict";
import test from "node:test";
import {
  AFFILIATE_ENGINE,
  AFFILIATE_HISTORY,
  INVITE_CODE,
} from "../../../test/support/affiliate-fixture.ts";
import { answerOf, CALLER_UID, refusalOf } from "../../../test/support/endpoint-call.ts";
import { DOUBLE_TIME_MS, ExchangeDouble } from "../../../test/support/exchange-double.ts";
import type { CommissionDay } from "../../queries/history-port.ts";
import { DAY_MS } from "../parameters.ts";
import { dayOf } from "./parameters.ts";
import { v2AffiliateProfile, v3AffiliateProfile } from "./profile.ts";
import { v2CommissionDays, v3CommissionDays } from "./reports.ts";

const HOUR_MS = 3_600_000;
const TODAY = dayOf(DOUBLE_TIME_MS);
const DAYS = [v2CommissionDays, v3CommissionDays] as const;

const ROW: CommissionDay = {
  day: "2025-10-08",
  product: "spot",
  asset: "BTC",
  commissions: 1,
  amount: "0.1",
  usdtValue: "9900",
  volume: "99000",
};

function before(day: string, days: number): string {
  return dayOf(Date.parse(day) - days * DAY_MS);
}

test("profile: place, rates, balances and the next full hour", async () => {
  for (const endpoint of [v2AffiliateProfile, v3AffiliateProfile]) {
    const exchange = new ExchangeDouble(AFFILIATE_ENGINE, AFFILIATE_HISTORY);
    const { nextSettlementTime, ...rest } = (await answerOf(endpoint, {}, exchange)) as {
      readonly nextSettlementTime: number;
    };
    assert.deepEqual(rest, {
      uid: String(CALLER_UID),
      inviteCode: INVITE_CODE,
      parentUid: null,
      depth: 1,
      spotRate: "0.4",
      futuresRate: "0.5",
      rateVersion: 2,
      ratesSince: DOUBLE_TIME_MS - 90_000,
      balances: [
        { coin: "BTC", payable: "0", held: "0", owed: "0", paid: "0.002" },
        { coin: "USDT", payable: "1.25", held: "0.5", owed: "0", paid: "12" },
      ],
    });
    assert.equal(nextSettlementTime % HOUR_MS, 0);
    const waitMs = nextSettlementTime - DOUBLE_TIME_MS;
    assert.ok(waitMs > 0 && waitMs <= HOUR_MS, `${waitMs} ms`);
  }
});

test("commissionDays: the range that is asked for, and what open ends mean", async () => {
  const ranges: readonly (readonly [query: Record<string, string>, days: readonly string[]])[] = [
    [{}, [before(TODAY, 89), TODAY]],
    [{ from: before(TODAY, 10) }, [before(TODAY, 10), TODAY]],
    [{ from: "2025-01-01" }, ["2025-01-01", "2025-04-02"]],
    [{ to: "2025-09-30" }, ["2025-07-03", "2025-09-30"]],
    [{ to: "1970-01-02" }, ["1970-01-01", "1970-01-02"]],
    [{ from: "2025-01-01", to: "2025-04-02" }, ["2025-01-01", "2025-04-02"]],
  ];
  for (const endpoint of DAYS) {
    for (const [query, expected] of ranges) {
      let asked: readonly string[] = [];
      const exchange = new ExchangeDouble(AFFILIATE_ENGINE, {
        ...AFFILIATE_HISTORY,
        "commission-days": ({ affiliateUid, fromDay, toDay }) => {
          assert.equal(affiliateUid, CALLER_UID);
          asked = [fromDay, toDay];
          return [];
        },
      });
      assert.deepEqual(await answerOf(endpoint, { query }, exchange), []);
      assert.deepEqual(asked, expected, JSON.stringify(query));
    }
  }
});

test("commissionDays: rows, and ranges that are refused", async () => {
  for (const endpoint of DAYS) {
    const exchange = new ExchangeDouble(AFFILIATE_ENGINE, AFFILIATE_HISTORY);
    assert.deepEqual(await answerOf(endpoint, {}, exchange), [
      {
        date: "2025-10-08",
        productType: "FUTURES",
        coin: "USDT",
        commissions: 3,
        commission: "1.5",
        commissionUsdt: "1.5",
        volumeUsdt: "5000",
      },
    ]);
    const long = { query: { from: "2025-01-01", to: "2025-04-03" } };
    assert.deepEqual(await refusalOf(endpoint, long, exchange), ["time-range-too-long", "to"]);
    const noDay = { query: { to: "2025-02-30" } };
    assert.deepEqual(await refusalOf(endpoint, noDay, exchange), ["invalid-parameter", "to"]);
    const many = new ExchangeDouble(AFFILIATE_ENGINE, {
      "commission-days": ({ limit }) => Array.from({ length: limit }, () => ROW),
    });
    assert.deepEqual(await refusalOf(endpoint, {}, many), ["time-range-too-long", "from"]);
  }
});
