/** GET /api/v3/account/transferRecords: the caller's transfers between wallets, newest first. */
import { transferRecordsRoute } from "../../api/v3/account.ts";
import { endpoint } from "../endpoint.ts";
import { askTransfers } from "../spot/wallet-history.ts";

export const transferRecordsEndpoint = endpoint(
  transferRecordsRoute,
  ({ caller, query }, exchange) => askTransfers(exchange, caller.uid, query),
);
