/** The exchange's UTC day: its clock may differ from this computer's. */
import type { AffiliateProfile } from "../../client/index.ts";
import { utcDay } from "../data/utc.ts";

/** The next settlement ends the current hour, which is part of today. */
export function exchangeToday({ nextSettlementTime }: AffiliateProfile): string {
  return utcDay(nextSettlementTime - 1);
}
