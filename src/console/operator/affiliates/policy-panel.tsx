/** The commission policy: a cap per invitee, and rules that hold commissions for review. */
import { type ReactElement, useState } from "react";
import type { GetAffiliatePolicyAnswer } from "../../../client/index.ts";
import { Field, Switch } from "../../components/field.tsx";
import { Panel } from "../../components/panel.tsx";
import { QueryView } from "../../components/query-view.tsx";
import { useQuery } from "../../data/query.ts";
import { MutationForm } from "../components/mutation-form.tsx";
import { useOperator } from "../session/operator-session.tsx";

export function PolicyPanel(): ReactElement {
  const { client } = useOperator();
  const query = useQuery("policy", (signal) => client.getAffiliatePolicy({ signal }));
  return (
    <Panel title="Policy">
      <QueryView what="the policy" query={query}>
        {(policy) => (
          <PolicyForm key={JSON.stringify(policy)} policy={policy} onDone={query.refresh} />
        )}
      </QueryView>
    </Panel>
  );
}

interface PolicyFormProps {
  readonly policy: GetAffiliatePolicyAnswer;
  readonly onDone: () => void;
}

function PolicyForm({ policy, onDone }: PolicyFormProps): ReactElement {
  const { client } = useOperator();
  const [draft, setDraft] = useState(policy);
  const save = async (): Promise<string> => {
    await client.setAffiliatePolicy(draft);
    return "Policy saved; it applies to new fills";
  };
  const { capPerReferral30d, holdSelfReferral, holdWashTrades, washTradeShare } = draft;
  return (
    <MutationForm
      submit="Save policy"
      disabled={JSON.stringify(draft) === JSON.stringify(policy)}
      act={save}
      onDone={onDone}
    >
      {(errorOf) => (
        <>
          <Field
            label="30-day cap per affiliate and invitee"
            unit="USDT"
            placeholder="No cap"
            value={capPerReferral30d ?? ""}
            error={errorOf("capPerReferral30d")}
            onText={(text) => setDraft({ ...draft, capPerReferral30d: text.trim() || null })}
          />
          <Switch
            label="Hold commissions on suspected self-referrals"
            checked={holdSelfReferral}
            onChange={(checked) => setDraft({ ...draft, holdSelfReferral: checked })}
          />
          <Switch
            label="Hold commissions on suspected wash trades"
            checked={holdWashTrades}
            onChange={(checked) => setDraft({ ...draft, holdWashTrades: checked })}
          />
          <Field
            label="Wash-trade threshold (share of trades with the same counterparty)"
            value={washTradeShare}
            error={errorOf("washTradeShare")}
            hint="0.5 = half of the trades"
            onText={(text) => setDraft({ ...draft, washTradeShare: text.trim() })}
          />
        </>
      )}
    </MutationForm>
  );
}
