/**
 * A user's fills from a trade id on, oldest first, for programs that read page after page. The rows
 * of one match stay together: a page may end with one row more than its limit.
 */
import type { Side } from "../domain/index.ts";
import { CONTRACT_COLUMNS, contractFill, spotFill } from "./fills.ts";
import type { ContractFill, SpotFill } from "./history-port.ts";
import type { Db, HistoryQuery } from "./history-query.ts";
import { rangeBounds } from "./ranges.ts";
import { type Place, sidedMarkets, sidesFrom } from "./spot-sides.ts";

/** The first `limit` rows, and the other side of the last match. */
function firstWhole<Fill extends { readonly tradeId: number }>(
  fills: readonly Fill[],
  limit: number,
): readonly Fill[] {
  const [last, next] = fills.slice(limit - 1);
  return fills.slice(0, next !== undefined && next.tradeId === last?.tradeId ? limit + 1 : limit);
}

const SIDES: readonly Side[] = ["BUY", "SELL"];

export const spotFillsFrom: HistoryQuery<"spot-fills-from"> = async (db, question) => {
  const { fromId, limit, orderId, symbol, uid } = question;
  const [fromMs, toMs] = rangeBounds(question.time);
  const first = await db
    .selectFrom("spot_trades")
    .select("time_ms")
    .where("symbol", "=", symbol)
    .where("trade_id", ">=", fromId)
    .orderBy("trade_id")
    .limit(1)
    .executeTakeFirst();
  if (first === undefined) return [];
  const place: Place = first.time_ms < fromMs ? [fromMs, 0] : [first.time_ms, fromId];
  const fills: SpotFill[] = [];
  for (const { market, side } of await sidedMarkets(db, uid, symbol)) {
    const sides = await sidesFrom(db, { uid, market, side, orderId }, place, toMs, limit + 1);
    fills.push(...sides.map(spotFill));
  }
  fills.sort(
    (one, other) =>
      one.tradeId - other.tradeId || SIDES.indexOf(one.side) - SIDES.indexOf(other.side),
  );
  return firstWhole(fills, limit);
};

export const contractFillsFrom: HistoryQuery<"contract-fills-from"> = async (db, question) => {
  const { fromId, limit } = question;
  const rows = new ContractFills(db, question);
  const place = await rows.placeOf(fromId);
  return place === null ? [] : firstWhole(await rows.from(place, limit + 1), limit);
};

type Filter = Pick<Parameters<typeof contractFillsFrom>[1], "uid" | "symbol" | "orderId" | "time">;

/**
 * Fills by time, which are by trade id too. No index has the ids, because each would cost every
 * fill that is written: the first one is found by halving the time, then one millisecond.
 */
class ContractFills {
  readonly #db: Db;
  readonly #filter: Filter;
  readonly #toMs: number;
  readonly #fromMs: number;

  constructor(db: Db, filter: Filter) {
    this.#db = db;
    this.#filter = filter;
    [this.#fromMs, this.#toMs] = rangeBounds(filter.time);
  }

  async from(place: Place, limit: number): Promise<ContractFill[]> {
    const { symbol } = this.#filter;
    const rows = await this.#rows(place).select(CONTRACT_COLUMNS).limit(limit).execute();
    return rows.map(contractFill).filter((fill) => symbol === null || fill.symbol === symbol);
  }

  /** Where the first fill of a trade with this id or a later one stands; null if none does. */
  async placeOf(tradeId: number): Promise<Place | null> {
    const isBefore = async (place: Place): Promise<boolean> => {
      const fill = await this.#first(place);
      return fill !== undefined && fill.tradeId < tradeId;
    };
    const first = await this.#first([this.#fromMs, 0]);
    const last = await this.#last();
    if (first === undefined || last === undefined || last.tradeId < tradeId) return null;
    if (first.tradeId >= tradeId) return [this.#fromMs, 0];
    const timeMs = await lastBefore(first.timeMs, last.timeMs + 1, (ms) => isBefore([ms, 0]));
    const fillId = await lastBefore(0, last.fillId + 1, (id) => isBefore([timeMs, id]));
    return [timeMs, fillId + 1];
  }

  #first(place: Place) {
    return this.#rows(place).select(ID_COLUMNS).limit(1).executeTakeFirst();
  }

  #last() {
    return this.#filtered()
      .where("time_ms", "<=", this.#toMs)
      .orderBy("time_ms", "desc")
      .orderBy("fill_id", "desc")
      .select(ID_COLUMNS)
      .limit(1)
      .executeTakeFirst();
  }

  /** From a place on, oldest first. */
  #rows([timeMs, fillId]: Place) {
    return this.#filtered()
      .where("time_ms", "<=", this.#toMs)
      .where(({ eb, refTuple, tuple }) =>
        eb(refTuple("time_ms", "fill_id"), ">=", tuple(timeMs, fillId)),
      )
      .orderBy("time_ms")
      .orderBy("fill_id");
  }

  #filtered() {
    const { orderId, symbol, uid } = this.#filter;
    const fills = this.#db.selectFrom("contract_fills").where("uid", "=", uid);
    if (orderId !== null) return fills.where("order_id", "=", orderId);
    return symbol === null ? fills : fills.where("symbol", "=", symbol);
  }
}

const ID_COLUMNS = ["trade_id as tradeId", "time_ms as timeMs", "fill_id as fillId"] as const;

/** The greatest whole number below `beyond` for which it holds; it holds for `known`. */
async function lastBefore(
  known: number,
  beyond: number,
  holds: (value: number) => Promise<boolean>,
): Promise<number> {
  let [low, high] = [known, beyond];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (await holds(middle)) low = middle;
    else high = middle;
  }
  return low;
}
