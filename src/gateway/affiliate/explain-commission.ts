/** GET explainCommission: everything behind one commission of the caller's. */
import {
  v2ExplainCommissionRoute,
  v3ExplainCommissionRoute,
} from "../../api/affiliate/explanation.ts";
import { refuse } from "../../api/errors.ts";
import type { AnswerOf, QueryOf } from "../../api/route.ts";
import { accept } from "../../domain/index.ts";
import { type EndpointRequest, type Exchange, endpoint, type Outcome } from "../endpoint.ts";
import { askPast } from "../history.ts";
import { askCallingAffiliate } from "./calling-affiliate.ts";
import { explain } from "./explanations.ts";
import { readId } from "./parameters.ts";

async function explainCommission(
  { caller, query }: EndpointRequest<QueryOf<typeof v2ExplainCommissionRoute>, unknown>,
  exchange: Exchange,
): Promise<Outcome<AnswerOf<typeof v2ExplainCommissionRoute>>> {
  const affiliate = await askCallingAffiliate(exchange, caller.uid);
  if (!affiliate.ok) return affiliate;
  const question = { commissionId: readId(query.commissionId) };
  const answer = await askPast(exchange, "commission", question, affiliate.sequence);
  if (!answer.ok) return answer;
  const detail = answer.value;
  // Somebody else's is the same answer as none.
  return detail === null || detail.commission.affiliateUid !== caller.uid
    ? refuse("unknown-commission", "commissionId")
    : accept(explain(detail));
}

export const v2ExplainCommissionEndpoint = endpoint(v2ExplainCommissionRoute, explainCommission);
export const v3ExplainCommissionEndpoint = endpoint(v3ExplainCommissionRoute, explainCommission);
