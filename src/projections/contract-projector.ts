/** Applies the events of the contract side to the history file: a part of the projector. */
import type { Event, EventOf } from "../protocol/index.ts";
import type { RowSink } from "../store/index.ts";
import { algoOrderRow } from "./algo-orders.ts";
import { type CandleStore, Candles } from "./candles.ts";
import { addPricesToCandles, addTradeToCandles, contractCandleStore } from "./contract-candles.ts";
import {
  fillIncome,
  fundingIncome,
  fundsIncome,
  type IncomeRow,
  liquidationIncome,
  liquidationStepIncome,
  marginIncome,
} from "./contract-income.ts";
import { endedContractOrderRow } from "./contract-orders.ts";
import { contractFillRow, contractTradeRow, isInBook } from "./contract-rows.ts";
import { fundingRateRow } from "./funding-rates.ts";
import type { ContractCandleSeries, Listings } from "./instruments.ts";

/** The last ids given out. */
export interface ContractIds {
  readonly lastFillId: number;
  readonly lastIncomeId: number;
}

export class ContractProjector {
  readonly #rows: RowSink;
  readonly #listings: Listings;
  readonly #candles: Candles<ContractCandleSeries>;
  #lastFillId: number;
  #lastIncomeId: number;
  /** Of the present liquidation; all of one is told by one command. */
  #hasLiquidationFee = false;

  constructor(
    rows: RowSink,
    listings: Listings,
    newest: CandleStore<ContractCandleSeries>["newest"],
    ids: ContractIds,
  ) {
    this.#rows = rows;
    this.#listings = listings;
    this.#candles = new Candles(contractCandleStore(rows, newest));
    this.#lastFillId = ids.lastFillId;
    this.#lastIncomeId = ids.lastIncomeId;
  }

  get ids(): ContractIds {
    return { lastFillId: this.#lastFillId, lastIncomeId: this.#lastIncomeId };
  }

  /** Writes the candles that have changed; called before the transaction ends. */
  flush(): void {
    this.#candles.flush();
  }

  /** Passes over what is not of contracts. */
  project(event: Event, timestampMs: number): void {
    const rows = this.#rows;
    const listings = this.#listings;
    switch (event.type) {
      case "contract-market-set":
        listings.setContractMarket(event, rows);
        break;
      case "contract-prices-changed": {
        const market = listings.contractMarket(event.symbol);
        addPricesToCandles(this.#candles, event, market, timestampMs);
        break;
      }
      case "contract-trade":
        this.#projectTrade(event, timestampMs);
        break;
      case "contract-order-ended": {
        const market = listings.contractMarket(event.symbol);
        rows.insert("ended_contract_orders", endedContractOrderRow(event, market, timestampMs));
        break;
      }
      case "algo-order-changed": {
        const row = algoOrderRow(event, listings.contractMarket(event.symbol));
        if (row !== null) rows.upsert("algo_orders", row);
        break;
      }
      case "funding-settled": {
        const market = listings.contractMarket(event.symbol);
        rows.insert("funding_rates", fundingRateRow(event, market));
        break;
      }
      default:
        this.#projectWallet(event, timestampMs);
    }
  }

  #projectTrade(event: EventOf<"contract-trade">, timestampMs: number): void {
    const rows = this.#rows;
    const listings = this.#listings;
    const market = listings.contractMarket(event.symbol);
    if (isInBook(event)) {
      rows.insert("contract_trades", contractTradeRow(event, market, timestampMs));
      addTradeToCandles(this.#candles, event, market, timestampMs);
    }
    for (const role of ["maker", "taker"] as const) {
      const fillId = ++this.#lastFillId;
      rows.insert("contract_fills", contractFillRow(event, role, market, timestampMs, fillId));
      this.#addIncome(fillIncome(event, role, listings), timestampMs);
    }
  }

  /** What changes a wallet and is no match. */
  #projectWallet(event: Event, timestampMs: number): void {
    const listings = this.#listings;
    switch (event.type) {
      case "funds-moved": {
        const row = fundsIncome(event, listings);
        if (row !== null) this.#addIncome(row, timestampMs);
        break;
      }
      case "funding-moved":
        this.#addIncome(fundingIncome(event, listings), timestampMs);
        break;
      case "position-margin-moved":
        this.#addIncome(marginIncome(event, listings), timestampMs);
        break;
      case "liquidation-started":
        this.#hasLiquidationFee = false;
        this.#addIncome(liquidationStepIncome(event, listings), timestampMs);
        break;
      case "liquidation-settled":
        if (event.liquidationFeeMinor > 0n) this.#hasLiquidationFee = true;
        for (const row of liquidationIncome(event, listings)) this.#addIncome(row, timestampMs);
        break;
      case "liquidation-finished":
        if (!this.#hasLiquidationFee) {
          this.#addIncome(liquidationStepIncome(event, listings), timestampMs);
        }
        break;
      default:
        break;
    }
  }

  #addIncome(row: IncomeRow, timestampMs: number): void {
    const incomeId = ++this.#lastIncomeId;
    this.#rows.insert("contract_income", { ...row, income_id: incomeId, time_ms: timestampMs });
  }
}
