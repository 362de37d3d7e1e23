/** The button that places the order, or what stands in its place: signed out, or halted. */
import { type ReactElement, useEffect, useState } from "react";
import { Button } from "../../components/button.tsx";
import { useSession } from "../../session/session.tsx";
import { SignInDialog } from "../../session/sign-in.tsx";
import { useMarket } from "../market.tsx";
import styles from "./form.module.css";
import { type Draft, positionSideOf } from "./order-draft.ts";

const SLOW_MS = 1_000;

/** Whether it has been busy for a second. */
function useSlow(busy: boolean): boolean {
  const [isSlow, setSlow] = useState(false);
  useEffect(() => {
    if (!busy) return;
    const timer = setTimeout(() => setSlow(true), SLOW_MS);
    return () => {
      clearTimeout(timer);
      setSlow(false);
    };
  }, [busy]);
  return isSlow;
}

interface SubmitButtonProps {
  readonly draft: Draft;
  readonly busy: boolean;
}

export function SubmitButton({ draft, busy }: SubmitButtonProps): ReactElement {
  const { apiKey } = useSession();
  const { rules } = useMarket();
  const [signingIn, setSigningIn] = useState(false);
  const isSlow = useSlow(busy);
  if (apiKey === null) {
    return (
      <>
        <Button tone="accent" size="large" onClick={() => setSigningIn(true)}>
          Sign in to trade
        </Button>
        <SignInDialog open={signingIn} onClose={() => setSigningIn(false)} />
      </>
    );
  }
  const verb = draft.side === "BUY" ? "Buy" : "Sell";
  const side = positionSideOf(draft).toLowerCase();
  const effect =
    rules.product === "spot" ? rules.baseAsset : `to ${draft.closes ? "close" : "open"} ${side}`;
  if (!rules.isTrading) {
    return (
      <>
        <p role="status" className={styles.warning}>
          {rules.symbol} is halted: the exchange accepts no new orders now. Open orders can be
          cancelled.
        </p>
        <Button size="large" disabled>
          {rules.symbol} is halted
        </Button>
      </>
    );
  }
  return (
    <Button type="submit" size="large" busy={busy} tone={draft.side === "BUY" ? "buy" : "sell"}>
      {isSlow ? "Waiting for a response…" : `${verb} ${effect}`}
    </Button>
  );
}
