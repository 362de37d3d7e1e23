/** The filters of the audit page. */
import type { ReactElement } from "react";
import { Button } from "../../components/button.tsx";
import { Choice, Field } from "../../components/field.tsx";
import styles from "./audit-page.module.css";
import { type Draft, NO_FILTER, problems } from "./filter-draft.ts";

const ACTIONS = [
  { value: "", text: "Any" },
  { value: "spot-market-state-set", text: "Spot market halted or resumed" },
  { value: "contract-market-state-set", text: "Contract halted or resumed" },
  { value: "spot-market-set", text: "Spot market rules" },
  { value: "contract-market-set", text: "Contract rules" },
  { value: "asset-set", text: "Asset" },
  { value: "index-price-set", text: "Index price" },
  { value: "user-registered", text: "User registered" },
  { value: "user-updated", text: "User changed" },
  { value: "house-account-set", text: "House account" },
  { value: "fee-rates-set", text: "Fee rates" },
  { value: "api-key-set", text: "API key created or changed" },
  { value: "api-key-revoked", text: "API key revoked" },
  { value: "funds-moved", text: "Funds moved" },
  { value: "insurance-moved", text: "Insurance fund" },
  { value: "deposit-changed", text: "Deposit" },
  { value: "withdrawal-changed", text: "Withdrawal" },
  { value: "withdrawal-rules-set", text: "Withdrawal rules" },
  { value: "custody-reported", text: "Custody balances" },
  { value: "operator-set", text: "Operator added or changed" },
  { value: "operator-removed", text: "Operator removed" },
  { value: "approval-rule-set", text: "Second-operator rule" },
  { value: "proposal-changed", text: "Proposal" },
  { value: "affiliate-set", text: "Affiliate" },
  { value: "affiliate-policy-set", text: "Affiliate policy" },
  { value: "commission-released", text: "Commission released" },
  { value: "commission-reversed", text: "Commission reversed" },
  { value: "settlement-asked", text: "Commissions settled" },
  { value: "webhook-set", text: "Webhook" },
  { value: "webhook-removed", text: "Webhook removed" },
  { value: "clock-set", text: "Clock set" },
  { value: "clock-advanced", text: "Clock advanced" },
] as const;

interface AuditFiltersProps {
  readonly draft: Draft;
  readonly onChange: (draft: Draft) => void;
}

export function AuditFilters({ draft, onChange }: AuditFiltersProps): ReactElement {
  const { actor, action, uid, symbol, text, from, to } = draft;
  const wrong = problems(draft);
  const set = (change: Partial<Draft>): void => onChange({ ...draft, ...change });
  return (
    <search className={styles.filters}>
      <Field
        label="Text"
        type="search"
        placeholder="Anywhere in the entry"
        maxLength={128}
        value={text}
        onText={(typed) => set({ text: typed })}
      />
      <Field
        label="Operator"
        value={actor}
        maxLength={64}
        error={wrong.actor}
        onText={(typed) => set({ actor: typed })}
      />
      <Choice
        label="Action"
        value={action}
        options={ACTIONS}
        onValue={(chosen) => set({ action: chosen })}
      />
      <Field
        label="User"
        placeholder="UID"
        inputMode="numeric"
        value={uid}
        error={wrong.uid}
        onText={(typed) => set({ uid: typed })}
      />
      <Field
        label="Market"
        placeholder="BTCUSDT"
        maxLength={40}
        value={symbol}
        error={wrong.symbol}
        onText={(typed) => set({ symbol: typed })}
      />
      <Field label="From (UTC)" type="date" value={from} onText={(day) => set({ from: day })} />
      <Field
        label="To (UTC)"
        type="date"
        value={to}
        error={wrong.to}
        onText={(day) => set({ to: day })}
      />
      <Button onClick={() => onChange(NO_FILTER)}>Clear filters</Button>
    </search>
  );
}
