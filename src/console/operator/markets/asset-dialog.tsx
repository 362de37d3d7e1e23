/** Lists an asset, which markets can then use. */
import { type FormEvent, type ReactElement, useState } from "react";
import { Button } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { Field } from "../../components/field.tsx";
import { FormError, fieldError } from "../../components/form-error.tsx";
import { useMutation } from "../../data/mutation.ts";
import layout from "../components/layout.module.css";
import { useOperator } from "../session/operator-session.tsx";

const FIELDS = ["asset", "name", "coinId", "scale"];

export interface AssetDialogProps {
  /** The next unused ID. */
  readonly freeCoinId: number;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

export function AssetDialog({ freeCoinId, onClose, onDone }: AssetDialogProps): ReactElement {
  const { client } = useOperator();
  const [texts, setTexts] = useState({
    asset: "",
    name: "",
    coinId: String(freeCoinId),
    scale: "8",
  });
  const { busy, error, run } = useMutation();
  const { asset, name, coinId, scale } = texts;
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    const done = await run(async () => {
      await client.setAsset({ asset, name, coinId: Number(coinId), scale: Number(scale) });
      return `${asset} listed`;
    });
    if (!done) return;
    onDone();
    onClose();
  };
  const field = (key: keyof typeof texts, label: string, hint: string): ReactElement => (
    <Field
      label={label}
      hint={hint}
      value={texts[key]}
      error={fieldError(error, key)}
      onText={(text) => setTexts({ ...texts, [key]: key === "asset" ? text.toUpperCase() : text })}
    />
  );
  return (
    <Dialog title="List an asset" open onClose={onClose}>
      <form className={layout.form} onSubmit={(event) => void submit(event)}>
        <div className={layout.fields}>
          {field("asset", "Asset", "A-Z 0-9, such as ADA")}
          {field("name", "Name", "Such as Cardano")}
          {field("coinId", "Coin ID", "Its ID in the API")}
          {field("scale", "Decimals", "Cannot change once used")}
        </div>
        <FormError error={error} fields={FIELDS} />
        <div className={layout.ends}>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" tone="accent" busy={busy} disabled={asset === "" || name === ""}>
            {" "}
            List asset{" "}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
