/** The order form beside the chart, or on a phone in a sheet behind two pinned buttons. */
import { type ReactElement, useCallback, useEffect, useRef, useState } from "react";
import { Button } from "../components/button.tsx";
import { Dialog } from "../components/dialog.tsx";
import { useNarrow } from "../components/media.ts";
import { useLive } from "../data/live-value.ts";
import type { Side } from "./form/order-draft.ts";
import { useMarket } from "./market.tsx";
import { OrderForm, type OrderFormHandle } from "./order-form.tsx";
import styles from "./order-panel.module.css";

export function OrderPanel(): ReactElement {
  const isNarrow = useNarrow();
  return isNarrow ? <OrderSheet /> : <OrderForm />;
}

function OrderSheet(): ReactElement {
  const { rules, picked } = useMarket();
  const [open, setOpen] = useState(false);
  const form = useRef<OrderFormHandle>(null);
  const show = (side: Side): void => {
    form.current?.choose(side);
    setOpen(true);
  };
  const pick = useLive(picked);
  useEffect(() => {
    if (pick?.forOrder === true) setOpen(true);
  }, [pick]);
  const close = useCallback(() => setOpen(false), []);
  return (
    <>
      <Dialog title={`Order in ${rules.symbol}`} open={open} onClose={close} sheet>
        <OrderForm handle={form} onPlaced={close} />
      </Dialog>
      <div className={styles.bar}>
        <Button tone="buy" size="large" onClick={() => show("BUY")}>
          Buy
        </Button>
        <Button tone="sell" size="large" onClick={() => show("SELL")}>
          Sell
        </Button>
      </div>
    </>
  );
}
