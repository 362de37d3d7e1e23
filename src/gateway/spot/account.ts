/** Spot v3: balances, bills, deposits and withdrawals, transfers between the caller's wallets. */
import { refuse } from "../../api/errors.ts";
import {
  accountRoute,
  billsRoute,
  fundingBillsRoute,
  transferRecordsRoute,
  transferRoute,
} from "../../api/v3/account.ts";
import { accept } from "../../domain/index.ts";
import type { SpotMarketView, UserView } from "../../protocol/index.ts";
import { type Endpoint, endpoint } from "../endpoint.ts";
import { withWireNames } from "../wire-names.ts";
import { higherRate, toRateE8 } from "./markets.ts";
import { plainDecimal } from "./plain-decimal.ts";
import {
  queryBills,
  queryFundingBills,
  queryTransfers,
  WALLETS_BY_TYPE,
} from "./wallet-history.ts";

const TRANSFER_NAMES = {
  id: "clientTransferId",
  from: "fromType",
  to: "toType",
  asset: "coinName",
};

export const account = endpoint(accountRoute, async ({ caller }, { engine }) => {
  const [user, markets, balances] = await Promise.all([
    engine.query({ type: "user", uid: caller.uid }),
    engine.query({ type: "spot-markets", symbol: null }),
    engine.query({ type: "spot-balances", uid: caller.uid }),
  ]);
  if (!user.ok) return user;
  if (!markets.ok) return markets;
  if (!balances.ok) return balances;
  const active = user.value.state === "active";
  const rates = spotFeeRates(user.value, markets.value);
  return accept({
    makerCommission: toBasisPoints(rates.maker),
    takerCommission: toBasisPoints(rates.taker),
    commissionRates: rates,
    canTrade: active,
    canWithdraw: active,
    canDeposit: true,
    updateTime: balances.timestampMs,
    accountType: "SPOT" as const,
    balances: balances.value.map(({ asset, available, frozen }) => ({
      asset,
      free: available,
      locked: frozen,
    })),
    permissions: ["SPOT"],
    uid: caller.uid,
  });
});

interface Rates {
  readonly maker: string;
  readonly taker: string;
}

/** One pair of rates for all markets: the user's own, else the highest that a market asks. */
function spotFeeRates(user: UserView, markets: readonly SpotMarketView[]): Rates {
  const own = user.feeRates.find(({ product, symbol }) => product === "spot" && symbol === null);
  if (own !== undefined) return { maker: own.makerFeeRate, taker: own.takerFeeRate };
  return {
    maker: highest(markets.map(({ makerFeeRate }) => makerFeeRate)),
    taker: highest(markets.map(({ takerFeeRate }) => takerFeeRate)),
  };
}

function highest(rates: readonly string[]): string {
  return rates.reduce(higherRate, "0");
}

function toBasisPoints(rate: string): number {
  return Number(toRateE8(rate)) / 10_000;
}

export const bills = endpoint(billsRoute, ({ caller, body }, exchange) =>
  queryBills(exchange, caller.uid, body),
);

export const fundingBills = endpoint(fundingBillsRoute, ({ caller, body }, exchange) =>
  queryFundingBills(exchange, caller.uid, body),
);

export const transferRecords = endpoint(transferRecordsRoute, ({ caller, query }, exchange) =>
  queryTransfers(exchange, caller.uid, query),
);

export const transfer = endpoint(transferRoute, async ({ caller, body }, { engine }) => {
  const { clientTransferId, fromType, toType, coinName, amount } = body;
  if (fromType === toType) {
    return refuse("parameter-out-of-range", "toType", "another wallet than fromType");
  }
  const moved = await engine.execute({
    type: "transfer-own-funds",
    requestId: clientTransferId,
    uid: caller.uid,
    from: WALLETS_BY_TYPE[fromType],
    to: WALLETS_BY_TYPE[toType],
    asset: coinName,
    amount,
  });
  if (!moved.ok) return withWireNames(moved, TRANSFER_NAMES);
  return accept({
    clientTransferId,
    status: "Successful" as const,
    coinName,
    amount: plainDecimal(amount),
    fromType,
    toType,
    balance: moved.value.balance,
  });
});

export const ACCOUNT_ENDPOINTS: readonly Endpoint[] = [
  account,
  bills,
  fundingBills,
  transferRecords,
  transfer,
];
