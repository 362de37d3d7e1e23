/** POST /api/v3/account/bills: changes of the caller's spot wallet, newest first. */
import { billsRoute } from "../../api/v3/account.ts";
import { endpoint } from "../endpoint.ts";
import { askBills } from "../spot/wallet-history.ts";

export const billsEndpoint = endpoint(billsRoute, ({ caller, body }, exchange) =>
  askBills(exchange, caller.uid, body),
);
