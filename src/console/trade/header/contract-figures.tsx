/** Mark, index, funding and open interest of a contract. */
import { type ReactElement, useEffect, useState } from "react";
import type { PremiumIndex, RialtoClient } from "../../../client/index.ts";
import { Figure } from "../../components/figures.tsx";
import { useLive } from "../../data/live-value.ts";
import { useQuery } from "../../data/query.ts";
import { groupDecimal, percentOf, toneOf } from "../../decimals/format.ts";
import { useSession } from "../../session/session.tsx";
import { useMarket } from "../market.tsx";
import { clockText, untilFunding } from "./funding-clock.ts";

const INTERVAL_MS = 5_000;
const SECOND_MS = 1_000;
const UNKNOWN = "–";
const RATE_PLACES = 4;

export function ContractFigures(): ReactElement {
  const { rules, ticker } = useMarket();
  const { client } = useSession();
  const { symbol, baseAsset, priceDecimals, quantityDecimals } = rules;
  const { answer } = useQuery(
    symbol,
    (signal) => fetchFigures(client, symbol, signal),
    INTERVAL_MS,
  );
  const now = useLive(ticker);
  const price = (text: string | null | undefined): string =>
    text === null || text === undefined || text === "0"
      ? UNKNOWN
      : groupDecimal(text, priceDecimals);
  return (
    <>
      <Figure name="Mark">{price(now?.markPrice)}</Figure>
      <Figure name="Index">{price(now?.indexPrice)}</Figure>
      <Figure name="Funding / countdown" tone={toneOf(answer?.premium.forecastFundingRate ?? "0")}>
        {answer === null ? UNKNOWN : <Funding key={answer.askedAt} {...answer} />}
      </Figure>
      <Figure name={`Open interest (${baseAsset})`}>
        {answer === null ? UNKNOWN : groupDecimal(answer.openInterest, quantityDecimals)}
      </Figure>
    </>
  );
}

interface ContractNumbers {
  readonly premium: PremiumIndex;
  readonly openInterest: string;
  /** By the page's monotonic clock. */
  readonly askedAt: number;
}

async function fetchFigures(
  client: RialtoClient,
  symbol: string,
  signal: AbortSignal,
): Promise<ContractNumbers | null> {
  const [[premium], { openInterest }] = await Promise.all([
    client.contract.premiumIndex({ symbol }, { signal }),
    client.contract.openInterest({ symbol }, { signal }),
  ]);
  return premium === undefined ? null : { premium, openInterest, askedAt: performance.now() };
}

/** The predicted rate of the next funding; longs pay if positive. */
function Funding({ premium, askedAt }: ContractNumbers): ReactElement {
  const [sinceMs, setSinceMs] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setSinceMs(performance.now() - askedAt), SECOND_MS);
    return () => clearInterval(timer);
  }, [askedAt]);
  const payer = toneOf(premium.forecastFundingRate) === "sell" ? "Shorts pay" : "Longs pay";
  return (
    <span title={`${payer}, every ${premium.collectCycle / 60} hours`}>
      {percentOf(premium.forecastFundingRate, RATE_PLACES)} /{" "}
      <span role="timer">{clockText(untilFunding(premium, sinceMs))}</span>
    </span>
  );
}
