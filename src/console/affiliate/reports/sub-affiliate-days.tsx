/** Daily figures of direct sub-affiliates. */
import { type ReactElement, useState } from "react";
import type { AffiliateProfile, SubAffiliateDay } from "../../../client/index.ts";
import type { Column } from "../../components/data-table.tsx";
import { rangeOf } from "../../data/utc.ts";
import { compare } from "../../decimals/arithmetic.ts";
import { groupDecimal } from "../../decimals/format.ts";
import { useSession } from "../../session/session.tsx";
import { useAffiliateQuery } from "../affiliate-query.ts";
import { exchangeToday } from "../exchange-day.ts";
import {
  ProductFilter,
  type ReportDays,
  type ReportProduct,
  ReportRange,
} from "./report-filters.tsx";
import { ReportTable } from "./report-table.tsx";

const PAGE_SIZE = 50;

export function SubAffiliateDays(props: { readonly profile: AffiliateProfile }): ReactElement {
  const { client } = useSession();
  const [productType, setProductType] = useState<ReportProduct>("FUTURES");
  const [days, setDays] = useState<ReportDays>("30");
  const [page, setPage] = useState(1);
  const body = {
    productType,
    ...rangeOf(exchangeToday(props.profile), Number(days)),
    pageNum: page,
    pageSize: PAGE_SIZE,
  };
  const name = `sub-affiliates ${JSON.stringify(body)}`;
  const query = useAffiliateQuery(name, async (options) => {
    const { records, total, pages } = await client.affiliate.subAffiliates(body, options);
    return { items: records, total, pages };
  });
  return (
    <ReportTable
      label="Sub-affiliate days"
      query={query}
      columns={COLUMNS}
      rowKey={({ subAffiliateUid, date }) => `${date} ${subAffiliateUid}`}
      empty="No sub-affiliate activity. The operator assigns sub-affiliates to you."
      page={page}
      onPage={setPage}
      filters={
        <>
          <ProductFilter
            value={productType}
            onValue={(next) => {
              setProductType(next);
              setPage(1);
            }}
          />
          <ReportRange
            value={days}
            onValue={(next) => {
              setDays(next);
              setPage(1);
            }}
          />
        </>
      }
    />
  );
}

const COLUMNS: readonly Column<SubAffiliateDay>[] = [
  {
    id: "date",
    header: "Day (UTC)",
    cell: ({ date }) => date,
    compare: (left, right) => left.date.localeCompare(right.date),
  },
  { id: "uid", header: "Sub-affiliate", cell: ({ subAffiliateUid }) => subAffiliateUid },
  {
    id: "volume",
    header: "Volume, USDT",
    align: "right",
    cell: ({ tradingVolume }) => groupDecimal(tradingVolume),
    compare: (left, right) => compare(left.tradingVolume, right.tradingVolume),
  },
  {
    id: "fee",
    header: "Net fees, USDT",
    align: "right",
    cell: ({ netTradingFee }) => groupDecimal(netTradingFee),
    compare: (left, right) => compare(left.netTradingFee, right.netTradingFee),
  },
  {
    id: "paid",
    header: "Paid to sub-affiliate, USDT",
    align: "right",
    cell: ({ paidCommission }) => groupDecimal(paidCommission),
    compare: (left, right) => compare(left.paidCommission, right.paidCommission),
  },
];
