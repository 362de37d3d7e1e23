/**
 * Prices that the form offers: a fresh one starts with the last price, and buttons take the best
 * bid, the last price or the best ask. What a person typed is never overwritten.
 */
import { type ReactElement, useEffect, useRef, useState } from "react";
import { useSay } from "../../components/toast.tsx";
import { compare, cutToStep } from "../../decimals/arithmetic.ts";
import { useSession } from "../../session/session.tsx";
import { useDesk } from "../market.tsx";
import styles from "./form.module.css";
import { type Draft, hasPrice } from "./order-draft.ts";

/**
 * Once, when the price field appears and a last price is known: into an empty field, or over an
 * older offer that nobody changed. It does not follow the market, so that a price cannot move while
 * the button is pressed.
 */
export function usePriceOffer(
  draft: Draft,
  lastPrice: string | null,
  change: (part: Partial<Draft>) => void,
): void {
  const { tickSize } = useDesk().rules;
  const offered = useRef("");
  const isDue = hasPrice(draft.kind) && lastPrice !== null;
  // biome-ignore lint/correctness/useExhaustiveDependencies: only when it becomes due
  useEffect(() => {
    if (!isDue || isTyping()) return;
    if (draft.price !== "" && draft.price !== offered.current) return;
    offered.current = cutToStep(lastPrice, tickSize);
    change({ price: offered.current });
  }, [isDue]);
}

function isTyping(): boolean {
  return document.activeElement?.matches("input[inputmode]") ?? false;
}

type Best = "bid" | "ask";

export interface PriceOffersProps {
  readonly lastPrice: string | null;
  readonly onPrice: (price: string) => void;
}

export function PriceOffers({ lastPrice, onPrice }: PriceOffersProps): ReactElement {
  const { client } = useSession();
  const { rules } = useDesk();
  const say = useSay();
  const [busy, setBusy] = useState<Best | null>(null);
  const { product, symbol } = rules;
  const take = async (side: Best): Promise<void> => {
    setBusy(side);
    try {
      const [best] = await client[product].bookTickers({ symbol });
      const price = (side === "bid" ? best?.bidPrice : best?.askPrice) ?? "0";
      if (compare(price, "0") === 0) say(`Nobody ${side === "bid" ? "buys" : "sells"} here now.`);
      else onPrice(price);
    } catch (error) {
      say(`The best ${side} could not be read: ${(error as Error).message}`, "bad");
    } finally {
      setBusy(null);
    }
  };
  const button = (text: string, label: string, onClick: () => void, disabled = false) => (
    <button
      type="button"
      className={styles.offer}
      aria-label={`Take the ${label} as the price`}
      disabled={disabled}
      onClick={onClick}
    >
      {text}
    </button>
  );
  return (
    <span className={styles.offers}>
      {button("Bid", "best bid", () => void take("bid"), busy !== null)}
      {button("Last", "last price", () => onPrice(lastPrice ?? ""), lastPrice === null)}
      {button("Ask", "best ask", () => void take("ask"), busy !== null)}
    </span>
  );
}
