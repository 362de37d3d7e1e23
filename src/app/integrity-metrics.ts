/**
 * Metrics about the health of the contract markets: balances and payments of the insurance funds,
 * age of the indexes, liquidations, deleveragings, and orders refused because they would have cost
 * a fund. The engine counts; it is queried when metrics are requested.
 */
import { Counter, Gauge, type Registry } from "@prometheus-io/client";
import type { Clock } from "../platform/index.ts";
import type { MarketIntegrityView } from "../protocol/index.ts";

/** Limits how often requests for metrics query the engine. */
const ASKED_EVERY_MS = 1_000;

/** Null while the exchange is too busy to answer. */
export type AskIntegrity = () => Promise<MarketIntegrityView | null>;

type Market = MarketIntegrityView["markets"][number];

export class IntegrityMetrics {
  readonly #ask: AskIntegrity;
  readonly #clock: Clock;
  /** Counts from the replay of the journal, to be subtracted: they are not from this run. */
  readonly #before: Promise<MarketIntegrityView | null>;
  readonly #fund: Gauge<"asset">;
  readonly #age: Gauge<"symbol" | "source">;
  readonly #stale: Gauge<"symbol">;
  readonly #drawsUsed: Gauge<"symbol">;
  readonly #counters: readonly (readonly [Counter<"symbol">, (market: Market) => number])[];

  readonly #shortestMs: number;
  #askedMs = Number.NEGATIVE_INFINITY;

  constructor(
    registry: Registry,
    ask: AskIntegrity,
    clock: Clock,
    shortestMs: number = ASKED_EVERY_MS,
  ) {
    const registers = [registry];
    this.#shortestMs = shortestMs;
    const labelNames = ["symbol"] as const;
    this.#ask = ask;
    this.#clock = clock;
    this.#before = ask();
    this.#fund = new Gauge({
      name: "rialto_insurance_fund",
      help: "Balance of an asset's insurance fund, in the asset",
      labelNames: ["asset"],
      registers,
    });
    this.#age = new Gauge({
      name: "rialto_index_age_seconds",
      help: "Age of a contract's index by its source; absent before the first index",
      labelNames: ["symbol", "source"],
      registers,
    });
    this.#stale = new Gauge({
      name: "rialto_index_stale",
      help: "1 while the index is stale: no liquidations, no opening of positions",
      labelNames,
      registers,
    });
    this.#drawsUsed = new Gauge({
      name: "rialto_insurance_draw_used",
      help: "Share of the draw limit used in this hour, 0 to 1; only with a limit",
      labelNames,
      registers,
    });
    const counter = (name: string, help: string, read: (market: Market) => number) =>
      [new Counter({ name, help, labelNames, registers }), read] as const;
    this.#counters = [
      counter(
        "rialto_liquidations_total",
        "Positions liquidated in full or in part",
        (market) => market.liquidations,
      ),
      counter(
        "rialto_deleveragings_total",
        "Positions reduced by automatic deleveraging",
        (market) => market.deleveragings,
      ),
      counter(
        "rialto_fills_refused_total",
        "Orders ended because a fill would have caused a liquidation or a debt",
        (market) => market.refusedFills,
      ),
      counter(
        "rialto_orders_refused_total",
        "New orders rejected because filling them would have caused a liquidation",
        (market) => market.refusedOrders,
      ),
      counter(
        "rialto_insurance_paid_total",
        "Amount that the insurance fund paid for liquidations, in the margin asset",
        (market) => Number(market.insurancePaid),
      ),
    ];
  }

  /** Queries again unless it just did; without an answer, values stay as they were. */
  async refresh(): Promise<void> {
    const nowMs = this.#clock.monotonicMs();
    if (nowMs - this.#askedMs < this.#shortestMs) return;
    this.#askedMs = nowMs;
    const view = await this.#ask();
    if (view === null) return;
    const before = new Map((await this.#before)?.markets.map((row) => [row.symbol, row]));
    for (const { asset, balance } of view.funds) this.#fund.set({ asset }, Number(balance));
    // An index source that no longer exists must not keep its last age.
    this.#age.reset();
    this.#drawsUsed.reset();
    for (const market of view.markets) {
      const { symbol, indexSource: source, indexAgeMs, drawsUsed } = market;
      if (indexAgeMs !== null) this.#age.set({ symbol, source }, indexAgeMs / 1000);
      if (drawsUsed !== null) this.#drawsUsed.set({ symbol }, drawsUsed);
      this.#stale.set({ symbol }, market.isStale ? 1 : 0);
    }
    for (const [counter, read] of this.#counters) {
      counter.reset();
      for (const market of view.markets) {
        const earlier = before.get(market.symbol);
        const count = read(market) - (earlier === undefined ? 0 : read(earlier));
        counter.inc({ symbol: market.symbol }, count);
      }
    }
  }
}
