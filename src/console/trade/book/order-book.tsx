/** The order book: both sides, the spread, and a choice of price grouping. */
import { type ReactElement, useEffect, useRef, useState } from "react";
import { Choice, Segments } from "../../components/field.tsx";
import { useNarrow } from "../../components/media.ts";
import { Notice } from "../../components/panel.tsx";
import { type Live, useLive } from "../../data/live-value.ts";
import rowStyles from "../dom/rows.module.css";
import { useMarket } from "../market.tsx";
import { usePick } from "../pick.ts";
import { type BookPhase, type BookSides, LiveBook } from "./live-book.ts";
import styles from "./order-book.module.css";

const SIDES: readonly { readonly value: BookSides; readonly text: string }[] = [
  { value: "both", text: "Both" },
  { value: "bids", text: "Bids" },
  { value: "asks", text: "Asks" },
];

export function OrderBook(): ReactElement {
  const market = useMarket();
  const { streams, rules } = market;
  const pick = usePick();
  // A tap on a phone wants an order at that price, for which there is no form in sight.
  const latestNarrow = useRef(false);
  latestNarrow.current = useNarrow();
  const host = useRef<HTMLDivElement>(null);
  const [book, setBook] = useState<LiveBook | null>(null);
  const [step, setStep] = useState(rules.tickSize);
  const [sides, setSides] = useState<BookSides>("both");
  // Refetched rules do not change the market: streams and symbol identify it.
  // biome-ignore lint/correctness/useExhaustiveDependencies: see above
  useEffect(() => {
    if (host.current === null) return;
    const onPick = (price: string): void => pick(price, latestNarrow.current);
    const live = new LiveBook({ host: host.current, market, onPick });
    setBook(live);
    return () => live.close();
  }, [streams, rules.symbol]);
  useEffect(() => {
    if (book === null) return;
    book.step = step;
    book.sides = sides;
  }, [book, step, sides]);
  return (
    <div className={styles.book}>
      <div className={styles.controls}>
        <Segments label="Order book sides" value={sides} options={SIDES} onValue={setSides} />
        {book === null ? null : <Steps steps={book.steps} step={step} onStep={setStep} />}
      </div>
      {book === null ? null : <Phase phase={book.phase} />}
      <div ref={host} className={`${rowStyles.rows} ${styles.host}`} />
    </div>
  );
}

interface StepsProps {
  readonly steps: Live<readonly string[]>;
  readonly step: string;
  readonly onStep: (step: string) => void;
}

function Steps({ steps, step, onStep }: StepsProps): ReactElement {
  const choices = useLive(steps);
  const options = (choices.length === 0 ? [step] : choices).map((text) => ({ value: text, text }));
  return (
    <Choice
      label="Price grouping"
      showLabel={false}
      value={step}
      options={options}
      onValue={onStep}
      disabled={options.length < 2}
    />
  );
}

function Phase({ phase }: { readonly phase: Live<BookPhase> }): ReactElement | null {
  const { name, reason } = useLive(phase);
  switch (name) {
    case "live":
      return null;
    case "loading":
      return <Notice kind="loading">Loading order book…</Notice>;
    case "empty":
      return <Notice kind="empty">The order book is empty.</Notice>;
    case "stale":
      return (
        <Notice kind="limited">Connection lost: prices may be out of date. Reconnecting…</Notice>
      );
    case "failed":
      return <Notice kind="error">Order book unavailable: {reason}</Notice>;
  }
}
