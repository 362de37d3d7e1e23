/** Moves funds between the spot and the contract wallet. */
import { type FormEvent, type ReactElement, useState } from "react";
import { Button } from "../components/button.tsx";
import { Choice, Field, Segments } from "../components/field.tsx";
import { ErrorText } from "../components/form-error.tsx";
import { useMutation } from "../data/mutation.ts";
import { isAmount } from "../decimals/arithmetic.ts";
import { groupDecimal } from "../decimals/format.ts";
import { useSession } from "../session/session.tsx";
import styles from "./account-page.module.css";
import type { WalletRow } from "./wallets.ts";

const DIRECTIONS = [
  { value: "SPOT", text: "Spot to contracts" },
  { value: "CONTRACT", text: "Contracts to spot" },
] as const;
type Direction = (typeof DIRECTIONS)[number]["value"];

export interface TransferFormProps {
  readonly wallets: readonly WalletRow[];
  readonly onDone: () => void;
}

export function TransferForm({ wallets, onDone }: TransferFormProps): ReactElement {
  const { client } = useSession();
  const [from, setFrom] = useState<Direction>("SPOT");
  const [chosen, setChosen] = useState<string | null>(null);
  const [amount, setAmount] = useState("");
  const { busy, error, run } = useMutation();
  // Only margin assets have a contract wallet.
  const assets = wallets.filter(({ wallet }) => wallet === "Contracts").map(({ asset }) => asset);
  const asset = chosen ?? assets[0] ?? "";
  const wallet = from === "SPOT" ? "Spot" : "Contracts";
  const source = wallets.find((row) => row.asset === asset && row.wallet === wallet);
  const available = source?.available ?? "0";
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    const toType = from === "SPOT" ? "CONTRACT" : "SPOT";
    const move = async (): Promise<string> => {
      await client.spot.transfer({ fromType: from, toType, coinName: asset, amount });
      return `${groupDecimal(amount)} ${asset} moved`;
    };
    if (await run(move)) setAmount("");
    onDone();
  };
  return (
    <form className={styles.form} onSubmit={(event) => void submit(event)} aria-label="Transfer">
      <Segments label="Direction" value={from} options={DIRECTIONS} onValue={setFrom} />
      <p className={styles.hint}>
        Available: {groupDecimal(available)} {asset}
      </p>
      <div className={styles.fields}>
        <Choice
          label="Asset"
          showLabel
          value={asset}
          options={assets.map((value) => ({ value, text: value }))}
          onValue={setChosen}
        />
        <Field
          label="Amount"
          unit={asset}
          inputMode="decimal"
          value={amount}
          actions={
            <Button size="small" tone="quiet" onClick={() => setAmount(available)}>
              Max
            </Button>
          }
          onText={setAmount}
        />
        <Button type="submit" tone="accent" busy={busy} disabled={!isAmount(amount)}>
          Transfer
        </Button>
      </div>
      <ErrorText text={error?.message ?? null} />
    </form>
  );
}
