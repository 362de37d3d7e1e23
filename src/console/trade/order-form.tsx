/** The order form: side, type, amounts, estimated cost, and submission. */
import {
  type FormEvent,
  type ReactElement,
  type RefObject,
  useCallback,
  useEffect,
  useImperativeHandle,
  useRef,
  useState,
  useSyncExternalStore,
} from "react";
import { Segments } from "../components/field.tsx";
import { ErrorText } from "../components/form-error.tsx";
import { Panel } from "../components/panel.tsx";
import { useLive } from "../data/live-value.ts";
import { isAmount } from "../decimals/arithmetic.ts";
import { AccountSummary } from "./form/account-summary.tsx";
import { ConfirmDialog, ConfirmLimitButton } from "./form/confirm-dialog.tsx";
import { asksFirst, storedConfirmLimit } from "./form/confirm-limit.ts";
import {
  leverageOf,
  useAccountFacts,
  useFeeRates,
  useLastPrice,
  useMarginSetting,
} from "./form/form-queries.ts";
import { fieldIn, useFormShortcuts } from "./form/form-shortcuts.ts";
import { MarginButton } from "./form/margin-dialog.tsx";
import { fillOf, useMarketBook } from "./form/market-fill.ts";
import { quantityForPercent } from "./form/order-cost.ts";
import {
  type Draft,
  type DraftField,
  hasPrice,
  type Problems,
  positionSideOf,
  problemsOf,
  type Side,
} from "./form/order-draft.ts";
import type { OrderError } from "./form/order-error.ts";
import { OrderEstimates, ThinBookNotice } from "./form/order-estimates.tsx";
import { AttachedFields, OrderFields } from "./form/order-fields.tsx";
import { OrderTypeFields } from "./form/order-type-fields.tsx";
import { PercentSlider } from "./form/percent-slider.tsx";
import { useInitialPrice } from "./form/price-buttons.tsx";
import { storedSizeUnit } from "./form/size-field.tsx";
import { SubmitButton } from "./form/submit-button.tsx";
import { usePlaceOrder } from "./form/submit-order.ts";
import {
  EMPTY_AMOUNTS,
  EMPTY_TYPED,
  resolveDraft,
  sizeOf,
  type TypedDraft,
} from "./form/typed-draft.ts";
import { useMarket } from "./market.tsx";
import styles from "./order-form.module.css";

export interface OrderFormProps {
  /** After an order was accepted. */
  readonly onPlaced?: () => void;
  /** For what stands outside of the form. */
  readonly handle?: RefObject<OrderFormHandle | null>;
}

export interface OrderFormHandle {
  readonly choose: (side: Side) => void;
}

export function OrderForm({ onPlaced, handle }: OrderFormProps): ReactElement {
  const { product } = useMarket().rules;
  const form = useRef<HTMLFormElement>(null);
  const values = useOrderForm(form);
  const { typed, draft, price, lastPrice, account, facts, margin, change } = values;
  useImperativeHandle(handle, () => ({ choose: (side) => change({ side }) }), [change]);
  const sending = useSending(form, values, onPlaced);
  const { fill, problems, orderError } = sending;
  const shared = { typed, draft, price, funds: account.funds, facts, onChange: change };
  const fields = { ...shared, problems, lastPrice };
  const isContract = product === "contract";
  const available = account.margin?.available ?? null;
  return (
    <div className={styles.column}>
      <Panel
        title="Order"
        actions={isContract ? <MarginButton margin={margin} available={available} /> : null}
      >
        <form
          ref={form}
          className={styles.fields}
          onSubmit={sending.submit}
          noValidate
          aria-label="Order"
        >
          <SideChoice draft={draft} isContract={isContract} onChange={change} />
          <OrderTypeFields draft={draft} product={product} onChange={change} />
          <OrderFields {...fields} />
          <PercentSlider {...shared} />
          <AttachedFields {...fields} />
          <OrderEstimates
            draft={draft}
            price={price}
            account={account}
            facts={facts}
            margin={margin.setting}
            fill={fill}
          />
          <ThinBookNotice draft={draft} fill={fill} />
          <Interruption />
          {draft.kind === "MARKET" ? <ConfirmLimitButton /> : null}
          <div className={styles.submit}>
            <ErrorText text={orderError?.field === null ? orderError.text : null} />
            <SubmitButton draft={draft} busy={sending.busy} />
          </div>
        </form>
        {sending.isAsking ? <ConfirmDialog {...values} {...sending} /> : null}
      </Panel>
      <AccountSummary account={account} />
    </div>
  );
}

/** Sends the order, after a question where there is one, and says what is wrong with it. */
function useSending(
  form: RefObject<HTMLFormElement | null>,
  values: ReturnType<typeof useOrderForm>,
  onPlaced: (() => void) | undefined,
) {
  const { rules, picked } = useMarket();
  const { typed, draft, price, facts, change } = values;
  const [shown, setShown] = useState(false);
  const [isAsking, setAsking] = useState(false);
  const fill = fillOf(draft, facts.book);
  const { place, busy, orderError } = usePlaceOrder(typed, draft, () => {
    setShown(false);
    change(EMPTY_AMOUNTS);
    picked.set(null);
    onPlaced?.();
  });
  useFocusOnWrong(form, orderError);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    setShown(true);
    if (!rules.isTrading || busy) return;
    if (Object.keys(values.problems).length > 0) focusWrong(form.current);
    else if (asksFirst(draft, price, fill, storedConfirmLimit())) setAsking(true);
    else void place();
  };
  const onConfirm = (): void => {
    setAsking(false);
    void place();
  };
  const onClose = (): void => setAsking(false);
  const problems = shownProblems(values.problems, typed, shown, orderError);
  return { fill, problems, orderError, busy, submit, isAsking, onConfirm, onClose };
}

/** The values of the form and all that they are judged by. */
function useOrderForm(form: RefObject<HTMLFormElement | null>) {
  const { rules } = useMarket();
  const [typed, setTyped] = useState<TypedDraft>(() => ({
    ...EMPTY_TYPED,
    sizeUnit: storedSizeUnit(rules.product),
  }));
  const change = useCallback(
    (part: Partial<TypedDraft>): void => setTyped((before) => ({ ...before, ...part })),
    [],
  );
  usePickedPrice(change);
  const lastPrice = useLastPrice();
  useInitialPrice(typed, lastPrice, change);
  const account = useAccountFacts();
  const rates = useFeeRates();
  const margin = useMarginSetting();
  const leverage = leverageOf(margin.setting, positionSideOf(typed));
  const isPriced = hasPrice(typed.kind) && isAmount(typed.price) && Number(typed.price) > 0;
  const price = (isPriced ? typed.price : lastPrice) ?? "0";
  const book = useMarketBook(typed.kind);
  const facts = { rules, rates, leverage, book };
  const draft = resolveDraft(typed, price, facts);
  const problems = problemsOf(draft, rules, price === "0" ? null : price);
  const sizeAt = (percent: number): string => {
    const quantity = quantityForPercent(draft, percent, price, account.funds, facts);
    return Number(quantity) === 0 ? "" : sizeOf(quantity, typed.sizeUnit, price, facts);
  };
  useFormShortcuts(change, form, sizeAt);
  return { typed, draft, price, lastPrice, problems, account, facts, margin, change };
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
  readonly onChange: (part: Partial<TypedDraft>) => void;
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
          onValue={(effect) => onChange(effect === "close" ? CLOSES : { closes: false })}
        />
      ) : null}
    </>
  );
}

const SIDES = [
  { value: "BUY", text: "Buy" },
  { value: "SELL", text: "Sell" },
] as const;

const EFFECTS = [
  { value: "open", text: "Open" },
  { value: "close", text: "Close (reduce-only)" },
] as const;

/** A closing order costs nothing, so its size cannot be a cost. */
const CLOSES: Partial<TypedDraft> = { closes: true, sizeUnit: "BASE", quantity: "" };

/** Takes over a price clicked in the book, the tape or the chart. */
function usePickedPrice(change: (part: Partial<Draft>) => void): void {
  const { picked } = useMarket();
  const pick = useLive(picked);
  useEffect(() => {
    if (pick === null) return;
    const { price, forOrder } = pick;
    change(forOrder ? { price, kind: "LIMIT" } : { price });
  }, [pick, change]);
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
  typed: TypedDraft,
  shown: boolean,
  orderError: OrderError | null,
): Problems {
  const visible: Problems = {};
  for (const [name, problem] of Object.entries(problems)) {
    const field = name as DraftField;
    const text = typed[field];
    // "80." is a number being typed.
    if (shown || (text !== "" && !text.endsWith("."))) visible[field] = problem;
  }
  if (orderError !== null && orderError.field !== null) visible[orderError.field] = orderError.text;
  return visible;
}
