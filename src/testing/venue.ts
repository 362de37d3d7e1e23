/**
 * What a test trades on: markets with permissive rules, the assets they need, and users with funds
 * and a key.
 */
import type { OperatorCalls } from "./operator-calls.ts";

/** `BTCUSDT`, or a symbol with the settings to override, named as in the operator API. */
export type MarketChoice =
  | string
  | (Readonly<Record<string, unknown>> & { readonly symbol: string });

/** With `indexPrice`, the initial mark price. */
export type ContractChoice =
  | string
  | (Readonly<Record<string, unknown>> & {
      readonly symbol: string;
      readonly indexPrice?: string;
    });

type Rules = Readonly<Record<string, unknown>> & {
  readonly symbol: string;
  readonly baseAsset: string;
  readonly quoteAsset: string;
};

/** Half the last price in either direction: tests move prices faster than real markets do. */
const PRICE_RATIO = "0.5";

const SPOT_RULES = {
  tickSize: "0.01",
  stepSize: "0.00001",
  buyLimitPriceRatio: PRICE_RATIO,
  sellLimitPriceRatio: PRICE_RATIO,
};

/** The index is never stale, so that nothing depends on how long a test takes. */
const CONTRACT_RULES = {
  tickSize: "0.1",
  stepSize: "0.001",
  indexStaleMs: 0,
  buyLimitPriceRatio: PRICE_RATIO,
  sellLimitPriceRatio: PRICE_RATIO,
  tiers: [
    { maxNotional: "1000000", maintenanceMarginRate: "0.005", maxLeverage: 100 },
    { maxNotional: "5000000", maintenanceMarginRate: "0.01", maxLeverage: 50 },
    { maxNotional: "1000000000", maintenanceMarginRate: "0.025", maxLeverage: 20 },
  ],
};

const INDEX_PRICES: Readonly<Record<string, string>> = { BTC: "60000", ETH: "3000" };
const INDEX_PRICE = "100";
const QUOTE_ASSETS = ["USDT", "USDC", "BTC", "ETH"];
const SCALE = 8;

interface Asset {
  readonly asset: string;
  readonly coinId: number;
}

/** Lists what is missing; existing markets stay as they are, with their orders. */
export async function listMarkets(
  operator: OperatorCalls,
  spot: readonly MarketChoice[],
  contracts: readonly ContractChoice[],
): Promise<void> {
  const spotRules = spot.map((choice) => ({ ...SPOT_RULES, ...withAssets(choice) }));
  const contractRules = contracts.map((choice) => ({ ...CONTRACT_RULES, ...withAssets(choice) }));
  await listAssets(operator, [...spotRules, ...contractRules]);
  for (const rules of await missing(operator, "spot", spotRules)) {
    const { symbol, ...body } = rules;
    await operator.call("PUT", `markets/spot/${symbol}`, body);
  }
  for (const rules of await missing(operator, "contract", contractRules)) {
    const { symbol, indexPrice, ...body } = rules as Rules & { readonly indexPrice?: string };
    await operator.call("PUT", `markets/contract/${symbol}`, body);
    const price = indexPrice ?? INDEX_PRICES[rules.baseAsset] ?? INDEX_PRICE;
    await operator.call("PUT", `index-prices/${symbol}`, { price, force: true });
  }
}

function withAssets(choice: MarketChoice): Rules {
  const rules = typeof choice === "string" ? { symbol: choice } : choice;
  const { symbol } = rules;
  const quoteAsset = QUOTE_ASSETS.find((asset) => symbol.endsWith(asset) && symbol !== asset);
  const named = { quoteAsset, baseAsset: symbol.slice(0, -(quoteAsset?.length ?? 0)), ...rules };
  if (named.quoteAsset !== undefined) return named as Rules;
  throw new Error(
    `${symbol} ends with none of ${QUOTE_ASSETS.join(", ")}: give its baseAsset and quoteAsset.`,
  );
}

async function listAssets(operator: OperatorCalls, markets: readonly Rules[]): Promise<void> {
  const { items } = await operator.call<{ readonly items: readonly Asset[] }>(
    "GET",
    "assets?limit=1000",
  );
  const listed = new Set(items.map(({ asset }) => asset));
  let coinId = Math.max(0, ...items.map((asset) => asset.coinId));
  for (const asset of markets.flatMap(({ baseAsset, quoteAsset }) => [baseAsset, quoteAsset])) {
    if (listed.has(asset)) continue;
    listed.add(asset);
    coinId++;
    await operator.call("PUT", `assets/${asset}`, { coinId, name: asset, scale: SCALE });
  }
}

async function missing(
  operator: OperatorCalls,
  kind: "spot" | "contract",
  wanted: readonly Rules[],
): Promise<readonly Rules[]> {
  if (wanted.length === 0) return [];
  const { items } = await operator.call<{ readonly items: readonly { readonly symbol: string }[] }>(
    "GET",
    `markets/${kind}?limit=1000`,
  );
  const listed = new Set(items.map(({ symbol }) => symbol));
  return wanted.filter(({ symbol }) => !listed.has(symbol));
}

export type Permission = "read" | "spot" | "contract" | "affiliate" | "withdraw" | "keys";

export interface UserOptions {
  /** By default the next free one. */
  readonly uid?: number;
  /** The invite code of another user. */
  readonly inviteCode?: string;
  /** Amounts by asset for the spot wallet; USDT is also put into the contract wallet. */
  readonly funds?: Readonly<Record<string, string>>;
  /** Amounts by asset, as decimal text: `{ USDT: "10000" }`. They replace those of `funds`. */
  readonly spot?: Readonly<Record<string, string>>;
  readonly contract?: Readonly<Record<string, string>>;
  /** By default all. */
  readonly permissions?: readonly Permission[];
}

/** A client's credentials, and the user's own invite code. */
export interface TestUser {
  readonly uid: number;
  readonly inviteCode: string;
  readonly apiKey: string;
  readonly secret: string;
  readonly passphrase: string;
}

const DEFAULT_PERMISSIONS: readonly Permission[] = ["read", "spot", "contract", "affiliate"];
const PASSPHRASE = "test-passphrase";

export async function createUser(operator: OperatorCalls, options: UserOptions): Promise<TestUser> {
  const { uid: wanted, inviteCode: invitedWith, permissions = DEFAULT_PERMISSIONS } = options;
  const { uid, inviteCode } = await operator.call<Pick<TestUser, "uid" | "inviteCode">>(
    "POST",
    "users",
    { uid: wanted, inviteCode: invitedWith },
  );
  const { funds = {} } = options;
  const { USDT } = funds;
  const wallets = {
    spot: { ...funds, ...options.spot },
    contract: { ...(USDT === undefined ? {} : { USDT }), ...options.contract },
  };
  for (const account of ["spot", "contract"] as const) {
    for (const [asset, amount] of Object.entries(wallets[account])) {
      await deposit(operator, { uid, account, asset, amount });
    }
  }
  const key = await operator.call<Pick<TestUser, "apiKey" | "secret" | "passphrase">>(
    "POST",
    `users/${uid}/api-keys`,
    { permissions, passphrase: PASSPHRASE },
  );
  return { uid, inviteCode, ...key };
}

export interface Deposit {
  readonly uid: number;
  readonly account: "spot" | "contract";
  readonly asset: string;
  readonly amount: string;
}

let deposits = 0;

/** The wallet's balance afterwards. */
export async function deposit(operator: OperatorCalls, made: Deposit): Promise<string> {
  const { uid, ...movement } = made;
  // Also unique where a test continues with the folder of an earlier run.
  const id = `testing-${process.pid}-${Date.now()}-${++deposits}`;
  const { balance } = await operator.call<{ readonly balance: string }>(
    "POST",
    `users/${uid}/deposits`,
    { id, ...movement },
  );
  return balance;
}
