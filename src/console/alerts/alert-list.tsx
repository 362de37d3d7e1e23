/** All alerts of this browser, whatever market they watch. */
import type { ReactElement } from "react";
import { Button } from "../components/button.tsx";
import { useLive } from "../data/live-value.ts";
import { groupDecimal } from "../decimals/format.ts";
import styles from "./alert-list.module.css";
import { PRICE_ALERTS } from "./alerts-watch.ts";

export function AlertList(): ReactElement | null {
  const alerts = useLive(PRICE_ALERTS.live);
  if (alerts.length === 0) return null;
  return (
    <section aria-label="Price alerts">
      <h3>Price alerts</h3>
      <ul className={styles.list}>
        {alerts.map(({ id, product, symbol, price }) => (
          <li key={id}>
            <span>
              {symbol} {product} at {groupDecimal(price)}
            </span>
            <Button
              size="small"
              aria-label={`Remove the alert: ${symbol} ${product} at ${groupDecimal(price)}`}
              onClick={() => PRICE_ALERTS.remove(id)}
            >
              Remove
            </Button>
          </li>
        ))}
      </ul>
    </section>
  );
}
