/** Cells shared by several tables. */
import type { ReactElement } from "react";
import { localDayTime } from "../../data/local-time.ts";
import { compare, dividedDown, times } from "../../decimals/arithmetic.ts";
import { groupDecimal, toneOf } from "../../decimals/format.ts";
import { useMarket } from "../market.tsx";
import styles from "./account.module.css";

/** "Buy" or "Sell", and on contracts the effect on the position. */
export function SideCell(props: {
  readonly side: "BUY" | "SELL";
  readonly positionSide?: "LONG" | "SHORT" | undefined;
}): ReactElement {
  const { side, positionSide } = props;
  const text = side === "BUY" ? "Buy" : "Sell";
  const opens = (side === "BUY") === (positionSide === "LONG");
  return (
    <span className={styles.side} data-side={side}>
      {positionSide === undefined
        ? text
        : `${text}, ${opens ? "opens" : "closes"} ${positionSide.toLowerCase()}`}
    </span>
  );
}

export function TimeCell({ ms }: { readonly ms: number }): ReactElement {
  const exact = new Date(ms).toISOString();
  return (
    <time dateTime={exact} title={exact} className={styles.dim}>
      {localDayTime(ms)}
    </time>
  );
}

/** An amount whose sign has a colour; the title has every digit. */
export function SignedCell(props: {
  readonly text: string;
  readonly places?: number;
}): ReactElement {
  const { text, places } = props;
  return (
    <span className={styles.amount} data-tone={toneOf(text)} title={text}>
      {compare(text, "0") > 0 ? "+" : ""}
      {groupDecimal(text, places)}
    </span>
  );
}

/** A quantity with the decimals of the market's lot. */
export function QuantityCell(props: {
  readonly symbol: string;
  readonly quantity: string;
}): ReactElement {
  const { symbol, quantity } = props;
  const rules = useMarket().markets.find((market) => market.symbol === symbol);
  return <>{groupDecimal(quantity, rules?.quantityDecimals)}</>;
}

/** "0.500 / 2.000 (25%)" */
export function FilledCell(props: {
  readonly symbol: string;
  readonly executed: string;
  readonly ordered: string;
}): ReactElement {
  const { symbol, executed, ordered } = props;
  return (
    <>
      <QuantityCell symbol={symbol} quantity={executed} /> /{" "}
      <QuantityCell symbol={symbol} quantity={ordered} /> ({sharePercent(executed, ordered)}%)
    </>
  );
}

/** Whole percent. */
export function sharePercent(part: string, whole: string): string {
  return compare(whole, "0") === 0 ? "0" : dividedDown(times(part, "100"), whole, 0);
}

/** A price with the market's decimals; the title has every digit of an average. */
export function PriceCell(props: {
  readonly symbol: string;
  readonly price: string;
}): ReactElement {
  const { symbol, price } = props;
  const rules = useMarket().markets.find((market) => market.symbol === symbol);
  return <span title={price}>{groupDecimal(price, rules?.priceDecimals)}</span>;
}

const TIMES = {
  GTC: "Limit",
  POST_ONLY: "Post only",
  IOC: "Limit, IOC",
  FOK: "Limit, FOK",
} as const;

/** Type and time in force. */
export function typeText(order: {
  readonly type: "LIMIT" | "MARKET";
  readonly timeInForce: keyof typeof TIMES;
}): string {
  return order.type === "MARKET" ? "Market" : TIMES[order.timeInForce];
}

/** The price of an order; "0" means none. */
export function OrderPriceCell(props: {
  readonly symbol: string;
  readonly price: string;
}): ReactElement {
  return compare(props.price, "0") === 0 ? <>Market</> : <PriceCell {...props} />;
}

/** By the column of the time. */
export const NEWEST_FIRST = { columnId: "time", descending: true } as const;

/** Orders of rows for the columns that sort, by a text or by an amount. */
export function byText<Row>(of: (row: Row) => string): (left: Row, right: Row) => number {
  return (left, right) => of(left).localeCompare(of(right));
}

export function byAmount<Row>(of: (row: Row) => string): (left: Row, right: Row) => number {
  return (left, right) => compare(of(left), of(right));
}
