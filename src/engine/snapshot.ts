/**
 * The canonical form of the whole state: sections of rows, ordered by ids alone. Snapshots store
 * it, and the state hash is its digest.
 */
import { HOUSE_ACCOUNTS, invariant, USER_ACCOUNTS } from "../domain/index.ts";
import { ByteReader, ByteWriter, type SnapshotSection } from "../protocol/index.ts";
import { feeRatesByKey, setFeeRatesOf } from "./accounts/user.ts";
import { AFFILIATE_SECTIONS } from "./affiliate/snapshot-sections.ts";
import { APPROVAL_SECTIONS } from "./approvals/snapshot-sections.ts";
import { CONTRACT_SECTIONS, rebuildContractIndexes } from "./contract/snapshot-sections.ts";
import { CUSTODY } from "./custody/snapshot-section.ts";
import { DEAD_MAN_SECTIONS } from "./dead-man-switch/snapshot-sections.ts";
import { DEPOSIT_SECTIONS } from "./deposits/snapshot-sections.ts";
import { DONE_REQUESTS } from "./done-requests/snapshot-section.ts";
import type { HashKey } from "./matching/client-order-key.ts";
import { NONE, type SideIndex } from "./matching/slot.ts";
import { OPERATORS } from "./operators/snapshot-section.ts";
import * as rows from "./snapshot-rows.ts";
import {
  bookRows,
  clientOrderSection,
  existingUser,
  pooledOrderRow,
  type Section,
  section,
  tickerSection,
  usersByUid,
} from "./snapshot-section.ts";
import { addSpotMarket, setLastPrice, setPriceScale, spotMarketTexts } from "./spot/markets.ts";
import { insertIntoBook } from "./spot/resting-orders.ts";
import {
  type Asset,
  fundsMovementKey,
  State,
  spotBookVersion,
  type User,
  userAccount,
} from "./state.ts";
import { WEBHOOKS } from "./webhooks/snapshot-section.ts";
import { WITHDRAWAL_SECTIONS } from "./withdrawals/snapshot-sections.ts";

/**
 * SHA-256 of the concatenated parts as lower-case hex, passed in because the engine imports no
 * platform modules.
 */
export type Sha256 = (parts: readonly Uint8Array[]) => string;

const META = section({
  name: "meta",
  codec: rows.meta,
  *rowsOf(state) {
    const { rulesVersion, clockOffsetMs, nextOrderId, nextTradeId, nextUid } = state;
    yield { type: "meta", rulesVersion, clockOffsetMs, nextOrderId, nextTradeId, nextUid } as const;
  },
  restore(state, { type: _, ...counters }) {
    Object.assign(state, counters);
  },
});

const CLOCK = section({
  name: "clock",
  codec: rows.clock,
  optional: true,
  *rowsOf({ clockSpeedE3 }) {
    if (clockSpeedE3 !== null) yield { type: "clock", speedE3: clockSpeedE3 } as const;
  },
  restore(state, { speedE3 }) {
    state.clockSpeedE3 = speedE3;
  },
});

const ASSETS = section({
  name: "assets",
  codec: rows.asset,
  *rowsOf(state) {
    for (const { index: _, ...asset } of state.assets) yield { type: "asset", ...asset } as const;
  },
  restore(state, { type: _, ...fields }) {
    const asset: Asset = { index: state.ledger.addAsset(), ...fields };
    state.assets.push(asset);
    state.assetsByName.set(asset.asset, asset);
  },
});

const HOUSE = section({
  name: "house-balances",
  codec: rows.houseBalances,
  *rowsOf(state) {
    for (const { index } of state.assets) {
      const balancesMinor = HOUSE_ACCOUNTS.map((name) =>
        state.ledger.balance(state.ledger.houseAccount(index, name)),
      );
      yield { type: "house-balances", assetIndex: index, balancesMinor } as const;
    }
  },
  restore(state, row) {
    for (const [i, name] of HOUSE_ACCOUNTS.entries()) {
      const account = state.ledger.houseAccount(row.assetIndex, name);
      state.ledger.restore(account, row.balancesMinor[i] ?? 0n);
    }
  },
});

const USERS = section({
  name: "users",
  codec: rows.user,
  *rowsOf(state) {
    for (const user of usersByUid(state)) {
      const {
        accountBases: _,
        feeRates: __,
        openOrderCounts: ___,
        house: ____,
        ...settings
      } = user;
      yield { type: "user", ...settings } as const;
    }
  },
  restore(state, { type: _, ...settings }) {
    const user: User = {
      ...settings,
      house: false,
      accountBases: [],
      feeRates: null,
      openOrderCounts: [],
    };
    state.users.set(user.uid, user);
    state.usersByInviteCode.set(user.inviteCode, user);
  },
});

const USER_FEE_RATES = section({
  name: "user-fee-rates",
  codec: rows.userFeeRates,
  *rowsOf(state) {
    for (const user of usersByUid(state)) {
      for (const [key, rates] of feeRatesByKey(user)) {
        yield { type: "user-fee-rates", uid: user.uid, key, ...rates } as const;
      }
    }
  },
  restore(state, { uid, key, makerFeeRateE8, takerFeeRateE8 }) {
    setFeeRatesOf(existingUser(state, uid), key, { makerFeeRateE8, takerFeeRateE8 });
  },
});

const USER_BALANCES = section({
  name: "user-balances",
  codec: rows.userBalances,
  *rowsOf(state) {
    for (const { uid, accountBases } of usersByUid(state)) {
      for (const [assetIndex, base] of accountBases.entries()) {
        if (base === NONE) continue;
        const balancesMinor = USER_ACCOUNTS.map((_, kind) => state.ledger.balance(base + kind));
        yield { type: "user-balances", uid, assetIndex, balancesMinor } as const;
      }
    }
  },
  restore(state, row) {
    const base = userAccount(state, existingUser(state, row.uid), row.assetIndex, 0);
    for (const [kind, minor] of row.balancesMinor.entries())
      state.ledger.restore(base + kind, minor);
  },
});

const SPOT_MARKETS = section({
  name: "spot-markets",
  codec: rows.spotMarket,
  *rowsOf(state) {
    for (const market of state.spotMarkets) {
      const { priceScale, lastPriceUnits } = market;
      const bookVersion = spotBookVersion(market);
      const texts = spotMarketTexts(market);
      yield { type: "spot-market", ...texts, priceScale, lastPriceUnits, bookVersion } as const;
    }
  },
  restore(state, { type: _, priceScale, lastPriceUnits, bookVersion, ...texts }) {
    const market = addSpotMarket(state, texts);
    invariant(market.ok, "the rules of a listed market are valid");
    setPriceScale(market.value, priceScale);
    setLastPrice(market.value, lastPriceUnits);
    market.value.bookVersionBase = bookVersion;
  },
});

const SPOT_TICKERS = tickerSection("spot-tickers", (state) => state.spotMarkets);

const CLIENT_ORDERS = clientOrderSection("client-orders", (state) => state.clientOrders);

const SPOT_ORDERS = section({
  name: "spot-orders",
  codec: rows.spotOrder,
  *rowsOf(state) {
    for (const market of state.spotMarkets) {
      yield* bookRows(market.book, (slot) => orderRow(state, slot));
    }
  },
  restore(state, row) {
    const market = state.spotMarkets[row.marketIndex];
    invariant(market !== undefined, "an open order is in a listed market");
    const user = existingUser(state, row.uid);
    const { clientOrders } = state;
    const clientEntry = clientOrders.find(row.uid, row.clientOrderId, row.updatedMs);
    invariant(clientEntry !== NONE, "an open order's client id is remembered");
    invariant(clientOrders.createdMs(clientEntry) === row.createdMs, "an order was created once");
    insertIntoBook(state, market, {
      ...row,
      user,
      side: row.side as SideIndex,
      clientEntry,
    });
  },
});

function orderRow({ clientOrders, orders }: State, slot: number) {
  const progress = orders.progress(slot);
  const entry = orders.clientEntry(slot);
  const createdMs = clientOrders.createdMs(entry);
  return {
    type: "spot-order",
    ...pooledOrderRow(orders, slot),
    clientOrderId: clientOrders.clientOrderId(entry),
    filledQuoteMinor: progress?.filledQuoteMinor ?? 0n,
    createdMs,
    updatedMs: progress?.updatedMs ?? createdMs,
  } as const;
}

const API_KEYS = section({
  name: "api-keys",
  codec: rows.apiKey,
  *rowsOf(state) {
    for (const name of [...state.apiKeys.keys()].sort()) {
      const key = state.apiKeys.get(name);
      if (key !== undefined) yield { type: "api-key", ...key } as const;
    }
  },
  restore(state, { type: _, ...key }) {
    state.apiKeys.set(key.apiKey, key);
    state.apiKeyCounts.set(key.uid, (state.apiKeyCounts.get(key.uid) ?? 0) + 1);
  },
});

/** Ordered by time; the oldest are forgotten first. */
const FUNDS_MOVEMENTS = section({
  name: "funds-movements",
  codec: rows.fundsMovement,
  *rowsOf(state) {
    for (const { withdrawalId: _, ...movement } of state.fundsMovements.values()) {
      yield { type: "funds-movement", ...movement } as const;
    }
  },
  restore(state, { type: _, ...movement }) {
    const key = fundsMovementKey(movement.command, movement.uid, movement.requestId);
    state.fundsMovements.set(key, { ...movement, withdrawalId: null });
  },
});

/** Rows of bytes, as kept in memory; each is the encoded record. */
const KEPT_MOVEMENTS = section<Uint8Array>({
  name: "kept-movements",
  codec: {
    type: "kept-movement",
    tag: 13,
    write: (writer, bytes) => writer.raw(bytes),
    read: (reader) => reader.rest(),
  },
  optional: true,
  rowsOf: ({ keptMovements }) => keptMovements.rows(),
  restore: ({ keptMovements }, bytes) => keptMovements.restore(bytes),
});

/** In restore order: a section may refer to those before it. */
const SECTIONS = [
  META,
  ASSETS,
  HOUSE,
  USERS,
  USER_FEE_RATES,
  USER_BALANCES,
  SPOT_MARKETS,
  SPOT_TICKERS,
  CLIENT_ORDERS,
  SPOT_ORDERS,
  API_KEYS,
  FUNDS_MOVEMENTS,
  ...CONTRACT_SECTIONS,
  ...AFFILIATE_SECTIONS,
  ...DEAD_MAN_SECTIONS,
  DONE_REQUESTS,
  KEPT_MOVEMENTS,
  CLOCK,
  OPERATORS,
  ...APPROVAL_SECTIONS,
  WEBHOOKS,
  CUSTODY,
  ...WITHDRAWAL_SECTIONS,
  ...DEPOSIT_SECTIONS,
] as readonly Section<unknown>[];

export function snapshotSections(state: State): SnapshotSection[] {
  const sections: SnapshotSection[] = [];
  const writer = new ByteWriter();
  for (const { name, codec, optional, rowsOf } of SECTIONS) {
    writer.clear();
    for (const row of rowsOf(state)) {
      const frame = writer.beginFrame();
      codec.write(writer, row);
      writer.endFrame(frame);
    }
    if (optional === true && writer.length === 0) continue;
    sections.push({ name, bytes: writer.toBytes() });
  }
  return sections;
}

/** Throws if a section is missing or contradicts another; checksums were verified before. */
export function restoreState(
  sections: readonly SnapshotSection[],
  timestampMs: number,
  hashKey: HashKey,
): State {
  const state = new State(hashKey);
  for (const { name, codec, optional, restore } of SECTIONS) {
    const found = sections.find((candidate) => candidate.name === name);
    if (found === undefined && optional === true) continue;
    invariant(found !== undefined, `the snapshot has no section ${name}`);
    const reader = new ByteReader(found.bytes);
    while (!reader.atEnd) {
      const outerEnd = reader.enterFrame();
      restore(state, codec.read(reader));
      reader.leaveFrame(outerEnd);
    }
  }
  // Restoring orders changed the version of each book.
  for (const market of state.spotMarkets) market.bookVersionBase -= market.book.version;
  rebuildContractIndexes(state);
  state.timestampMs = timestampMs;
  return state;
}

/** SHA-256 over each section's name and the SHA-256 of its bytes. */
export function stateHash(sections: readonly SnapshotSection[], sha256: Sha256): string {
  const encoder = new TextEncoder();
  return sha256(sections.map(({ name, bytes }) => encoder.encode(`${name}:${sha256([bytes])}\n`)));
}
