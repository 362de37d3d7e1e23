/**
 * Sets up what a test trades contracts on, by the operator API alone: contract markets, their
 * index and mark, users whose contract wallet is funded, the exchange's clock.
 */
import type { ExchangeProcess } from "./exchange-process.ts";
import { type Account, issueKey, listAssets, registerUser } from "./exchange-setup.ts";
import { pathWithQuery, type Query, SignedClient } from "./signed-client.ts";

export interface ContractRules {
  readonly baseAsset: string;
  readonly quoteAsset: string;
  readonly marginAsset: string;
  readonly tickSize: string;
  readonly stepSize: string;
  readonly minOrderSize?: string;
  readonly maxOrderSize?: string;
  readonly maxPositionSize?: string;
  readonly marketOpenLimitSize?: string;
  readonly maxLeverage?: number;
  readonly buyLimitPriceRatio?: string;
  readonly sellLimitPriceRatio?: string;
  readonly fundingIntervalMinutes?: number;
  readonly indexStaleMs?: number;
  readonly maxOpenOrders?: number;
  readonly tiers: readonly {
    readonly maxNotional: string;
    readonly maintenanceMarginRate: string;
    readonly maxLeverage: number;
  }[];
}

/**
 * The rules of the worked example in the documentation; the fees are the defaults of a new market.
 * The index stays fresh for a day: a test that is about that sets a bound of its own.
 */
export const BTC_CONTRACT: ContractRules = {
  baseAsset: "BTC",
  quoteAsset: "USDT",
  marginAsset: "USDT",
  tickSize: "0.1",
  stepSize: "0.001",
  maxOrderSize: "1000",
  maxPositionSize: "5000",
  marketOpenLimitSize: "500",
  indexStaleMs: 86_400_000,
  tiers: [
    { maxNotional: "1000000", maintenanceMarginRate: "0.005", maxLeverage: 100 },
    { maxNotional: "5000000", maintenanceMarginRate: "0.01", maxLeverage: 50 },
    { maxNotional: "1000000000", maintenanceMarginRate: "0.025", maxLeverage: 20 },
  ],
};

const ETH_CONTRACT: ContractRules = {
  ...BTC_CONTRACT,
  baseAsset: "ETH",
  tickSize: "0.01",
  stepSize: "0.01",
};

const BTC_INDEX = "60000";
const ETH_INDEX = "3000";

export async function listContract(
  exchange: ExchangeProcess,
  symbol: string,
  rules: ContractRules,
): Promise<void> {
  await exchange.operator.call("PUT", `/operator/v1/markets/contract/${symbol}`, rules);
}

export async function setIndex(
  exchange: ExchangeProcess,
  symbol: string,
  price: string,
): Promise<void> {
  await exchange.operator.call("PUT", `/operator/v1/index-prices/${symbol}`, { price });
}

/** Every trigger and liquidation that the mark causes is done when this returns. */
export async function pinMark(
  exchange: ExchangeProcess,
  symbol: string,
  price: string | null,
): Promise<void> {
  await exchange.operator.call("PUT", `/operator/v1/sandbox/mark-prices/${symbol}`, { price });
}

/** ETH beside the assets of the empty profile, both contracts, and an index for each. */
export async function listStandardContracts(exchange: ExchangeProcess): Promise<void> {
  await listAssets(exchange);
  await listContract(exchange, "BTCUSDT", BTC_CONTRACT);
  await listContract(exchange, "ETHUSDT", ETH_CONTRACT);
  await setIndex(exchange, "BTCUSDT", BTC_INDEX);
  await setIndex(exchange, "ETHUSDT", ETH_INDEX);
}

let deposits = 0;

export async function depositContract(
  exchange: ExchangeProcess,
  uid: number,
  amount: string,
): Promise<void> {
  deposits++;
  await exchange.operator.call("POST", `/operator/v1/users/${uid}/deposits`, {
    id: `contract-${process.pid}-${deposits}`,
    account: "contract",
    asset: "USDT",
    amount,
  });
}

/** A user with a key for contracts and reads, and with USDT in the contract wallet. */
export async function openContractAccount(
  exchange: ExchangeProcess,
  amount = "0",
): Promise<Account> {
  const uid = await registerUser(exchange);
  const credentials = await issueKey(exchange, uid, ["read", "contract"]);
  if (amount !== "0") await depositContract(exchange, uid, amount);
  return { uid, credentials, client: new SignedClient(exchange.port, credentials) };
}

export interface PremiumIndexRow {
  readonly symbol: string;
  readonly markPrice: string;
  readonly indexPrice: string;
  readonly forecastFundingRate: string;
  readonly lastFundingRate: string;
  readonly interestRate: string;
  readonly nextFundingTime: number;
  readonly time: number;
  readonly collectCycle: number;
}

/** An unsigned read of the contract family that must succeed. */
export async function publicRead<Answer>(
  { client }: Account,
  path: string,
  query: Query = {},
): Promise<Answer> {
  const answer = await client.raw({ method: "GET", path: pathWithQuery(path, query) });
  if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${answer.text}`);
  return answer.body as Answer;
}

/** Exchange time jumps to just behind the market's next funding slot. */
export async function passFundingSlot(
  exchange: ExchangeProcess,
  account: Account,
  symbol: string,
): Promise<number> {
  const path = "/capi/v3/market/premiumIndex";
  const [row] = await publicRead<PremiumIndexRow[]>(account, path, { symbol });
  if (row === undefined) throw new Error(`no premium index of ${symbol}`);
  await exchange.operator.advanceClock(row.nextFundingTime - row.time + 1500);
  return row.nextFundingTime;
}
