/** Questions before a line of the chart changes an order, and all lines as a list. */
import { type FormEvent, type ReactElement, useState } from "react";
import { Button } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { Field, Switch } from "../../components/field.tsx";
import { ErrorText } from "../../components/form-error.tsx";
import { useLive } from "../../data/live-value.ts";
import { useMutation } from "../../data/mutation.ts";
import { isAmount, isMultiple } from "../../decimals/arithmetic.ts";
import { groupDecimal } from "../../decimals/format.ts";
import type { LineChanges } from "../account/line-changes.ts";
import { type ChartLine, type EntryLine, isCancellable, isMovable } from "../chart-line.ts";
import { toOrderError } from "../form/order-error.ts";
import { parseAmount } from "../form/parse-amount.ts";
import { useMarket } from "../market.tsx";
import styles from "./line-dialogs.module.css";

export interface QuestionProps {
  readonly title: string;
  /** The question, then what is worth knowing. */
  readonly sentences: readonly string[];
  readonly yes: string;
  readonly no: string;
  readonly act: () => Promise<string>;
  /** Done, or given up. */
  readonly onClose: () => void;
}

/** Asks once; stays open with the reason when the exchange rejects it. */
export function LineQuestion(props: QuestionProps): ReactElement {
  const { title, sentences, yes, no, act, onClose } = props;
  const { refreshAccount } = useMarket();
  const { busy, error, run } = useMutation();
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (!(await run(act))) return;
    refreshAccount();
    onClose();
  };
  return (
    <Dialog title={title} open onClose={onClose}>
      <form className={styles.question} onSubmit={(event) => void submit(event)}>
        {sentences.map((sentence) => (
          <p key={sentence}>{sentence}</p>
        ))}
        <ErrorText text={error === null ? null : toOrderError(error).text} />
        <div className={styles.answers}>
          <Button size="large" onClick={onClose}>
            {no}
          </Button>
          <Button type="submit" tone="accent" size="large" busy={busy} data-focus>
            {yes}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

export interface LinesDialogProps {
  readonly changes: LineChanges;
  readonly onMove: (line: ChartLine, price: string) => void;
  readonly onExit: (line: EntryLine, price: string) => void;
  readonly startsAtAlert: boolean;
  readonly marksFills: boolean;
  readonly onMarksFills: (marks: boolean) => void;
  readonly onClose: () => void;
}

/** Everything that can be done with the mouse on the chart, for keyboard and screen reader. */
export function LinesDialog(props: LinesDialogProps): ReactElement {
  const { changes, onMove, onExit, startsAtAlert, marksFills, onMarksFills, onClose } = props;
  const lines = useLive(useMarket().lines);
  return (
    <Dialog title="Lines on the chart" open onClose={onClose}>
      {lines.length === 0 ? (
        <p>
          Your open orders, stops, positions and price alerts in this market appear here and on the
          chart.
        </p>
      ) : (
        <ul className={styles.lines} aria-label="Lines on the chart">
          {lines.map((line) => (
            <LineRow
              key={line.id}
              line={line}
              changes={changes}
              onPrice={(price) =>
                line.kind === "entry" ? onExit(line, price) : onMove(line, price)
              }
            />
          ))}
        </ul>
      )}
      <AlertForm changes={changes} hasFocus={startsAtAlert} />
      <Switch label="Mark my trades on the candles" checked={marksFills} onChange={onMarksFills} />
    </Dialog>
  );
}

interface LineRowProps {
  readonly line: ChartLine;
  readonly changes: LineChanges;
  readonly onPrice: (price: string) => void;
}

function LineRow({ line, changes, onPrice }: LineRowProps): ReactElement {
  const { refreshAccount } = useMarket();
  const { busy, error, run } = useMutation();
  const canPrice = isMovable(line) || line.kind === "entry";
  const cancel = async (): Promise<void> => {
    if (isCancellable(line) && (await run(() => changes.cancel(line)))) refreshAccount();
  };
  return (
    <li className={styles.line} data-tone={line.tone}>
      <div className={styles.head}>
        <b>{line.label}</b> <span>{groupDecimal(line.price)}</span>
      </div>
      {canPrice ? (
        <PriceForm
          label={line.kind === "entry" ? "TP/SL at" : "Move to"}
          of={line.label}
          verb={line.kind === "entry" ? "Set" : "Move"}
          first={line.kind === "entry" ? "" : line.price}
          onPrice={onPrice}
        />
      ) : null}
      {isCancellable(line) ? (
        <Button
          tone="danger"
          busy={busy}
          aria-label={`Cancel ${line.label} at ${groupDecimal(line.price)}`}
          onClick={() => void cancel()}
        >
          Cancel
        </Button>
      ) : null}
      <ErrorText text={error === null ? null : toOrderError(error).text} />
    </li>
  );
}

interface AlertFormProps extends Pick<LinesDialogProps, "changes"> {
  readonly hasFocus: boolean;
}

/** An alert at a price that is typed. */
function AlertForm({ changes, hasFocus }: AlertFormProps): ReactElement {
  const { busy, error, run } = useMutation();
  const [made, setMade] = useState(0);
  const add = async (price: string): Promise<void> => {
    if (await run(() => changes.addAlert(price))) setMade(made + 1);
  };
  return (
    <div className={styles.alert}>
      <PriceForm
        key={made}
        label="Alert at"
        verb="Add alert"
        first=""
        hasFocus={hasFocus || made > 0}
        busy={busy}
        onPrice={(price) => void add(price)}
      />
      <ErrorText text={error?.message ?? null} />
    </div>
  );
}

interface PriceFormProps {
  readonly label: string;
  /** Of its line. */
  readonly of?: string;
  readonly verb: string;
  readonly first: string;
  readonly hasFocus?: boolean;
  readonly busy?: boolean;
  readonly onPrice: (price: string) => void;
}

function PriceForm(props: PriceFormProps): ReactElement {
  const { label, of, verb, first, hasFocus = false, busy, onPrice } = props;
  const { rules } = useMarket();
  const [price, setPrice] = useState(first);
  const isOnTick = isAmount(price) && isMultiple(price, rules.tickSize) && Number(price) > 0;
  const wrong = price !== "" && !price.endsWith(".") && !isOnTick;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (isOnTick) onPrice(price);
  };
  return (
    <form className={styles.price} onSubmit={submit}>
      <Field
        label={label}
        aria-label={of === undefined ? label : `${label}: ${of}`}
        unit={rules.quoteAsset}
        inputMode="decimal"
        autoFocus={hasFocus}
        data-focus={hasFocus || undefined}
        value={price}
        error={wrong ? `A multiple of ${rules.tickSize}` : null}
        onText={(text) => setPrice(parseAmount(text))}
      />
      <Button type="submit" busy={busy ?? false} disabled={!isOnTick || price === first}>
        {verb}
      </Button>
    </form>
  );
}
