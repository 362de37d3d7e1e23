/** Checks each entry of a statement, apart from its hash, against the entries before it. */
import { powerOfTen, RATE_SCALE } from "../domain/index.ts";
import { amountUnits, type CoinTally, type EntryUnits, entryUnits } from "./coin-tally.ts";
import type { StatementEntry, StatementEntryKind } from "./statement-entry.ts";

interface Bounds {
  readonly fromMs: number;
  readonly toMs: number;
  /** The statement begins with the affiliate's first entry. */
  readonly isWhole: boolean;
}

type FieldName = keyof StatementEntry;

const FILL_FIELDS: readonly FieldName[] = [
  "role",
  "tradeId",
  "viaUid",
  "notional",
  "fee",
  "rate",
  "rateVersion",
  "viaRateVersion",
  "capped",
  "flags",
];
const TRADER_FIELDS: readonly FieldName[] = ["product", "symbol", "traderUid"];
const REVERSAL_FIELDS: readonly FieldName[] = ["fromPayable", "fromSpot", "newlyOwed"];
const SETTLEMENT_FIELDS: readonly FieldName[] = ["recovered", "paid"];

/** The fields that an entry of a kind leaves empty. */
const EMPTY_FIELDS: Readonly<Record<StatementEntryKind, readonly FieldName[]>> = {
  commission: ["aboutId", ...REVERSAL_FIELDS, ...SETTLEMENT_FIELDS],
  release: [
    "id",
    "isHeld",
    ...TRADER_FIELDS,
    ...FILL_FIELDS,
    ...REVERSAL_FIELDS,
    ...SETTLEMENT_FIELDS,
  ],
  reversal: [...FILL_FIELDS, ...SETTLEMENT_FIELDS],
  settlement: ["aboutId", "isHeld", ...TRADER_FIELDS, ...FILL_FIELDS, ...REVERSAL_FIELDS],
};

export class EntryChecks {
  readonly #tallies: ReadonlyMap<string, CoinTally>;
  readonly #bounds: Bounds;
  readonly #commissions = new Map<number, StatementEntry>();
  readonly #released = new Set<number>();
  readonly #reversed = new Set<number>();
  #firstCommissionId = Number.POSITIVE_INFINITY;
  #lastCommissionId = 0;
  #lastSettlementId = 0;
  #lastMs: number;

  constructor(tallies: ReadonlyMap<string, CoinTally>, bounds: Bounds) {
    this.#tallies = tallies;
    this.#bounds = bounds;
    this.#lastMs = bounds.fromMs;
  }

  /** Null when the next entry is valid, else what is wrong with it. */
  add(entry: StatementEntry): string | null {
    const tally = this.#tallies.get(entry.asset);
    if (tally === undefined) return `the statement does not list the coin ${entry.asset}`;
    const units = entryUnits(entry, tally.scale);
    if (units === null) return `an amount is finer than ${entry.asset} is`;
    const filled = EMPTY_FIELDS[entry.kind].find((name) => !isEmpty(entry[name]));
    if (filled !== undefined) return `${filled} is not for an entry of this kind`;
    if (entry.timeMs < this.#lastMs) return "it is earlier than the one before or than the days";
    if (entry.timeMs > this.#bounds.toMs) return "it is later than the days of the statement";
    this.#lastMs = entry.timeMs;
    return this.#kindProblem(entry, units, tally) ?? balanceProblem(entry, units, tally);
  }

  #kindProblem(entry: StatementEntry, units: EntryUnits, tally: CoinTally): string | null {
    switch (entry.kind) {
      case "commission":
        return this.#idProblem(entry) ?? this.#commissionProblem(entry, units, tally.scale);
      case "release":
        return this.#releaseProblem(entry);
      case "reversal":
        return this.#idProblem(entry) ?? this.#reversalProblem(entry, units, tally);
      case "settlement":
        return this.#settlementProblem(entry, units, tally);
    }
  }

  /** Commissions and reversals are numbered together. */
  #idProblem({ id }: StatementEntry): string | null {
    if (id <= this.#lastCommissionId) return "its id is not above the one before";
    this.#lastCommissionId = id;
    this.#firstCommissionId = Math.min(this.#firstCommissionId, id);
    return null;
  }

  #commissionProblem(entry: StatementEntry, units: EntryUnits, scale: number): string | null {
    const { product, symbol, traderUid, role, tradeId, rateVersion, viaUid } = entry;
    if ([product, symbol, traderUid, role, tradeId, rateVersion].some(isEmpty)) {
      return "it names no trade, trader or rate";
    }
    if ((viaUid === 0) !== (entry.viaRateVersion === 0)) {
      return "a rate is subtracted of the affiliate below and of nobody else";
    }
    if (amountUnits(entry.notional, NOTIONAL_SCALE_MAX) === null) return "notional is too fine";
    const rateE8 = amountUnits(entry.rate, RATE_SCALE);
    const one = powerOfTen(RATE_SCALE);
    if (rateE8 === null || rateE8 > one) return "rate is no fraction of at most 8 decimals";
    const gross = (units.fee * rateE8) / one;
    if (units.capped + units.amount !== gross) {
      return `fee × rate rounded down to 10^-${scale} is not capped + amount`;
    }
    if (entry.isHeld !== entry.flags.length > 0 && (entry.isHeld || units.amount > 0n)) {
      return "exactly what is flagged is held";
    }
    if (new Set(entry.flags).size !== entry.flags.length) return "a flag is there twice";
    this.#commissions.set(entry.id, entry);
    return null;
  }

  #releaseProblem(entry: StatementEntry): string | null {
    const { aboutId } = entry;
    const [commission, problem] = this.#about(entry);
    if (problem !== null) return problem;
    if (commission?.isHeld === false) return `commission ${aboutId} was not held`;
    if (this.#released.has(aboutId)) return `commission ${aboutId} was released before`;
    this.#released.add(aboutId);
    return null;
  }

  #reversalProblem(entry: StatementEntry, units: EntryUnits, tally: CoinTally): string | null {
    const { aboutId, isHeld } = entry;
    const [commission, problem] = this.#about(entry);
    if (problem !== null) return problem;
    if ([entry.product, entry.symbol, entry.traderUid].some(isEmpty)) return "it names no trader";
    if (
      commission !== undefined &&
      (commission.product !== entry.product ||
        commission.symbol !== entry.symbol ||
        commission.traderUid !== entry.traderUid)
    ) {
      return `commission ${aboutId} was of another trader or market`;
    }
    const isReleased = this.#released.has(aboutId);
    const wasHeld = commission === undefined ? isHeld : commission.isHeld;
    if (isHeld !== (wasHeld && !isReleased)) return `whether ${aboutId} was held is told wrongly`;
    if (units.amount === 0n) return "nothing was taken back";
    if (units.fromPayable + units.fromSpot + units.newlyOwed !== units.amount) {
      return "fromPayable + fromSpot + newlyOwed is not amount";
    }
    const payable = isHeld ? units.amount : least(tally.payable, units.amount);
    if (units.fromPayable !== payable) return "what waits for settlement is taken first";
    this.#reversed.add(aboutId);
    return null;
  }

  #settlementProblem(entry: StatementEntry, units: EntryUnits, tally: CoinTally): string | null {
    if (entry.id <= this.#lastSettlementId) return "its id is not above the one before";
    this.#lastSettlementId = entry.id;
    if (units.amount === 0n) return "nothing was settled";
    if (units.amount !== tally.payable) return "amount is not what had accrued";
    if (units.recovered !== least(tally.owed, units.amount)) return "what is owed is kept first";
    return units.recovered + units.paid === units.amount ? null : "recovered + paid is not amount";
  }

  /** The commission behind a release or reversal, if the statement has it, or what is wrong. */
  #about({ aboutId, asset, amount }: StatementEntry): [StatementEntry | undefined, string | null] {
    const commission = this.#commissions.get(aboutId);
    if (this.#reversed.has(aboutId)) return [commission, `${aboutId} was reversed before`];
    if (commission === undefined) {
      const isEarlier = aboutId > 0 && aboutId < this.#firstCommissionId;
      const isKnown = !this.#bounds.isWhole && isEarlier;
      return [commission, isKnown ? null : `there is no commission ${aboutId}`];
    }
    const isSame = commission.asset === asset && commission.amount === amount;
    return [commission, isSame ? null : `commission ${aboutId} was of another amount`];
  }
}

const NOTIONAL_SCALE_MAX = 18;

/** Adds the entry up and compares the balances after it. */
function balanceProblem(entry: StatementEntry, units: EntryUnits, tally: CoinTally): string | null {
  tally.add(entry, units);
  if (tally.payable < 0n || tally.held < 0n || tally.owed < 0n) return "a balance is below 0";
  if (tally.payable !== units.payableAfter) return "payableAfter does not follow from the entries";
  if (tally.held !== units.heldAfter) return "heldAfter does not follow from the entries";
  return tally.owed === units.owedAfter ? null : "owedAfter does not follow from the entries";
}

function isEmpty(value: StatementEntry[FieldName]): boolean {
  if (Array.isArray(value)) return value.length === 0;
  return value === 0 || value === "0" || value === "" || value === false;
}

function least(one: bigint, other: bigint): bigint {
  return one < other ? one : other;
}
