/**
 * The accounts of the house: one that makes books and moves prices, and one that takes the other
 * side in a scenario. They are ordinary users without fees or commissions, registered when they are
 * first needed and funded by deposits as they need them, so that the ledger stays whole.
 */
import {
  accept,
  formatDecimal,
  PRODUCTS,
  type Product,
  parseSignedDecimal,
  reject,
} from "../../domain/index.ts";
import type { EngineClient } from "../../protocol/index.ts";
import { MAKER_UID } from "../demo-profile.ts";
import type { MarketRules } from "./market-moment.ts";
import type { Outcome } from "./outcome.ts";

/** Where the demo's maker is not. */
const LIQUIDITY_UID = 990_001;

/** The other side of a scenario. */
const COUNTERPARTY_UID = 990_002;

/** Deposits are larger than what is missing, so that there are few. */
const RESERVE_FACTOR = 4n;

/** What orders may cost, in minor units. */
export interface Needs {
  readonly quoteMinor: bigint;
  readonly baseMinor: bigint;
}

/** The account that makes books; in the demo its maker. */
export async function openLiquidityAccount(
  engine: EngineClient,
  actor: string,
): Promise<Outcome<number>> {
  const uid = await liquidityUid(engine);
  return uid === MAKER_UID ? accept(uid) : await openHouseAccount(engine, uid, actor);
}

/** Which account that is, also before it is registered. */
export async function liquidityUid(engine: EngineClient): Promise<number> {
  const maker = await engine.query({ type: "user", uid: MAKER_UID });
  return maker.ok && maker.value.house ? MAKER_UID : LIQUIDITY_UID;
}

export function openCounterparty(engine: EngineClient, actor: string): Promise<Outcome<number>> {
  return openHouseAccount(engine, COUNTERPARTY_UID, actor);
}

export function isCounterparty(uid: number): boolean {
  return uid === COUNTERPARTY_UID;
}

/** Registers it unless it is there. */
async function openHouseAccount(
  engine: EngineClient,
  uid: number,
  actor: string,
): Promise<Outcome<number>> {
  const user = await engine.query({ type: "user", uid });
  if (user.ok) {
    if (user.value.house) return accept(uid);
    return reject("conflict", "uid", `uid ${uid} is taken by a user; the house needs it`);
  }
  if ("unavailable" in user) return user;
  const inviteCode = `HOUSE${uid}`;
  const replies = await Promise.all([
    engine.execute({
      type: "register-user",
      actor,
      uid,
      inviteCode,
      invitedWith: null,
      kyc: true,
    }),
    engine.execute({ type: "set-house-account", actor, uid, house: true }),
    ...PRODUCTS.map((product) => withoutFees(engine, uid, product, actor)),
  ]);
  for (const reply of replies) if (!reply.ok) return reply;
  return accept(uid);
}

function withoutFees(engine: EngineClient, uid: number, product: Product, actor: string) {
  return engine.execute({
    type: "set-fee-rates",
    actor,
    uid,
    product,
    symbol: null,
    makerFeeRate: "0",
    takerFeeRate: "0",
  });
}

/** Makes a deposit where the account has less than it needs, its open orders counted as free. */
export async function fund(
  engine: EngineClient,
  uid: number,
  rules: MarketRules,
  needs: Needs,
  actor: string,
): Promise<Outcome<null>> {
  const { baseAsset, baseScale, product, quoteAsset, quoteScale } = rules;
  const quote = { asset: quoteAsset, scale: quoteScale, neededMinor: needs.quoteMinor };
  const base = { asset: baseAsset, scale: baseScale, neededMinor: needs.baseMinor };
  const present = await presentMinor(engine, uid, product);
  if (!present.ok) return present;
  for (const { asset, scale, neededMinor } of product === "spot" ? [quote, base] : [quote]) {
    const has = present.value.minorOf(asset, scale);
    if (has >= neededMinor) continue;
    const amount = formatDecimal(neededMinor * RESERVE_FACTOR - has, scale);
    const deposited = await engine.execute({
      type: "deposit-funds",
      actor,
      // The sequence makes it another deposit each time, and the same in a repeated run.
      requestId: `house-${present.value.sequence}-${asset}`,
      uid,
      wallet: product,
      asset,
      amount,
    });
    if (!deposited.ok) {
      if ("unavailable" in deposited) return deposited;
      const detail = `the exchange cannot hold another ${amount} ${asset}: use smaller quantities`;
      return reject("out-of-range", null, detail);
    }
  }
  return accept(null);
}

interface Present {
  readonly sequence: number;
  minorOf(asset: string, scale: number): bigint;
}

async function presentMinor(
  engine: EngineClient,
  uid: number,
  product: Product,
): Promise<Outcome<Present>> {
  if (product === "spot") {
    const reply = await engine.query({ type: "spot-balances", uid });
    if (!reply.ok) return reply;
    return accept({
      sequence: reply.sequence,
      minorOf: (asset, scale) => {
        return amountMinor(reply.value.find((row) => row.asset === asset)?.equity, scale);
      },
    });
  }
  const reply = await engine.query({ type: "contract-balances", uid });
  if (!reply.ok) return reply;
  return accept({
    sequence: reply.sequence,
    minorOf: (asset, scale) => {
      const row = reply.value.find((balance) => balance.asset === asset);
      return amountMinor(row?.availableBalance, scale) + amountMinor(row?.frozen, scale);
    },
  });
}

function amountMinor(text: string | undefined, scale: number): bigint {
  const minor = parseSignedDecimal(text ?? "0", scale);
  return typeof minor === "bigint" ? minor : 0n;
}

/** As little leverage as the contract allows, so that no tier limits what the house holds. */
export async function lowerLeverage(
  engine: EngineClient,
  uid: number,
  symbol: string,
): Promise<Outcome<null>> {
  const [settings, markets, orders] = await Promise.all([
    engine.query({ type: "contract-settings", uid, symbol }),
    engine.query({ type: "contract-markets", symbol }),
    engine.query({ type: "contract-open-orders", uid, symbol }),
  ]);
  if (!settings.ok) return settings;
  if (!markets.ok) return markets;
  if (!orders.ok) return orders;
  const lowest = markets.value[0]?.minLeverage ?? 1;
  const isLowest = settings.value[0]?.crossLeverage === lowest;
  if (isLowest || orders.value.length > 0) return accept(null);
  const set = await engine.execute({
    type: "set-leverage",
    uid,
    symbol,
    marginType: null,
    crossLeverage: lowest,
    isolatedLongLeverage: null,
    isolatedShortLeverage: null,
  });
  // With too little margin for the present position it stays as it is.
  return !set.ok && "unavailable" in set ? set : accept(null);
}
