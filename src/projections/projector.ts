/**
 * Applies events to the history file. A transaction holds whole commands and the sequence of the
 * last one, so that a file is always the history of exactly the commands up to its applied
 * sequence.
 */
import type { DatabaseSync } from "node:sqlite";
import { invariant } from "../domain/index.ts";
import { type Event, type EventOf, readEvents } from "../protocol/index.ts";
import { type HistoryDatabase, type Row, RowWriter, SCHEMA_VERSION } from "../store/index.ts";
import { AffiliateProjector, type FundsBill } from "./affiliate/affiliate-projector.ts";
import { auditRow, hasActor, withReason } from "./audit.ts";
import { spotCandleStore } from "./candle-stores.ts";
import { Candles } from "./candles.ts";
import { ContractProjector } from "./contract-projector.ts";
import { depositRow } from "./deposits.ts";
import {
  fundingMovementRow,
  fundsBillRow,
  insuranceMovementRow,
  operatorMovementRow,
  transferRow,
} from "./funds-movements.ts";
import { Instruments, type SpotMarket } from "./instruments.ts";
import { RowReaders } from "./row-readers.ts";
import { BILLS_PER_TRADE, endedSpotOrderRow, spotTradeRow } from "./spot-rows.ts";
import { WebhookProjector } from "./webhooks.ts";
import { withdrawalRow, withdrawalStepRow } from "./withdrawals.ts";

export class Projector {
  readonly #connection: DatabaseSync;
  readonly #rows: RowWriter;
  readonly #instruments: Instruments;
  readonly #candles: Candles<SpotMarket>;
  readonly #contracts: ContractProjector;
  readonly #affiliates: AffiliateProjector;
  readonly #webhooks: WebhookProjector;
  readonly #fundingsOfUser: (uid: number) => number;
  readonly #fundingsOfAsset: (uid: number, asset: string) => number;
  #appliedSequence: number;
  /** Exchange time of the last command. */
  #commandMs: number;
  /** Time of the current event: the command's, or that of a timer within it. */
  #timestampMs: number;
  #lastBillId: number;
  #lastMovementId: number;
  #lastAuditId: number;
  /** The newest entry that this projector wrote. */
  #lastAudit: Row<"audit"> | null = null;

  private constructor(
    history: HistoryDatabase,
    instruments: Instruments,
    progress: Row<"progress">,
  ) {
    this.#connection = history.connection;
    this.#rows = new RowWriter(history.db, history.connection);
    this.#instruments = instruments;
    this.#candles = new Candles(spotCandleStore(history, this.#rows));
    this.#contracts = new ContractProjector(history, this.#rows, instruments, {
      lastFillId: progress.last_fill_id,
      lastIncomeId: progress.last_income_id,
    });
    this.#affiliates = new AffiliateProjector(history, this.#rows, instruments, {
      lastCommissionId: progress.last_commission_id,
      lastSettlementId: progress.last_settlement_id,
    });
    this.#webhooks = new WebhookProjector(history, this.#rows, instruments);
    const read = new RowReaders(history);
    this.#fundingsOfUser = read.last("funding_movements", ["uid"], "uid_ordinal");
    this.#fundingsOfAsset = read.last("funding_movements", ["uid", "asset"], "asset_ordinal");
    this.#appliedSequence = progress.applied_sequence;
    this.#commandMs = progress.applied_timestamp_ms;
    this.#timestampMs = progress.applied_timestamp_ms;
    this.#lastBillId = progress.last_bill_id;
    this.#lastMovementId = progress.last_movement_id;
    this.#lastAuditId = progress.last_audit_id;
  }

  /** Continues where the file ends. */
  static async load(history: HistoryDatabase): Promise<Projector> {
    const { db } = history;
    const assets = await db.selectFrom("assets").selectAll().execute();
    const markets = await db.selectFrom("spot_markets").selectAll().execute();
    const contracts = await db.selectFrom("contract_markets").selectAll().execute();
    const progress = await db.selectFrom("progress").selectAll().executeTakeFirstOrThrow();
    return new Projector(history, new Instruments(assets, markets, contracts), progress);
  }

  get appliedSequence(): number {
    return this.#appliedSequence;
  }

  begin(): void {
    this.#connection.exec("begin immediate");
  }

  commit(): void {
    this.#candles.flush();
    this.#contracts.flush();
    this.#affiliates.flush();
    const { lastCommissionId, lastSettlementId } = this.#affiliates.ids;
    const { lastFillId, lastIncomeId } = this.#contracts.ids;
    this.#rows.upsert("progress", {
      id: 1,
      schema_version: SCHEMA_VERSION,
      applied_sequence: this.#appliedSequence,
      applied_timestamp_ms: this.#commandMs,
      last_bill_id: this.#lastBillId,
      last_movement_id: this.#lastMovementId,
      last_audit_id: this.#lastAuditId,
      last_fill_id: lastFillId,
      last_income_id: lastIncomeId,
      last_commission_id: lastCommissionId,
      last_settlement_id: lastSettlementId,
    });
    this.#connection.exec("commit");
  }

  /**
   * Applies a chunk inside the open transaction and returns its count of events. Commands that the
   * file has already are skipped; one that does not follow the last is a broken invariant.
   */
  apply(chunk: Uint8Array): number {
    let count = 0;
    let isKnown = false;
    for (const event of readEvents(chunk)) {
      count++;
      if (event.type === "command-applied") {
        isKnown = event.sequence <= this.#appliedSequence;
        if (!isKnown) this.#enter(event);
      } else if (!isKnown) {
        this.#project(event);
      }
    }
    return count;
  }

  #enter(event: EventOf<"command-applied">): void {
    const expected = this.#appliedSequence + 1;
    invariant(event.sequence === expected, `history needs command ${expected}`);
    this.#appliedSequence = event.sequence;
    this.#commandMs = event.timestampMs;
    this.#timestampMs = event.timestampMs;
  }

  #project(event: Event): void {
    switch (event.type) {
      case "spot-trade":
        this.#projectTrade(event);
        break;
      case "spot-order-ended": {
        const market = this.#instruments.spotMarket(event.symbol);
        const row = endedSpotOrderRow(event, market, this.#timestampMs);
        this.#rows.insert("ended_spot_orders", row);
        break;
      }
      case "asset-set":
        this.#instruments.setAsset(event, this.#rows);
        break;
      case "spot-market-set":
        this.#instruments.setSpotMarket(event, this.#rows);
        break;
      case "funds-moved":
        this.#projectFunds(event);
        break;
      case "insurance-moved": {
        const movementId = ++this.#lastMovementId;
        const row = insuranceMovementRow(event, this.#instruments, this.#timestampMs, movementId);
        this.#rows.insert("operator_movements", row);
        break;
      }
      case "deposit-changed":
        this.#rows.upsert("deposits", depositRow(event, this.#instruments, this.#timestampMs));
        break;
      case "withdrawal-changed": {
        const row = withdrawalRow(event, this.#instruments, this.#timestampMs);
        this.#rows.upsert("withdrawals", row);
        this.#rows.insert("withdrawal_steps", withdrawalStepRow(event, this.#timestampMs));
        break;
      }
      case "timer-fired":
        this.#timestampMs = event.timestampMs;
        break;
      case "reason-given":
        this.#projectReason(event.reason);
        break;
      default:
        break;
    }
    this.#contracts.project(event, this.#timestampMs);
    for (const bill of this.#affiliates.project(event, this.#timestampMs)) {
      this.#rows.insert("funds_bills", this.#numbered(bill));
    }
    const sequence = this.#appliedSequence;
    this.#webhooks.project(event, { sequence, timestampMs: this.#timestampMs });
    if (hasActor(event)) this.#projectAudit(event);
  }

  #projectTrade(event: EventOf<"spot-trade">): void {
    const market = this.#instruments.spotMarket(event.symbol);
    const billId = this.#lastBillId + 1;
    this.#lastBillId += BILLS_PER_TRADE;
    this.#rows.insert("spot_trades", spotTradeRow(event, market, this.#timestampMs, billId));
    const { baseMinor, quoteMinor } = event;
    const traded = { baseMinor, quoteMinor, takerBought: event.takerSide === "BUY" };
    this.#candles.add(market, event.priceTicks, traded, this.#timestampMs);
  }

  #projectFunds(event: EventOf<"funds-moved">): void {
    const timestampMs = this.#timestampMs;
    const instruments = this.#instruments;
    const movementId = ++this.#lastMovementId;
    if (hasActor(event)) {
      const row = operatorMovementRow(event, instruments, timestampMs, movementId);
      this.#rows.insert("operator_movements", row);
    }
    const transfer = transferRow(event, instruments, timestampMs, movementId);
    if (transfer !== null) this.#rows.insert("transfers", transfer);
    const funding = fundingMovementRow(event, instruments, timestampMs, movementId);
    if (funding !== null) {
      const { uid, asset } = event;
      this.#rows.insert("funding_movements", {
        ...funding,
        uid_ordinal: this.#fundingsOfUser(uid) + 1,
        asset_ordinal: this.#fundingsOfAsset(uid, asset) + 1,
      });
    }
    const bill = fundsBillRow(event, instruments, timestampMs, this.#lastBillId + 1);
    if (bill === null) return;
    this.#lastBillId++;
    this.#rows.insert("funds_bills", bill);
  }

  #numbered(bill: FundsBill): Row<"funds_bills"> {
    return { ...bill, bill_id: ++this.#lastBillId, time_ms: this.#timestampMs };
  }

  #projectAudit(event: Parameters<typeof auditRow>[0]): void {
    const auditId = ++this.#lastAuditId;
    const sequence = this.#appliedSequence;
    const row = auditRow(event, this.#instruments, sequence, this.#timestampMs, auditId);
    this.#rows.insert("audit", row);
    this.#lastAudit = row;
  }

  /** Of the entry before, which is of the same command. */
  #projectReason(reason: string): void {
    const row = this.#lastAudit;
    invariant(row?.sequence === this.#appliedSequence, "a reason follows what it is given for");
    this.#rows.upsert("audit", withReason(row, reason));
  }
}
