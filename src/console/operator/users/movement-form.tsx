/** Deposits, withdraws or transfers a user's funds, once per ID. */
import { type FormEvent, type ReactElement, useState } from "react";
import type { OperatorClient } from "../../../client/index.ts";
import { Button } from "../../components/button.tsx";
import { Choice, Field, Segments } from "../../components/field.tsx";
import { FormError, fieldError } from "../../components/form-error.tsx";
import { Panel } from "../../components/panel.tsx";
import { useMutation } from "../../data/mutation.ts";
import { useQuery } from "../../data/query.ts";
import { isAmount } from "../../decimals/arithmetic.ts";
import { groupDecimal } from "../../decimals/format.ts";
import layout from "../components/layout.module.css";
import { newMovementId } from "../components/movement-id.ts";
import { useOperator } from "../session/operator-session.tsx";
import { MOVEMENT_KINDS, type MovementKind } from "./movement-kind.ts";

type Wallet = "spot" | "contract";

const FIELDS = ["amount", "id", "asset"];
const LIMIT = 1_000;

const WALLETS = [
  { value: "spot", text: "Spot wallet" },
  { value: "contract", text: "Contract wallet" },
] as const;

const DIRECTIONS = [
  { value: "spot", text: "From spot to contract" },
  { value: "contract", text: "From contract to spot" },
] as const;

interface Movement {
  readonly kind: MovementKind;
  /** For a transfer, the source. */
  readonly wallet: Wallet;
  readonly asset: string;
  readonly amount: string;
  readonly id: string;
}

const newMovement = (): Movement => ({
  kind: "deposit",
  wallet: "spot",
  asset: "USDT",
  amount: "",
  id: newMovementId(),
});

export interface MovementFormProps {
  readonly uid: number;
  readonly onDone: () => void;
}

export function MovementForm({ uid, onDone }: MovementFormProps): ReactElement {
  const { client } = useOperator();
  const names = useAssetNames();
  const options = names.map((name) => ({ value: name, text: name }));
  const [movement, setMovement] = useState(newMovement);
  const { busy, error, run } = useMutation();
  const { kind, wallet, amount, id } = movement;
  const chosen = names.includes(movement.asset) ? movement.asset : (names[0] ?? "");
  const change = (part: Partial<Movement>): void => setMovement({ ...movement, ...part });
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    const done = await run(async () => {
      const balance = await move(client, uid, { ...movement, asset: chosen });
      return `New balance: ${groupDecimal(balance)} ${chosen}`;
    });
    if (!done) return;
    setMovement({ ...movement, amount: "", id: newMovementId() });
    onDone();
  };
  return (
    <Panel title="Move funds">
      <form className={layout.form} onSubmit={(event) => void submit(event)}>
        <Segments
          label="Type"
          value={kind}
          options={MOVEMENT_KINDS}
          onValue={(value) => change({ kind: value })}
        />
        <div className={layout.fields}>
          <Choice
            label={kind === "transfer" ? "Direction" : "Wallet"}
            value={wallet}
            options={kind === "transfer" ? DIRECTIONS : WALLETS}
            onValue={(value) => change({ wallet: value })}
          />
          <Choice
            label="Asset"
            value={chosen}
            options={options}
            onValue={(value) => change({ asset: value })}
          />
          <Field
            label="Amount"
            unit={chosen}
            inputMode="decimal"
            value={amount}
            error={amountError(amount, error)}
            onText={(text) => change({ amount: text.trim() })}
          />
        </div>
        <Field
          label="ID"
          value={id}
          error={fieldError(error, "id")}
          hint="Each ID is executed only once."
          onText={(text) => change({ id: text.trim() })}
        />
        <FormError error={error} fields={FIELDS} />
        <Button
          type="submit"
          tone={kind === "withdrawal" ? "sell" : "accent"}
          busy={busy}
          disabled={!isAmount(amount) || id === ""}
        >
          {submitText(movement, chosen)}
        </Button>
      </form>
    </Panel>
  );
}

/** Empty while loading. */
function useAssetNames(): readonly string[] {
  const { client } = useOperator();
  const { answer } = useQuery("assets", (signal) =>
    client.listAssets({ limit: LIMIT }, { signal }),
  );
  return answer?.items.map(({ asset }) => asset) ?? [];
}

function amountError(amount: string, error: Error | null): string | null {
  if (amount !== "" && !isAmount(amount)) return "Enter a number above 0, such as 12.5";
  return fieldError(error, "amount") ?? fieldError(error, "asset");
}

function submitText({ kind, wallet, amount }: Movement, asset: string): string {
  const what = isAmount(amount) ? `${groupDecimal(amount)} ${asset}` : asset;
  switch (kind) {
    case "deposit":
      return `Deposit ${what} into the ${wallet} wallet`;
    case "withdrawal":
      return `Withdraw ${what} from the ${wallet} wallet`;
    case "transfer":
      return `Transfer ${what} from the ${wallet} wallet`;
  }
}

/** Resolves to the new balance. */
async function move(client: OperatorClient, uid: number, movement: Movement): Promise<string> {
  const { kind, wallet, asset, amount, id } = movement;
  const input = { uid, id, asset, amount };
  switch (kind) {
    case "deposit":
      return (await client.makeDeposit({ ...input, account: wallet })).balance;
    case "withdrawal":
      return (await client.makeWithdrawal({ ...input, account: wallet })).balance;
    case "transfer": {
      const to = wallet === "spot" ? "contract" : "spot";
      return (await client.makeTransfer({ ...input, from: wallet, to })).balance;
    }
  }
}
