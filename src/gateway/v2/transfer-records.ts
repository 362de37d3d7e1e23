/** GET /api/v2/account/transferRecords: the caller's transfers between wallets, newest first. */
import { transferRecordsRoute } from "../../api/v2/account.ts";
import { endpoint } from "../endpoint.ts";
import { askTransfers } from "../spot/wallet-history.ts";

export const transferRecords = endpoint(transferRecordsRoute, ({ caller, query }, exchange) =>
  askTransfers(exchange, caller.uid, query),
);
