/** Invitees and their activity in a period. */
import { type ReactElement, useMemo, useState } from "react";
import type { AffiliateProfile, ReferralActivity } from "../../../client/index.ts";
import { Button } from "../../components/button.tsx";
import type { Column } from "../../components/data-table.tsx";
import { rangeOf } from "../../data/utc.ts";
import { compare } from "../../decimals/arithmetic.ts";
import { groupDecimal } from "../../decimals/format.ts";
import { useSession } from "../../session/session.tsx";
import { useAffiliateQuery } from "../affiliate-query.ts";
import { exchangeToday } from "../exchange-day.ts";
import { UtcCell } from "./cells.tsx";
import { type Invitee, inviteeRows } from "./invitee-rows.ts";
import { useNarrowFirst } from "./narrow-columns.ts";
import { type ReportDays, ReportRange } from "./report-filters.tsx";
import { ReportTable } from "./report-table.tsx";

const PAGE_SIZE = 50;
/** Visible on a phone without scrolling. */
const NARROW_FIRST = ["uid", "commission", "futuresTradingAmount", "spotTradingAmount"];

export interface InviteeListProps {
  readonly profile: AffiliateProfile;
  /** Shows the commissions of one invitee. */
  readonly onCommissions: (uid: string) => void;
}

export function InviteeList({ profile, onCommissions }: InviteeListProps): ReactElement {
  const { client } = useSession();
  const [days, setDays] = useState<ReportDays>("90");
  const [page, setPage] = useState(1);
  const range = rangeOf(exchangeToday(profile), Number(days));
  const name = `invitees ${range.startTime} ${page}`;
  const query = useAffiliateQuery(name, async (options) => {
    const of = { page, pageSize: PAGE_SIZE };
    const [referrals, activity] = await Promise.all([
      client.affiliate.referrals(of, options),
      client.affiliate.referralActivity({ ...of, ...range }, options),
    ]);
    const { total, pages } = referrals;
    return {
      items: inviteeRows(referrals.channelUserInfoItemList, activity.records),
      total,
      pages,
    };
  });
  const all = useMemo(() => columnsOf(onCommissions), [onCommissions]);
  const columns = useNarrowFirst(all, NARROW_FIRST);
  return (
    <ReportTable
      label="Invitees"
      query={query}
      columns={columns}
      rowKey={({ uid }) => uid}
      empty={`No one has registered with ${profile.inviteCode} yet. Share your code or link.`}
      page={page}
      onPage={setPage}
      filters={
        <ReportRange
          value={days}
          onValue={(next) => {
            setDays(next);
            setPage(1);
          }}
        />
      }
    />
  );
}

type Sum = Exclude<keyof ReferralActivity, "uid">;

function sumColumn(id: Sum, header: string): Column<Invitee> {
  return {
    id,
    header,
    align: "right",
    cell: ({ activity }) => (activity === null ? "–" : groupDecimal(activity[id])),
    compare: (left, right) => compare(left.activity?.[id] ?? "0", right.activity?.[id] ?? "0"),
  };
}

function columnsOf(onCommissions: (uid: string) => void): readonly Column<Invitee>[] {
  return [
    {
      id: "uid",
      header: "UID",
      cell: ({ uid }) => uid,
      compare: (left, right) => Number(left.uid) - Number(right.uid),
    },
    {
      id: "registered",
      header: "Registered (UTC)",
      cell: ({ registerTime }) => <UtcCell ms={registerTime} />,
      compare: (left, right) => left.registerTime - right.registerTime,
    },
    {
      id: "kyc",
      header: "KYC",
      cell: ({ kycResult }) => (kycResult ? "Verified" : "Not verified"),
    },
    sumColumn("depositAmount", "Deposits, USDT"),
    sumColumn("withdrawalAmount", "Withdrawals, USDT"),
    sumColumn("spotTradingAmount", "Spot volume, USDT"),
    sumColumn("futuresTradingAmount", "Contract volume, USDT"),
    sumColumn("commission", "Commission, USDT"),
    {
      id: "commissions",
      header: <span className="visually-hidden">Commissions</span>,
      align: "right",
      pinned: true,
      cell: ({ uid }) => (
        <Button
          size="small"
          aria-label={`Commissions of ${uid}`}
          onClick={() => onCommissions(uid)}
        >
          Commissions
        </Button>
      ),
    },
  ];
}
