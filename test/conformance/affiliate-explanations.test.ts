/**
 * Proves, on the real process, that a commission can be followed to its fill, its rate and the
 * ledger entries that paid it, and that statements can be downloaded and checked offline; what
 * holding, releasing and reversing look like to the affiliate; and internal withdrawals.
 */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import test, { type TestContext } from "node:test";
import { type Statement, verifyStatement } from "../../src/affiliate-statement/index.ts";
import { makeAffiliate, V2_AFFILIATE, V3_AFFILIATE } from "../support/affiliate-setup.ts";
import { exact, sum, text } from "../support/exact.ts";
import type { Account } from "../support/exchange-setup.ts";
import type { Query } from "../support/signed-client.ts";
import { assertRefused } from "../support/v2-answers.ts";
import type { Shape } from "../support/wire-shape.ts";
import {
  assertSuccess,
  bare,
  type CommissionRow,
  commissions,
  merged,
  timestamped,
} from "./affiliate-calls.ts";
import {
  closeTree,
  DAY_MS,
  MID_RATES,
  openTree,
  TOP_RATES,
  type Tree,
  tradeAll,
  tradeSpot,
} from "./affiliate-tree.ts";

const HOUR_MS = 3_600_000;

interface LedgerEntry {
  readonly time: number;
  readonly from: string;
  readonly to: string;
  readonly amount: string;
  readonly coin: string;
}

interface Rates {
  readonly uid: string;
  readonly version: number;
  readonly spotRate: string;
  readonly futuresRate: string;
}

interface Explanation {
  readonly commission: string;
  readonly status: string;
  readonly flags: readonly string[];
  readonly viaUid: string | null;
  readonly fill: { readonly tradeId: string; readonly role: string; readonly time: number } | null;
  readonly calculation: Readonly<Record<string, string>> | null;
  readonly rateVersion: Rates | null;
  readonly rateVersionBelow: Rates | null;
  readonly ledgerEntries: readonly LedgerEntry[];
  readonly settlement: { readonly time: number; readonly paid: string } | null;
  readonly release: { readonly reason: string } | null;
  readonly reversal: { readonly reversalId: string; readonly commissionId: string } | null;
  readonly whyZero: string | null;
}

async function explain(account: Account, commissionId: string): Promise<Explanation> {
  const { client } = account;
  const query = { commissionId };
  const answer = await client.get(`${V2_AFFILIATE}/explainCommission`, query);
  assert.equal(answer.status, 200, answer.text);
  const { data } = answer.body as { data: Explanation };
  assert.deepEqual(await client.v3(`${V3_AFFILIATE}/explainCommission`, query), data);
  return data;
}

function assertRates(found: Rates | null, account: Account, expected: object): void {
  assert.ok(found !== null);
  const { uid, version, spotRate, futuresRate } = found;
  assert.deepEqual(
    { uid, version, spotRate, futuresRate },
    {
      uid: String(account.uid),
      version: 1,
      ...expected,
    },
  );
}

function assertCalculation(
  row: CommissionRow,
  { calculation, fill, commission }: Explanation,
): void {
  assert.ok(calculation !== null && fill !== null);
  const { fee, rate, exactProduct, roundedOff, gross, capped } = calculation;
  assert.deepEqual([fee, rate, capped, commission], [row.fee, row.rate, "0", row.commission]);
  assert.equal(exact(exactProduct ?? "") * 10n ** 18n, exact(row.fee) * exact(row.rate));
  assert.equal(exact(exactProduct ?? "") - exact(roundedOff ?? ""), exact(gross ?? ""));
  assert.equal(gross, row.commission);
  const { ownRate = "", rateBelow } = calculation;
  assert.equal(text(exact(ownRate) - exact(rateBelow ?? "0")), rate);
  assert.equal(fill.time, row.date);
  assert.equal(fill.role, row.takerAmount === "0" ? "maker" : "taker");
}

async function explanationTests(t: TestContext, tree: Tree): Promise<void> {
  const { exchange, top, mid } = tree;
  const rows = [
    ...(await commissions(top)),
    ...(await commissions(top, { productType: "FUTURES" })),
  ];

  await t.test(
    "each row: fill, rates with their versions, exact product, first entry",
    async () => {
      for (const row of rows) {
        const explained = await explain(top, row.commissionId);
        assertCalculation(row, explained);
        assertRates(explained.rateVersion, top, TOP_RATES);
        if (row.sourceType === 1) assert.equal(explained.rateVersionBelow, null);
        else assertRates(explained.rateVersionBelow, mid, MID_RATES);
        assert.equal(explained.viaUid, row.sourceType === 1 ? null : String(mid.uid));
        const accrual = { time: row.date, from: "fees", to: "affiliate-payable" };
        const { commission: amount, coin } = row;
        assert.deepEqual(explained.ledgerEntries, [{ ...accrual, amount, coin }]);
        assert.deepEqual([explained.status, explained.settlement], ["accrued", null]);
      }
    },
  );

  await exchange.operator.advanceClock(HOUR_MS);
  await t.test("after the full hour: the second entry is the bill of the spot wallet", async () => {
    const path = "/api/v3/account/bills";
    const answer = await top.client.post(path, { bizType: "rr_agent_reward", limit: 100 });
    assert.equal(answer.status, 200, answer.text);
    const bills = answer.body as { coinName: string; deltaAmount: string; cTime: string }[];
    for (const coin of ["BTC", "USDT"]) {
      const ofCoin = rows.filter((row) => row.coin === coin);
      const paid = text(sum(ofCoin.map(({ commission }) => exact(commission))));
      const [bill] = bills.filter(({ coinName }) => coinName === coin);
      assert.equal(bill?.deltaAmount, paid);
      assert.equal(Number(bill.cTime) % HOUR_MS, 0, "at the full hour");
      const settledAt = Number(bill.cTime);
      for (const { commissionId, commission, date } of ofCoin) {
        const { ledgerEntries, settlement, status } = await explain(top, commissionId);
        const spot = `${top.uid}/spot.available`;
        assert.deepEqual(ledgerEntries, [
          { time: date, from: "fees", to: "affiliate-payable", amount: commission, coin },
          { time: settledAt, from: "affiliate-payable", to: spot, amount: paid, coin },
        ]);
        const { paid: paidThen, time } = settlement ?? { paid: null, time: null };
        assert.deepEqual([status, paidThen, time], ["settled", paid, settledAt]);
      }
    }
  });
}

async function zeroTests(t: TestContext, tree: Tree): Promise<void> {
  const { exchange, mid, alice, outsider } = tree;
  const newest = async (): Promise<Explanation> =>
    explain(mid, (await commissions(mid))[0]?.commissionId ?? "");
  await t.test("why a commission is 0: no fee, no rate, too little", async () => {
    const path = `/operator/v1/users/${alice.uid}/fee-rates`;
    const fees = (rate: string) => ({ product: "spot", makerFeeRate: rate, takerFeeRate: rate });
    await exchange.operator.call("PUT", path, fees("0"));
    await tradeSpot(tree, alice, outsider, "0.001", "50000");
    assert.match((await newest()).whyZero ?? "", /paid no fee/);

    await exchange.operator.call("PUT", path, fees("0.00001"));
    await tradeSpot(tree, alice, outsider, "0.0001", "50000");
    const tiny = await newest();
    assert.match(tiny.whyZero ?? "", /smallest unit of BTC/);
    assert.deepEqual(tiny.ledgerEntries, []);

    await makeAffiliate(exchange, mid.uid, { ...MID_RATES, spotRate: "0" });
    await tradeSpot(tree, alice, outsider, "0.001", "50000");
    const { whyZero, rateVersion } = await newest();
    assert.match(whyZero ?? "", /rate for SPOT was 0/);
    assert.equal(rateVersion?.version, 2);
    await makeAffiliate(exchange, mid.uid, MID_RATES);
    await exchange.operator.call("PUT", path, fees("0.001"));
  });
}

async function operatorTests(t: TestContext, tree: Tree): Promise<void> {
  const { exchange, top, carol, outsider } = tree;
  await t.test("held, released and reversed, as the affiliate sees it", async () => {
    await tradeSpot(tree, carol, outsider, "0.02", "50000");
    const paid = (await commissions(top)).filter(({ status }) => status === "settled");
    const settled = paid.find(({ commission }) => commission !== "0");
    assert.ok(settled !== undefined);
    const path = `/operator/v1/commissions/${settled.commissionId}/reversals`;
    await exchange.operator.call("POST", path, { reason: "traded for somebody else" });
    const rows = await commissions(top);
    const reversed = rows.find((row) => row.commissionId === settled.commissionId);
    assert.deepEqual(reversed, { ...settled, status: "reversed" });
    const [reversal] = rows.filter(({ status }) => status === "reversal");
    assert.ok(reversal !== undefined);
    const { commission, fee, rate, takerAmount, makerAmount, uid } = reversal;
    assert.deepEqual([fee, rate, takerAmount, makerAmount], ["0", "0", "0", "0"]);
    assert.deepEqual([commission, uid], [`-${settled.commission}`, settled.uid]);

    const explained = await explain(top, settled.commissionId);
    assert.deepEqual(
      [explained.reversal?.reversalId, explained.reversal?.commissionId],
      [reversal.commissionId, settled.commissionId],
    );
    const back = explained.ledgerEntries.slice(2);
    assert.ok(back.length > 0 && back.every(({ to }) => to === "fees"));
    const itself = await explain(top, reversal.commissionId);
    assert.deepEqual([itself.fill, itself.calculation, itself.whyZero], [null, null, null]);
    assert.deepEqual(itself.ledgerEntries, back);
  });

  await t.test("a self-referral is held with its flag, and pays once it is released", async () => {
    const { operator } = exchange;
    await operator.call("PUT", "/operator/v1/affiliate-policy", { holdSelfReferral: true });
    const payment = { toUserId: carol.uid, coin: "USDT", amount: "0.01" };
    const paid = await top.client.post(`${V2_AFFILIATE}/internalWithdrawal`, payment);
    assert.equal(paid.status, 200, paid.text);
    await tradeSpot(tree, outsider, carol, "0.02", "50000");
    const [held] = await commissions(top);
    assert.deepEqual([held?.status, held?.flags], ["held", ["self-referral"]]);
    const id = held?.commissionId ?? "";
    await exchange.operator.advanceClock(HOUR_MS);
    assert.equal((await explain(top, id)).status, "held");
    const reason = "it was his sister";
    await operator.call("POST", `/operator/v1/commissions/${id}/releases`, { reason });
    assert.equal((await explain(top, id)).status, "accrued");
    await exchange.operator.advanceClock(HOUR_MS);
    const explained = await explain(top, id);
    assert.deepEqual([explained.status, explained.release?.reason], ["settled", reason]);
    assert.equal(explained.ledgerEntries.length, 2);
  });
}

const HEAD: Shape = { date: "string", ordinal: "integer", hash: "string", complete: "boolean" };

function sha256(content: string): string {
  return createHash("sha256").update(content).digest("hex");
}

async function download({ client }: Account, query: Query, head?: string): Promise<Statement> {
  const files: Statement[] = [];
  for (const format of ["json", "csv"]) {
    const file = await client.get(`${V3_AFFILIATE}/statement`, { ...query, format });
    assert.equal(file.status, 200, file.text);
    const media = format === "csv" ? /^text\/csv/ : /^application\/json/;
    assert.match(file.headers["content-type"] ?? "", media);
    const verdict = await verifyStatement(file.text, sha256, head);
    assert.ok(verdict.isValid, JSON.stringify(verdict));
    files.push(verdict.statement);
    const wrapped = await client.get(`${V2_AFFILIATE}/statement`, { ...query, format });
    const shape = { format: "string", part: "integer", parts: "integer" } as const;
    const data = { ...shape, entries: "integer", complete: "boolean", document: "string" } as const;
    assertSuccess(wrapped, { code: "string", data, timestamp: "integer" }, "200");
    assert.equal((wrapped.body as { data: { document: string } }).data.document, file.text);
    const middle = Math.floor(file.text.length / 2);
    const byte = file.text[middle] === "1" ? "2" : "1";
    const changed = `${file.text.slice(0, middle)}${byte}${file.text.slice(middle + 1)}`;
    assert.ok(!(await verifyStatement(changed, sha256, head)).isValid, "a changed byte");
  }
  const [json, csv] = files;
  assert.deepEqual(json, csv);
  return json as Statement;
}

async function statementTests(t: TestContext, tree: Tree): Promise<void> {
  const { exchange, top, mid } = tree;
  await t.test("statements of both, checked against the heads that are published", async () => {
    for (const affiliate of [top, mid]) {
      const path = `/operator/v1/affiliates/${affiliate.uid}/statement-heads`;
      const heads = await timestamped<{ date: string; hash: string; ordinal: number }[]>(
        affiliate,
        "statementHeads",
        {},
        [HEAD],
      );
      assert.deepEqual(await bare(affiliate, "statementHeads", {}, [HEAD]), heads);
      const published = await exchange.operator.call<{ items: { day: string; hash: string }[] }>(
        "GET",
        path,
      );
      assert.deepEqual(
        published.items.map(({ day, hash }) => [day, hash]),
        heads.map(({ date, hash }) => [date, hash]),
      );
      const [head] = heads;
      assert.ok(head !== undefined && heads.length === 1);
      const day = { from: head.date, to: head.date };
      const open = await download(affiliate, day, head.hash);
      assert.deepEqual([open.complete, open.entries.length], [false, head.ordinal]);
      const earned = open.entries.filter(({ kind }) => kind === "commission");
      const listed = [
        ...(await commissions(affiliate)),
        ...(await commissions(affiliate, { productType: "FUTURES" })),
      ].filter(({ status }) => status !== "reversal");
      assert.deepEqual(
        new Map(earned.map(({ id, amount }) => [String(id), amount])),
        new Map(listed.map(({ commissionId, commission }) => [commissionId, commission])),
      );
    }
    await exchange.operator.advanceClock(DAY_MS);
    const heads = await bare<{ date: string; hash: string; complete: boolean }[]>(
      top,
      "statementHeads",
      {},
      [HEAD],
    );
    const [first] = heads;
    assert.equal(first?.complete, true);
    const day = { from: first.date, to: first.date };
    assert.equal((await download(top, day, first.hash)).complete, true);
  });
}

const WITHDRAWAL: Shape = {
  fromUserId: "digits",
  toUserId: "digits",
  withdrawId: "digits",
  coin: "string",
  status: "string",
  amount: "decimal",
  createTime: "integer",
  updateTime: "integer",
};

interface WithdrawalRow {
  readonly withdrawId: string;
  readonly toUserId: string;
  readonly amount: string;
}

function pay({ client }: Account, body: object) {
  return client.post(`${V2_AFFILIATE}/internalWithdrawal`, body);
}

async function withdrawalTests(t: TestContext, tree: Tree): Promise<void> {
  const { exchange, top, alice } = tree;
  await exchange.operator.call("POST", `/operator/v1/users/${top.uid}/deposits`, {
    id: "to-pay-from",
    account: "spot",
    asset: "USDT",
    amount: "100",
  });

  await t.test(
    "internalWithdrawal to an invitee of an affiliate below, once by its id",
    async () => {
      const before = (await alice.client.assets()).get("USDT")?.available ?? "0";
      const payment = {
        toUserId: String(alice.uid),
        coin: "USDT",
        amount: "12.345678",
        fromAccountType: "SPOT",
        toAccountType: "SPOT",
        clientWithdrawalId: "bonus-1",
      };
      const first = await pay(top, payment);
      assertSuccess(first, { code: "string", id: "digits", timestamp: "integer" }, "200");
      const { id } = first.body as { id: string };
      const again = await top.client.post(`${V3_AFFILIATE}/internalWithdrawal`, payment);
      assert.deepEqual([again.status, again.body], [200, { id }]);
      const after = (await alice.client.assets()).get("USDT")?.available ?? "0";
      assert.equal(exact(after) - exact(before), exact("12.345678"));
      assertRefused(await pay(top, { ...payment, amount: "1" }), "40017");

      const list = await merged<{ total: number; list: WithdrawalRow[] }>(
        top,
        "getInternalWithdrawalStatus",
        { withdrawID: id, coin: "USDT" },
        { total: "integer", list: [WITHDRAWAL] },
      );
      assert.equal(list.total, 1);
      assert.deepEqual(
        [list.list[0]?.withdrawId, list.list[0]?.toUserId, list.list[0]?.amount],
        [id, String(alice.uid), "12.345678"],
      );
      const pages = { pageSize: "integer", page: "integer", pages: "integer" } as const;
      const shape = { items: [WITHDRAWAL], total: "integer", hasNextPage: "boolean" } as const;
      const query = { withdrawID: id };
      const twin = await bare<{ items: WithdrawalRow[] }>(
        top,
        "getInternalWithdrawalStatus",
        query,
        { ...pages, ...shape },
      );
      assert.deepEqual(twin.items, list.list);
    },
  );
}

async function withdrawalRefusals(t: TestContext, tree: Tree): Promise<void> {
  const { top, mid, outsider } = tree;
  await t.test("internalWithdrawal: refusals name the field", async () => {
    const payment = { toUserId: mid.uid, coin: "USDT", amount: "1" };
    for (const [change, code, field] of [
      [{ toUserId: outsider.uid }, "40034", "toUserId"],
      [{ toUserId: top.uid }, "40034", "toUserId"],
      [{ toUserId: 999_999 }, "40034", "toUserId"],
      [{ toUserId: undefined }, "40019", "toUserId"],
      [{ coin: "NOPE" }, "40034", "coin"],
      [{ amount: "0" }, "40020", "amount"],
      [{ amount: "0.0000001" }, "40020", "amount"],
      [{ amount: "1000000" }, "43012", "amount"],
      [{ amount: 1 }, "40020", "amount"],
      [{ fromAccountType: "FUND" }, "40020", "fromAccountType"],
      [{ toAccountType: "FUND" }, "40020", "toAccountType"],
    ] as const) {
      const answer = await pay(top, { ...payment, ...change });
      assertRefused(answer, code);
      assert.match((answer.body as { msg: string }).msg, new RegExp(`: ${field}( \\(|$)`));
    }
    assert.equal((await pay(top, payment)).status, 200);
  });
}

test("explanations, statements and internal withdrawals", async (t) => {
  const tree = await openTree();
  t.after(() => closeTree(tree));
  await tradeAll(tree);
  await explanationTests(t, tree);
  await zeroTests(t, tree);
  await operatorTests(t, tree);
  await withdrawalTests(t, tree);
  await withdrawalRefusals(t, tree);
  await statementTests(t, tree);
  const { ok, violations } = await tree.exchange.operator.invariants();
  assert.ok(ok, violations.join(", "));
});
