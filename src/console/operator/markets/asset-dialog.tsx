/** Lists an asset, which markets can then use. */
import { type ReactElement, useState } from "react";
import { Field } from "../../components/field.tsx";
import layout from "../components/layout.module.css";
import { MutationDialog } from "../components/mutation-form.tsx";
import { useOperator } from "../session/operator-session.tsx";

const FIELDS = [
  { key: "asset", label: "Asset", hint: "A-Z 0-9, such as ADA" },
  { key: "name", label: "Name", hint: "Such as Cardano" },
  { key: "coinId", label: "Coin ID", hint: "Its ID in the API" },
  { key: "scale", label: "Decimals", hint: "Cannot change once used" },
] as const;

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
  const { asset, name, coinId, scale } = texts;
  const list = async (): Promise<string> => {
    await client.setAsset({ asset, name, coinId: Number(coinId), scale: Number(scale) });
    return `${asset} listed`;
  };
  const change = (key: keyof typeof texts, text: string): void =>
    setTexts({ ...texts, [key]: key === "asset" ? text.toUpperCase() : text });
  return (
    <MutationDialog
      title="List an asset"
      submit="List asset"
      disabled={asset === "" || name === ""}
      act={list}
      onClose={onClose}
      onDone={onDone}
    >
      {(errorOf) => (
        <div className={layout.fields}>
          {FIELDS.map(({ key, label, hint }) => (
            <Field
              key={key}
              label={label}
              hint={hint}
              value={texts[key]}
              error={errorOf(key)}
              onText={(text) => change(key, text)}
            />
          ))}
        </div>
      )}
    </MutationDialog>
  );
}
