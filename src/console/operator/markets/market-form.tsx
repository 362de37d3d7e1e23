/** The rules of a new or existing market. */
import { type ReactElement, useState } from "react";
import { Choice, Field } from "../../components/field.tsx";
import layout from "../components/layout.module.css";
import { MutationDialog } from "../components/mutation-form.tsx";
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
  const { symbol, baseAsset, quoteAsset } = names;
  const isContract = product === "contract";
  const save = async (): Promise<string> => {
    const rules = toRules(fields, texts);
    const named = { symbol, baseAsset, quoteAsset };
    await setMarket(client, product, { ...rules, ...named, ...(isContract ? { tiers } : {}) });
    return market === null ? `${symbol} listed` : `Rules of ${symbol} saved`;
  };
  const haveTiersChanged = JSON.stringify(tiers) !== JSON.stringify(tiersOf(market));
  const changes =
    market === null
      ? []
      : [...changedRules(fields, before, texts), ...(haveTiersChanged ? ["Tiers: as above"] : [])];
  const isNew = market === null;
  return (
    <MutationDialog
      title={isNew ? `List a new ${product} market` : `Rules of ${symbol}, ${product}`}
      submit={isNew ? "List market" : "Save"}
      disabled={isNew ? symbol === "" : changes.length === 0}
      act={save}
      onClose={onClose}
      onDone={onDone}
    >
      {(errorOf) => (
        <>
          {isNew ? (
            <NameFields
              names={names}
              assets={assets}
              error={errorOf("symbol") ?? errorOf("baseAsset") ?? errorOf("quoteAsset")}
              onNames={setNames}
            />
          ) : null}
          <div className={layout.fields}>
            {fields.map(({ name, label, kind, hint, isNeeded }) => (
              <Field
                key={name}
                label={label}
                inputMode={kind === "whole" ? "numeric" : "decimal"}
                hint={hint}
                placeholder={isNew && isNeeded !== true ? "Default" : undefined}
                required={isNeeded}
                value={texts[name] ?? ""}
                error={errorOf(name)}
                onText={(text) => setTexts({ ...texts, [name]: text })}
              />
            ))}
          </div>
          {isContract ? (
            <TierFields tiers={tiers} error={errorOf("tiers")} onTiers={setTiers} />
          ) : null}
          <Consequence isNew={isNew} symbol={symbol} changes={changes} />
        </>
      )}
    </MutationDialog>
  );
}

interface NameFieldsProps {
  readonly names: Names;
  readonly assets: readonly string[];
  readonly error: string | null;
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
        error={error}
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
