/** The order form: side, type, amounts, estimated cost, and submission. */
import {
  type FormEvent,
  type ReactElement,
  type RefObject,
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
} from "react";
import { Button } from "../components/button.tsx";
import { Segments } from "../components/field.tsx";
import { ErrorText } from "../components/form-error.tsx";
import { Panel } from "../components/panel.tsx";
import { useLive } from "../data/live-value.ts";
import { useSession } from "../session/session.tsx";
import { SignInDialog } from "../session/sign-in.tsx";
import {
  leverageOf,
  useFeeRates,
  useFunds,
  useLastPrice,
  useMarginSetting,
} from "./form/form-queries.ts";
import { MarginButton } from "./form/margin-dialog.tsx";
import {
  type Draft,
  type DraftField,
  EMPTY_DRAFT,
  hasPrice,
  type Problems,
  positionSideOf,
  problemsOf,
} from "./form/order-draft.ts";
import type { OrderError } from "./form/order-error.ts";
import { OrderEstimates } from "./form/order-estimates.tsx";
import { OrderFields } from "./form/order-fields.tsx";
import { OrderTypeFields } from "./form/order-type-fields.tsx";
import { PercentSlider } from "./form/percent-slider.tsx";
import { useInitialPrice } from "./form/price-buttons.tsx";
import { useSubmitOrder } from "./form/submit-order.ts";
import { useMarket } from "./market.tsx";
import styles from "./order-form.module.css";
import { useShortcuts } from "./shortcuts.tsx";

export function OrderForm(): ReactElement {
  const { rules, picked } = useMarket();
  const [draft, setDraft] = useState<Draft>(EMPTY_DRAFT);
  const [shown, setShown] = useState(false);
  const change = useCallback(
    (part: Partial<Draft>): void => setDraft((before) => ({ ...before, ...part })),
    [],
  );
  const form = useRef<HTMLFormElement>(null);
  usePickedPrice(change);
  useFormShortcuts(change, form);
  const lastPrice = useLastPrice();
  useInitialPrice(draft, lastPrice, change);
  const funds = useFunds();
  const rates = useFeeRates();
  const margin = useMarginSetting();
  const leverage = leverageOf(margin.setting, positionSideOf(draft));
  const problems = useMemo(() => problemsOf(draft, rules), [draft, rules]);
  const price =
    (hasPrice(draft.kind) && problems.price === undefined ? draft.price : lastPrice) ?? "0";
  const facts = { rules, rates, leverage };
  const {
    submit: place,
    busy,
    orderError,
  } = useSubmitOrder(draft, () => {
    setShown(false);
    change(PLACED);
    picked.set(null);
  });
  useFocusOnWrong(form, orderError);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    setShown(true);
    if (Object.keys(problems).length === 0) void place();
    else focusWrong(form.current);
  };
  const isContract = rules.product === "contract";
  return (
    <Panel
      title="Order"
      className={styles.form}
      actions={isContract ? <MarginButton margin={margin} /> : null}
    >
      <form ref={form} className={styles.fields} onSubmit={submit} noValidate aria-label="Order">
        <SideChoice draft={draft} isContract={isContract} onChange={change} />
        <OrderTypeFields draft={draft} product={rules.product} onChange={change} />
        <OrderFields
          draft={draft}
          problems={shownProblems(problems, draft, shown, orderError)}
          lastPrice={lastPrice}
          onChange={change}
        />
        <PercentSlider draft={draft} price={price} funds={funds} facts={facts} onChange={change} />
        <OrderEstimates
          draft={draft}
          price={price}
          funds={funds}
          facts={facts}
          margin={margin.setting}
        />
        <Interruption />
        <ErrorText text={orderError?.field === null ? orderError.text : null} />
        <SubmitButton draft={draft} busy={busy} />
      </form>
    </Panel>
  );
}

/** Warns that prices are stale while the stream is down. */
function Interruption(): ReactElement | null {
  const { streams } = useMarket();
  const { name } = useSyncExternalStore(
    (listener) => streams.onState(listener),
    () => streams.state,
  );
  if (name !== "reconnecting" && name !== "closed") return null;
  return (
    <p className={styles.interruption}>Connection lost: the prices above may be out of date.</p>
  );
}

interface SideChoiceProps {
  readonly draft: Draft;
  readonly isContract: boolean;
  readonly onChange: (part: Partial<Draft>) => void;
}

function SideChoice({ draft, isContract, onChange }: SideChoiceProps): ReactElement {
  return (
    <>
      <Segments
        label="Side"
        tone="sides"
        value={draft.side}
        options={SIDES}
        onValue={(side) => onChange({ side })}
      />
      {isContract ? (
        <Segments
          label="Position effect"
          value={draft.closes ? "close" : "open"}
          options={EFFECTS}
          onValue={(effect) => onChange({ closes: effect === "close" })}
        />
      ) : null}
    </>
  );
}

/** Cleared after an order; the price stays for the next one. */
const PLACED: Partial<Draft> = { quantity: "", triggerPrice: "", takeProfit: "", stopLoss: "" };

const SIDES = [
  { value: "BUY", text: "Buy" },
  { value: "SELL", text: "Sell" },
] as const;

const EFFECTS = [
  { value: "open", text: "Open" },
  { value: "close", text: "Close" },
] as const;

/** Takes over a price clicked in the book, the tape or the chart. */
function usePickedPrice(change: (part: Partial<Draft>) => void): void {
  const { picked } = useMarket();
  const pick = useLive(picked);
  useEffect(() => {
    if (pick !== null) change({ price: pick.price });
  }, [pick, change]);
}

function useFormShortcuts(
  change: (part: Partial<Draft>) => void,
  form: RefObject<HTMLFormElement | null>,
): void {
  const shortcuts = useMemo(() => {
    const go = (field: DraftField): void => {
      const input = fieldIn(form.current, `[name=${field}]`);
      input?.focus();
      input?.select();
    };
    return {
      p: () => go("price"),
      q: () => go("quantity"),
      b: () => change({ side: "BUY" }),
      s: () => change({ side: "SELL" }),
      l: () => change({ kind: "LIMIT" }),
      m: () => change({ kind: "MARKET" }),
      c: () => change(EMPTY_DRAFT),
    };
  }, [change, form]);
  useShortcuts(shortcuts);
}

function fieldIn(form: HTMLFormElement | null, selector: string): HTMLInputElement | null {
  return form?.querySelector<HTMLInputElement>(`input${selector}`) ?? null;
}

function focusWrong(form: HTMLFormElement | null): void {
  // Fields are marked with the next render.
  requestAnimationFrame(() => fieldIn(form, "[aria-invalid]")?.focus());
}

/** Moves the focus to the rejected field, where a screen reader reads the reason. */
function useFocusOnWrong(
  form: RefObject<HTMLFormElement | null>,
  orderError: OrderError | null,
): void {
  useEffect(() => {
    if (orderError !== null && orderError.field !== null) focusWrong(form.current);
  }, [form, orderError]);
}

/** Shown after the first submit, or as soon as a field has text. */
function shownProblems(
  problems: Problems,
  draft: Draft,
  shown: boolean,
  orderError: OrderError | null,
): Problems {
  const visible: Problems = {};
  for (const [name, problem] of Object.entries(problems)) {
    const field = name as DraftField;
    const text = draft[field];
    // "80." is a number being typed.
    if (shown || (text !== "" && !text.endsWith("."))) visible[field] = problem;
  }
  if (orderError !== null && orderError.field !== null) visible[orderError.field] = orderError.text;
  return visible;
}

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

function SubmitButton({ draft, busy }: SubmitButtonProps): ReactElement {
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
      <Button size="large" disabled>
        {rules.symbol} is halted
      </Button>
    );
  }
  return (
    <Button type="submit" size="large" busy={busy} tone={draft.side === "BUY" ? "buy" : "sell"}>
      {isSlow ? "Waiting for a response…" : `${verb} ${effect}`}
    </Button>
  );
}
