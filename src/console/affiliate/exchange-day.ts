/** Which UTC day the exchange has: its clock may be another one than this computer's. */
import type { AffiliateProfile } from "../../client/index.ts";
import { utcDay } from "./utc-days.ts";

/** The next settlement is at the full hour that ends the present one, which lies in today. */
export function exchangeToday({ nextSettlementTime }: AffiliateProfile): string {
  return utcDay(nextSettlementTime - 1);
}
