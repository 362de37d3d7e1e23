/**
 * Sets up an exchange for a test, through the operator API alone: assets, markets, users, keys,
 * funds.
 */
import type { ExchangeProcess } from "./exchange-process.ts";
import { type Credentials, SignedClient } from "./signed-client.ts";

export interface MarketRules {
  readonly baseAsset: string;
  readonly quoteAsset: string;
  readonly tickSize: string;
  readonly stepSize: string;
  readonly minTradeAmount: string;
  readonly maxTradeAmount: string;
  readonly minNotional: string;
  readonly makerFeeRate: string;
  readonly takerFeeRate: string;
  readonly buyLimitPriceRatio: string;
  readonly sellLimitPriceRatio: string;
  readonly state: "trading" | "cancel-only" | "halted";
  readonly maxOpenOrders?: number;
}

/** Rules that leave room: a test that is about one of them narrows it. */
export const BTCUSDT: MarketRules = {
  baseAsset: "BTC",
  quoteAsset: "USDT",
  tickSize: "0.01",
  stepSize: "0.00001",
  minTradeAmount: "0.0001",
  maxTradeAmount: "9000",
  minNotional: "1",
  makerFeeRate: "0.001",
  takerFeeRate: "0.001",
  buyLimitPriceRatio: "0.5",
  sellLimitPriceRatio: "0.5",
  state: "trading",
};

export const ETHUSDT: MarketRules = {
  ...BTCUSDT,
  baseAsset: "ETH",
  stepSize: "0.0001",
  minTradeAmount: "0.001",
  makerFeeRate: "0.0008",
  takerFeeRate: "0.0012",
};

export type Permission = "read" | "spot" | "contract" | "affiliate" | "withdraw" | "keys";

/** Of a running exchange, what is needed to use it. */
type Reached = Pick<ExchangeProcess, "operator" | "port">;

export interface Account {
  readonly uid: number;
  readonly credentials: Credentials;
  readonly client: SignedClient;
}

export const PASSPHRASE = "correct7horse";

export async function listAssets(exchange: Reached): Promise<void> {
  const eth = { coinId: 3, name: "Ether", scale: 8 };
  await exchange.operator.call("PUT", "/operator/v1/assets/ETH", eth);
}

export async function listMarket(
  exchange: Reached,
  symbol: string,
  rules: MarketRules,
): Promise<void> {
  await exchange.operator.call("PUT", `/operator/v1/markets/spot/${symbol}`, rules);
}

/** ETH beside the assets of the empty profile, and the two markets above. */
export async function listStandardMarkets(exchange: Reached): Promise<void> {
  await listAssets(exchange);
  await listMarket(exchange, "BTCUSDT", BTCUSDT);
  await listMarket(exchange, "ETHUSDT", ETHUSDT);
}

export async function registerUser(exchange: Reached): Promise<number> {
  return (await exchange.operator.call<{ uid: number }>("POST", "/operator/v1/users", {})).uid;
}

export async function issueKey(
  exchange: Reached,
  uid: number,
  permissions: readonly Permission[] = ["read", "spot"],
  ipAllowList?: readonly string[],
): Promise<Credentials> {
  const body = { label: "test", permissions, passphrase: PASSPHRASE };
  const path = `/operator/v1/users/${uid}/api-keys`;
  return exchange.operator.call<Credentials>(
    "POST",
    path,
    ipAllowList === undefined ? body : { ...body, ipAllowList },
  );
}

let depositsMade = 0;

async function deposit(
  exchange: Reached,
  uid: number,
  asset: string,
  amount: string,
): Promise<void> {
  depositsMade++;
  await exchange.operator.call("POST", `/operator/v1/users/${uid}/deposits`, {
    id: `deposit-${process.pid}-${depositsMade}`,
    account: "spot",
    asset,
    amount,
  });
}

/** A user with a key for spot and reads, and with funds. */
export async function openAccount(
  exchange: Reached,
  funds: Readonly<Record<string, string>> = {},
): Promise<Account> {
  const uid = await registerUser(exchange);
  const credentials = await issueKey(exchange, uid);
  for (const [asset, amount] of Object.entries(funds)) await deposit(exchange, uid, asset, amount);
  return { uid, credentials, client: new SignedClient(exchange.port, credentials) };
}
