/** The user's trades, newest first. */
import type { ReactElement } from "react";
import type { ContractFill, SpotFill } from "../../../client/index.ts";
import type { Column } from "../../components/data-table.tsx";
import { QueryTable } from "../../components/query-view.tsx";
import { groupDecimal, QUOTE_FEE_DECIMALS } from "../../decimals/format.ts";
import { useSession } from "../../session/session.tsx";
import { useMarket } from "../market.tsx";
import styles from "./account.module.css";
import { useAccountQuery } from "./account-query.ts";
import {
  byAmount,
  byText,
  NEWEST_FIRST,
  PriceCell,
  QuantityCell,
  SideCell,
  SignedCell,
  TimeCell,
} from "./cells.tsx";

type Fill = SpotFill | ContractFill;

const LIMIT = 100;

export function Fills({ symbol }: { readonly symbol: string | null }): ReactElement {
  const { client } = useSession();
  const { rules } = useMarket();
  const { product } = rules;
  // Spot lists fills by market only.
  const market = product === "spot" ? rules.symbol : symbol;
  const query = useAccountQuery<readonly Fill[]>(`fills ${market}`, async (signal) => {
    const query = { limit: LIMIT, ...(market === null ? {} : { symbol: market }) };
    if (product === "contract") {
      return client.contract.userTrades({ ...query, detail: "FULL" }, { signal });
    }
    return client.spot.myTrades({ ...query, symbol: rules.symbol }, { signal });
  });
  return (
    <QueryTable
      label="Trades"
      cards
      sorted={NEWEST_FIRST}
      query={query}
      columns={COLUMNS[product]}
      rowKey={(fill) => `${fill.id}-${fill.orderId}`}
      empty="No trades yet."
    />
  );
}

/** What took the user's position is said; for its counterparty it is a trade like any other. */
function roleText(fill: Fill): string {
  const matchType = "matchType" in fill ? fill.matchType : "BOOK";
  if (matchType === "ADL") return "ADL";
  if (matchType === "NETTING") return "Netting";
  if (fill.maker) return "Maker";
  return matchType === "LIQUIDATION" ? "Liquidation" : "Taker";
}

/** The chart shows its candle, where it is of this market. */
function FillTime({ fill: { time, symbol } }: { readonly fill: Fill }): ReactElement {
  const { rules, shownTime } = useMarket();
  if (symbol !== rules.symbol) return <TimeCell ms={time} />;
  return (
    <button
      type="button"
      className={styles.explained}
      title="Show on the chart"
      onClick={() => shownTime.set({ ms: time })}
    >
      <TimeCell ms={time} />
    </button>
  );
}

const SHARED: readonly Column<Fill>[] = [
  {
    id: "time",
    header: "Time",
    cell: (fill) => <FillTime fill={fill} />,
    compare: (left, right) => left.time - right.time || left.id - right.id,
  },
  {
    id: "symbol",
    header: "Market",
    cell: ({ symbol }) => symbol,
    compare: byText(({ symbol }) => symbol),
  },
  {
    id: "side",
    header: "Side",
    cell: (fill) =>
      "positionSide" in fill ? (
        <SideCell side={fill.side} positionSide={fill.positionSide} />
      ) : (
        <SideCell side={fill.isBuyer ? "BUY" : "SELL"} />
      ),
  },
  {
    id: "price",
    header: "Price",
    align: "right",
    cell: ({ symbol, price }) => <PriceCell symbol={symbol} price={price} />,
    compare: byAmount(({ price }) => price),
  },
  {
    id: "quantity",
    header: "Quantity",
    align: "right",
    cell: ({ symbol, qty }) => <QuantityCell symbol={symbol} quantity={qty} />,
    compare: byAmount(({ qty }) => qty),
  },
  {
    id: "value",
    header: "Value",
    align: "right",
    cell: ({ quoteQty }) => <span title={quoteQty}>{groupDecimal(quoteQty, 2)}</span>,
    compare: byAmount(({ quoteQty }) => quoteQty),
  },
  {
    id: "fee",
    header: "Fee",
    align: "right",
    cell: ({ symbol, commission, commissionAsset }) => (
      // Of fees in the base asset every digit counts.
      <span title={commission}>
        {groupDecimal(
          commission,
          symbol.endsWith(commissionAsset) ? QUOTE_FEE_DECIMALS : undefined,
        )}{" "}
        {commissionAsset}
      </span>
    ),
  },
  {
    id: "role",
    header: "Role",
    cell: roleText,
  },
];

const COLUMNS: Readonly<Record<"spot" | "contract", readonly Column<Fill>[]>> = {
  spot: SHARED,
  contract: [
    ...SHARED,
    {
      id: "profit",
      header: "Realised P&L",
      align: "right",
      cell: (fill) =>
        "realizedPnl" in fill ? <SignedCell text={fill.realizedPnl} places={2} /> : "",
      compare: byAmount((fill) => ("realizedPnl" in fill ? fill.realizedPnl : "0")),
    },
  ],
};
