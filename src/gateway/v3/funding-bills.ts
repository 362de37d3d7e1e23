/** POST /api/v3/account/fundingBills: the caller's deposits and withdrawals, newest first. */
import { fundingBillsRoute } from "../../api/v3/account.ts";
import { endpoint } from "../endpoint.ts";
import { askFundingBills } from "../spot/wallet-history.ts";

export const fundingBillsEndpoint = endpoint(fundingBillsRoute, ({ caller, body }, exchange) =>
  askFundingBills(exchange, caller.uid, body),
);
