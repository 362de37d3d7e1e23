/**
 * Fills an empty venue with the demo. Every step is a command or a key with an id of its own, so a
 * second run, or one after a crash, only adds what is missing.
 */
import { join } from "node:path";
import { invariant, PERMISSIONS, PRODUCTS, type Product, type Result } from "../domain/index.ts";
import { NODE_PLATFORM, type Randomness } from "../platform/index.ts";
import type { ApiKeyView, CommandOf, EngineClient } from "../protocol/index.ts";
import { seedAffiliates, seedInvitees } from "./affiliate-seed.ts";
import { seedContracts } from "./contract-seed.ts";
import {
  BOT_FUNDS_QUOTE,
  DEMO_AFFILIATE_UID,
  DEMO_ASSETS,
  DEMO_MARKETS,
  DEMO_TRADER_FUNDS,
  DEMO_TRADER_INVITERS,
  DEMO_TRADER_UIDS,
  type DemoMarket,
  MAKER_UID,
  TAKER_UID,
} from "./demo-profile.ts";
import { readPrivateJson, writePrivateJson } from "./private-json.ts";
import { seedFunds, seedUser } from "./seed-accounts.ts";
import { ACTOR, must } from "./seed-command.ts";

export interface DemoAccount {
  readonly uid: number;
  readonly apiKey: string;
  readonly secret: string;
  readonly passphrase: string;
}

/** Creates keys; the key vault implements it. */
export interface DemoKeys {
  create(
    uid: number,
    passphrase: string,
  ): Promise<Result<{ readonly apiKey: string; readonly secret: string }>>;
  activate(settings: ApiKeyView): Promise<void>;
}

const KEYS_FILE = "demo-keys.json";
const PRICE_RATIO = "0.1";
const FEE_RATE = "0.001";

/** `beforeKeys` runs when everything but the keys exists: until then nobody can use the venue. */
export async function seedDemo(
  engine: EngineClient,
  keys: DemoKeys,
  dataFolder: string,
  beforeKeys: () => Promise<void> = async () => undefined,
  randomness: Randomness = NODE_PLATFORM.randomness,
): Promise<readonly DemoAccount[]> {
  await seedMarkets(engine);
  const hasAffiliates = await seedAffiliates(engine);
  for (const uid of DEMO_TRADER_UIDS) {
    await seedUser(engine, uid, hasAffiliates ? (DEMO_TRADER_INVITERS[uid] ?? null) : null);
    await seedFunds(engine, uid, DEMO_TRADER_FUNDS);
  }
  for (const uid of [MAKER_UID, TAKER_UID]) {
    await seedUser(engine, uid);
    await seedFunds(engine, uid, botFunds());
    await seedHouseAccount(engine, uid);
    for (const product of PRODUCTS) await seedZeroFees(engine, uid, product);
  }
  if (hasAffiliates) await seedInvitees(engine);
  await seedContracts(engine);
  await beforeKeys();
  const uids = hasAffiliates ? [...DEMO_TRADER_UIDS, DEMO_AFFILIATE_UID] : DEMO_TRADER_UIDS;
  return seedKeys(engine, keys, uids, join(dataFolder, KEYS_FILE), randomness);
}

async function seedMarkets(engine: EngineClient): Promise<void> {
  const assets = await engine.query({ type: "assets" });
  const markets = await engine.query({ type: "spot-markets", symbol: null });
  invariant(assets.ok && markets.ok, "a starting engine answers");
  for (const asset of DEMO_ASSETS) {
    if (assets.value.some((listed) => listed.asset === asset.asset)) continue;
    await must(engine, { type: "set-asset", actor: ACTOR, ...asset });
  }
  for (const market of DEMO_MARKETS) {
    if (markets.value.some((listed) => listed.symbol === market.symbol)) continue;
    await must(engine, listing(market));
  }
}

function listing(market: DemoMarket): CommandOf<"set-spot-market"> {
  const { symbol, baseAsset, quoteAsset, tickSize, stepSize } = market;
  const { minTradeAmount, maxTradeAmount } = market;
  return {
    type: "set-spot-market",
    actor: ACTOR,
    symbol,
    baseAsset,
    quoteAsset,
    tickSize,
    stepSize,
    minTradeAmount,
    maxTradeAmount,
    minNotional: "1",
    makerFeeRate: FEE_RATE,
    takerFeeRate: FEE_RATE,
    buyLimitPriceRatio: PRICE_RATIO,
    sellLimitPriceRatio: PRICE_RATIO,
    maxOpenOrders: 200,
    state: "trading",
  };
}

function botFunds(): Record<string, string> {
  const funds: Record<string, string> = { USDT: String(BOT_FUNDS_QUOTE * DEMO_MARKETS.length) };
  for (const { baseAsset, referencePrice } of DEMO_MARKETS) {
    funds[baseAsset] = String(Math.ceil(BOT_FUNDS_QUOTE / referencePrice));
  }
  return funds;
}

/** The traders belong to the venue itself; their trades earn no commissions. */
async function seedHouseAccount(engine: EngineClient, uid: number): Promise<void> {
  const user = await engine.query({ type: "user", uid });
  if (user.ok && user.value.house) return;
  await must(engine, { type: "set-house-account", actor: ACTOR, uid, house: true });
}

async function seedZeroFees(engine: EngineClient, uid: number, product: Product): Promise<void> {
  const user = await engine.query({ type: "user", uid });
  if (user.ok && user.value.feeRates.some((rates) => rates.product === product)) return;
  await must(engine, {
    type: "set-fee-rates",
    actor: ACTOR,
    uid,
    product,
    symbol: null,
    makerFeeRate: "0",
    takerFeeRate: "0",
  });
}

/** Keys of an earlier start are used again as long as the exchange knows them. */
async function seedKeys(
  engine: EngineClient,
  keys: DemoKeys,
  uids: readonly number[],
  path: string,
  randomness: Randomness,
): Promise<readonly DemoAccount[]> {
  const kept = readAccounts(path);
  const accounts: DemoAccount[] = [];
  for (const uid of uids) {
    const former = kept.find((account) => account.uid === uid);
    const known =
      former !== undefined && (await engine.query({ type: "api-key", apiKey: former.apiKey })).ok;
    const passphrase = () => randomness.bytes(8).toString("hex");
    accounts.push(known ? former : await makeKey(engine, keys, uid, passphrase()));
  }
  writePrivateJson(path, accounts);
  return accounts;
}

function readAccounts(path: string): DemoAccount[] {
  const kept = readPrivateJson(path);
  if (!Array.isArray(kept)) return [];
  return kept.filter(
    (account): account is DemoAccount =>
      typeof account?.uid === "number" &&
      typeof account.apiKey === "string" &&
      typeof account.secret === "string" &&
      typeof account.passphrase === "string",
  );
}

async function makeKey(
  engine: EngineClient,
  keys: DemoKeys,
  uid: number,
  passphrase: string,
): Promise<DemoAccount> {
  const drawn = await keys.create(uid, passphrase);
  invariant(drawn.ok, "the key store has room for the demo's keys");
  const { apiKey, secret } = drawn.value;
  const settings: ApiKeyView = {
    apiKey,
    uid,
    label: "demo",
    permissions: PERMISSIONS.filter((permission) => permission !== "withdraw"),
    ipAllowList: [],
    expiresAtMs: null,
  };
  await must(engine, { type: "set-api-key", actor: ACTOR, ...settings });
  await keys.activate(settings);
  return { uid, apiKey, secret, passphrase };
}
