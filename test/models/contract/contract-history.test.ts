/**
 * Proves the history of an engine's own events over random traffic of contracts: the income rows of
 * every user and asset chain without a gap from zero to the engine's wallet, fills add up to their
 * orders, the last candles close at the current prices, and ids and times grow together, on which
 * the order of every history list depends. Pages of income meet without a gap.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { sha256Hex } from "../../../src/app/event-digest.ts";
import { Engine } from "../../../src/engine/index.ts";
import { Projector } from "../../../src/projections/index.ts";
import {
  ByteWriter,
  type Command,
  type EngineQuery,
  type QueryAnswers,
} from "../../../src/protocol/index.ts";
import { answerQuestion, type Income, type IncomeCursor } from "../../../src/queries/index.ts";
import {
  createHistorySchema,
  type HistoryDatabase,
  openHistoryDatabase,
} from "../../../src/store/index.ts";
import { exact, sum } from "../../support/exact.ts";
import { HASH_KEY } from "../../support/hash-key.ts";
import { type Random, scaled, seededRandom } from "../../support/random.ts";
import { UIDS } from "./contract-setup.ts";
import { ContractTraffic } from "./contract-traffic.ts";
import { NaiveContractExchange } from "./naive-contract-exchange.ts";

const random = seededRandom("contract history");
const COMMANDS = 1_500;
const ALWAYS = { fromMs: null, toMs: null };
/** What no run is without. */
const USUAL = ["deposit", "position_open_long", "position_close_short", "start_liquidate"];

/** An engine and the history of all that it says, with the sequencer's part played here. */
class ProjectedEngine {
  readonly #engine = Engine.create(sha256Hex, HASH_KEY);
  readonly #events = new ByteWriter();
  readonly #projector: Projector;
  #sequence = 0;
  nowMs = 0;

  constructor(projector: Projector) {
    this.#projector = projector;
  }

  /** What is due first, then the command, each with the cascade behind it. */
  execute(command: Command, nowMs: number): void {
    this.nowMs = nowMs;
    if (this.#engine.nextDueMs <= nowMs) this.#apply({ type: "advance-time", toMs: nowMs });
    this.#apply(command);
  }

  #apply(command: Command): void {
    this.#applyOne(command);
    while (this.#engine.hasUnfinishedRisk) this.#applyOne({ type: "continue-risk" });
  }

  #applyOne(command: Command): void {
    this.#events.clear();
    this.#engine.apply(command, this.#sequence + 1, this.nowMs, this.#events);
    if (this.#events.length === 0) return;
    this.#sequence++;
    this.#projector.apply(this.#events.toBytes());
  }

  query<Type extends EngineQuery["type"]>(
    query: Extract<EngineQuery, { readonly type: Type }>,
  ): QueryAnswers[Type] {
    const answer = this.#engine.query(query, this.nowMs);
    assert.ok(answer.ok);
    return answer.value as QueryAnswers[Type];
  }
}

async function trade(source: Random, history: HistoryDatabase): Promise<ProjectedEngine> {
  const projector = await Projector.load(history);
  const engine = new ProjectedEngine(projector);
  // The reference exchange only tells the traffic what there is to trade with.
  const exchange = new NaiveContractExchange();
  const traffic = new ContractTraffic(source, exchange);
  projector.begin();
  for (let i = 0; i < COMMANDS; i++) {
    const command = traffic.next();
    exchange.advance(traffic.nowMs, i + 1);
    exchange.carryOut(command, traffic.nowMs, i + 1);
    engine.execute(command, traffic.nowMs);
    if (source.chance(0.01)) {
      projector.commit();
      projector.begin();
    }
  }
  projector.commit();
  return engine;
}

test("what an engine tells of contracts adds up in history", async (context) => {
  const seen = new Map<string, number>();
  for (let round = 0; round < scaled(2); round++) {
    const history = openHistoryDatabase(":memory:", { readOnly: false });
    context.after(() => history.connection.close());
    createHistorySchema(history.connection);
    const engine = await trade(random, history);
    await checkIncome(engine, history);
    await checkOrders(history);
    await checkCandles(engine, history);
    await checkEnded(history);
    await checkPages(history);
    await count(history, seen);
  }
  for (const [what, rows] of seen) context.diagnostic(`${what}: ${rows}`);
  for (const incomeType of USUAL) assert.ok(seen.has(incomeType), `there was ${incomeType}`);
});

/** How many rows of income there were of each type. */
async function count({ db }: HistoryDatabase, seen: Map<string, number>): Promise<void> {
  const rows = await db.selectFrom("contract_income").select("income_type").execute();
  for (const { income_type } of rows) seen.set(income_type, (seen.get(income_type) ?? 0) + 1);
}

async function checkIncome(engine: ProjectedEngine, { db }: HistoryDatabase): Promise<void> {
  const rows = await db.selectFrom("contract_income").selectAll().orderBy("income_id").execute();
  assert.ok(rows.length > 100, "money moved");
  const wallets = new Map<string, bigint>();
  let lastMs = 0;
  for (const row of rows) {
    assert.ok(row.time_ms >= lastMs, `income ${row.income_id} is not earlier than the one before`);
    lastMs = row.time_ms;
    const wallet = `${row.uid} ${row.asset}`;
    const balance = (wallets.get(wallet) ?? 0n) + exact(row.income);
    assert.equal(exact(row.balance), balance, `balances chain: ${JSON.stringify(row)}`);
    wallets.set(wallet, balance);
  }
  for (const uid of UIDS) {
    for (const { asset, balance } of engine.query({ type: "contract-balances", uid })) {
      assert.equal(wallets.get(`${uid} ${asset}`) ?? 0n, exact(balance), `${asset} of ${uid}`);
    }
  }
}

async function checkOrders({ db }: HistoryDatabase): Promise<void> {
  const orders = await db.selectFrom("ended_contract_orders").selectAll().execute();
  const fills = await db.selectFrom("contract_fills").selectAll().execute();
  const byOrder = Map.groupBy(fills, (fill) => fill.order_id);
  for (const order of orders) {
    const own = byOrder.get(order.order_id) ?? [];
    for (const fill of own) {
      assert.equal(fill.uid, order.uid);
      assert.equal(fill.symbol, order.symbol);
      assert.equal(fill.side, order.side);
      assert.equal(fill.position_side, order.position_side);
    }
    assert.equal(sum(own.map(({ quantity }) => exact(quantity))), exact(order.filled_quantity));
    assert.equal(sum(own.map(({ value }) => exact(value))), exact(order.filled_value));
  }
  const conditionalOrders = await db.selectFrom("algo_orders").selectAll().execute();
  assert.ok(
    orders.length > 50 && fills.length > 50 && conditionalOrders.length > 5,
    "orders were traded",
  );
  ascends(orders.map(({ order_id, created_ms }) => [order_id, created_ms]));
  ascends(conditionalOrders.map(({ algo_id, created_ms }) => [algo_id, created_ms]));
  ascends(fills.map(({ fill_id, time_ms }) => [fill_id, time_ms]));
}

/** Conditional orders tell the average price of their child. */
async function checkEnded({ db }: HistoryDatabase): Promise<void> {
  const orders = await db.selectFrom("ended_contract_orders").selectAll().execute();
  const byId = new Map(orders.map((order) => [order.order_id, order]));
  const conditionalOrders = await db.selectFrom("algo_orders").selectAll().execute();
  for (const conditional of conditionalOrders) {
    const child = byId.get(conditional.actual_order_id);
    if (conditional.status === "TRIGGERED" || conditional.actual_order_id === 0) {
      assert.equal(conditional.actual_price, "0");
      continue;
    }
    assert.equal(child?.algo_id, conditional.algo_id);
    assert.equal(child?.status, conditional.status);
    assert.equal(child?.avg_price, conditional.actual_price);
  }
}

/** Page behind page gives every row once, however many are of one millisecond. */
async function checkPages({ db }: HistoryDatabase): Promise<void> {
  for (const uid of UIDS) {
    const limit = random.integer(1, 9);
    const asked = { uid, asset: null, symbol: null, incomeType: null, time: ALWAYS };
    const found: Income[] = [];
    let before: IncomeCursor | null = null;
    do {
      const { answer: page } = await answerQuestion(db, "income", { ...asked, before, limit });
      found.push(...page);
      before = cursorBehind(page);
    } while (before !== null);
    const all = await answerQuestion(db, "income", { ...asked, before, limit: 1_000_000 });
    assert.deepEqual(found, all.answer);
  }
}

function cursorBehind(page: readonly Income[]): IncomeCursor | null {
  const last = page.at(-1);
  return last === undefined ? null : { timeMs: last.timeMs, incomeId: last.incomeId };
}

/** In the order of their ids, times never go back. */
function ascends(rows: [id: number, timeMs: number][]): void {
  rows.sort(([one], [other]) => one - other);
  for (const [i, [id, timeMs]] of rows.entries()) {
    assert.ok(timeMs >= (rows[i - 1]?.[1] ?? 0), `${id} is not earlier than the one before`);
  }
}

async function checkCandles(engine: ProjectedEngine, { db }: HistoryDatabase): Promise<void> {
  for (const prices of engine.query({ type: "contract-prices", symbol: null })) {
    const { symbol } = prices;
    const present = { LAST: prices.lastPrice, INDEX: prices.indexPrice, MARK: prices.markPrice };
    for (const [priceType, price] of Object.entries(present)) {
      const newest = await db
        .selectFrom("contract_candles")
        .select("close")
        .where("symbol", "=", symbol)
        .where("price_type", "=", priceType as keyof typeof present)
        .where("candle_interval", "=", "1m")
        .orderBy("open_ms", "desc")
        .limit(1)
        .executeTakeFirst();
      assert.equal(newest?.close ?? "0", price, `${symbol} ${priceType}`);
    }
  }
}
