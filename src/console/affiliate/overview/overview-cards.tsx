/** The cards at the top: earnings, balances, invitees and rates. */
import type { ReactElement } from "react";
import type { AffiliateProfile, CommissionDay } from "../../../client/index.ts";
import { Figure, Figures } from "../../components/figures.tsx";
import { utcTime } from "../../data/utc.ts";
import { groupDecimal } from "../../decimals/format.ts";
import { useSession } from "../../session/session.tsx";
import { useAffiliateQuery } from "../affiliate-query.ts";
import { exchangeToday } from "../exchange-day.ts";
import { ratePercent } from "../explanation/explanation-steps.ts";
import { CardAmount } from "./card-amount.tsx";
import { type CoinAmount, coinAmounts } from "./coin-amounts.ts";
import { sumOfLast } from "./day-sums.ts";
import styles from "./overview-cards.module.css";

export interface OverviewCardsProps {
  readonly profile: AffiliateProfile;
  /** Null while loading. */
  readonly days: readonly CommissionDay[] | null;
}

export function OverviewCards({ profile, days }: OverviewCardsProps): ReactElement {
  const { spotRate, futuresRate, rateVersion, ratesSince, parentUid, balances } = profile;
  const above = parentUid === null ? "" : `, under affiliate ${parentUid}`;
  return (
    <div className={styles.cards}>
      <Figures label="Earned" shape="cards">
        <EarnedCard name="Commission today" profile={profile} days={days} count={1} />
        <EarnedCard name="7 days" profile={profile} days={days} count={7} />
        <EarnedCard name="90 days" profile={profile} days={days} count={90} />
        <Figure
          name="Your rates"
          note={`Spot / contracts, version ${rateVersion} since ${utcTime(ratesSince)}${above}`}
        >
          {ratePercent(spotRate)} / {ratePercent(futuresRate)}
        </Figure>
      </Figures>
      <Figures label="Balances and invitees" shape="cards">
        <CoinsCard
          name="Pending"
          amounts={coinAmounts(balances, "payable")}
          note={`Paid at ${clockTime(profile.nextSettlementTime)} UTC${owedText(balances)}`}
        />
        <CoinsCard name="Held" amounts={coinAmounts(balances, "held")} note="Awaiting review" />
        <CoinsCard
          name="Paid"
          amounts={coinAmounts(balances, "paid")}
          note="All settlements to date"
        />
        <Invitees />
      </Figures>
    </div>
  );
}

/** "10:00" */
const clockTime = (timeMs: number): string => utcTime(timeMs).slice(11, 16);

/** What reversals will deduct. */
function owedText(balances: AffiliateProfile["balances"]): string {
  const owed = coinAmounts(balances, "owed");
  if (owed.length === 0) return "";
  const texts = owed.map(({ coin, amount }) => `${groupDecimal(amount)} ${coin}`);
  return `, less ${texts.join(" and ")} owed`;
}

interface EarnedCardProps extends OverviewCardsProps {
  readonly name: string;
  readonly count: number;
}

function EarnedCard({ name, profile, days, count }: EarnedCardProps): ReactElement {
  if (days === null) return <Figure name={name}>…</Figure>;
  const today = exchangeToday(profile);
  const { commissionUsdt, volumeUsdt, commissions } = sumOfLast(days, today, count);
  return (
    <Figure
      name={name}
      note={
        commissions === 0
          ? "No commissions yet"
          : `${commissions} commissions on volume of ${groupDecimal(volumeUsdt, 0)} USDT`
      }
    >
      <CardAmount amount={commissionUsdt} coin="USDT" />
    </Figure>
  );
}

interface CoinsCardProps {
  readonly name: string;
  readonly amounts: readonly CoinAmount[];
  readonly note: string;
}

/** The first coin large, the others below it. */
function CoinsCard({ name, amounts, note }: CoinsCardProps): ReactElement {
  const [first, ...others] = amounts;
  const rest = others.map(({ coin, amount }) => `+ ${groupDecimal(amount)} ${coin}`);
  if (first === undefined) {
    return (
      <Figure name={name} note={note}>
        0
      </Figure>
    );
  }
  return (
    <Figure
      name={name}
      note={[...rest, note].map((line) => (
        <span key={line} className={styles.line}>
          {line}
        </span>
      ))}
    >
      <CardAmount {...first} />
    </Figure>
  );
}

function Invitees(): ReactElement {
  const { client } = useSession();
  const { answer } = useAffiliateQuery("invitees", (options) =>
    client.affiliate.referrals({ pageSize: 1 }, options),
  );
  return (
    <Figure name="Invitees" note="Registered with your code">
      {answer === null ? "…" : groupDecimal(String(answer.total))}
    </Figure>
  );
}
