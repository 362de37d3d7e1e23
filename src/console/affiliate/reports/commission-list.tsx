/** Commissions by product, coin, trader and period, newest first, each with an explanation. */
import { type ReactElement, useMemo, useState } from "react";
import type { AffiliateProfile, Commission } from "../../../client/index.ts";
import { Button } from "../../components/button.tsx";
import type { Column } from "../../components/data-table.tsx";
import { Choice, Field } from "../../components/field.tsx";
import { rangeOf } from "../../data/utc.ts";
import { groupDecimal } from "../../decimals/format.ts";
import { useSession } from "../../session/session.tsx";
import { useAffiliateQuery } from "../affiliate-query.ts";
import { exchangeToday } from "../exchange-day.ts";
import { ExplanationDialog } from "../explanation/explanation-dialog.tsx";
import { ratePercent } from "../explanation/explanation-steps.ts";
import { EarnedCell, StatusCell, UtcCell } from "./cells.tsx";
import { useNarrowFirst } from "./narrow-columns.ts";
import {
  ProductFilter,
  type ReportDays,
  type ReportProduct,
  ReportRange,
} from "./report-filters.tsx";
import styles from "./report-table.module.css";
import { ReportTable } from "./report-table.tsx";

const PAGE_SIZE = 25;
const ANY = "";

export interface CommissionListProps {
  readonly profile: AffiliateProfile;
  /** Filters by trader; empty for all. */
  readonly uid: string;
  readonly onUid: (uid: string) => void;
}

interface Shown {
  readonly productType: ReportProduct;
  readonly coin: string;
  readonly days: ReportDays;
  readonly page: number;
  /** Fixes the list's end while paging; null on the first page, which is live. */
  readonly endTime: number | null;
}

const FIRST: Shown = { productType: "FUTURES", coin: ANY, days: "7", page: 1, endTime: null };

export function CommissionList({ profile, uid, onUid }: CommissionListProps): ReactElement {
  const [shown, setShown] = useState(FIRST);
  const [explained, setExplained] = useState<string | null>(null);
  const query = useCommissions(shown, uid, exchangeToday(profile));
  const narrow = (change: Partial<Shown>): void =>
    setShown((before) => ({ ...before, page: 1, endTime: null, ...change }));
  const newestMs = query.answer?.items[0]?.date ?? null;
  const turn = (page: number): void => {
    const endTime = page === 1 ? null : (shown.endTime ?? newestMs);
    setShown((before) => ({ ...before, page, endTime }));
  };
  const all = useMemo(() => columnsOf(setExplained), []);
  const columns = useNarrowFirst(all, NARROW_FIRST);
  const coins = [ANY, ...profile.balances.map(({ coin }) => coin)];
  return (
    <>
      <ReportTable
        label="Commissions"
        query={query}
        columns={columns}
        rowKey={({ commissionId }) => commissionId}
        empty="No matching commissions. Every fill on which an invitee pays a fee earns one."
        page={shown.page}
        onPage={turn}
        filters={
          <>
            <ProductFilter
              value={shown.productType}
              onValue={(productType) => narrow({ productType })}
            />
            <Choice
              label="Coin"
              value={shown.coin}
              options={coins.map((coin) => ({ value: coin, text: coin === ANY ? "All" : coin }))}
              onValue={(coin) => narrow({ coin })}
            />
            <div className={styles.uid}>
              <Field
                label="Trader UID"
                inputMode="numeric"
                placeholder="All"
                value={uid}
                onText={(text) => {
                  onUid(text.replaceAll(/\D/g, "").slice(0, UID_DIGITS_MAX));
                  narrow({});
                }}
              />
            </div>
            <ReportRange value={shown.days} onValue={(days) => narrow({ days })} />
          </>
        }
      />
      <ExplanationDialog commissionId={explained} onClose={() => setExplained(null)} />
    </>
  );
}

const UID_DIGITS_MAX = 18;
/** Visible on a phone without scrolling. */
const NARROW_FIRST = ["commission", "status"];

function useCommissions(shown: Shown, uid: string, today: string) {
  const { client } = useSession();
  const { productType, coin, days, page, endTime } = shown;
  const range = rangeOf(today, Number(days));
  const query = {
    productType,
    startTime: range.startTime,
    endTime: endTime ?? range.endTime,
    page,
    pageSize: PAGE_SIZE,
    ...(coin === ANY ? {} : { coin }),
    ...(uid === "" ? {} : { uid }),
  };
  return useAffiliateQuery(`commissions ${JSON.stringify(query)}`, async (options) => {
    const answer = await client.affiliate.commissions(query, options);
    return {
      items: answer.channelCommissionInfoItems,
      total: answer.total,
      pages: answer.pages,
    };
  });
}

function columnsOf(onExplain: (commissionId: string) => void): readonly Column<Commission>[] {
  return [
    { id: "time", header: "Time (UTC)", cell: ({ date }) => <UtcCell ms={date} /> },
    { id: "symbol", header: "Market", cell: ({ symbol }) => symbol },
    {
      id: "uid",
      header: "Trader",
      cell: ({ uid, sourceType }) => (sourceType === 1 ? uid : `${uid} (via a sub-affiliate)`),
    },
    {
      id: "notional",
      header: "Notional",
      align: "right",
      cell: ({ takerAmount, makerAmount }) =>
        takerAmount === "0"
          ? `${groupDecimal(makerAmount)} maker`
          : `${groupDecimal(takerAmount)} taker`,
    },
    {
      id: "fee",
      header: "Fee",
      align: "right",
      cell: ({ fee, coin }) => `${groupDecimal(fee)} ${coin}`,
    },
    { id: "rate", header: "Rate", align: "right", cell: ({ rate }) => ratePercent(rate) },
    {
      id: "commission",
      header: "Commission",
      align: "right",
      cell: ({ commission, coin }) => <EarnedCell amount={commission} coin={coin} />,
    },
    { id: "status", header: "Status", cell: ({ status }) => <StatusCell status={status} /> },
    {
      id: "explain",
      header: <span className="visually-hidden">Explanation</span>,
      align: "right",
      pinned: true,
      cell: ({ commissionId }) => (
        <Button
          size="small"
          aria-label={`Why? Explain commission ${commissionId}`}
          onClick={() => onExplain(commissionId)}
        >
          Why?
        </Button>
      ),
    },
  ];
}
