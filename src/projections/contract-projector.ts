/** The part of the projector that applies events of contracts. */
import type { Event, EventOf } from "../protocol/index.ts";
import type { HistoryDatabase, RowSink } from "../store/index.ts";
import { contractCandleStore } from "./candle-stores.ts";
import { Candles } from "./candles.ts";
import { addPricesToCandles, addTradeToCandles } from "./contract-candles.ts";
import {
  fillIncome,
  fundingIncome,
  fundsIncome,
  type IncomeRow,
  liquidationIncome,
  liquidationStepIncome,
  marginIncome,
} from "./contract-income.ts";
import {
  conditionalOrderRow,
  contractFillRow,
  contractTradeRow,
  endedContractOrderRow,
  fundingRateRow,
  isInBook,
} from "./contract-rows.ts";
import type { ContractCandleSeries, Instruments } from "./instruments.ts";

/** The last ids issued. */
export interface ContractIds {
  readonly lastFillId: number;
  readonly lastIncomeId: number;
}

export class ContractProjector {
  readonly #rows: RowSink;
  readonly #instruments: Instruments;
  readonly #candles: Candles<ContractCandleSeries>;
  #lastFillId: number;
  #lastIncomeId: number;
  /** Of the current liquidation; one command holds all of it. */
  #hasLiquidationFee = false;

  constructor(history: HistoryDatabase, rows: RowSink, instruments: Instruments, ids: ContractIds) {
    this.#rows = rows;
    this.#instruments = instruments;
    this.#candles = new Candles(contractCandleStore(history, rows));
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

  /** Ignores other events. */
  project(event: Event, timestampMs: number): void {
    const rows = this.#rows;
    const instruments = this.#instruments;
    switch (event.type) {
      case "contract-market-set":
        instruments.setContractMarket(event, rows);
        break;
      case "contract-prices-changed": {
        const market = instruments.contractMarket(event.symbol);
        addPricesToCandles(this.#candles, event, market, timestampMs);
        break;
      }
      case "contract-trade":
        this.#projectTrade(event, timestampMs);
        break;
      case "contract-order-ended": {
        const market = instruments.contractMarket(event.symbol);
        rows.insert("ended_contract_orders", endedContractOrderRow(event, market, timestampMs));
        break;
      }
      case "algo-order-changed": {
        const row = conditionalOrderRow(event, instruments.contractMarket(event.symbol));
        if (row !== null) rows.upsert("algo_orders", row);
        break;
      }
      case "funding-settled": {
        const market = instruments.contractMarket(event.symbol);
        rows.insert("funding_rates", fundingRateRow(event, market));
        break;
      }
      default:
        this.#projectWallet(event, timestampMs);
    }
  }

  #projectTrade(event: EventOf<"contract-trade">, timestampMs: number): void {
    const rows = this.#rows;
    const instruments = this.#instruments;
    const market = instruments.contractMarket(event.symbol);
    if (isInBook(event)) {
      rows.insert("contract_trades", contractTradeRow(event, market, timestampMs));
      addTradeToCandles(this.#candles, event, market, timestampMs);
    }
    for (const role of ["maker", "taker"] as const) {
      const fillId = ++this.#lastFillId;
      rows.insert("contract_fills", contractFillRow(event, role, market, timestampMs, fillId));
      this.#addIncome(fillIncome(event, role, instruments), timestampMs);
    }
  }

  /** Changes of wallets other than matches. */
  #projectWallet(event: Event, timestampMs: number): void {
    const instruments = this.#instruments;
    switch (event.type) {
      case "funds-moved": {
        const row = fundsIncome(event, instruments);
        if (row !== null) this.#addIncome(row, timestampMs);
        break;
      }
      case "funding-moved":
        this.#addIncome(fundingIncome(event, instruments), timestampMs);
        break;
      case "position-margin-moved":
        this.#addIncome(marginIncome(event, instruments), timestampMs);
        break;
      case "liquidation-started":
        this.#hasLiquidationFee = false;
        this.#addIncome(liquidationStepIncome(event, instruments), timestampMs);
        break;
      case "liquidation-settled":
        if (event.liquidationFeeMinor > 0n) this.#hasLiquidationFee = true;
        for (const row of liquidationIncome(event, instruments)) this.#addIncome(row, timestampMs);
        break;
      case "liquidation-finished":
        if (!this.#hasLiquidationFee) {
          this.#addIncome(liquidationStepIncome(event, instruments), timestampMs);
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
