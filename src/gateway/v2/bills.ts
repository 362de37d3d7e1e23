/** POST /api/v2/account/bills: changes of the caller's spot wallet, newest first. */
import { billsRoute } from "../../api/v2/account.ts";
import { endpoint } from "../endpoint.ts";
import { toNumber } from "../spot/parameters-v2.ts";
import { askBills } from "../spot/wallet-history.ts";

export const bills = endpoint(billsRoute, ({ caller, body }, exchange) =>
  askBills(exchange, caller.uid, {
    coinId: body.coinId,
    bizType: body.bizType,
    after: toNumber(body.after),
    before: toNumber(body.before),
    limit: toNumber(body.limit),
  }),
);
