/** An amount on a card with its coin; decimals are smaller. */
import type { ReactElement } from "react";
import { groupDecimal } from "../../decimals/format.ts";
import type { CoinAmount } from "./coin-amounts.ts";
import styles from "./overview-cards.module.css";

export function CardAmount({ amount, coin }: CoinAmount): ReactElement {
  const [whole, fraction] = groupDecimal(amount).split(".");
  return (
    <>
      {whole}
      {fraction === undefined ? null : <span className={styles.fraction}>.{fraction}</span>}{" "}
      <span className={styles.coin}>{coin}</span>
    </>
  );
}
