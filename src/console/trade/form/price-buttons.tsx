/**
 * Buttons that fill the price field with the best bid, the last price or the best ask; a new form
 * starts with the last price. What the user typed is never overwritten.
 */
import { type ReactElement, useEffect, useRef } from "react";
import { useToast } from "../../components/toast.tsx";
import { type Message, useMutation } from "../../data/mutation.ts";
import { compare, cutToStep } from "../../decimals/arithmetic.ts";
import { useSession } from "../../session/session.tsx";
import { useMarket } from "../market.tsx";
import styles from "./form.module.css";
import { type Draft, hasPrice } from "./order-draft.ts";

/**
 * Fills the price once, when its field appears and a last price is known: into an empty field, or
 * over an earlier fill that the user left as it was. It does not follow the market, so the price
 * cannot move while the user presses the button.
 */
export function useInitialPrice(
  draft: Draft,
  lastPrice: string | null,
  change: (part: Partial<Draft>) => void,
): void {
  const { tickSize } = useMarket().rules;
  const filled = useRef("");
  const isDue = hasPrice(draft.kind) && lastPrice !== null;
  // biome-ignore lint/correctness/useExhaustiveDependencies: only when it becomes due
  useEffect(() => {
    if (!isDue || isTyping()) return;
    if (draft.price !== "" && draft.price !== filled.current) return;
    filled.current = cutToStep(lastPrice, tickSize);
    change({ price: filled.current });
  }, [isDue]);
}

function isTyping(): boolean {
  return document.activeElement?.matches("input[inputmode]") ?? false;
}

export interface PriceButtonsProps {
  readonly lastPrice: string | null;
  readonly onPrice: (price: string) => void;
}

export function PriceButtons({ lastPrice, onPrice }: PriceButtonsProps): ReactElement {
  const { client } = useSession();
  const { product, symbol } = useMarket().rules;
  const toast = useToast();
  const { busy, run } = useMutation((error) =>
    toast(`Could not load the best price: ${error.message}`, "bad"),
  );
  const take = async (side: "bid" | "ask"): Promise<Message> => {
    const [best] = await client[product].bookTickers({ symbol });
    const price = (side === "bid" ? best?.bidPrice : best?.askPrice) ?? "0";
    if (compare(price, "0") === 0) return { text: `There are no ${side}s`, tone: "plain" };
    onPrice(price);
  };
  const button = (text: string, label: string, onClick: () => void, disabled: boolean) => (
    <button
      type="button"
      className={styles.priceButton}
      aria-label={`Use the ${label} as the price`}
      disabled={disabled}
      onClick={onClick}
    >
      {text}
    </button>
  );
  return (
    <span className={styles.priceButtons}>
      {button("Bid", "best bid", () => void run(() => take("bid")), busy)}
      {button("Last", "last price", () => onPrice(lastPrice ?? ""), lastPrice === null)}
      {button("Ask", "best ask", () => void run(() => take("ask")), busy)}
    </span>
  );
}
