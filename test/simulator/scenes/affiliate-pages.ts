/**
 * Every page of every size of what an affiliate may list, with its total: the days of several
 * affiliates below it that share days, their commissions, whom it invited, what these did, and what
 * it paid them. Pages begin and end in the middle of a day, and beyond the last row.
 */

import type { HistoryModel } from "../../history/history-model.ts";
import type { Query } from "../../support/signed-client.ts";
import { hold } from "../breach.ts";
import { CONTRACT_PRICE, SPOT_PRICE, SYMBOL } from "../markets.ts";
import type { Product } from "../orders.ts";
import { sentOf } from "../questions.ts";
import type { SimulatedExchange } from "../simulated-exchange.ts";
import type { Trader } from "../trader.ts";
import { unlessTimePasses } from "../undisturbed.ts";
import { DAY_MS } from "./clock.ts";
import { emptyBook, fund, leave, type Member, newAffiliate, newMember } from "./families.ts";
import type { Scene, Stage } from "./stage.ts";

const SUBS = [2, 3, 4, 4];
const DAYS_MAX = 3;
const PAYMENTS_MAX = 5;
/** Lists that are read whole, beside the first, and sizes of one of them that are tried. */
const OTHERS_MAX = 3;
const SIZES_MAX = 4;
const COINS = ["USDT", "BTC"] as const;
const ALL = { page: 1, pageSize: 1_000_000 };
const FAMILY = "rebate/affiliate";

type Row = Readonly<Record<string, unknown>>;

interface Asked {
  readonly history: HistoryModel;
  readonly uid: number;
  readonly product: Product;
  readonly time: { readonly fromMs: number; readonly toMs: number };
  /** Of one user, or of one coin. */
  readonly one: number | null;
  readonly asset: string | null;
}

interface List {
  readonly name: string;
  /** Where version 3 and others are asked. */
  readonly ways: readonly string[];
  /** What is sent for a page. */
  readonly pageName?: string;
  readonly isOfTime: boolean;
  /** Under which name one user is asked for, and whether it is by coin, too. */
  readonly oneName?: string;
  readonly isByCoin?: boolean;
  /** Of all rows, as the naive history has them. */
  readonly due: (asked: Asked) => readonly string[];
  readonly idOf: (row: Row) => string;
}

const LISTS: readonly List[] = [
  {
    ...{ name: "querySubChannelTransactions", ways: ["POST v2", "POST v3", "GET v3"] },
    ...{ pageName: "pageNum", isOfTime: true, oneName: "subUid" },
    due: ({ history, one: subUid, product, time, uid: parentUid }) => {
      const question = { parentUid, subUid, product, time, page: ALL };
      const { rows } = history.answer("sub-affiliate-days", question);
      return rows.map(({ day, netFee, subUid }) => `${day} ${subUid} ${netFee}`);
    },
    idOf: (row) => `${row.date} ${row.subAffiliateUid} ${row.netTradingFee}`,
  },
  {
    ...{ name: "getAffiliateCommission", ways: ["GET v2", "GET v3"], isOfTime: true },
    ...{ oneName: "uid", isByCoin: true },
    due: ({ asset, history, one: traderUid, product, time, uid: affiliateUid }) => {
      const question = { affiliateUid, product, traderUid, asset, time, page: ALL };
      const { rows } = history.answer("commissions", question);
      return rows.map(({ amount, commissionId }) => `${commissionId} ${amount}`);
    },
    idOf: (row) => `${row.commissionId} ${row.commission}`,
  },
  {
    ...{ name: "getChannelUserTradeAndAsset", ways: ["GET v2", "GET v3"], isOfTime: true },
    oneName: "uid",
    due: ({ history, one: uid, time, uid: inviterUid }) => {
      const question = { inviterUid, uid, time, page: ALL };
      const { rows } = history.answer("referral-activity", question);
      return rows.map((row) => `${row.uid} ${row.commission}`);
    },
    idOf: (row) => `${row.uid} ${row.commission}`,
  },
  {
    ...{ name: "getAffiliateUIDs", ways: ["GET v2", "GET v3"], isOfTime: false },
    oneName: "uid",
    due: ({ history, one, uid: inviterUid }) => {
      const registered = { fromMs: null, toMs: null };
      const question = { inviterUid, uid: one, registered, page: ALL };
      return history.answer("referrals", question).rows.map((row) => String(row.uid));
    },
    idOf: (row) => String(row.uid),
  },
  {
    ...{ name: "getInternalWithdrawalStatus", ways: ["GET v2", "GET v3"], isOfTime: true },
    isByCoin: true,
    due: ({ asset, history, time, uid }) => {
      const question = { uid, withdrawalId: null, asset, time, page: ALL };
      const { rows } = history.answer("internal-withdrawals", question);
      return rows.map(({ amount, withdrawalId }) => `${withdrawalId} ${amount}`);
    },
    idOf: (row) => `${row.withdrawId} ${row.amount}`,
  },
];

export const affiliatePages =
  (product: Product): Scene =>
  async (stage) => {
    const { exchange, random } = stage;
    if (!(await emptyBook(stage, product))) return;
    const above = await newAffiliate(stage, null);
    const subs: Member[] = [];
    const invited: Member[] = [];
    for (let count = random.pick(SUBS); count > 0; count--) {
      const sub = await newAffiliate(stage, above);
      subs.push(sub);
      invited.push(await newMember(stage, sub));
    }
    for (const one of invited) await fund(stage, one, product);
    const fromMs = (await stage.look()).recordedMs;
    const days = exchange.sandbox ? random.integer(1, DAYS_MAX) : 1;
    for (let day = 0; day < days; day++) {
      if (day > 0) {
        exchange.daysPassed++;
        await stage.operate("POST", "sandbox/clock/advance", { ms: DAY_MS });
      }
      for (const [index, one] of invited.entries()) {
        if (random.chance(0.2)) continue;
        const other = invited[(index + 1) % invited.length] ?? one;
        await trade(stage, product, [one, other]);
      }
    }
    const traders = invited.map(({ trader }) => trader);
    await leave(stage, traders, product);
    await pay(stage, above, [...subs, ...invited]);
    await stage.look();
    const toMs = exchange.story.timeMs;
    const lists = random.shuffle(LISTS.slice(1)).slice(0, OTHERS_MAX);
    const below = [...subs, ...invited].map(({ trader }) => trader.uid);
    const { history } = exchange.story;
    const known = { history, uid: above.trader.uid, product, time: { fromMs, toMs } };
    for (const list of [LISTS[0] as List, ...lists]) {
      const one = random.chance(0.3) ? random.pick(below) : null;
      const asset = random.chance(0.5) ? random.pick(COINS) : null;
      const asked = { ...known, one, asset };
      await unlessTimePasses(exchange, () => readPages(stage, list, above, asked));
    }
  };

async function trade(stage: Stage, product: Product, parties: readonly Member[]): Promise<void> {
  const sides = stage.random.shuffle(["BUY", "SELL"]);
  const isSpot = product === "spot";
  const price = isSpot ? SPOT_PRICE.toFixed(2) : CONTRACT_PRICE.toFixed(1);
  const quantity = isSpot ? "0.05" : "0.002";
  for (const [index, { trader }] of parties.entries()) {
    const side = sides[index];
    const ofContract = isSpot ? {} : { positionSide: side === "BUY" ? "LONG" : "SHORT" };
    const terms = { symbol: SYMBOL, side, type: "LIMIT", timeInForce: "GTC", ...ofContract };
    await stage.place(trader, product, { ...terms, price, quantity });
  }
}

/** Once or several times, what it has earned or was given. */
async function pay(stage: Stage, above: Member, others: readonly Member[]): Promise<void> {
  const { random } = stage;
  if (random.chance(0.5)) {
    await stage.operate("POST", "commission-settlements", { reason: "checked" });
  }
  await fund(stage, above, "spot");
  const path = `/api/v3/${FAMILY}/internalWithdrawal`;
  for (let count = random.integer(1, PAYMENTS_MAX); count > 0; count--) {
    const toUserId = random.pick([...others]).trader.uid;
    await stage.send(above.trader, "POST", path, {
      toUserId,
      coin: random.pick(COINS),
      amount: "0.1",
    });
  }
}

async function readPages(
  { exchange, random }: Stage,
  list: List,
  { trader }: Member,
  asked: Asked,
): Promise<void> {
  const due = list.due(asked);
  const filters = filtersOf(list, asked);
  const sizes = Array.from({ length: due.length + 1 }, (_, index) => index + 1);
  for (const pageSize of random.shuffle(sizes).slice(0, SIZES_MAX)) {
    for (let page = 1; (page - 1) * pageSize <= due.length; page++) {
      const [method = "GET", version] = random.pick([...list.ways]).split(" ");
      const path = `/api/${version}/${FAMILY}/${list.name}`;
      const query = { [list.pageName ?? "page"]: page, pageSize, ...filters };
      const { rows, total } = await readPage(exchange, trader, method, path, query);
      const ids = rows.map(list.idOf);
      const some = due.slice((page - 1) * pageSize, page * pageSize);
      const isSame = total === due.length && String(ids) === String(some);
      const both = () => `${total} [${ids}] instead of ${due.length} [${some}]`;
      const what = () => `${trader.name} ${method} ${path} ${JSON.stringify(query)}`;
      hold(isSame, "every page of an affiliate's list", () => `${what()}: ${both()}`);
    }
  }
}

function filtersOf(
  { isByCoin = false, isOfTime, name, oneName }: List,
  { asset, one, product, time }: Asked,
): Query {
  const isByProduct = name === "getAffiliateCommission" || oneName === "subUid";
  return sentOf({
    ...(isOfTime ? { startTime: time.fromMs, endTime: time.toMs } : {}),
    ...(isByProduct ? { productType: product === "spot" ? "SPOT" : "FUTURES" } : {}),
    ...(oneName === undefined || one === null ? {} : { [oneName]: String(one) }),
    ...(isByCoin && asset !== null ? { coin: asset } : {}),
  });
}

/** The list has another name in each of them. */
async function readPage(
  exchange: SimulatedExchange,
  { credentials }: Trader,
  method: string,
  path: string,
  query: Query,
): Promise<{ readonly rows: readonly Row[]; readonly total: unknown }> {
  const answer =
    method === "GET"
      ? await exchange.read<Row>(credentials, path, query)
      : await exchange.readByBody<Row>(credentials, path, query);
  const { data = answer } = answer as { readonly data?: Row };
  const said = Array.isArray(data) ? answer : data;
  const rows = Object.values(said).find((value) => Array.isArray(value)) as readonly Row[];
  return { rows, total: said.total };
}
