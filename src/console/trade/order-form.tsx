/** The order form: side, kind, amounts, what it would cost, and the sending of it. */
import {
  type FormEvent,
  type ReactElement,
  useCallback,
  useEffect,
  useMemo,
  useState,
} from "react";
import { RialtoError } from "../../client/index.ts";
import { Button } from "../components/button.tsx";
import { Segments } from "../components/field.tsx";
import { Panel } from "../components/panel.tsx";
import { useSay } from "../components/toast.tsx";
import { useLive } from "../live/live-value.ts";
import { useSession } from "../session/session.tsx";
import { SignInDialog } from "../session/sign-in.tsx";
import { useDesk } from "./desk.tsx";
import { CostLines } from "./form/cost-lines.tsx";
import { KindChoice } from "./form/kind-choice.tsx";
import { MarginButton } from "./form/margin-dialog.tsx";
import {
  algoOrderOf,
  contractOrderOf,
  type Draft,
  type DraftField,
  EMPTY_DRAFT,
  hasPrice,
  isConditional,
  type Problems,
  positionSideOf,
  problemsOf,
  spotOrderOf,
} from "./form/order-draft.ts";
import { OrderFields } from "./form/order-fields.tsx";
import { ShareSlider } from "./form/share-slider.tsx";
import {
  leverageOf,
  useFeeRates,
  useFunds,
  useLastPrice,
  useMarginSetting,
} from "./form/trading-facts.ts";
import styles from "./order-form.module.css";
import { useShortcuts } from "./shortcuts.tsx";

export function OrderForm(): ReactElement {
  const { rules, picked } = useDesk();
  const [draft, setDraft] = useState<Draft>(EMPTY_DRAFT);
  const [shown, setShown] = useState(false);
  const change = useCallback(
    (part: Partial<Draft>): void => setDraft((before) => ({ ...before, ...part })),
    [],
  );
  usePickedPrice(change);
  useFormShortcuts(change);
  const lastPrice = useLastPrice();
  const funds = useFunds();
  const rates = useFeeRates();
  const margin = useMarginSetting();
  const leverage = leverageOf(margin.setting, positionSideOf(draft));
  const problems = useMemo(() => problemsOf(draft, rules), [draft, rules]);
  const price =
    (hasPrice(draft.kind) && problems.price === undefined ? draft.price : lastPrice) ?? "0";
  const facts = { rules, rates, leverage };
  const { send, busy, refusal } = useSending(draft, () => {
    setShown(false);
    change({ quantity: "" });
    picked.set(null);
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    setShown(true);
    if (Object.keys(problems).length === 0) void send();
  };
  const isContract = rules.product === "contract";
  return (
    <Panel
      title="Order"
      className={styles.form}
      actions={isContract ? <MarginButton margin={margin} /> : null}
    >
      <form className={styles.fields} onSubmit={submit} noValidate aria-label="Order">
        <SideChoice draft={draft} isContract={isContract} onChange={change} />
        <KindChoice draft={draft} product={rules.product} onChange={change} />
        <OrderFields
          draft={draft}
          problems={shownProblems(problems, draft, shown, refusal)}
          onChange={change}
        />
        <ShareSlider draft={draft} price={price} funds={funds} facts={facts} onChange={change} />
        <CostLines
          draft={draft}
          price={price}
          funds={funds}
          facts={facts}
          margin={margin.setting}
        />
        {refusal !== null && refusal.field === null ? (
          <p role="alert" className={styles.refusal}>
            {refusal.text}
          </p>
        ) : null}
        <SubmitButton draft={draft} busy={busy} />
      </form>
    </Panel>
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
          label="Effect on the position"
          value={draft.closes ? "close" : "open"}
          options={EFFECTS}
          onValue={(effect) => onChange({ closes: effect === "close" })}
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
  { value: "close", text: "Close" },
] as const;

/** A price that was clicked in the book, tape or chart. */
function usePickedPrice(change: (part: Partial<Draft>) => void): void {
  const { picked } = useDesk();
  const pick = useLive(picked);
  useEffect(() => {
    if (pick !== null) change({ price: pick.price });
  }, [pick, change]);
}

function useFormShortcuts(change: (part: Partial<Draft>) => void): void {
  const shortcuts = useMemo(
    () => ({
      b: () => change({ side: "BUY" }),
      s: () => change({ side: "SELL" }),
      l: () => change({ kind: "LIMIT" }),
      m: () => change({ kind: "MARKET" }),
      c: () => change(EMPTY_DRAFT),
    }),
    [change],
  );
  useShortcuts(shortcuts);
}

interface Refusal {
  readonly field: DraftField | null;
  readonly text: string;
}

/** Names of the interface and the fields of the form that they stand in. */
const FIELDS: Readonly<Record<string, DraftField>> = {
  price: "price",
  quantity: "quantity",
  triggerPrice: "triggerPrice",
  callbackRate: "callbackRate",
  activationPrice: "activationPrice",
  tpTriggerPrice: "takeProfit",
  presetTakeProfitPrice: "takeProfit",
  slTriggerPrice: "stopLoss",
  presetStopLossPrice: "stopLoss",
};

function refusalOf(error: unknown): Refusal {
  if (!(error instanceof RialtoError)) {
    const text = error instanceof Error ? error.message : String(error);
    return { field: null, text: `${text}. Look at the open orders before you send it again.` };
  }
  const wait =
    error.retryAfterMs === null ? "" : ` Wait ${Math.ceil(error.retryAfterMs / 1000)} s.`;
  const field = error.field === null ? null : (FIELDS[error.field] ?? null);
  return { field, text: `${error.message} (${error.code}).${wait}` };
}

/** Problems are shown once sending was tried, or as soon as a field has a text. */
function shownProblems(
  problems: Problems,
  draft: Draft,
  shown: boolean,
  refusal: Refusal | null,
): Problems {
  const visible: Problems = {};
  for (const [name, problem] of Object.entries(problems)) {
    const field = name as DraftField;
    if (shown || draft[field] !== "") visible[field] = problem;
  }
  if (refusal !== null && refusal.field !== null) visible[refusal.field] = refusal.text;
  return visible;
}

interface Sending {
  readonly send: () => Promise<void>;
  readonly busy: boolean;
  readonly refusal: Refusal | null;
}

function useSending(draft: Draft, onSent: () => void): Sending {
  const { client } = useSession();
  const { rules, accountChanged } = useDesk();
  const say = useSay();
  const [busy, setBusy] = useState(false);
  const [refusal, setRefusal] = useState<Refusal | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another draft forgets the old refusal
  useEffect(() => setRefusal(null), [draft]);
  const send = async (): Promise<void> => {
    setBusy(true);
    setRefusal(null);
    try {
      const { kind } = draft;
      const { orderId } = isConditional(kind)
        ? await client.contract.placeAlgoOrder(algoOrderOf(draft, kind, rules))
        : rules.product === "spot"
          ? await client.spot.placeOrder(spotOrderOf(draft, rules))
          : await client.contract.placeOrder(contractOrderOf(draft, rules));
      say(`${draft.side === "BUY" ? "Buy" : "Sell"} order ${orderId} was taken.`, "good");
      accountChanged.set(accountChanged.get() + 1);
      onSent();
    } catch (error) {
      const refused = refusalOf(error);
      setRefusal(refused);
      say(refused.text, "bad");
    } finally {
      setBusy(false);
    }
  };
  return { send, busy, refusal };
}

interface SubmitButtonProps {
  readonly draft: Draft;
  readonly busy: boolean;
}

function SubmitButton({ draft, busy }: SubmitButtonProps): ReactElement {
  const { apiKey } = useSession();
  const { rules } = useDesk();
  const [signingIn, setSigningIn] = useState(false);
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
        {rules.symbol} takes no orders now
      </Button>
    );
  }
  return (
    <Button type="submit" size="large" busy={busy} tone={draft.side === "BUY" ? "buy" : "sell"}>
      {verb} {effect}
    </Button>
  );
}
