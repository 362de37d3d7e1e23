/** Affiliate calls of a client, and the shapes of their answers. */
import assert from "node:assert/strict";
import { V2_AFFILIATE, V3_AFFILIATE } from "../support/affiliate-setup.ts";
import type { Account } from "../support/exchange-setup.ts";
import type { HttpAnswer } from "../support/http-exchange.ts";
import type { Query } from "../support/signed-client.ts";
import { assertShape, type FieldShape, type Shape } from "../support/wire-shape.ts";

const COMMISSION_ITEM: Shape = {
  uid: "digits",
  date: "integer",
  dealTime: "digits",
  coin: "string",
  productType: "string",
  fee: "decimal",
  commission: "decimal",
  rate: "decimal",
  symbol: "string",
  sourceType: "integer",
  takerAmount: "decimal",
  makerAmount: "decimal",
  commissionId: "digits",
  status: "string",
  flags: ["string"],
};

export interface CommissionRow {
  readonly uid: string;
  readonly date: number;
  readonly dealTime: string;
  readonly coin: string;
  readonly productType: string;
  readonly fee: string;
  readonly commission: string;
  readonly rate: string;
  readonly symbol: string;
  readonly sourceType: number;
  readonly takerAmount: string;
  readonly makerAmount: string;
  readonly commissionId: string;
  readonly status: string;
  readonly flags: readonly string[];
}

export interface CommissionPage {
  readonly pages: number;
  readonly pageSize: number;
  readonly total: number;
  readonly channelCommissionInfoItems: readonly CommissionRow[];
}

const PAGES = { pages: "integer", pageSize: "integer", total: "integer" } as const;
const COMMISSION_PAGE: Shape = { ...PAGES, channelCommissionInfoItems: [COMMISSION_ITEM] };

export interface ActivityPage {
  readonly total: number;
  readonly records: readonly Readonly<Record<string, string>>[];
}
export const ACTIVITY_PAGE: Shape = {
  ...PAGES,
  records: [
    {
      uid: "digits",
      depositAmount: "decimal",
      withdrawalAmount: "decimal",
      spotTradingAmount: "decimal",
      futuresTradingAmount: "decimal",
      commission: "decimal",
    },
  ],
};

export interface SubAffiliatePage {
  readonly total: number;
  readonly size: number;
  readonly current: number;
  readonly pages: number;
  readonly records: readonly Readonly<Record<string, string>>[];
}
const SUB_AFFILIATE_PAGE: Shape = {
  total: "integer",
  size: "integer",
  current: "integer",
  pages: "integer",
  records: [
    {
      subAffiliateUid: "digits",
      productType: "string",
      date: "string",
      tradingVolume: "decimal",
      netTradingFee: "decimal",
      paidCommission: "decimal",
    },
  ],
};

/** `data` of a v2 call whose envelope carries a timestamp. */
export async function timestamped<Data>(
  { client }: Account,
  call: string,
  query: Query,
  shape: FieldShape,
): Promise<Data> {
  const answer = await client.get(`${V2_AFFILIATE}/${call}`, query);
  assertSuccess(answer, { code: "string", data: shape, timestamp: "integer" }, "200");
  return (answer.body as { data: Data }).data;
}

/** A v2 answer that has no `data`. */
export async function merged<Answer>(
  { client }: Account,
  call: string,
  query: Query,
  shape: Shape,
): Promise<Answer> {
  const answer = await client.get(`${V2_AFFILIATE}/${call}`, query);
  assertSuccess(answer, { code: "string", ...shape, timestamp: "integer" }, "200");
  return answer.body as Answer;
}

/** The same call of v3, which answers bare. */
export async function bare<Answer>(
  { client }: Account,
  call: string,
  query: Query,
  shape: FieldShape,
): Promise<Answer> {
  const answer = await client.v3<Answer>(`${V3_AFFILIATE}/${call}`, query);
  assertShape(answer, shape);
  return answer;
}

/** querySubChannelTransactions, whose v2 envelope is the one of trading. */
export async function subAffiliates(
  { client }: Account,
  body: Readonly<Record<string, unknown>>,
): Promise<SubAffiliatePage> {
  const call = "querySubChannelTransactions";
  const answer = await client.post(`${V2_AFFILIATE}/${call}`, body);
  const envelope = { code: "string", msg: "string", requestTime: "integer" } as const;
  assertSuccess(answer, { ...envelope, data: SUB_AFFILIATE_PAGE }, "00000");
  const { data, msg } = answer.body as { data: SubAffiliatePage; msg: string };
  assert.equal(msg, "success");
  const twin = await client.post(`${V3_AFFILIATE}/${call}`, body);
  assert.equal(twin.status, 200, twin.text);
  assert.deepEqual(twin.body, data);
  return data;
}

export function assertSuccess(answer: HttpAnswer, shape: Shape, code: string): void {
  assert.equal(answer.status, 200, answer.text);
  assert.match(answer.headers["content-type"] ?? "", /^application\/json/);
  assertShape(answer.body, shape);
  assert.equal((answer.body as { code: string }).code, code);
}

/** getAffiliateCommission of both versions, which say the same. */
export async function commissionPage(account: Account, query: Query): Promise<CommissionPage> {
  const call = "getAffiliateCommission";
  const page = await timestamped<CommissionPage>(account, call, query, COMMISSION_PAGE);
  assert.deepEqual(await bare(account, call, query, COMMISSION_PAGE), page);
  return page;
}

export async function commissions(
  account: Account,
  query: Query = {},
): Promise<readonly CommissionRow[]> {
  const page = await commissionPage(account, { pageSize: 200, ...query });
  assert.equal(page.total, page.channelCommissionInfoItems.length, "more than a page");
  return page.channelCommissionInfoItems;
}
