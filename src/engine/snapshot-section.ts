/** Types and shared parts of the sections of a snapshot. */
import { invariant, TIMES_IN_FORCE, type TimeInForce } from "../domain/index.ts";
import type { RecordCodec } from "../protocol/index.ts";
import type { RollingTicker } from "./market-data/rolling-ticker.ts";
import type { ClientOrderIndex } from "./matching/client-order-index.ts";
import type { OrderBook } from "./matching/order-book.ts";
import type { OrderPool } from "./matching/order-pool.ts";
import { BUY, NONE, SELL } from "./matching/slot.ts";
import * as rows from "./snapshot-rows.ts";
import type { State, User } from "./state.ts";

/** One section: how its rows are read from a state, and how a state is filled from them. */
export interface Section<Row> {
  readonly name: string;
  readonly codec: RecordCodec<string, Row>;
  /**
   * Written only when it has rows, and empty when it is missing, so that a new section leaves the
   * hash of a state without such rows unchanged.
   */
  readonly optional?: boolean;
  rowsOf(state: State): Iterable<Row>;
  restore(state: State, row: Row): void;
}

/** Declares a section, keeping the type of its rows internal. */
export function section<Row>(declaration: Section<Row>): Section<Row> {
  return declaration;
}

interface ListedMarket {
  readonly index: number;
  readonly ticker: RollingTicker;
}

/** The last 24 hours of every market of one kind. */
export function tickerSection(
  name: string,
  marketsOf: (state: State) => readonly ListedMarket[],
  optional = false,
) {
  return section({
    name,
    codec: rows.tickerBucket,
    optional,
    *rowsOf(state) {
      for (const { index, ticker } of marketsOf(state)) {
        for (const bucket of ticker.buckets()) {
          yield { type: "ticker-bucket", marketIndex: index, ...bucket } as const;
        }
      }
    },
    restore(state, { type: _, marketIndex, ...bucket }) {
      marketsOf(state)[marketIndex]?.ticker.restore(bucket);
    },
  });
}

/** The client order ids that an index remembers. */
export function clientOrderSection(
  name: string,
  indexOf: (state: State) => ClientOrderIndex,
  optional = false,
) {
  return section({
    name,
    codec: rows.clientOrder,
    optional,
    // Open orders first, by order id; then the ended ones in the order in which they will be
    // forgotten.
    *rowsOf(state) {
      const index = indexOf(state);
      for (const entry of index.openEntries()) yield clientOrderRow(index, entry);
      for (const entry of index.endedEntries()) yield clientOrderRow(index, entry);
    },
    restore(state, row) {
      const index = indexOf(state);
      const { uid, clientOrderId, orderId, fingerprintHigh, fingerprintLow, createdMs } = row;
      const entry = index.add(
        uid,
        clientOrderId,
        orderId,
        fingerprintHigh,
        fingerprintLow,
        createdMs,
      );
      if (row.endedMs !== null) index.markEnded(entry, row.endedMs);
    },
  });
}

function clientOrderRow(index: ClientOrderIndex, entry: number) {
  const endedMs = index.endedMs(entry);
  return {
    type: "client-order",
    uid: index.uid(entry),
    clientOrderId: index.clientOrderId(entry),
    orderId: index.orderId(entry),
    fingerprintHigh: index.fingerprintHigh(entry),
    fingerprintLow: index.fingerprintLow(entry),
    createdMs: index.createdMs(entry),
    endedMs: endedMs === NONE ? null : endedMs,
  } as const;
}

/** One row per order of a book, each side in the order in which its orders would trade. */
export function* bookRows<Row>(book: OrderBook, rowOf: (slot: number) => Row): Generator<Row> {
  for (const side of [BUY, SELL] as const) {
    let slot = book.bestOrder(side);
    while (slot !== NONE) {
      yield rowOf(slot);
      slot = book.nextOrder(slot);
    }
  }
}

/** The common fields of spot and contract order rows. */
export function pooledOrderRow(orders: OrderPool, slot: number) {
  return {
    marketIndex: orders.market(slot),
    orderId: orders.orderId(slot),
    uid: orders.uid(slot),
    side: orders.side(slot),
    timeInForce: TIMES_IN_FORCE[orders.timeInForce(slot)] as TimeInForce,
    priceTicks: orders.priceTicks(slot),
    quantityLots: orders.quantityLots(slot),
    filledLots: orders.filledLots(slot),
    feeNumerator: orders.progress(slot)?.feeNumerator ?? 0n,
    makerFeeRateE8: orders.makerFeeRateE8(slot),
  } as const;
}

export function usersByUid(state: State): User[] {
  return [...state.users.values()].sort((one, other) => one.uid - other.uid);
}

/** The user that a row names: users are restored before everything that belongs to them. */
export function existingUser(state: State, uid: number): User {
  const user = state.users.get(uid);
  invariant(user !== undefined, `no user ${uid}`);
  return user;
}
