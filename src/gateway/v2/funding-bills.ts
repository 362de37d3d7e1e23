/** POST /api/v2/account/fundingBills: the caller's deposits and withdrawals, newest first. */
import { fundingBillsRoute } from "../../api/v2/account.ts";
import { endpoint } from "../endpoint.ts";
import { toNumber } from "../spot/parameters-v2.ts";
import { askFundingBills } from "../spot/wallet-history.ts";

export const fundingBills = endpoint(fundingBillsRoute, ({ caller, body }, exchange) =>
  askFundingBills(exchange, caller.uid, {
    coinId: body.coinId,
    startTime: toNumber(body.startTime),
    endTime: toNumber(body.endTime),
    pageIndex: toNumber(body.pageIndex),
    pageSize: toNumber(body.pageSize),
  }),
);
