/** Spot v2: balances, bills, deposits and withdrawals, transfers. */
import {
  accountAssetsRoute,
  billsRoute,
  fundingBillsRoute,
  transferRecordsRoute,
} from "../../api/v2/account.ts";
import { accept } from "../../domain/index.ts";
import { type Endpoint, endpoint } from "../endpoint.ts";
import { queryBills, queryFundingBills, queryTransfers } from "./wallet-history.ts";

const accountAssets = endpoint(accountAssetsRoute, async ({ caller }, { engine }) => {
  const reply = await engine.query<"spot-balances">({ type: "spot-balances", uid: caller.uid });
  if (!reply.ok) return reply;
  return accept(
    reply.value.map(({ coinId, asset, available, frozen, equity }) => {
      return { coinId, coinName: asset, available, frozen, equity };
    }),
  );
});

export const bills = endpoint(billsRoute, ({ caller, body }, exchange) =>
  queryBills(exchange, caller.uid, body),
);

export const fundingBills = endpoint(fundingBillsRoute, ({ caller, body }, exchange) =>
  queryFundingBills(exchange, caller.uid, body),
);

export const transferRecords = endpoint(transferRecordsRoute, ({ caller, query }, exchange) =>
  queryTransfers(exchange, caller.uid, query),
);

export const V2_ACCOUNT_ENDPOINTS: readonly Endpoint[] = [
  accountAssets,
  bills,
  fundingBills,
  transferRecords,
];
