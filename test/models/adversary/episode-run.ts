/**
 * One episode on its own engine, restored from the exchange's snapshot: commands at their times,
 * with the sequencer's part (due timers first, cascades completed), and what the colluding accounts
 * and the honest maker can see and do.
 */
import { sha256Hex } from "../../../src/app/event-digest.ts";
import { Engine } from "../../../src/engine/index.ts";
import {
  ByteWriter,
  type Command,
  type CommandOf,
  type CommandResult,
  type EngineQuery,
  type Event,
  type QueryAnswers,
  readEvents,
} from "../../../src/protocol/index.ts";
import { HASH_KEY } from "../../support/hash-key.ts";
import { NOTHING_ATTACHED } from "../contract/contract-setup.ts";
import {
  type AdversaryFixture,
  ASSET,
  type Listing,
  MAKER,
  setIndex,
} from "./adversary-fixture.ts";
import type { Ground, MakerMode } from "./episode-plan.ts";

const SLICES_MAX = 1_000;
const DEEP_NOTIONAL = 2_000_000;
const THIN_NOTIONAL = 3_000;

export interface Prices {
  indexTicks: number;
  markTicks: number;
}

type PlaceOrder = CommandOf<"place-contract-order">;
type Side = "LONG" | "SHORT";

export interface Executed {
  readonly command: Command;
  readonly atMs: number;
  readonly result: string;
}

export class EpisodeRun {
  readonly fixture: AdversaryFixture;
  readonly ground: Ground;
  /** By symbol; what the events said last. */
  readonly prices = new Map<string, Prices>();
  /** What was carried out, for those who want to read it. */
  readonly log: Executed[] | null;
  /** The hand's own resting orders, oldest first. */
  readonly restingIds: { readonly uid: number; readonly orderId: number }[] = [];
  readonly positionIds: { readonly uid: number; readonly positionId: number }[] = [];
  nowMs: number;
  makerMode: MakerMode;
  #engine: Engine;
  #sequence: number;
  #ids = 0;
  readonly #writer = new ByteWriter();
  readonly #observe: (event: Event) => void;

  constructor(
    fixture: AdversaryFixture,
    ground: Ground,
    observe: (event: Event) => void,
    logs: boolean,
  ) {
    this.fixture = fixture;
    this.ground = ground;
    this.nowMs = fixture.startMs;
    this.makerMode = ground.maker;
    this.#sequence = fixture.sequence;
    this.#engine = Engine.restore(fixture.sections, fixture.startMs, sha256Hex, HASH_KEY);
    this.#observe = observe;
    this.log = logs ? [] : null;
    for (const { symbol, indexTicks } of fixture.listings) {
      this.prices.set(symbol, { indexTicks, markTicks: indexTicks });
    }
  }

  /** Carries a command out behind the timers that are due. Returns whether it was accepted. */
  execute(command: Command): CommandResult {
    this.#passTime();
    const result = this.#apply(command);
    const text = result.ok ? "" : result.reason;
    this.log?.push({ command, atMs: this.nowMs, result: text });
    return result;
  }

  wait(ms: number): void {
    this.nowMs += ms;
    this.#passTime();
  }

  /** The exchange stops, and starts again so much later from its snapshot. */
  restart(gapMs: number): void {
    const sections = this.#engine.snapshotSections();
    this.#engine = Engine.restore(sections, this.nowMs, sha256Hex, HASH_KEY);
    this.nowMs += gapMs;
    this.log?.push({ command: { type: "resume" }, atMs: this.nowMs, result: "" });
    this.#apply({ type: "resume" });
    this.#passTime();
  }

  ask<Query extends EngineQuery>(query: Query): QueryAnswers[Query["type"]] {
    const answer = this.#engine.query(query, this.nowMs);
    if (!answer.ok) throw new Error(`${query.type}: ${answer.reason}`);
    return answer.value as QueryAnswers[Query["type"]];
  }

  #passTime(): void {
    if (this.#engine.nextDueMs > this.nowMs) return;
    this.#apply({ type: "advance-time", toMs: this.nowMs });
  }

  #apply(command: Command): CommandResult {
    const result = this.#applyOne(command);
    for (let slices = 0; this.#engine.hasUnfinishedRisk; slices++) {
      if (slices > SLICES_MAX) throw new Error("the cascade never ends");
      this.#applyOne({ type: "continue-risk" });
    }
    return result;
  }

  #applyOne(command: Command): CommandResult {
    this.#writer.clear();
    const result = this.#engine.apply(command, this.#sequence + 1, this.nowMs, this.#writer);
    const bytes = this.#writer.toBytes();
    if (bytes.length === 0) return result;
    this.#sequence++;
    for (const event of readEvents(bytes)) {
      this.#remember(event);
      this.#observe(event);
    }
    return result;
  }

  #remember(event: Event): void {
    if (event.type === "contract-prices-changed") {
      const { indexTicks, markTicks } = event;
      this.prices.set(event.symbol, { indexTicks, markTicks });
    } else if (event.type === "contract-order-opened") {
      this.restingIds.push({ uid: event.uid, orderId: event.orderId });
    } else if (event.type === "position-opened") {
      this.positionIds.push({ uid: event.uid, positionId: event.positionId });
    }
  }

  pricesOf({ symbol, indexTicks }: Listing): Prices {
    return this.prices.get(symbol) ?? { indexTicks, markTicks: indexTicks };
  }

  /** The lowest sell and the highest buy that the band of the mark lets in. */
  bandOf(listing: Listing): readonly [low: number, high: number] {
    const { markTicks } = this.pricesOf(listing);
    return [Math.ceil((markTicks * 95) / 100), Math.floor((markTicks * 105) / 100)];
  }

  newId(): string {
    return `id-${++this.#ids}`;
  }

  /** A limit order at a price, a market order at 0. */
  order(
    uid: number,
    listing: Listing,
    action: "open" | "close",
    positionSide: Side,
    lots: number,
    ticks: number,
    other: Partial<PlaceOrder> = {},
  ): CommandResult | null {
    if (lots < 1 || ticks < 0) return null;
    return this.execute({
      type: "place-contract-order",
      uid,
      symbol: listing.symbol,
      side: (action === "open") === (positionSide === "LONG") ? "BUY" : "SELL",
      positionSide,
      orderType: ticks === 0 ? "MARKET" : "LIMIT",
      timeInForce: ticks === 0 ? "IOC" : "GTC",
      price: ticks === 0 ? "" : decimal(ticks, listing.perUnit),
      quantity: decimal(lots, listing.perLot),
      clientOrderId: this.newId(),
      ...NOTHING_ATTACHED,
      ...other,
    });
  }

  /** What the account may still use, in whole units of the margin asset, about. */
  available(uid: number): number {
    const rows = this.ask({ type: "contract-balances", uid });
    return Number(rows.find(({ asset }) => asset === ASSET)?.availableBalance ?? "0");
  }

  sizeLots(uid: number, listing: Listing, side: Side): number {
    const rows = this.ask({ type: "contract-positions", uid, symbol: listing.symbol });
    let size = 0;
    for (const row of rows) if (row.side === side) size += Number(row.size);
    return Math.round(size * listing.perLot);
  }

  /** The honest maker takes back what it quoted, and quotes again where it may. */
  requote(listing: Listing): void {
    const { perLot, perUnit } = listing;
    this.withdrawQuotes(listing);
    const { makerMode } = this;
    if (makerMode === "none") return;
    const { indexTicks } = this.pricesOf(listing);
    const fair = this.fixture.form.hasSpotIndex ? listing.indexTicks : indexTicks;
    const distance = Math.max(1, Math.round(fair * this.ground.spread));
    const notional = makerMode === "thin" ? THIN_NOTIONAL : DEEP_NOTIONAL;
    const lots = Math.max(1, Math.round((notional * perUnit * perLot) / fair));
    if (makerMode !== "asks") this.order(MAKER, listing, "open", "LONG", lots, fair - distance);
    if (makerMode !== "bids") this.order(MAKER, listing, "open", "SHORT", lots, fair + distance);
  }

  withdrawQuotes({ symbol }: Listing): void {
    this.execute({ type: "cancel-all-contract-orders", uid: MAKER, symbol });
  }

  /** The index moves; honest quotes are gone before, so that nobody takes a stale one. */
  moveIndex(listing: Listing, ticks: number): void {
    this.withdrawQuotes(listing);
    this.execute(setIndex(listing.symbol, decimal(ticks, listing.perUnit)));
    this.requote(listing);
  }
}

/** Whole steps as plain decimal text. */
export function decimal(steps: number, perUnit: number): string {
  if (perUnit === 1) return String(steps);
  const places = String(perUnit).length - 1;
  const digits = String(steps).padStart(places + 1, "0");
  return `${digits.slice(0, -places)}.${digits.slice(-places)}`;
}
