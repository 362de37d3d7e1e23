/** Who calls has to be an affiliate; what the engine knows of the caller goes with every report. */
import { type Refusal, refuse } from "../../api/errors.ts";
import type { AffiliateView, Seen, Unavailable } from "../../protocol/index.ts";
import type { Exchange } from "../endpoint.ts";

/** With the sequence that a report has to have reached, and the exchange time at which it is. */
export async function askCallingAffiliate(
  { engine }: Exchange,
  uid: number,
): Promise<Seen<AffiliateView> | Refusal | (Unavailable & { readonly ok: false })> {
  const reply = await engine.ask<"affiliate">({ type: "affiliate", uid });
  // The uid is the key's, so there is no field that the caller could send in another way.
  return reply.ok || "unavailable" in reply ? reply : refuse(reply.reason);
}
