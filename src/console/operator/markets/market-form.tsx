/** The rules of a new or existing market. */
import { type FormEvent, type ReactElement, useState } from "react";
import { Button } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { Choice, Field } from "../../components/field.tsx";
import { FormError, fieldError } from "../../components/form-error.tsx";
import { useMutation } from "../../data/mutation.ts";
import layout from "../components/layout.module.css";
import { useOperator } from "../session/operator-session.tsx";
import { FIELDS, type Market, type Product, setMarket, type Tier } from "./market-kind.ts";
import { changedRules, type RuleTexts, toRules, toTexts } from "./rule-fields.ts";
import { FIRST_TIER, TierFields } from "./tier-fields.tsx";

interface Names {
  readonly symbol: string;
  readonly baseAsset: string;
  readonly quoteAsset: string;
}

export interface MarketFormProps {
  readonly product: Product;
  /** Null for a new one. */
  readonly market: Market | null;
  readonly assets: readonly string[];
  readonly onClose: () => void;
  readonly onDone: () => void;
}

export function MarketForm(props: MarketFormProps): ReactElement {
  const { product, market, assets, onClose, onDone } = props;
  const { client } = useOperator();
  const fields = FIELDS[product];
  const before = toTexts(fields, market);
  const [names, setNames] = useState<Names>(market ?? newNames(assets));
  const [texts, setTexts] = useState<RuleTexts>(before);
  const [tiers, setTiers] = useState<readonly Tier[]>(tiersOf(market));
  const { busy, error, run } = useMutation();
  const { symbol, baseAsset, quoteAsset } = names;
  const isContract = product === "contract";
  const save = async (): Promise<string> => {
    const rules = toRules(fields, texts);
    const named = { symbol, baseAsset, quoteAsset };
    await setMarket(client, product, { ...rules, ...named, ...(isContract ? { tiers } : {}) });
    return market === null ? `${symbol} listed` : `Rules of ${symbol} saved`;
  };
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (!(await run(save))) return;
    onDone();
    onClose();
  };
  const haveTiersChanged = JSON.stringify(tiers) !== JSON.stringify(tiersOf(market));
  const changes =
    market === null
      ? []
      : [...changedRules(fields, before, texts), ...(haveTiersChanged ? ["Tiers: as above"] : [])];
  const title = market === null ? `List a new ${product} market` : `Rules of ${symbol}, ${product}`;
  return (
    <Dialog title={title} open onClose={onClose}>
      <form className={layout.form} onSubmit={(event) => void submit(event)}>
        {market === null ? (
          <NameFields names={names} assets={assets} error={error} onNames={setNames} />
        ) : null}
        <div className={layout.fields}>
          {fields.map(({ name, label, kind, hint, isNeeded }) => (
            <Field
              key={name}
              label={label}
              inputMode={kind === "whole" ? "numeric" : "decimal"}
              hint={hint}
              placeholder={market === null && isNeeded !== true ? "Default" : undefined}
              required={isNeeded}
              value={texts[name] ?? ""}
              error={fieldError(error, name)}
              onText={(text) => setTexts({ ...texts, [name]: text })}
            />
          ))}
        </div>
        {isContract ? (
          <TierFields tiers={tiers} error={fieldError(error, "tiers")} onTiers={setTiers} />
        ) : null}
        <Consequence isNew={market === null} symbol={symbol} changes={changes} />
        <FormError error={error} fields={[...NAMES, ...fields.map(({ name }) => name)]} />
        <div className={layout.ends}>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            type="submit"
            tone="accent"
            busy={busy}
            disabled={market === null ? symbol === "" : changes.length === 0}
          >
            {market === null ? "List market" : "Save"}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

/** Fields besides the rules that show their own error. */
const NAMES = ["symbol", "baseAsset", "quoteAsset", "tiers"];

interface NameFieldsProps {
  readonly names: Names;
  readonly assets: readonly string[];
  readonly error: Error | null;
  readonly onNames: (names: Names) => void;
}

function NameFields({ names, assets, error, onNames }: NameFieldsProps): ReactElement {
  const options = assets.map((asset) => ({ value: asset, text: asset }));
  const { symbol, baseAsset, quoteAsset } = names;
  return (
    <div className={layout.fields}>
      <Choice
        label="Base asset"
        value={baseAsset}
        options={options}
        onValue={(base) => onNames({ ...names, baseAsset: base, symbol: base + quoteAsset })}
      />
      <Choice
        label="Quote asset"
        value={quoteAsset}
        options={options}
        onValue={(quote) => onNames({ ...names, quoteAsset: quote, symbol: baseAsset + quote })}
      />
      <Field
        label="Symbol"
        value={symbol}
        error={
          fieldError(error, "symbol") ??
          fieldError(error, "baseAsset") ??
          fieldError(error, "quoteAsset")
        }
        onText={(text) => onNames({ ...names, symbol: text.trim().toUpperCase() })}
      />
    </div>
  );
}

interface ConsequenceProps {
  readonly isNew: boolean;
  readonly symbol: string;
  readonly changes: readonly string[];
}

function Consequence({ isNew, symbol, changes }: ConsequenceProps): ReactElement | null {
  if (isNew) {
    return (
      <p className={layout.dim}>
        {symbol} opens for trading immediately. Empty fields get their defaults.
      </p>
    );
  }
  if (changes.length === 0) return null;
  return (
    <div role="status">
      <p>Applies to new orders:</p>
      <ul>
        {changes.map((change) => (
          <li key={change}>{change}</li>
        ))}
      </ul>
    </div>
  );
}

function newNames(assets: readonly string[]): Names {
  const quoteAsset = assets.includes("USDT") ? "USDT" : (assets[0] ?? "");
  const baseAsset = assets.find((asset) => asset !== quoteAsset) ?? "";
  return { symbol: baseAsset + quoteAsset, baseAsset, quoteAsset };
}

function tiersOf(market: Market | null): readonly Tier[] {
  return market !== null && "tiers" in market ? market.tiers : [FIRST_TIER];
}
