/** Deposits into or withdraws from an insurance fund. */
import { type ReactElement, useState } from "react";
import { Field } from "../../components/field.tsx";
import { isAmount } from "../../decimals/arithmetic.ts";
import { groupDecimal } from "../../decimals/format.ts";
import { newMovementId } from "../components/movement-id.ts";
import { MutationDialog } from "../components/mutation-form.tsx";
import { useOperator } from "../session/operator-session.tsx";

export interface InsuranceMovement {
  readonly asset: string;
  readonly kind: "deposit" | "withdrawal";
}

export interface InsuranceDialogProps extends InsuranceMovement {
  readonly onClose: () => void;
  readonly onDone: () => void;
}

export function InsuranceDialog(props: InsuranceDialogProps): ReactElement {
  const { asset, kind, onClose, onDone } = props;
  const { client } = useOperator();
  const [amount, setAmount] = useState("");
  const [id, setId] = useState(newMovementId);
  const move = async (): Promise<string> => {
    const input = { asset, id, amount };
    const { balance } =
      kind === "deposit"
        ? await client.makeInsuranceDeposit(input)
        : await client.makeInsuranceWithdrawal(input);
    return `${asset} insurance fund: ${groupDecimal(balance)}`;
  };
  const verb = kind === "deposit" ? "Deposit into" : "Withdraw from";
  return (
    <MutationDialog
      title={`${verb} the ${asset} insurance fund`}
      submit={`${verb} the fund`}
      disabled={!isAmount(amount) || id === ""}
      act={move}
      onClose={onClose}
      onDone={onDone}
    >
      {(errorOf) => (
        <>
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
            error={errorOf("amount")}
            onText={setAmount}
          />
          <Field
            label="ID"
            value={id}
            error={errorOf("id")}
            hint="Each ID is executed only once."
            onText={setId}
          />
        </>
      )}
    </MutationDialog>
  );
}
