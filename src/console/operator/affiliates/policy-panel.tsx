/** The commission policy: a cap per invitee, and rules that hold commissions for review. */
import { type FormEvent, type ReactElement, useState } from "react";
import type { GetAffiliatePolicyAnswer } from "../../../client/index.ts";
import { Button } from "../../components/button.tsx";
import { Field, Switch } from "../../components/field.tsx";
import { FormError, fieldError } from "../../components/form-error.tsx";
import { Panel } from "../../components/panel.tsx";
import { QueryView } from "../../components/query-view.tsx";
import { useMutation } from "../../data/mutation.ts";
import { useQuery } from "../../data/query.ts";
import layout from "../components/layout.module.css";
import { useOperator } from "../session/operator-session.tsx";

const FIELDS = ["capPerReferral30d", "washTradeShare"];

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
  const { busy, error, run } = useMutation();
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    const done = await run(async () => {
      await client.setAffiliatePolicy(draft);
      return "Policy saved; it applies to new fills";
    });
    if (done) onDone();
  };
  const { capPerReferral30d, holdSelfReferral, holdWashTrades, washTradeShare } = draft;
  return (
    <form className={layout.form} onSubmit={(event) => void submit(event)}>
      <Field
        label="30-day cap per affiliate and invitee"
        unit="USDT"
        placeholder="No cap"
        value={capPerReferral30d ?? ""}
        error={fieldError(error, "capPerReferral30d")}
        onText={(text) =>
          setDraft({ ...draft, capPerReferral30d: text.trim() === "" ? null : text.trim() })
        }
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
        error={fieldError(error, "washTradeShare")}
        hint="0.5 = half of the trades"
        onText={(text) => setDraft({ ...draft, washTradeShare: text.trim() })}
      />
      <FormError error={error} fields={FIELDS} />
      <div className={layout.ends}>
        <Button
          type="submit"
          tone="accent"
          busy={busy}
          disabled={JSON.stringify(draft) === JSON.stringify(policy)}
        >
          Save policy
        </Button>
      </div>
    </form>
  );
}
