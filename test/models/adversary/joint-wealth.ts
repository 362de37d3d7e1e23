/**
 * The exact worth of accounts: their wallets, their base asset, and the unrealised profit of their
 * positions, all valued at the index and never at the mark.
 */
import { exact, times } from "../../support/exact.ts";
import { ASSET, BASE, type Listing } from "./adversary-fixture.ts";
import { decimal, type EpisodeRun } from "./episode-run.ts";

const FIRST_PRICE = exact("60000");

/** In parts of 10^18. */
export function wealthOf(run: EpisodeRun, uids: readonly number[]): bigint {
  let wealth = 0n;
  for (const uid of uids) wealth += contractWealth(run, uid) + spotWealth(run, uid);
  return wealth;
}

export function fundBalance(run: EpisodeRun): bigint {
  return exact(run.ask({ type: "insurance", asset: ASSET }).balance);
}

/** The index, or what it honestly is where it comes from a spot market. */
function fairPrice(run: EpisodeRun, symbol: string): bigint {
  const listing = listingOf(run, symbol);
  const isOwn = run.fixture.form.hasSpotIndex && symbol === "BTCUSDT";
  const ticks = isOwn ? listing.indexTicks : run.pricesOf(listing).indexTicks;
  return exact(decimal(ticks, listing.perUnit));
}

function listingOf({ fixture }: EpisodeRun, symbol: string): Listing {
  const listing = fixture.listings.find((one) => one.symbol === symbol);
  if (listing === undefined) throw new Error(`${symbol} is not listed`);
  return listing;
}

function contractWealth(run: EpisodeRun, uid: number): bigint {
  let wealth = 0n;
  for (const row of run.ask({ type: "contract-balances", uid })) wealth += exact(row.balance);
  for (const row of run.ask({ type: "contract-positions", uid, symbol: null })) {
    const value = times(fairPrice(run, row.symbol), exact(row.size));
    const opened = exact(row.openValue);
    wealth += row.side === "LONG" ? value - opened : opened - value;
  }
  return wealth;
}

function spotWealth(run: EpisodeRun, uid: number): bigint {
  let wealth = 0n;
  for (const { asset, available, frozen } of run.ask({ type: "spot-balances", uid })) {
    const amount = exact(available) + exact(frozen);
    if (asset === ASSET) wealth += amount;
    // Always at the first price: what it is worth elsewhere is no part of the game.
    else if (asset === BASE) wealth += times(FIRST_PRICE, amount);
  }
  return wealth;
}
