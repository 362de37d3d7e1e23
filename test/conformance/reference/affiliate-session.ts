/** The calls of Cora, an affiliate, each in both versions. */
import type { Recorder, Sent } from "./recorder.ts";

const DAY = "2026-01-05";

type Fields = Readonly<Record<string, string>>;

const cora = (query: Fields): Sent => ({ as: "cora", query });
const STRANGER: Sent = { permission: "spot" };
const FORBIDDEN = "A key that may not read this";

/** The codes of one refusal in the two versions. */
const MISSING = { v2: "40019", v3: -1141 } as const;
const INVALID = { v2: "40020", v3: -1142 } as const;
const OUT_OF_RANGE = { v2: "40020", v3: -1140 } as const;
const LACKS_PERMISSION = { v2: "40014", v3: -1052 } as const;
const TOO_LONG = { v2: "40017", v3: -1170 } as const;
const UNKNOWN = { v2: "40034", v3: -1142 } as const;
const NOT_ENOUGH = { v2: "43012", v3: -2201 } as const;

interface CommissionPage {
  readonly channelCommissionInfoItems: readonly { readonly commissionId: string }[];
}

const VERSIONS = ["v2", "v3"] as const;

export async function playAffiliates(recorder: Recorder): Promise<void> {
  for (const version of VERSIONS) {
    await reports(recorder, version);
    await withdrawals(recorder, version);
    await additions(recorder, version);
  }
  const byGet = "v3-sub-affiliates-by-get";
  await recorder.shows(byGet, "Spot, one a page", cora({ productType: "SPOT", pageSize: "1" }));
  await recorder.refuses(byGet, "No product was named", MISSING.v3, cora({}));
  const csv = { from: DAY, to: DAY, format: "csv" };
  await recorder.shows("v3-affiliate-statement", "A day as CSV", cora(csv));
}

async function reports(recorder: Recorder, version: (typeof VERSIONS)[number]): Promise<void> {
  const commissions = `${version}-affiliate-commissions`;
  const newest = { productType: "SPOT", pageSize: "2" };
  await recorder.shows(commissions, "The newest two on spot", cora(newest));
  const years = { startTime: "1735689600000", endTime: "1767605400000" };
  await recorder.refuses(commissions, "A range above 90 days", TOO_LONG[version], cora(years));
  await recorder.refuses(commissions, FORBIDDEN, LACKS_PERMISSION[version], STRANGER);

  const page = { page: "1", pageSize: "1" };
  const activity = `${version}-affiliate-referral-activity`;
  await recorder.shows(activity, "One invitee a page", cora(page));
  await recorder.refuses(
    activity,
    "A page of none",
    OUT_OF_RANGE[version],
    cora({ pageSize: "0" }),
  );
  const referrals = `${version}-affiliate-referrals`;
  await recorder.shows(referrals, "The newest invitee", cora(page));
  const rows = cora({ pageSize: "201" });
  await recorder.refuses(referrals, "More than a page has", OUT_OF_RANGE[version], rows);

  const subAffiliates = `${version}-sub-affiliates`;
  const body = { productType: "SPOT", pageNum: 1, pageSize: 1 };
  await recorder.shows(subAffiliates, "Spot, one a page", { as: "cora", body });
  const margin = { as: "cora", body: { productType: "MARGIN" } } as const;
  await recorder.refuses(subAffiliates, "No such product", INVALID[version], margin);
}

async function withdrawals(recorder: Recorder, version: (typeof VERSIONS)[number]): Promise<void> {
  const pay = `${version}-internal-withdrawal`;
  const bonus = { toUserId: "1001", coin: "USDT", amount: "0.5" };
  const first = { ...bonus, clientWithdrawalId: `bonus-${version}` };
  await recorder.shows(pay, "A bonus for an invitee", { as: "cora", body: first });
  const fortune = { ...bonus, amount: "1000000", clientWithdrawalId: `fortune-${version}` };
  const sent = { as: "cora", body: fortune } as const;
  await recorder.refuses(pay, "More than there is", NOT_ENOUGH[version], sent);
  const list = `${version}-internal-withdrawals`;
  await recorder.shows(list, "The newest", cora({ coin: "USDT", pageSize: "1" }));
  const months = { startTime: "1760000000000", endTime: "1767605400000" };
  await recorder.refuses(list, "A range above 31 days", TOO_LONG[version], cora(months));
}

async function additions(recorder: Recorder, version: (typeof VERSIONS)[number]): Promise<void> {
  const profile = `${version}-affiliate-profile`;
  await recorder.shows(profile, "The caller's place and balances", cora({}));
  await recorder.refuses(profile, FORBIDDEN, LACKS_PERMISSION[version], STRANGER);
  const days = `${version}-affiliate-commission-days`;
  await recorder.shows(days, "One day", cora({ from: DAY, to: DAY }));
  const year = cora({ from: "2025-01-01", to: DAY });
  await recorder.refuses(days, "A range above 92 days", TOO_LONG[version], year);
  const explain = `${version}-explain-commission`;
  const { channelCommissionInfoItems: paid } = await recorder.send<CommissionPage>(
    "v3-affiliate-commissions",
    cora({ productType: "SPOT", pageSize: "1" }),
  );
  const commissionId = paid[0]?.commissionId ?? "";
  await recorder.shows(explain, "A commission that was paid", cora({ commissionId }));
  const unknown = cora({ commissionId: "987654321" });
  await recorder.refuses(explain, "No such commission", UNKNOWN[version], unknown);
  const statement = `${version}-affiliate-statement`;
  await recorder.shows(statement, "A day as JSON", cora({ from: DAY, to: DAY }));
  await recorder.refuses(statement, "No last day was named", MISSING[version], cora({ from: DAY }));
  const heads = `${version}-affiliate-statement-heads`;
  await recorder.shows(heads, "All days", cora({}));
  await recorder.refuses(heads, "No such day", INVALID[version], cora({ from: "5 January" }));
}
