/** All pages of an account's histories in a range of time, up to a bound. */
import type { RialtoClient } from "../../client/index.ts";
import type { Income } from "./realised-days.ts";

export const ROWS_MAX = 10_000;

export interface Range {
  readonly startTime: number;
  readonly endTime: number;
}

type Row = Readonly<Record<string, unknown>>;

export interface Rows<Item> {
  readonly rows: readonly Item[];
  /** There are more than `ROWS_MAX`. */
  readonly isCut: boolean;
}

/** `next` gives the page after the rows so far; an empty page is the end. */
async function allPages<Item>(
  next: (rows: readonly Item[]) => Promise<readonly Item[]>,
): Promise<Rows<Item>> {
  const rows: Item[] = [];
  while (rows.length < ROWS_MAX) {
    const page = await next(rows);
    if (page.length === 0) return { rows, isCut: false };
    rows.push(...page);
  }
  return { rows: rows.slice(0, ROWS_MAX), isCut: true };
}

const FILLS_PAGE = 100;
const ORDERS_PAGE = 1_000;
const INCOME_PAGE = 100;

/** Newest first. */
export async function fetchIncome(client: RialtoClient, range: Range): Promise<Rows<Income>> {
  let key: object | null = {};
  return await allPages<Income>(async () => {
    if (key === null) return [];
    const page = await client.contract.income({ ...range, limit: INCOME_PAGE, ...key });
    key = page.nextKey;
    return page.items;
  });
}

async function spotSymbols(client: RialtoClient): Promise<readonly string[]> {
  const { symbols } = await client.spot.exchangeInfo();
  return symbols.map(({ symbol }) => symbol);
}

/** One market after the other: each answer counts against the limits. */
async function inEveryMarket<Item>(
  symbols: readonly string[],
  fetchRows: (symbol: string) => Promise<Rows<Item>>,
): Promise<Rows<Row>> {
  const parts: Rows<Item>[] = [];
  for (const symbol of symbols) parts.push(await fetchRows(symbol));
  return {
    rows: parts.flatMap(({ rows }) => rows) as Row[],
    isCut: parts.some(({ isCut }) => isCut),
  };
}

type Fetch = (client: RialtoClient, range: Range) => Promise<Rows<Row>>;

const contractTrades: Fetch = async (client, range) =>
  await allPages(async (rows) => {
    const fromId = String(Number(rows.at(-1)?.id ?? 0) + 1);
    const query = { ...range, fromId, limit: FILLS_PAGE, detail: "FULL" } as const;
    return await client.contract.userTrades(query);
  });

const spotTrades: Fetch = async (client, range) =>
  await inEveryMarket(await spotSymbols(client), (symbol) =>
    allPages(async (rows: readonly { readonly id: number }[]) => {
      const fromId = String((rows.at(-1)?.id ?? 0) + 1);
      return await client.spot.myTrades({ ...range, symbol, fromId, limit: FILLS_PAGE });
    }),
  );

const contractOrders: Fetch = async (client, range) =>
  await allPages(async (rows) => {
    const page = rows.length / ORDERS_PAGE;
    // The page before was not full.
    if (!Number.isInteger(page)) return [];
    const query = { ...range, page, limit: ORDERS_PAGE, detail: "FULL" } as const;
    return await client.contract.orderHistory(query);
  });

const spotOrders: Fetch = async (client, range) =>
  await inEveryMarket(await spotSymbols(client), (symbol) =>
    allPages(async (rows) => {
      const page = rows.length / ORDERS_PAGE + 1;
      if (!Number.isInteger(page)) return [];
      return await client.spot.allOrders({ ...range, symbol, page, limit: ORDERS_PAGE });
    }),
  );

/** What can be exported, by the name of the file. */
export const EXPORTS = {
  "contract-trades": { text: "Contract trades", fetch: contractTrades },
  "contract-orders": { text: "Contract orders (ended)", fetch: contractOrders },
  "contract-wallet": { text: "Contract wallet: P&L, fees, funding", fetch: fetchIncome as Fetch },
  "spot-trades": { text: "Spot trades", fetch: spotTrades },
  "spot-orders": { text: "Spot orders", fetch: spotOrders },
} as const;

export type ExportName = keyof typeof EXPORTS;
