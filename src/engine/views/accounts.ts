/** Assets, balances, users and API keys as callers see them. */
import { formatDecimal, type Product, RATE_SCALE } from "../../domain/index.ts";
import type {
  ApiKeyView,
  AssetView,
  DeadManSwitchView,
  EngineQuery,
  FeeRatesView,
  SpotBalanceView,
  UserView,
} from "../../protocol/index.ts";
import { feeRatesByKey } from "../accounts/user.ts";
import { SPOT_AVAILABLE, SPOT_FROZEN } from "../ledger/ledger.ts";
import { type ApiKey, type Asset, type State, type User, userBalance } from "../state.ts";

export function assetView(asset: Asset): AssetView {
  return { asset: asset.asset, coinId: asset.coinId, name: asset.name, scale: asset.scale };
}

/** Every listed asset, in order of coin id. */
export function assetsByCoinId(state: State): Asset[] {
  return state.assets.toSorted((one, other) => one.coinId - other.coinId);
}

export function spotBalanceViews(state: State, user: User): SpotBalanceView[] {
  return assetsByCoinId(state).map((asset) => {
    const availableMinor = userBalance(state, user, asset.index, SPOT_AVAILABLE);
    const frozenMinor = userBalance(state, user, asset.index, SPOT_FROZEN);
    return {
      asset: asset.asset,
      coinId: asset.coinId,
      available: formatDecimal(availableMinor, asset.scale),
      frozen: formatDecimal(frozenMinor, asset.scale),
      equity: formatDecimal(availableMinor + frozenMinor, asset.scale),
    };
  });
}

/** The countdowns of a user; an unknown user has none. */
export function deadManSwitchViews(
  { deadManSwitches }: State,
  uid: number,
  product: Product,
): DeadManSwitchView[] {
  return deadManSwitches.of(uid, product).map(({ symbol, countdownMs, firesAtMs, isHeld }) => {
    return { symbol, countdownMs, firesAtMs, isHeld };
  });
}

export function userView(user: User): UserView {
  // By key, as in a snapshot: the answer does not depend on when the process was started.
  const feeRates = feeRatesByKey(user).map(([key, rates]): FeeRatesView => {
    const [product, symbol] = key.split(":");
    return {
      product: product as Product,
      symbol: symbol ?? null,
      makerFeeRate: formatDecimal(BigInt(rates.makerFeeRateE8), RATE_SCALE),
      takerFeeRate: formatDecimal(BigInt(rates.takerFeeRateE8), RATE_SCALE),
    };
  });
  return {
    uid: user.uid,
    inviteCode: user.inviteCode,
    inviterUid: user.inviterUid,
    kyc: user.kyc,
    state: user.state,
    house: user.house,
    selfTradePrevention: user.selfTradePrevention,
    registeredMs: user.registeredMs,
    feeRates,
  };
}

/** At most `limit` users with a uid above `afterUid`, ascending. */
export function userViews(state: State, afterUid: number, limit: number): UserView[] {
  const uids = [...state.users.keys()].filter((uid) => uid > afterUid).sort((a, b) => a - b);
  return uids.slice(0, limit).map((uid) => userView(state.users.get(uid) as User));
}

/** At most `limit` keys after the key `after`, ascending; of one user when `uid` is given. */
export function apiKeyViews(
  state: State,
  query: Extract<EngineQuery, { readonly type: "api-keys" }>,
): ApiKeyView[] {
  const { uid, after, limit } = query;
  const found: ApiKey[] = [];
  for (const key of state.apiKeys.values()) {
    if (key.apiKey > after && (uid === undefined || key.uid === uid)) found.push(key);
  }
  found.sort((one, other) => (one.apiKey < other.apiKey ? -1 : 1));
  return found.slice(0, limit);
}
