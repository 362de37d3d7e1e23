/**
 * Proves every field of the four affiliate reports, of the sums of each day and of the caller's
 * profile, in both versions, on the real process: all rows are worked out here from the traders'
 * own fills and the funds that were moved, before and behind a settlement.
 */
import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { exact, ONE, sum, text } from "../support/exact.ts";
import type { Account } from "../support/exchange-setup.ts";
import type { Shape } from "../support/wire-shape.ts";
import {
  ACTIVITY_PAGE,
  type ActivityPage,
  bare,
  type CommissionRow,
  commissionPage,
  commissions,
  merged,
  subAffiliates,
  timestamped,
} from "./affiliate-calls.ts";
import {
  closeTree,
  type Fill,
  fillsOf,
  MID_RATES,
  moveFunds,
  openTree,
  TOP_RATES,
  type Tree,
  tradeAll,
} from "./affiliate-tree.ts";
import { ccxtClient } from "./ccxt-client.ts";

const USDT_SCALE = 8;
const HOUR_MS = 3_600_000;

/** Whole units of 10^-scale in a product of two amounts, the rest cut off. */
function product(one: string, other: string, scale: number): bigint {
  const unit = 10n ** BigInt(18 - scale);
  return ((exact(one) * exact(other)) / (ONE * unit)) * unit;
}

/** In USDT, at the price of the fill, which is the last price behind it. */
function usdtOf(amount: string, coin: string, fill: Fill): bigint {
  return coin === "USDT" ? exact(amount) : product(amount, fill.price, USDT_SCALE);
}

interface Earning {
  readonly affiliate: Account;
  readonly fill: Fill;
  readonly commission: string;
  /** What the report has to say of it, but for what is ours. */
  readonly row: Partial<CommissionRow>;
}

function rateOf(rates: { spotRate: string; futuresRate: string }, fill: Fill): string {
  return fill.productType === "SPOT" ? rates.spotRate : rates.futuresRate;
}

/** Who earns at what rate of a fill, from the trader upwards. */
function chainOf(tree: Tree, fill: Fill): readonly (readonly [Account, string, number])[] {
  if (fill.uid === tree.carol.uid) return [[tree.top, rateOf(TOP_RATES, fill), 1]];
  const below = rateOf(MID_RATES, fill);
  const difference = text(exact(rateOf(TOP_RATES, fill)) - exact(below));
  return [
    [tree.mid, below, 1],
    [tree.top, difference, 2],
  ];
}

async function scales(tree: Tree): Promise<ReadonlyMap<string, number>> {
  const path = "/operator/v1/assets";
  const { items } = await tree.exchange.operator.call<{
    items: { asset: string; scale: number }[];
  }>("GET", path);
  return new Map(items.map(({ asset, scale }) => [asset, scale]));
}

async function earningsOf(tree: Tree): Promise<readonly Earning[]> {
  const scaleOf = await scales(tree);
  // Bob traded with nobody but himself, which earns nobody anything.
  const fills = (await Promise.all([fillsOf(tree.alice), fillsOf(tree.carol)])).flat();
  return fills.flatMap((fill) =>
    chainOf(tree, fill).map(([affiliate, rate, sourceType]) => {
      const units = product(fill.fee, rate, scaleOf.get(fill.feeCoin) ?? 0);
      const commission = text(units);
      const row = {
        uid: String(fill.uid),
        date: fill.time,
        dealTime: String(fill.time),
        coin: fill.feeCoin,
        productType: fill.productType,
        fee: fill.fee,
        commission,
        rate,
        symbol: fill.symbol,
        sourceType,
        takerAmount: fill.maker ? "0" : fill.quote,
        makerAmount: fill.maker ? fill.quote : "0",
      };
      return { affiliate, fill, commission, row };
    }),
  );
}

function keyOf({ uid, date, productType, takerAmount }: Partial<CommissionRow>): string {
  return `${productType} ${date} ${uid} ${takerAmount}`;
}

function sorted<Row extends Partial<CommissionRow>>(rows: readonly Row[]): readonly Row[] {
  return rows.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}

function withoutOurs({ commissionId, status, flags, ...row }: CommissionRow) {
  assert.ok(commissionId !== "" && status !== "" && flags.length === 0);
  return row;
}

async function commissionTests(
  t: TestContext,
  tree: Tree,
  earnings: readonly Earning[],
  status: string,
): Promise<void> {
  for (const name of ["top", "mid"] as const) {
    const affiliate = tree[name];
    for (const productType of ["SPOT", "FUTURES"] as const) {
      await t.test(`getAffiliateCommission of ${name}, ${productType}, ${status}`, async () => {
        const expected = earnings
          .filter((earning) => earning.affiliate === affiliate)
          .map(({ row }) => row)
          .filter((row) => row.productType === productType);
        const rows = await commissions(affiliate, { productType });
        assert.ok(expected.length > 0);
        assert.deepEqual(sorted(rows.map(withoutOurs)), sorted(expected));
        for (const row of rows) assert.equal(row.status, status);
        const order = rows.toSorted(
          (a, b) => b.date - a.date || Number(b.commissionId) - Number(a.commissionId),
        );
        assert.deepEqual(rows, order, "newest first");
      });
    }
  }
  await t.test(`getAffiliateCommission by trader and by coin, ${status}`, async () => {
    const all = await commissions(tree.top);
    const [uid, coin] = [String(tree.carol.uid), "BTC"];
    const ofCarol = all.filter((row) => row.uid === uid);
    assert.ok(ofCarol.length > 0 && ofCarol.length < all.length);
    assert.deepEqual(await commissions(tree.top, { uid }), ofCarol);
    const inBtc = all.filter((row) => row.coin === coin);
    assert.ok(inBtc.length > 0 && inBtc.length < all.length);
    assert.deepEqual(await commissions(tree.top, { coin }), inBtc);
    const both = all.filter((row) => row.coin === coin && row.uid === uid);
    assert.deepEqual(await commissions(tree.top, { uid, coin }), both);
  });
}

async function activity(affiliate: Account): Promise<ActivityPage["records"]> {
  const call = "getChannelUserTradeAndAsset";
  const page = await timestamped<ActivityPage>(affiliate, call, {}, ACTIVITY_PAGE);
  assert.deepEqual(await bare(affiliate, call, {}, ACTIVITY_PAGE), page);
  assert.equal(page.total, page.records.length);
  return page.records;
}

async function activityTests(
  t: TestContext,
  tree: Tree,
  earnings: readonly Earning[],
): Promise<void> {
  const { top, mid, alice, bob, carol, idle } = tree;
  const ofUser = (affiliate: Account, user: Account) => {
    const own = earnings.filter((one) => one.affiliate === affiliate && one.fill.uid === user.uid);
    const volume = (productType: string) =>
      text(
        sum(
          own
            .filter(({ fill }) => fill.productType === productType)
            .map(({ fill }) => exact(fill.quote)),
        ),
      );
    const values = own.map(({ commission, fill }) => usdtOf(commission, fill.feeCoin, fill));
    return {
      spotTradingAmount: volume("SPOT"),
      futuresTradingAmount: volume("FUTURES"),
      commission: text(sum(values)),
    };
  };
  const spotFunds = { depositAmount: "100000", withdrawalAmount: "0" };
  const nothing = { depositAmount: "0", withdrawalAmount: "0" };
  // Bitcoin had no price before the first trade, and this one behind the last.
  const bitcoin = product("0.125", "50123.45", USDT_SCALE);
  const moved = {
    depositAmount: text(exact("150012.25") + bitcoin),
    withdrawalAmount: "321.5",
  };
  const rows = (list: ActivityPage["records"]) =>
    new Map(list.map(({ uid, ...record }) => [Number(uid), record]));

  await t.test("getChannelUserTradeAndAsset: every direct invitee, idle ones too", async () => {
    assert.deepEqual(
      rows(await activity(mid)),
      new Map([
        [alice.uid, { ...moved, ...ofUser(mid, alice) }],
        [bob.uid, { ...spotFunds, ...ofUser(mid, bob) }],
        [idle.uid, { ...nothing, ...ofUser(mid, idle) }],
      ]),
    );
    assert.deepEqual(
      rows(await activity(top)),
      new Map([
        [mid.uid, { ...nothing, ...ofUser(top, mid) }],
        [carol.uid, { ...spotFunds, ...ofUser(top, carol) }],
      ]),
    );
  });
}

interface UidList {
  readonly total: number;
  readonly list: readonly { uid: string; registerTime: number; kycResult: boolean }[];
}

async function referralTests(t: TestContext, tree: Tree): Promise<void> {
  const { mid, alice, bob, idle, exchange } = tree;
  const item = { uid: "digits", registerTime: "integer", kycResult: "boolean" } as const;
  const call = "getAffiliateUIDs";

  await t.test("getAffiliateUIDs: invitees newest first, and who is known", async () => {
    const body = { kyc: true };
    await exchange.operator.call("PATCH", `/operator/v1/users/${bob.uid}`, body);
    const found = await merged<UidList>(mid, call, {}, { total: "integer", list: [item] });
    const uids = [idle.uid, bob.uid, alice.uid].map(String);
    assert.equal(found.total, 3);
    assert.deepEqual(
      found.list.map(({ uid }) => uid),
      uids,
    );
    assert.deepEqual(
      found.list.map(({ kycResult }) => kycResult),
      [false, true, false],
    );
    for (const { uid, registerTime } of found.list) {
      const path = `/operator/v1/users/${uid}`;
      const user = await exchange.operator.call<{ registeredAt: number }>("GET", path);
      assert.equal(registerTime, user.registeredAt);
    }
    const { inviteCode } = await exchange.operator.call<{ inviteCode: string }>(
      "GET",
      `/operator/v1/users/${mid.uid}`,
    );
    const shape = {
      pages: "integer",
      pageSize: "integer",
      total: "integer",
      channelUserInfoItemList: [{ ...item, inviteCode: "string" }],
    } as const;
    assert.deepEqual(await bare(mid, call, { pageSize: 2 }, shape), {
      pages: 2,
      pageSize: 2,
      total: 3,
      channelUserInfoItemList: found.list.slice(0, 2).map((row) => ({ ...row, inviteCode })),
    });
  });
}

async function subAffiliateTests(
  t: TestContext,
  tree: Tree,
  earnings: readonly Earning[],
  isPaid: boolean,
): Promise<void> {
  const { top, mid } = tree;
  const what = isPaid ? "what was settled of them" : "nothing paid yet";
  await t.test(`querySubChannelTransactions: a day of fills, ${what}`, async () => {
    for (const productType of ["SPOT", "FUTURES"]) {
      const own = earnings.filter(
        ({ affiliate, fill }) => affiliate === mid && fill.productType === productType,
      );
      const day = new Date(own[0]?.fill.time ?? 0).toISOString().slice(0, 10);
      const fees = own.map(({ fill }) => usdtOf(fill.fee, fill.feeCoin, fill));
      const paid = own.map(({ commission, fill }) => usdtOf(commission, fill.feeCoin, fill));
      const record = {
        subAffiliateUid: String(mid.uid),
        productType,
        date: day,
        tradingVolume: text(sum(own.map(({ fill }) => exact(fill.quote)))),
        netTradingFee: text(sum(fees)),
        paidCommission: isPaid ? text(sum(paid)) : "0",
      };
      const answer = { records: [record], total: 1, size: 100, current: 1, pages: 1 };
      assert.deepEqual(await subAffiliates(top, { productType }), answer);
      const nulls = { subUid: null, startTime: null, endTime: null };
      assert.deepEqual(await subAffiliates(top, { ...nulls, productType }), answer);
      const subUid = mid.uid;
      assert.deepEqual(await subAffiliates(top, { productType, subUid }), answer);
      const path = "/api/v3/rebate/affiliate/querySubChannelTransactions";
      assert.deepEqual(await top.client.v3(path, { productType, subUid }), answer);
      const none = { records: [], total: 0, size: 100, current: 1, pages: 0 };
      assert.deepEqual(await subAffiliates(mid, { productType }), none);
    }
  });
}

interface Profile {
  readonly uid: string;
  readonly balances: readonly { readonly coin: string; readonly payable: string }[];
  readonly nextSettlementTime: number;
}
const PROFILE: Shape = {
  uid: "digits",
  inviteCode: "string",
  parentUid: "?digits",
  depth: "integer",
  spotRate: "decimal",
  futuresRate: "decimal",
  rateVersion: "integer",
  ratesSince: "integer",
  balances: [
    { coin: "string", payable: "decimal", held: "decimal", owed: "decimal", paid: "decimal" },
  ],
  nextSettlementTime: "integer",
};
const DAY_ROW: Shape = {
  date: "string",
  productType: "string",
  coin: "string",
  commissions: "integer",
  commission: "decimal",
  commissionUsdt: "decimal",
  volumeUsdt: "decimal",
};

function totalOf(own: readonly Earning[], of: (one: Earning) => bigint): string {
  return text(sum(own.map(of)));
}

async function dayTests(t: TestContext, tree: Tree, earnings: readonly Earning[]): Promise<void> {
  for (const name of ["top", "mid"] as const) {
    const own = earnings.filter(({ affiliate }) => affiliate === tree[name]);
    await t.test(`commissionDays of ${name}: sums by day, product and coin`, async () => {
      const rows = await timestamped<object[]>(tree[name], "commissionDays", {}, [DAY_ROW]);
      assert.deepEqual(await bare(tree[name], "commissionDays", {}, [DAY_ROW]), rows);
      const groups = Map.groupBy(own, ({ fill: { time, productType, feeCoin } }) =>
        [new Date(time).toISOString().slice(0, 10), productType, feeCoin].join(),
      );
      const expected = [...groups].map(([key, ofDay]) => {
        const [date, productType, coin] = key.split(",");
        return {
          ...{ date, productType, coin },
          commissions: ofDay.length,
          commission: totalOf(ofDay, ({ commission }) => exact(commission)),
          commissionUsdt: totalOf(ofDay, ({ commission, fill }) =>
            usdtOf(commission, fill.feeCoin, fill),
          ),
          volumeUsdt: totalOf(ofDay, ({ fill }) => exact(fill.quote)),
        };
      });
      const order = (row: object) => Object.values(row).slice(0, 3).join();
      assert.ok(rows.length >= 3);
      assert.deepEqual(
        rows,
        expected.toSorted((a, b) => (order(a) < order(b) ? -1 : 1)),
      );
    });
  }
}

async function profileTests(
  t: TestContext,
  tree: Tree,
  earnings: readonly Earning[],
  isPaid: boolean,
): Promise<void> {
  const { exchange, top, mid } = tree;
  await t.test(`profile: ${isPaid ? "nothing waits" : "what is payable"}`, async () => {
    for (const [affiliate, parentUid, depth, rates] of [
      [top, null, 1, TOP_RATES],
      [mid, String(top.uid), 2, MID_RATES],
    ] as const) {
      const found = await timestamped<Profile>(affiliate, "profile", {}, PROFILE);
      const path = `/operator/v1/users/${affiliate.uid}`;
      const { inviteCode } = await exchange.operator.call<{ inviteCode: string }>("GET", path);
      const place = { uid: String(affiliate.uid), inviteCode, parentUid, depth };
      assert.partialDeepStrictEqual(found, { ...place, ...rates, rateVersion: 1 });
      assert.equal(found.nextSettlementTime % HOUR_MS, 0);
      const own = earnings.filter((one) => one.affiliate === affiliate);
      const coins = [...new Set(own.map(({ fill }) => fill.feeCoin))];
      assert.deepEqual(
        new Map(found.balances.map(({ coin, ...balance }) => [coin, balance])),
        new Map(
          coins.map((coin) => {
            const ofCoin = own.filter(({ fill }) => fill.feeCoin === coin);
            const total = totalOf(ofCoin, ({ commission }) => exact(commission));
            const [payable, paid] = isPaid ? ["0", total] : [total, "0"];
            return [coin, { payable, held: "0", owed: "0", paid }];
          }),
        ),
      );
      assert.equal((await bare<Profile>(affiliate, "profile", {}, PROFILE)).uid, found.uid);
    }
  });
}

async function clientTests(t: TestContext, tree: Tree): Promise<void> {
  const { exchange, top, mid } = tree;
  await t.test(
    "the public client asks for all of it by its own signing, reports by GET",
    async () => {
      const client = ccxtClient(exchange, new Set(), top.credentials);
      const page = await commissionPage(top, { pageSize: 200 });
      const found = await client.privateGetApiV3RebateAffiliateGetAffiliateCommission({
        pageSize: 200,
      });
      assert.deepEqual(found, page);
      const uids = await client.privateGetApiV3RebateAffiliateGetAffiliateUIDs();
      assert.equal(uids.total, 2);
      const activity = await client.privateGetApiV3RebateAffiliateGetChannelUserTradeAndAsset();
      assert.equal(activity.records.length, 2);
      const productType = "SPOT";
      const days = await client.privateGetApiV3RebateAffiliateQuerySubChannelTransactions({
        productType,
      });
      assert.deepEqual(days, await subAffiliates(top, { productType }));
      const payment = { toUserId: mid.uid, coin: "BTC", amount: "0.000001" };
      const paid: unknown = await client.privatePostApiV3RebateAffiliateInternalWithdrawal(payment);
      const status = await client.privateGetApiV3RebateAffiliateGetInternalWithdrawalStatus();
      assert.equal(status.items[0].withdrawId, (paid as { id: string }).id);
    },
  );
}

test("affiliate reports", async (t) => {
  const tree = await openTree();
  t.after(() => closeTree(tree));
  await tradeAll(tree);
  await moveFunds(tree);
  const earnings = await earningsOf(tree);
  await commissionTests(t, tree, earnings, "accrued");
  await activityTests(t, tree, earnings);
  await referralTests(t, tree);
  await subAffiliateTests(t, tree, earnings, false);
  await dayTests(t, tree, earnings);
  await profileTests(t, tree, earnings, false);
  await tree.exchange.operator.advanceClock(HOUR_MS);
  await commissionTests(t, tree, earnings, "settled");
  await activityTests(t, tree, earnings);
  await subAffiliateTests(t, tree, earnings, true);
  await dayTests(t, tree, earnings);
  await profileTests(t, tree, earnings, true);
  await clientTests(t, tree);
  const { ok, violations } = await tree.exchange.operator.invariants();
  assert.ok(ok, violations.join(", "));
});
