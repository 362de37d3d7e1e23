/**
 * A margin account as it would be after fills that have not happened: its cash, its order margin,
 * and its positions in the market of the fills. What it holds elsewhere does not change and is read
 * once. Pictures use the formulas that settle fills and the predicates that liquidate, so a
 * prediction is exactly what the fill does.
 */
import { CONTRACT_AVAILABLE, CONTRACT_ORDER_MARGIN, type Ledger } from "../../ledger/ledger.ts";
import { NONE } from "../../matching/slot.ts";
import {
  crossNotionalMinor,
  markValueMinor,
  tierRateE8,
  unrealizedMinor,
} from "../formulas/account-equity.ts";
import {
  initialMarginMinor,
  isDueAt,
  isMarginDue,
  pnlMinor,
  valueMinor,
} from "../formulas/valuation.ts";
import {
  LONG,
  type PositionSideIndex,
  SHORT,
  type SymbolAccount,
} from "../state/contract-market.ts";
import { type Match, type MatchSide, openingMoney } from "./fill.ts";
import {
  type OpenedPart,
  openOrderIdOf,
  type PositionFigures,
  planCloseOf,
  positionOpenedBy,
} from "./positions.ts";

/** A position in a picture. One that a pictured fill opened has no id yet. */
type PicturedPosition = { -readonly [Key in keyof PositionFigures]: PositionFigures[Key] };

/** The cross positions in the account's other markets, at their marks. */
interface Elsewhere {
  readonly count: number;
  readonly pnlMinor: bigint;
  readonly maintenanceE8: bigint;
  readonly marginMinor: bigint;
}

const NOTHING_ELSEWHERE: Elsewhere = {
  count: 0,
  pnlMinor: 0n,
  maintenanceE8: 0n,
  marginMinor: 0n,
};

export class AccountPicture {
  readonly owner: SymbolAccount;
  #cashMinor: bigint;
  #orderMarginMinor: bigint;
  /** The sides that fills have changed; the others are read where they are. */
  #changedLong: PicturedPosition[] | null = null;
  #changedShort: PicturedPosition[] | null = null;
  readonly #sideLots: [long: number, short: number];
  #elsewhere: Elsewhere | null = null;

  /** The account as it is, with so much cash and order margin. */
  constructor(owner: SymbolAccount, cashMinor: bigint, orderMarginMinor: bigint) {
    this.owner = owner;
    this.#cashMinor = cashMinor;
    this.#orderMarginMinor = orderMarginMinor;
    this.#sideLots = [owner.sideLots[LONG], owner.sideLots[SHORT]];
  }

  static of(ledger: Ledger, owner: SymbolAccount): AccountPicture {
    const { base } = owner.account;
    const cashMinor = ledger.balance(base + CONTRACT_AVAILABLE);
    return new AccountPicture(owner, cashMinor, ledger.balance(base + CONTRACT_ORDER_MARGIN));
  }

  copy(): AccountPicture {
    const copy = new AccountPicture(this.owner, this.#cashMinor, this.#orderMarginMinor);
    if (this.#changedLong !== null) copy.#changedLong = this.#changedLong.map(copyOf);
    if (this.#changedShort !== null) copy.#changedShort = this.#changedShort.map(copyOf);
    copy.#sideLots[LONG] = this.#sideLots[LONG];
    copy.#sideLots[SHORT] = this.#sideLots[SHORT];
    copy.#elsewhere = this.#elsewhere;
    return copy;
  }

  get cashMinor(): bigint {
    return this.#cashMinor;
  }

  get orderMarginMinor(): bigint {
    return this.#orderMarginMinor;
  }

  get sideLots(): readonly [long: number, short: number] {
    return this.#sideLots;
  }

  /** The positions of a side, in the order of their ids. */
  positions(side: PositionSideIndex): readonly PositionFigures[] {
    const changed = side === LONG ? this.#changedLong : this.#changedShort;
    return changed ?? this.owner.positions[side];
  }

  /** One side of a match happens to the account, as settling it would. */
  apply(match: Match, side: MatchSide): void {
    if (side.isClosing) {
      this.#close(match, side);
      return;
    }
    const { positionSide, orderId, releasedMinor } = side;
    const { lots, valueMinor: tradedMinor } = match;
    const { feeMinor, marginMinor } = openingMoney(match, side, this.#cashMinor);
    this.release(releasedMinor);
    this.open(positionSide, orderId, { lots, valueMinor: tradedMinor, feeMinor, marginMinor });
  }

  /** Releases what an order has frozen. */
  release(amountMinor: bigint): void {
    this.#orderMarginMinor -= amountMinor;
    this.#cashMinor += amountMinor;
  }

  /** An opening fill: fee and margin are paid, and its position has them. */
  open(side: PositionSideIndex, orderId: number, part: OpenedPart): void {
    const { lots, valueMinor: openedMinor, feeMinor, marginMinor } = part;
    this.#cashMinor -= feeMinor + marginMinor;
    this.#sideLots[side] += lots;
    const positions = this.#change(side);
    const separatedOpenOrderId = openOrderIdOf(this.owner, orderId);
    let position = positionOpenedBy(positions, separatedOpenOrderId);
    if (position === null) {
      position = {
        positionId: NONE,
        separatedOpenOrderId,
        sizeLots: 0,
        openValueMinor: 0n,
        marginMinor: 0n,
      };
      positions.push(position);
    }
    position.sizeLots += lots;
    position.openValueMinor += openedMinor;
    position.marginMinor += marginMinor;
  }

  #close(
    { lots, market, priceTicks }: Match,
    { positionSide: side, targetPositionId, feeMinor }: MatchSide,
  ): void {
    const positions = this.#change(side);
    const fill = { side, targetPositionId, lots, priceTicks, feeMinor };
    this.#cashMinor -= feeMinor;
    this.#sideLots[side] -= lots;
    for (const part of planCloseOf(market.rules, positions, fill)) {
      const { position, releasedMinor, realizedMinor } = part;
      this.#cashMinor += releasedMinor + realizedMinor;
      position.sizeLots -= part.lots;
      position.openValueMinor -= part.openValueMinor;
      position.marginMinor -= releasedMinor;
    }
    const left = positions.filter(({ sizeLots }) => sizeLots > 0);
    if (side === LONG) this.#changedLong = left;
    else this.#changedShort = left;
  }

  #change(side: PositionSideIndex): PicturedPosition[] {
    if (side === LONG) {
      this.#changedLong ??= this.owner.positions[LONG].map(copyOf);
      return this.#changedLong;
    }
    this.#changedShort ??= this.owner.positions[SHORT].map(copyOf);
    return this.#changedShort;
  }

  /** Whether something would be due that an opening fill of a side can have made due. */
  isDueAfterOpening(side: PositionSideIndex): boolean {
    return this.isCrossDue() || (this.owner.marginType === "ISOLATED" && this.#isSideDue(side));
  }

  #isSideDue(side: PositionSideIndex): boolean {
    const { market } = this.owner;
    const { rules, mark } = market;
    const rateE8 = tierRateE8(this.owner, valueMinor(rules, mark.ticks, this.#sideLots[side]));
    return this.positions(side).some((position) => {
      return isMarginDue(rules, side, position, mark.ticks, rateE8);
    });
  }

  get hasCrossPositions(): boolean {
    return this.#crossLots > 0 || this.#others.count > 0;
  }

  isCrossDue(): boolean {
    return this.hasCrossPositions && isDueAt(this.crossEquityMinor, this.crossMaintenanceE8);
  }

  get crossEquityMinor(): bigint {
    return this.#cashMinor + this.#orderMarginMinor + this.#crossPnlMinor();
  }

  get crossMaintenanceE8(): bigint {
    const { market } = this.owner;
    const notionalMinor = valueMinor(market.rules, market.mark.ticks, this.#crossLots);
    return this.#others.maintenanceE8 + notionalMinor * tierRateE8(this.owner, notionalMinor);
  }

  /** What the account could use: see `availableBalanceMinor`. */
  get availableBalanceMinor(): bigint {
    if (!this.hasCrossPositions) return this.#cashMinor > 0n ? this.#cashMinor : 0n;
    const pnl = this.#crossPnlMinor();
    const lossMinor = pnl < 0n ? pnl : 0n;
    const availableMinor = this.#cashMinor + lossMinor - this.#crossMarginMinor();
    return availableMinor > 0n ? availableMinor : 0n;
  }

  /** Of the market's cross positions, long and short together. */
  get #crossLots(): number {
    if (this.owner.marginType !== "CROSSED") return 0;
    return this.#sideLots[LONG] + this.#sideLots[SHORT];
  }

  #crossPnlMinor(): bigint {
    const { pnlMinor: others } = this.#others;
    if (this.owner.marginType !== "CROSSED") return others;
    return others + this.#sidePnlMinor(LONG) + this.#sidePnlMinor(SHORT);
  }

  /** Values are exact, so the profits of the positions are that of all their lots together. */
  #sidePnlMinor(side: PositionSideIndex): bigint {
    const positions = this.positions(side);
    if (positions.length === 0) return 0n;
    let openMinor = 0n;
    for (const { openValueMinor } of positions) openMinor += openValueMinor;
    const { rules, mark } = this.owner.market;
    return pnlMinor(side, openMinor, valueMinor(rules, mark.ticks, this.#sideLots[side]));
  }

  #crossMarginMinor(): bigint {
    let margin = this.#others.marginMinor;
    const { crossLeverage, market, marginType } = this.owner;
    if (marginType !== "CROSSED") return margin;
    for (const side of [LONG, SHORT] as const) {
      for (const { sizeLots } of this.positions(side)) {
        const atMarkMinor = valueMinor(market.rules, market.mark.ticks, sizeLots);
        margin += initialMarginMinor(atMarkMinor, crossLeverage);
      }
    }
    return margin;
  }

  get #others(): Elsewhere {
    this.#elsewhere ??= elsewhereOf(this.owner);
    return this.#elsewhere;
  }
}

function copyOf(position: PositionFigures): PicturedPosition {
  return {
    positionId: position.positionId,
    separatedOpenOrderId: position.separatedOpenOrderId,
    sizeLots: position.sizeLots,
    openValueMinor: position.openValueMinor,
    marginMinor: position.marginMinor,
  };
}

function elsewhereOf({ account, market }: SymbolAccount): Elsewhere {
  let count = 0;
  let pnl = 0n;
  let marginMinor = 0n;
  if (account.crossPositions.length === 0) return NOTHING_ELSEWHERE;
  for (const position of account.crossPositions) {
    if (position.owner.market === market) continue;
    count++;
    pnl += unrealizedMinor(position);
    marginMinor += initialMarginMinor(markValueMinor(position), position.leverage);
  }
  if (count === 0) return NOTHING_ELSEWHERE;
  let maintenanceE8 = 0n;
  for (const owner of account.symbols.values()) {
    if (owner.market === market || owner.marginType !== "CROSSED") continue;
    const notional = crossNotionalMinor(owner);
    maintenanceE8 += notional * tierRateE8(owner, notional);
  }
  return { count, pnlMinor: pnl, maintenanceE8, marginMinor };
}
