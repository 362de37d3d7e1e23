/**
 * Rebuilds the positions of contracts from events alone: sizes and open values, what a closing fill
 * takes of each, and the realised profit that follows. Written from the rules, in whole minor
 * units; the oracle of the open value that `pnl-clearing` owes.
 */
import type { EventOf } from "../../../src/protocol/index.ts";
import { exact } from "../../support/exact.ts";
import { up } from "./rounding.ts";

type Trade = EventOf<"contract-trade">;
type Fill = Trade["maker"];
type Side = Fill["positionSide"];

const SIDES = ["LONG", "SHORT"] as const;
const UNIT_SCALE = 36;

interface EventPosition {
  readonly uid: number;
  readonly symbol: string;
  readonly side: Side;
  lots: bigint;
  openMinor: bigint;
  openedLots: bigint;
  openedMinor: bigint;
  closedLots: bigint;
  closedMinor: bigint;
  openFeeMinor: bigint;
  closeFeeMinor: bigint;
  fundingMinor: bigint;
  liquidationFeeMinor: bigint;
}

interface Market {
  readonly asset: string;
  /** Minor units of a lot at a tick. */
  readonly unit: bigint;
}

export class EventPositions {
  /** By id. */
  readonly #open = new Map<number, EventPosition>();
  readonly #markets = new Map<string, Market>();

  /** Open value of each open position of a user, by id. */
  openValuesOf(uid: number): Map<number, { readonly asset: string; readonly minor: bigint }> {
    const own = [...this.#open].filter(([, position]) => position.uid === uid);
    return new Map(
      own.map(([id, { symbol, openMinor: minor }]) => [id, { asset: this.assetOf(symbol), minor }]),
    );
  }

  assetOf(symbol: string): string {
    return this.#market(symbol).asset;
  }

  list(event: EventOf<"contract-market-set">, assetScale: number): void {
    const asset = event.marginAsset;
    // Tick × step is a whole number of minor units.
    const minor = 10n ** BigInt(UNIT_SCALE - assetScale);
    this.#markets.set(event.symbol, {
      asset,
      unit: (exact(event.tickSize) * exact(event.stepSize)) / minor,
    });
  }

  /** Σ d × open value of an asset: what all open positions owe together. */
  owedMinor(asset: string): bigint {
    let owed = 0n;
    for (const { symbol, side, openMinor } of this.#open.values()) {
      if (this.#market(symbol).asset !== asset) continue;
      owed += side === "LONG" ? openMinor : -openMinor;
    }
    return owed;
  }

  opened(event: EventOf<"position-opened">): void {
    const { uid, symbol, positionSide: side } = event;
    this.#open.set(event.positionId, {
      ...{ uid, symbol, side, lots: 0n, openMinor: 0n, openedLots: 0n, openedMinor: 0n },
      ...{ closedLots: 0n, closedMinor: 0n, openFeeMinor: 0n, closeFeeMinor: 0n },
      ...{ fundingMinor: 0n, liquidationFeeMinor: 0n },
    });
  }

  /** Both sides of a match; what does not hold of it. */
  traded(trade: Trade): string | null {
    const { maker, taker, symbol, valueMinor, quantityLots, priceTicks } = trade;
    const { unit } = this.#market(symbol);
    if (valueMinor !== BigInt(priceTicks) * BigInt(quantityLots) * unit) {
      return `a value of ${valueMinor} is not price times quantity`;
    }
    const fault = this.#filled(trade, maker) ?? this.#filled(trade, taker);
    if (fault !== null) return fault;
    const lots: Record<Side, bigint> = { LONG: 0n, SHORT: 0n };
    for (const position of this.#open.values()) {
      if (position.symbol === symbol) lots[position.side] += position.lots;
    }
    const stated = BigInt(trade.openInterestLots);
    return SIDES.every((side) => lots[side] === stated)
      ? null
      : `${lots.LONG} lots long, ${lots.SHORT} short, told ${stated}`;
  }

  #filled(trade: Trade, fill: Fill): string | null {
    const { positionId, feeMinor } = fill;
    const position = this.#open.get(positionId);
    const isOwn =
      position?.uid === fill.uid &&
      position.symbol === trade.symbol &&
      position.side === fill.positionSide;
    if (position === undefined || !isOwn) return `position ${positionId} is not the fill's`;
    if (fill.isClosing) return this.#closing(trade, fill);
    const lots = BigInt(trade.quantityLots);
    position.lots += lots;
    position.openedLots += lots;
    position.openMinor += trade.valueMinor;
    position.openedMinor += trade.valueMinor;
    position.openFeeMinor += feeMinor;
    return fill.realizedPnlMinor === 0n ? null : "opening realises nothing";
  }

  /** From the first position on, by id, until nothing is left; the last takes the fee's rest. */
  #closing(trade: Trade, fill: Fill): string | null {
    const { unit } = this.#market(trade.symbol);
    const lots = BigInt(trade.quantityLots);
    let leftLots = lots;
    let leftFeeMinor = fill.feeMinor;
    let realizedMinor = 0n;
    for (const position of this.#side(trade, fill)) {
      const part = position.lots < leftLots ? position.lots : leftLots;
      if (part === 0n) continue;
      leftLots -= part;
      const feeMinor = leftLots === 0n ? leftFeeMinor : (fill.feeMinor * part) / lots;
      leftFeeMinor -= feeMinor;
      const value = BigInt(trade.priceTicks) * part * unit;
      const isLong = position.side === "LONG";
      const exactOpen = position.openMinor * part;
      const removed = isLong ? up(exactOpen, position.lots, 1n) : exactOpen / position.lots;
      realizedMinor += isLong ? value - removed : removed - value;
      position.lots -= part;
      position.openMinor -= removed;
      position.closedLots += part;
      position.closedMinor += value;
      position.closeFeeMinor += feeMinor;
    }
    if (leftLots > 0n) return `${leftLots} lots were closed that nobody held`;
    return realizedMinor === fill.realizedPnlMinor
      ? null
      : `user ${fill.uid} realised ${realizedMinor}, told ${fill.realizedPnlMinor}`;
  }

  #side({ symbol }: Trade, { uid, positionSide, positionId }: Fill): EventPosition[] {
    return [...this.#open]
      .filter(([id, position]) => {
        const isOwn = position.uid === uid && position.symbol === symbol;
        return id >= positionId && isOwn && position.side === positionSide;
      })
      .sort(([one], [other]) => one - other)
      .map(([, position]) => position);
  }

  funded({ positionId, deltaMinor }: EventOf<"funding-moved">): string | null {
    const position = this.#open.get(positionId);
    if (position === undefined) return `funding of position ${positionId}, which is not open`;
    position.fundingMinor -= deltaMinor;
    return null;
  }

  liquidated({ positionId, liquidationFeeMinor }: EventOf<"liquidation-settled">): string | null {
    const position = this.#open.get(positionId);
    if (position === undefined) return `liquidation of position ${positionId}, which is not open`;
    position.liquidationFeeMinor += liquidationFeeMinor;
    return null;
  }

  /** Between two commands a position is open or told of as closed. */
  unclosed(): string | null {
    for (const [id, { lots }] of this.#open) {
      if (lots === 0n) return `position ${id} is empty, and nobody told that it closed`;
    }
    return null;
  }

  /** The totals of a position that is gone. */
  closed(event: EventOf<"position-closed">): string | null {
    const position = this.#open.get(event.positionId);
    this.#open.delete(event.positionId);
    if (position === undefined) return `position ${event.positionId} closes, and was not open`;
    if (position.lots !== 0n || position.openMinor !== 0n) return "a position closes and is there";
    const totals: readonly (readonly [string, bigint, bigint])[] = [
      ["opened lots", position.openedLots, event.cumOpenLots],
      ["opened value", position.openedMinor, event.cumOpenValueMinor],
      ["fee of opening", position.openFeeMinor, event.cumOpenFeeMinor],
      ["closed lots", position.closedLots, event.cumCloseLots],
      ["closed value", position.closedMinor, event.cumCloseValueMinor],
      ["fee of closing", position.closeFeeMinor, event.cumCloseFeeMinor],
      ["funding", position.fundingMinor, event.cumFundingFeeMinor],
      ["liquidation fee", position.liquidationFeeMinor, event.cumLiquidateFeeMinor],
    ];
    for (const [what, own, emitted] of totals) {
      if (own !== emitted)
        return `${what} of position ${event.positionId} is ${own}, told ${emitted}`;
    }
    return null;
  }

  #market(symbol: string): Market {
    const market = this.#markets.get(symbol);
    if (market === undefined) throw new Error(`no event listed ${symbol}`);
    return market;
  }
}
