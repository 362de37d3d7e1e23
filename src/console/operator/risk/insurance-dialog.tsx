/** Deposits into or withdraws from an insurance fund. */
import { type FormEvent, type ReactElement, useState } from "react";
import { Button } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { Field } from "../../components/field.tsx";
import { FormError, fieldError } from "../../components/form-error.tsx";
import { useMutation } from "../../data/mutation.ts";
import { isAmount } from "../../decimals/arithmetic.ts";
import { groupDecimal } from "../../decimals/format.ts";
import layout from "../components/layout.module.css";
import { newMovementId } from "../components/movement-id.ts";
import { useOperator } from "../session/operator-session.tsx";

export interface InsuranceMovement {
  readonly asset: string;
  readonly kind: "deposit" | "withdrawal";
}

const FIELDS = ["amount", "id"];

export interface InsuranceDialogProps extends InsuranceMovement {
  readonly onClose: () => void;
  readonly onDone: () => void;
}

export function InsuranceDialog(props: InsuranceDialogProps): ReactElement {
  const { asset, kind, onClose, onDone } = props;
  const { client } = useOperator();
  const [amount, setAmount] = useState("");
  const [id, setId] = useState(newMovementId);
  const { busy, error, run } = useMutation();
  const move = async (): Promise<string> => {
    const input = { asset, id, amount };
    const { balance } =
      kind === "deposit"
        ? await client.makeInsuranceDeposit(input)
        : await client.makeInsuranceWithdrawal(input);
    return `${asset} insurance fund: ${groupDecimal(balance)}`;
  };
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (!(await run(move))) return;
    onDone();
    onClose();
  };
  const words = kind === "deposit" ? "Deposit into" : "Withdraw from";
  return (
    <Dialog title={`${words} the ${asset} insurance fund`} open onClose={onClose}>
      <form className={layout.form} onSubmit={(event) => void submit(event)}>
        <p>
          {kind === "deposit"
            ? "Liquidations that were waiting for cover are retried."
            : "With a smaller fund, profitable traders are auto-deleveraged sooner."}
        </p>
        <Field
          label="Amount"
          unit={asset}
          inputMode="decimal"
          value={amount}
          error={fieldError(error, "amount")}
          onText={setAmount}
        />
        <Field
          label="ID"
          value={id}
          error={fieldError(error, "id")}
          hint="Each ID is executed only once."
          onText={setId}
        />
        <FormError error={error} fields={FIELDS} />
        <div className={layout.ends}>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" tone="accent" busy={busy} disabled={!isAmount(amount) || id === ""}>
            {words} the fund
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
