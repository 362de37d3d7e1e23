/** The affiliate routes, by topic. */
import { EXPLANATION_ROUTES } from "./explanation.ts";
import { OVERVIEW_ROUTES } from "./overview.ts";
import { AFFILIATE_REPORT_ROUTES } from "./reports.ts";
import { STATEMENT_ROUTES } from "./statement.ts";
import { INTERNAL_WITHDRAWAL_ROUTES } from "./withdrawals.ts";

export const AFFILIATE_ROUTES = [
  ...AFFILIATE_REPORT_ROUTES,
  ...INTERNAL_WITHDRAWAL_ROUTES,
  ...OVERVIEW_ROUTES,
  ...EXPLANATION_ROUTES,
  ...STATEMENT_ROUTES,
] as const;
