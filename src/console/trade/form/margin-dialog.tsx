/** Margin mode and leverage of a contract: shown on the form, changed in a dialog. */
import { type FormEvent, type ReactElement, useState } from "react";
import type { RialtoClient } from "../../../client/index.ts";
import { Button } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { Field, Segments } from "../../components/field.tsx";
import { Figure, Figures } from "../../components/figures.tsx";
import { FormError } from "../../components/form-error.tsx";
import { useMutation } from "../../data/mutation.ts";
import { dividedDown, times } from "../../decimals/arithmetic.ts";
import { groupDecimal, MONEY_DECIMALS } from "../../decimals/format.ts";
import { useSession } from "../../session/session.tsx";
import { useMarket } from "../market.tsx";
import styles from "./form.module.css";
import type { MarginSetting, MarginSettings } from "./form-queries.ts";
import { maxNotionalAt } from "./order-cost.ts";

const MODES = [
  { value: "CROSSED", text: "Cross" },
  { value: "ISOLATED", text: "Isolated" },
] as const;

export interface MarginButtonProps {
  readonly margin: MarginSettings;
  /** Margin for new orders; null while unknown. */
  readonly available: string | null;
}

export function MarginButton({ margin, available }: MarginButtonProps): ReactElement | null {
  const [open, setOpen] = useState(false);
  const { setting, refresh } = margin;
  if (setting === null) return null;
  const { marginType, crossLeverage, longLeverage, shortLeverage } = setting;
  const leverage =
    marginType === "CROSSED"
      ? `${crossLeverage}×`
      : longLeverage === shortLeverage
        ? `${longLeverage}×`
        : `${longLeverage}× / ${shortLeverage}×`;
  const mode = marginType === "CROSSED" ? "Cross" : "Isolated";
  return (
    <>
      <Button size="small" onClick={() => setOpen(true)}>
        {mode} {leverage}
      </Button>
      <Dialog title="Margin mode and leverage" open={open} onClose={() => setOpen(false)}>
        <MarginForm
          setting={setting}
          available={available}
          onDone={() => {
            setOpen(false);
            refresh();
          }}
        />
      </Dialog>
    </>
  );
}

interface MarginFormProps {
  readonly setting: MarginSetting;
  readonly available: string | null;
  readonly onDone: () => void;
}

function MarginForm({ setting, available, onDone }: MarginFormProps): ReactElement {
  const { client } = useSession();
  const { rules } = useMarket();
  const [marginType, setMarginType] = useState(setting.marginType);
  const [leverage, setLeverage] = useState(
    setting.marginType === "CROSSED" ? setting.crossLeverage : setting.longLeverage,
  );
  const { busy, error, run } = useMutation();
  const fits = /^[1-9]\d{0,3}$/.test(leverage) && Number(leverage) <= rules.maxLeverage;
  const save = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    const done = await run(async () => {
      await change(client, rules.symbol, setting, marginType, leverage);
      const mode = marginType === "CROSSED" ? "cross" : "isolated";
      return `${rules.symbol} set to ${mode} ${leverage}×`;
    });
    if (done) onDone();
  };
  return (
    <form className={styles.dialog} onSubmit={(event) => void save(event)}>
      <Segments label="Margin mode" value={marginType} options={MODES} onValue={setMarginType} />
      <p className={styles.hint}>
        {marginType === "CROSSED"
          ? "All cross positions share the wallet balance as margin."
          : "A position can only lose its own margin."}
      </p>
      <Field
        label={`Leverage (1–${rules.maxLeverage}×)`}
        unit="×"
        inputMode="numeric"
        value={leverage}
        error={fits ? null : `Enter a whole number from 1 to ${rules.maxLeverage}.`}
        onText={(text) => setLeverage(text.trim())}
      />
      <input
        type="range"
        min={1}
        max={rules.maxLeverage}
        value={fits ? leverage : "1"}
        aria-label="Leverage"
        onChange={(event) => setLeverage(event.target.value)}
      />
      {fits ? <LeverageFigures leverage={leverage} available={available} /> : null}
      <FormError error={error} />
      <Button type="submit" tone="accent" size="large" busy={busy} disabled={!fits}>
        Save
      </Button>
    </form>
  );
}

interface LeverageFiguresProps {
  readonly leverage: string;
  /** Margin for new orders; null while unknown. */
  readonly available: string | null;
}

/** What the leverage allows at most, and what it asks for. */
function LeverageFigures({ leverage, available }: LeverageFiguresProps): ReactElement {
  const { rules } = useMarket();
  const { quoteAsset } = rules;
  const notional = maxNotionalAt(leverage, rules);
  const money = (text: string): string => `${groupDecimal(text, MONEY_DECIMALS)} ${quoteAsset}`;
  return (
    <Figures label="At this leverage" shape="rows">
      <Figure name="Margin">{dividedDown("100", leverage, MONEY_DECIMALS)}% of the value</Figure>
      {notional === null ? null : <Figure name="Maximum position">{money(notional)}</Figure>}
      {available === null ? null : (
        <Figure name="With your available margin">{money(times(available, leverage))}</Figure>
      )}
    </Figures>
  );
}

async function change(
  client: RialtoClient,
  symbol: string,
  before: MarginSetting,
  marginType: MarginSetting["marginType"],
  leverage: string,
): Promise<void> {
  if (marginType !== before.marginType) {
    await client.contract.setMarginType({ symbol, marginType });
  }
  const leverages =
    marginType === "CROSSED"
      ? { crossLeverage: leverage }
      : { isolatedLongLeverage: leverage, isolatedShortLeverage: leverage };
  await client.contract.setLeverage({ symbol, marginType, ...leverages });
}
