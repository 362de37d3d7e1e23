/** Reports what custody holds, all of it together. */
import { type ReactElement, useState } from "react";
import { Button } from "../../components/button.tsx";
import { Field } from "../../components/field.tsx";
import { ErrorText } from "../../components/form-error.tsx";
import { parseUtcTime } from "../../data/utc.ts";
import layout from "../components/layout.module.css";
import { MutationDialog } from "../components/mutation-form.tsx";
import { useOperator } from "../session/operator-session.tsx";

interface Balance {
  readonly asset: string;
  readonly amount: string;
}

const NO_BALANCE: Balance = { asset: "", amount: "" };
/** As in the operator API. */
const BALANCES_MAX = 500;

export interface ReportDialogProps {
  /** Of the last report. */
  readonly assets: readonly string[];
  readonly onClose: () => void;
  readonly onDone: () => void;
}

export function ReportDialog({ assets, onClose, onDone }: ReportDialogProps): ReactElement {
  const { client } = useOperator();
  const [balances, setBalances] = useState<readonly Balance[]>(() =>
    assets.length === 0 ? [NO_BALANCE] : assets.map((asset) => ({ asset, amount: "" })),
  );
  const [time, setTime] = useState("");
  const asOf = parseUtcTime(time);
  const isTimeWrong = time.trim() !== "" && asOf === null;
  const filled = balances
    .map(({ asset, amount }) => ({ asset: asset.trim().toUpperCase(), amount: amount.trim() }))
    .filter(({ amount }) => amount !== "");
  const report = async (): Promise<string> => {
    const moment = asOf === null ? {} : { asOf };
    await client.reportCustodyBalances({ balances: filled, ...moment });
    return "Balances reported";
  };
  return (
    <MutationDialog
      title="Report balances"
      submit="Report"
      disabled={isTimeWrong || filled.length === 0 || filled.some(({ asset }) => asset === "")}
      act={report}
      onClose={onClose}
      onDone={onDone}
    >
      {(errorOf) => (
        <>
          <p>Enter the total of all your wallets and banks. Assets left empty are not reported.</p>
          <BalanceFields balances={balances} error={errorOf("balances")} onBalances={setBalances} />
          <Field
            label="As of (optional)"
            placeholder="2026-01-31 08:05 UTC"
            value={time}
            error={isTimeWrong ? "Enter a time such as 2026-01-31 08:05" : errorOf("asOf")}
            hint="Empty: now."
            onText={setTime}
          />
        </>
      )}
    </MutationDialog>
  );
}

interface BalanceFieldsProps {
  readonly balances: readonly Balance[];
  readonly error: string | null;
  readonly onBalances: (balances: readonly Balance[]) => void;
}

function BalanceFields({ balances, error, onBalances }: BalanceFieldsProps): ReactElement {
  const change = (at: number, part: Partial<Balance>): void =>
    onBalances(balances.map((balance, i) => (i === at ? { ...balance, ...part } : balance)));
  return (
    <fieldset className={layout.group}>
      <legend>Balances</legend>
      {balances.map(({ asset, amount }, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a balance is identified by its place
        <div key={i} className={layout.inline}>
          <Field
            label={`Asset ${i + 1}`}
            value={asset}
            onText={(text) => change(i, { asset: text })}
          />
          <Field
            label={`Amount ${i + 1}`}
            inputMode="decimal"
            value={amount}
            onText={(text) => change(i, { amount: text })}
          />
          <Button
            size="small"
            aria-label={`Remove balance ${i + 1}`}
            disabled={balances.length === 1}
            onClick={() => onBalances(balances.filter((_, at) => at !== i))}
          >
            ✕
          </Button>
        </div>
      ))}
      <ErrorText text={error} />
      <Button
        size="small"
        disabled={balances.length >= BALANCES_MAX}
        onClick={() => onBalances([...balances, NO_BALANCE])}
      >
        Add a balance
      </Button>
    </fieldset>
  );
}
