/**
 * Lists by time and by page: what is asked for with bounds is what the whole list says of them.
 * Bounds are the times of its own rows, to the millisecond, and one beside.
 */
import { isDeepStrictEqual } from "node:util";
import type { Row } from "../support/account-histories.ts";
import { Random } from "../support/random.ts";
import { pathWithQuery } from "../support/signed-client.ts";
import { Breach } from "./breach.ts";
import { SYMBOL } from "./markets.ts";
import type { Product } from "./orders.ts";
import type { Trader } from "./trader.ts";

interface List {
  readonly target: string;
  readonly content?: Readonly<Record<string, string | number>>;
  /** Where a row has its time. */
  readonly time: string;
  /** Where the answer has its rows; without it, it is them. */
  readonly rows?: string;
  /** Inclusive. */
  readonly bounds?: readonly [from: string, to: string];
  /** The name of the page's size, and the most that it may be. */
  readonly size: readonly [name: string, most: number];
  /** The name of the page, and the number of the first. */
  readonly page?: readonly [name: string, first: number];
}

const START_END = ["startTime", "endTime"] as const;
const AFTER_BEFORE = ["after", "before"] as const;
const V2_SYMBOL = `${SYMBOL}_SPBL`;

const LISTS: Readonly<Record<Product, readonly List[]>> = {
  spot: [
    {
      target: "GET /api/v3/allOrders",
      ...{ content: { symbol: SYMBOL }, time: "time", size: ["limit", 1000], page: ["page", 1] },
    },
    {
      target: "GET /api/v3/myTrades",
      content: { symbol: SYMBOL },
      time: "time",
      size: ["limit", 1000],
    },
    {
      target: "POST /api/v3/account/bills",
      ...{ bounds: AFTER_BEFORE, time: "cTime", size: ["limit", 100] },
    },
    {
      target: "POST /api/v2/account/bills",
      ...{ content: { coinId: 2 }, bounds: AFTER_BEFORE, time: "cTime", size: ["limit", 100] },
    },
    {
      target: "POST /api/v3/account/fundingBills",
      ...{ rows: "items", time: "cTime", size: ["pageSize", 100], page: ["pageIndex", 1] },
    },
    {
      target: "GET /api/v3/account/transferRecords",
      ...{ bounds: AFTER_BEFORE, time: "tradeTime", size: ["limit", 500] },
    },
    {
      target: "POST /api/v2/trade/history",
      ...{ content: { symbol: V2_SYMBOL }, bounds: AFTER_BEFORE, rows: "orderInfoResultList" },
      ...{ time: "cTime", size: ["pageSize", 100], page: ["pageIndex", 0] },
    },
    {
      target: "POST /api/v2/trade/fills",
      ...{ content: { symbol: V2_SYMBOL }, bounds: AFTER_BEFORE, rows: "fillsOrderResultList" },
      ...{ time: "cTime", size: ["pageSize", 100], page: ["pageIndex", 0] },
    },
  ],
  contract: [
    {
      target: "GET /capi/v3/order/history",
      ...{ time: "time", size: ["limit", 1000], page: ["page", 0] },
    },
    { target: "GET /capi/v3/userTrades", time: "time", size: ["limit", 100] },
    {
      target: "GET /capi/v3/openOrders",
      ...{ time: "time", size: ["limit", 100], page: ["page", 0] },
    },
    {
      target: "GET /capi/v3/openAlgoOrders",
      ...{ time: "createTime", size: ["limit", 100], page: ["page", 1] },
    },
    {
      target: "GET /capi/v3/allAlgoOrders",
      ...{ rows: "orders", time: "createTime", size: ["limit", 1000] },
    },
    {
      target: "POST /capi/v3/account/income",
      ...{ rows: "items", time: "time", size: ["limit", 100] },
    },
    {
      target: "GET /capi/v3/market/fundingRate",
      ...{ content: { symbol: SYMBOL }, time: "fundingTime", size: ["limit", 1000] },
    },
  ],
};

const LISTS_PER_CHECK = 3;
const PAGE_ROWS_MAX = 5;

/**
 * Reads some lists of an account, whole and in parts. Says what differs, or null: whoever calls
 * knows whether something happened meanwhile.
 */
export async function findWrongPart(trader: Trader, product: Product): Promise<Breach | null> {
  const { exchange, uid } = trader;
  const random = new Random(Math.imul(exchange.story.sequence, 31) ^ uid);
  let checked = 0;
  for (const list of random.shuffle([...LISTS[product]])) {
    if (checked === LISTS_PER_CHECK) break;
    const all = await read(trader, list, {});
    if (all === null || all.length === 0) continue;
    checked++;
    const [sizeName, most] = list.size;
    const wrong =
      list.page !== undefined && random.chance(0.3)
        ? await findWrongPage(trader, list, all, random)
        : await findWrongRange(trader, list, all, random);
    if (wrong !== null) {
      const detail = `${trader.name} ${list.target} ${sizeName} ${most} ${wrong}`;
      return new Breach("a part of a list is of the whole", detail);
    }
  }
  return null;
}

async function findWrongRange(
  trader: Trader,
  list: List,
  all: readonly Row[],
  random: Random,
): Promise<string | null> {
  const timeOf = (row: Row) => Number(row[list.time]);
  const at = timeOf(random.pick([...all]));
  const [from, to] = random.pick([
    [null, at],
    [at, null],
    [at, at],
    [at + 1, null],
    [null, at - 1],
    [at - 1, at + 1],
  ] as const);
  const [fromName, toName] = list.bounds ?? START_END;
  const range = {
    ...(from === null ? {} : { [fromName]: from }),
    ...(to === null ? {} : { [toName]: to }),
  };
  const part = await read(trader, list, range);
  if (part === null) return null;
  const due = all.filter((row) => timeOf(row) >= (from ?? 0) && timeOf(row) <= (to ?? Infinity));
  // A page that is full may have lost what is older.
  const isWhole = all.length < list.size[1];
  const compared = isWhole ? part : part.slice(0, due.length);
  return isDeepStrictEqual(compared, due) ? null : wordsOf(range, part, due);
}

async function findWrongPage(
  trader: Trader,
  list: List,
  all: readonly Row[],
  random: Random,
): Promise<string | null> {
  const [name, first] = list.page ?? ["", 0];
  const [sizeName] = list.size;
  const size = random.integer(1, PAGE_ROWS_MAX);
  const number = random.integer(0, Math.floor((all.length - 1) / size));
  const page = { [name]: first + number, [sizeName]: size };
  const part = await read(trader, list, page);
  if (part === null) return null;
  const due = all.slice(number * size, (number + 1) * size);
  return isDeepStrictEqual(part, due) ? null : wordsOf(page, part, due);
}

function wordsOf(asked: object, said: readonly Row[], due: readonly Row[]): string {
  const words = (rows: readonly Row[]) =>
    `${rows.length} rows ${JSON.stringify(rows).slice(0, 600)}`;
  return `${JSON.stringify(asked)}: ${words(said)} instead of ${words(due)}`;
}

/** Null when it was not answered. */
async function read(
  trader: Trader,
  { content = {}, rows, size, target }: List,
  asked: Readonly<Record<string, number>>,
): Promise<readonly Row[] | null> {
  const [method = "", path = ""] = target.split(" ");
  const [sizeName, most] = size;
  const sent = { ...content, [sizeName]: most, ...asked };
  const outcome =
    method === "GET"
      ? await trader.send(method, pathWithQuery(path, sent))
      : await trader.send(method, path, sent);
  if (outcome?.status !== 200) {
    if (outcome !== null) trader.expectRefusal(outcome, target);
    return null;
  }
  const { body } = outcome;
  const answer = (body as { readonly data?: unknown }).data ?? body;
  return (rows === undefined ? answer : (answer as Row)[rows]) as readonly Row[];
}
