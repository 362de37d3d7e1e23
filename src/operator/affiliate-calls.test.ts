/**
 * Proves the calls about affiliates against the real engine: rates, tree and policy are set and
 * read back; held commissions are listed, released and reversed once; a settlement pays at once;
 * and every change records its actor. History queries are answered from the events of the same
 * engine. A call of this kind that no test makes fails the suite.
 */
import assert from "node:assert/strict";
import test, { after, before } from "node:test";
import { isAffiliateCall, OperatorFixture } from "../../test/support/operator-fixture.ts";
import { formatDecimal } from "../domain/index.ts";
import { RULES_VERSION } from "../engine/index.ts";
import type { EventOf, EventType } from "../protocol/index.ts";
import type { CommissionDetail, WhatIfRow } from "../queries/history-port.ts";

const SCALE = 8;
const TOP = 501;
const CHILD = 502;
const TRADER = 601;
const STRANGER = 602;

let operator: OperatorFixture;

const get = <Answer>(path: string) => operator.call<Answer>("GET", `/operator/v1/${path}`);
const put = <Answer>(path: string, body: unknown) =>
  operator.call<Answer>("PUT", `/operator/v1/${path}`, body);
const post = <Answer>(path: string, body: unknown) =>
  operator.call<Answer>("POST", `/operator/v1/${path}`, body);
const refused = (method: string, path: string, body?: unknown) =>
  operator.refusal(method, `/operator/v1/${path}`, body);

interface List<Item> {
  readonly items: readonly Item[];
  readonly next: number | string | null;
}

interface Affiliate {
  readonly uid: number;
  readonly rateVersion: number;
  readonly balances: readonly Record<string, string>[];
}

before(async () => {
  operator = new OperatorFixture();
  await operator.exchange.client.execute({ type: "adopt-rules", version: RULES_VERSION });
  await put("assets/BTC", { coinId: 1, name: "Bitcoin", scale: SCALE });
  await put("assets/USDT", { coinId: 2, name: "Tether", scale: SCALE });
  const market = { baseAsset: "BTC", quoteAsset: "USDT", tickSize: "1", stepSize: "0.001" };
  await put("markets/spot/BTCUSDT", { ...market, takerFeeRate: "0.002", makerFeeRate: "0.001" });
  const top = await post<{ inviteCode: string }>("users", { uid: TOP });
  const child = await post<{ inviteCode: string }>("users", {
    uid: CHILD,
    inviteCode: top.inviteCode,
  });
  await post("users", { uid: TRADER, inviteCode: child.inviteCode });
  await post("users", { uid: STRANGER });
  for (const uid of [TRADER, STRANGER, CHILD]) {
    for (const asset of ["BTC", "USDT"]) {
      const deposit = { id: `d-${asset}`, account: "spot", asset, amount: "1000000" };
      await post(`users/${uid}/deposits`, deposit);
    }
  }
  operator.exchange.historyScript = { commission: ({ commissionId }) => detailOf(commissionId) };
});
after(() => operator.close());

/** The trader sells to the stranger: a fee of 0.2 % in USDT. */
async function trade(quantity: string): Promise<void> {
  const { client } = operator.exchange;
  const order = {
    type: "place-spot-order",
    symbol: "BTCUSDT",
    orderType: "LIMIT",
    price: "50000",
    quantity,
    quantityUnit: "base",
    clientOrderId: `o-${operator.exchange.commands.length}`,
  } as const;
  const buy = { ...order, uid: STRANGER, side: "BUY", timeInForce: "GTC" } as const;
  assert.ok((await client.execute(buy)).ok);
  const sell = { ...order, uid: TRADER, side: "SELL", timeInForce: "IOC" } as const;
  assert.ok((await client.execute(sell)).ok);
}

const eventsOf = <Type extends EventType>(type: Type) =>
  operator.exchange.events.filter((event): event is EventOf<Type> => event.type === type);

/** What the history would have on a commission or a reversal. */
function detailOf(commissionId: number): CommissionDetail | null {
  const accrued = eventsOf("commission-accrued").find((one) => one.commissionId === commissionId);
  const back = eventsOf("commission-reversed");
  const reversal = back.find((one) => one.commissionId === commissionId);
  const own = back.find((one) => one.reversalId === commissionId);
  const row = accrued ?? own;
  if (row === undefined) return null;
  const released = eventsOf("commission-released").find((one) => one.commissionId === commissionId);
  const text = (minor: bigint): string => formatDecimal(minor, SCALE);
  const timeMs = operator.exchange.wallMs;
  const amountMinor = "commissionMinor" in row ? row.commissionMinor : -row.amountMinor;
  return {
    commission: {
      commissionId,
      affiliateUid: row.affiliateUid,
      traderUid: row.traderUid,
      product: row.product,
      symbol: row.symbol,
      asset: row.asset,
      fee: accrued === undefined ? "0" : text(accrued.feeMinor),
      amount: text(amountMinor),
      rate: accrued === undefined ? "0" : text(BigInt(accrued.rateE8)),
      viaUid: accrued?.viaUid ?? null,
      takerAmount: accrued === undefined ? "0" : text(accrued.notionalMinor),
      makerAmount: "0",
      timeMs,
      status: own !== undefined ? "reversal" : reversal === undefined ? "accrued" : "reversed",
      flags: accrued?.flags ?? [],
    },
    fill: null,
    gross: text(amountMinor),
    capped: "0",
    rateVersion:
      accrued === undefined
        ? null
        : { uid: row.affiliateUid, version: 1, spotRate: "0.3", futuresRate: "0.5", sinceMs: 0 },
    viaRateVersion: null,
    settlement: null,
    release:
      released === undefined ? null : { actor: released.actor, reason: released.reason, timeMs },
    reversal:
      reversal === undefined
        ? null
        : {
            reversalId: reversal.reversalId,
            commissionId,
            actor: reversal.actor,
            reason: reversal.reason,
            timeMs,
            fromPayable: text(reversal.fromPayableMinor),
            fromSpot: text(reversal.fromSpotMinor),
            owed: text(reversal.owedMinor),
          },
  };
}

test("affiliates: made, moved below another once, changed, listed", async () => {
  const rates = { spotRate: "0.3", futuresRate: "0.5" };
  const ratesSince = operator.exchange.wallMs;
  const first = { uid: TOP, parentUid: null, depth: 1, ...rates, rateVersion: 1, ratesSince };
  assert.deepEqual(await put(`affiliates/${TOP}`, rates), { ...first, balances: [] });
  const below = { spotRate: "0.10", futuresRate: "0" };
  await put(`affiliates/${CHILD}`, below);
  const child = {
    ...first,
    uid: CHILD,
    parentUid: TOP,
    depth: 2,
    spotRate: "0.1",
    futuresRate: "0",
    balances: [],
  };
  const placed = await put(`affiliates/${CHILD}`, { ...below, parentUid: TOP });
  assert.deepEqual(placed, child);
  assert.deepEqual(await put(`affiliates/${CHILD}`, below), child, "the parent stays");
  assert.deepEqual(await get(`affiliates/${CHILD}`), child);
  const dearer = await put<Affiliate>(`affiliates/${CHILD}`, { ...below, spotRate: "0.12" });
  assert.equal(dearer.rateVersion, 2);
  await put(`affiliates/${CHILD}`, below);
  const page = await get<List<Affiliate>>("affiliates?limit=1");
  assert.deepEqual([page.items.map(({ uid }) => uid), page.next], [[TOP], TOP]);
  const rest = await get<List<Affiliate>>(`affiliates?after=${TOP}`);
  assert.deepEqual([rest.items.map(({ uid }) => uid), rest.next], [[CHILD], null]);
});

test("affiliates: what cannot be is refused with its field", async () => {
  const rates = { spotRate: "0.1", futuresRate: "0.1" };
  const path = `affiliates/${CHILD}`;
  const cases = [
    [path, { spotRate: "0.51" }, 400, "out-of-range", "spotRate"],
    [path, { futuresRate: "0.81" }, 400, "out-of-range", "futuresRate"],
    [path, { spotRate: "0.123456789" }, 400, "excess-precision", "spotRate"],
    [path, { spotRate: 0.1 }, 400, "malformed", "spotRate"],
    [path, { futuresRate: "-0.1" }, 400, "malformed", "futuresRate"],
    [path, { futuresRate: undefined }, 400, "malformed", "futuresRate"],
    [path, { contractRate: "0.1" }, 400, "malformed", "contractRate"],
    [path, { parentUid: CHILD }, 409, "conflict", "parentUid"],
    [path, { parentUid: STRANGER }, 409, "conflict", "parentUid"],
    [path, { parentUid: null }, 400, "malformed", "parentUid"],
    [`affiliates/${TOP}`, { parentUid: CHILD }, 409, "conflict", "parentUid"],
    [`affiliates/${TOP}`, { parentUid: STRANGER }, 400, "not-an-affiliate", "parentUid"],
    ["affiliates/99", {}, 404, "unknown-user", "uid"],
  ] as const;
  for (const [where, change, ...expected] of cases) {
    const refusal = await refused("PUT", where, { ...rates, ...change });
    assert.deepEqual(refusal, expected, JSON.stringify(change));
  }
  const none = [404, "not-an-affiliate", "uid"];
  assert.deepEqual(await refused("GET", `affiliates/${STRANGER}`), none);
  assert.deepEqual(await refused("GET", `affiliates/${STRANGER}/statement-heads`), none);
  assert.deepEqual((await refused("GET", "affiliates/99"))[0], 404);
});

test("the policy: off at first, set whole, read back", async () => {
  const off = {
    capPerReferral30d: null,
    holdSelfReferral: false,
    holdWashTrades: false,
    washTradeShare: "0.5",
  };
  assert.deepEqual(await put("affiliate-policy", {}), off);
  assert.deepEqual(await get("affiliate-policy"), off);
  const on = {
    capPerReferral30d: "1000.5",
    holdSelfReferral: true,
    holdWashTrades: true,
    washTradeShare: "0.25",
  };
  assert.deepEqual(await put("affiliate-policy", on), on);
  assert.deepEqual(await put("affiliate-policy", off), off, "what was read can be put back");
  const cases = [
    [{ capPerReferral30d: "0.000000001" }, "excess-precision", "capPerReferral30d"],
    [{ capPerReferral30d: 5 }, "malformed", "capPerReferral30d"],
    [{ washTradeShare: "1.01" }, "out-of-range", "washTradeShare"],
    [{ holdWashTrades: "yes" }, "malformed", "holdWashTrades"],
    [{ holdAll: true }, "malformed", "holdAll"],
  ] as const;
  for (const [body, ...expected] of cases) {
    assert.deepEqual(await refused("PUT", "affiliate-policy", body), [400, ...expected]);
  }
});

test("a house account is one command of its own, beside the other settings", async () => {
  const path = `/operator/v1/users/${STRANGER}`;
  const before = operator.exchange.commands.length;
  const frozen = await operator.call<object>("PATCH", path, { house: true, kyc: true });
  assert.partialDeepStrictEqual(frozen, { house: true, kyc: true });
  assert.partialDeepStrictEqual(await operator.call("PATCH", path, { house: false }), {
    house: false,
  });
  const made = operator.exchange.commands.slice(before).map(({ type }) => type);
  assert.deepEqual(made, ["update-user", "set-house-account", "set-house-account"]);
  const unknown = await operator.refusal("PATCH", "/operator/v1/users/99", { house: true });
  assert.deepEqual(unknown, [404, "unknown-user", "uid"]);
});

test("what a trade earned is settled at once, when somebody asks", async () => {
  await trade("1");
  // A fee of 100 USDT: 0.1 of it to the child, the difference to 0.3 to the top.
  const waiting = await get<List<object>>("commission-settlements");
  assert.deepEqual(waiting.items, [
    { affiliateUid: TOP, asset: "USDT", payable: "20", owed: "0" },
    { affiliateUid: CHILD, asset: "USDT", payable: "10", owed: "0" },
  ]);
  const first = await get<List<object>>("commission-settlements?limit=1");
  assert.deepEqual([first.items.length, first.next], [1, TOP]);
  const reason = "end of the quarter";
  assert.deepEqual(await post("commission-settlements", { reason }), { settlements: 2 });
  assert.deepEqual((await get<List<object>>("commission-settlements")).items, []);
  const { spot } = await get<{ spot: Record<string, string>[] }>(`users/${TOP}/balances`);
  assert.equal(spot.find(({ asset }) => asset === "USDT")?.available, "20");
  assert.deepEqual(await post("commission-settlements", { reason }), { settlements: 0 });
  for (const wrong of ["", "a".repeat(501), "two\nlines"]) {
    const refusal = await refused("POST", "commission-settlements", { reason: wrong });
    assert.deepEqual(refusal, [400, "malformed", "reason"]);
  }
});

test("a commission is looked at and taken back once", async () => {
  const [accrued] = eventsOf("commission-accrued");
  const { commissionId, affiliateUid, traderUid } = accrued as NonNullable<typeof accrued>;
  const path = `commissions/${commissionId}`;
  assert.partialDeepStrictEqual(await get(path), {
    commissionId,
    affiliateUid,
    traderUid,
    product: "spot",
    asset: "USDT",
    status: "accrued",
    amount: "10",
    fee: "100",
    rate: "0.1",
    reversal: null,
  });
  assert.deepEqual(await get(`${path}/reversals`), { items: [] });
  const reason = "paid twice";
  const time = operator.exchange.wallMs;
  const reversal = await post<{ reversalId: number }>(`${path}/reversals`, { reason });
  const sources = { fromPayable: "0", fromSpot: "10", owed: "0" };
  const { reversalId } = reversal;
  const expected = { reversalId, commissionId, actor: "operator", reason, time, ...sources };
  assert.deepEqual(reversal, expected);
  assert.deepEqual(await get(`${path}/reversals`), { items: [expected] });
  assert.partialDeepStrictEqual(await get(path), { status: "reversed", reversal: expected });
  const own = await get<Record<string, unknown>>(`commissions/${reversalId}`);
  assert.partialDeepStrictEqual(own, { status: "reversal", amount: "-10", rateVersion: null });

  const again = await refused("POST", `${path}/reversals`, { reason });
  assert.deepEqual(again, [409, "conflict", "commissionId"]);
  const ofReversal = await refused("POST", `commissions/${reversalId}/reversals`, { reason });
  assert.deepEqual(ofReversal, [404, "unknown-commission", "commissionId"]);
  for (const method of ["GET", "POST"]) {
    const body = method === "POST" ? { reason } : undefined;
    const refusal = await refused(method, "commissions/999/reversals", body);
    assert.deepEqual(refusal, [404, "unknown-commission", "commissionId"]);
  }
  assert.deepEqual(await refused("GET", "commissions/0"), [400, "malformed", "commissionId"]);
  assert.deepEqual((await refused("GET", "commissions/999"))[0], 404);
});

test("what is held is listed, released once, or reversed", async () => {
  const link = {
    type: "withdraw-internally",
    uid: CHILD,
    toUid: TRADER,
    asset: "USDT",
    amount: "1",
    requestId: null,
  } as const;
  assert.ok((await operator.exchange.client.execute(link)).ok);
  await put("affiliate-policy", { holdSelfReferral: true });
  await trade("1");
  await trade("2");
  const held = await get<List<{ commissionId: number }>>(`commissions?affiliateUid=${CHILD}`);
  const [one, other] = held.items.map(({ commissionId }) => commissionId);
  assert.partialDeepStrictEqual(held.items[0], {
    affiliateUid: CHILD,
    traderUid: TRADER,
    asset: "USDT",
    amount: "10",
    flags: ["self-referral"],
  });
  assert.deepEqual((await get<List<object>>(`commissions?affiliateUid=${TOP}`)).items, []);
  const next = await get<List<object>>(`commissions?limit=1&after=${one}`);
  assert.deepEqual([next.items, next.next], [[held.items[1]], other]);
  assert.deepEqual(await get(`commissions/${one}/releases`), { items: [] });

  const reason = "a relative, but a real trader";
  const released = await post(`commissions/${one}/releases`, { reason });
  const expected = { actor: "operator", reason, time: operator.exchange.wallMs };
  assert.deepEqual(released, expected);
  assert.deepEqual(await get(`commissions/${one}/releases`), { items: [expected] });
  const again = await refused("POST", `commissions/${one}/releases`, { reason });
  assert.deepEqual(again, [404, "unknown-commission", "commissionId"]);
  const back = await post<Record<string, string>>(`commissions/${other}/reversals`, { reason });
  assert.deepEqual([back.fromPayable, back.fromSpot, back.owed], ["20", "0", "0"]);
  assert.deepEqual((await get<List<object>>("commissions")).items, []);
  const { balances } = await get<Affiliate>(`affiliates/${CHILD}`);
  assert.deepEqual(balances, [{ asset: "USDT", payable: "10", held: "0", owed: "0" }]);
});

test("heads of statements: pages by day, the day that is not over is told apart", async () => {
  const hash = "0f".repeat(32);
  const heads = ["2025-10-08", "2025-10-09"].map((day, index) => ({
    affiliateUid: TOP,
    day,
    ordinal: index + 1,
    hash,
  }));
  const asked: unknown[] = [];
  operator.exchange.historyScript = {
    ...operator.exchange.historyScript,
    "statement-heads": (question) => {
      asked.push(question);
      return heads.slice(0, question.limit);
    },
  };
  const path = `affiliates/${TOP}/statement-heads`;
  const items = heads.map(({ day, ordinal }, index) => {
    return { day, ordinal, hash, complete: index === 0 };
  });
  assert.deepEqual(await get(path), { items, next: null });
  const page = await get(`${path}?fromDay=2024-02-29&limit=1`);
  assert.deepEqual(page, { items: items.slice(0, 1), next: "2025-10-09" });
  assert.deepEqual(asked, [
    { affiliateUid: TOP, fromDay: "1970-01-01", limit: 100 },
    { affiliateUid: TOP, fromDay: "2024-02-29", limit: 1 },
  ]);
  for (const fromDay of ["2025-02-29", "2025-1-1", "yesterday", ""]) {
    const refusal = await refused("GET", `${path}?fromDay=${fromDay}`);
    assert.deepEqual(refusal, [400, "malformed", "fromDay"], fromDay);
  }
});

const DAY_MS = 86_400_000;

test("other rates are compared: rows, totals per coin, differences", async () => {
  const rows: readonly WhatIfRow[] = [
    { affiliateUid: TOP, product: "spot", asset: "USDT", actual: "20.5", proposed: "20.25" },
    { affiliateUid: CHILD, product: "spot", asset: "USDT", actual: "10", proposed: "12.5" },
    { affiliateUid: CHILD, product: "contract", asset: "BTC", actual: "0.00000001", proposed: "0" },
  ];
  let answer: { fills: number; rows: readonly WhatIfRow[] } | null = { fills: 7, rows };
  operator.exchange.historyScript = { "commission-what-if": () => answer };
  const before = operator.exchange.commands.length;
  const rates = [{ uid: CHILD, spotRate: "0.12", futuresRate: "0" }];
  const body = { rates, startTime: 5, endTime: 5 + 90 * DAY_MS };
  const found = await post<{ fills: number; rows: object[]; totals: object[] }>(
    "commission-what-if",
    body,
  );
  assert.deepEqual(found.rows[0], { ...rows[0], difference: "-0.25" });
  assert.deepEqual(found.totals, [
    { asset: "BTC", actual: "0.00000001", proposed: "0", difference: "-0.00000001" },
    { asset: "USDT", actual: "30.5", proposed: "32.75", difference: "2.25" },
  ]);
  assert.equal(found.fills, 7);
  assert.equal(operator.exchange.commands.length, before, "it is a question");

  answer = null;
  const tooMuch = await refused("POST", "commission-what-if", body);
  assert.deepEqual(tooMuch, [400, "out-of-range", "endTime"]);
  const one = { uid: CHILD, spotRate: "0.1", futuresRate: "0" };
  const cases = [
    [{ endTime: body.endTime + 1 }, "out-of-range", "endTime"],
    [{ endTime: 4 }, "out-of-range", "endTime"],
    [{ endTime: undefined }, "malformed", "endTime"],
    [{ rates: [] }, "malformed", "rates"],
    [{ rates: [one, one] }, "malformed", "rates"],
    [{ rates: [{ ...one, spotRate: "0.6" }] }, "out-of-range", "rates"],
    [{ rates: [{ ...one, futuresRate: "0.9" }] }, "out-of-range", "rates"],
    [{ rates: [{ ...one, spotRate: "0.000000001" }] }, "excess-precision", "rates"],
    [{ rates: [{ ...one, uid: STRANGER }] }, "not-an-affiliate", "rates"],
    [{ rates: [{ ...one, parentUid: TOP }] }, "malformed", "rates"],
  ] as const;
  for (const [change, ...expected] of cases) {
    const refusal = await refused("POST", "commission-what-if", { ...body, ...change });
    assert.deepEqual(refusal, [400, ...expected], JSON.stringify(change));
  }
});

test("all of it is in the audit under the name of who asked", async () => {
  const { items } = await get<List<{ action: string; actor: string }>>("audit?limit=1000");
  const actions = new Set(items.map(({ action }) => action));
  for (const action of [
    "affiliate-set",
    "affiliate-policy-set",
    "house-account-set",
    "settlement-asked",
    "commission-released",
    "commission-reversed",
  ]) {
    assert.ok(actions.has(action), action);
  }
});

test("every documented call about affiliates was made", async () => {
  const documented = (await operator.documented()).filter(isAffiliateCall);
  const all = documented.map(({ operation }) => operation.operationId);
  assert.equal(all.length, 15);
  assert.deepEqual(
    all.filter((id) => !operator.answeredCalls.has(id)),
    [],
  );
});
