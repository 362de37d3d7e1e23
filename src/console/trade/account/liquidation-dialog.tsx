/** Explains a position's liquidation price, or why it has none. */
import type { ReactElement } from "react";
import { Dialog } from "../../components/dialog.tsx";
import { Figure, Figures } from "../../components/figures.tsx";
import { compare, dividedDown } from "../../decimals/arithmetic.ts";
import { groupDecimal, MONEY_DECIMALS, rateText } from "../../decimals/format.ts";
import styles from "./account.module.css";
import { PriceCell } from "./cells.tsx";
import { markOf } from "./close-estimate.ts";
import { liquidationReason } from "./liquidation-reason.ts";
import type { PositionRow } from "./position-rows.ts";

export interface LiquidationDialogProps {
  readonly position: PositionRow;
  readonly all: readonly PositionRow[];
  readonly onClose: () => void;
}

export function LiquidationDialog(props: LiquidationDialogProps): ReactElement {
  const { position, all, onClose } = props;
  const { symbol, side, marginType, asset, liquidatePrice } = position;
  const { equity, maintenance, ratio } = position.marginState;
  const hasPrice = compare(liquidatePrice, "0") !== 0;
  const whose = marginType === "CROSSED" ? "Account" : "Position";
  const mark = markOf(position);
  const distance = dividedDown(liquidatePrice, mark, 4);
  return (
    <Dialog title={`Liquidation price of ${symbol} ${side.toLowerCase()}`} open onClose={onClose}>
      <div className={styles.form}>
        <Figures label="Liquidation" shape="rows">
          <Figure name="Liquidation price (of the mark price)">
            {hasPrice ? <PriceCell symbol={symbol} price={liquidatePrice} /> : "none"}
          </Figure>
          <Figure name="Mark price">
            <PriceCell symbol={symbol} price={mark} />
          </Figure>
          {hasPrice ? (
            <Figure name="Liquidation price / mark price">{rateText(distance)}</Figure>
          ) : null}
          <Figure name={`${whose} equity`}>
            {groupDecimal(equity, MONEY_DECIMALS)} {asset}
          </Figure>
          <Figure name={`${whose} maintenance margin, with closing fees`}>
            {groupDecimal(maintenance, MONEY_DECIMALS)} {asset}
          </Figure>
          <Figure name="Margin ratio (liquidation at 100%)">
            {ratio === null ? "–" : rateText(ratio)}
          </Figure>
        </Figures>
        {liquidationReason(position, all).map((sentence) => (
          <p key={sentence}>{sentence}</p>
        ))}
      </div>
    </Dialog>
  );
}
