/** Balances and totals of one coin of a statement, in whole units of the coin. */
import { formatDecimal, powerOfTen } from "../domain/index.ts";
import type { StatementBalance, StatementTotal } from "./statement.ts";
import type { StatementFacts } from "./statement-entry.ts";

/** Reads an amount as a whole number of 10^-scale; null when it is finer. */
export function amountUnits(text: string, scale: number): bigint | null {
  const point = text.indexOf(".");
  if (point === -1) return BigInt(text) * powerOfTen(scale);
  const decimals = text.length - point - 1;
  if (decimals > scale) return null;
  return BigInt(text.slice(0, point) + text.slice(point + 1)) * powerOfTen(scale - decimals);
}

const AMOUNT_FIELDS = [
  "fee",
  "capped",
  "amount",
  "fromPayable",
  "fromSpot",
  "newlyOwed",
  "recovered",
  "paid",
  "payableAfter",
  "heldAfter",
  "owedAfter",
] as const;

/** The amounts of an entry in units of its coin. */
export type EntryUnits = Readonly<Record<(typeof AMOUNT_FIELDS)[number], bigint>>;

/** The amounts that an entry moves; 0 for fields of other kinds. */
export type MovedUnits = Pick<EntryUnits, "amount"> & Partial<EntryUnits>;

/** Null when an amount is finer than the coin. */
export function entryUnits(entry: StatementFacts, scale: number): EntryUnits | null {
  const units: Record<string, bigint> = {};
  for (const name of AMOUNT_FIELDS) {
    const amount = amountUnits(entry[name], scale);
    if (amount === null) return null;
    units[name] = amount;
  }
  return units as EntryUnits;
}

type Sums = Omit<StatementTotal, "asset" | "entries" | "payable" | "held" | "owed">;

export class CoinTally {
  readonly asset: string;
  readonly scale: number;
  payable: bigint;
  held: bigint;
  owed: bigint;
  #entries = 0;
  readonly #sums: Record<keyof Sums, bigint> = {
    earned: 0n,
    capped: 0n,
    released: 0n,
    reversed: 0n,
    fromPayable: 0n,
    fromSpot: 0n,
    newlyOwed: 0n,
    accrued: 0n,
    recovered: 0n,
    paid: 0n,
  };

  constructor({ asset, scale, payable, held, owed }: StatementBalance) {
    this.asset = asset;
    this.scale = scale;
    this.payable = amountUnits(payable, scale) ?? 0n;
    this.held = amountUnits(held, scale) ?? 0n;
    this.owed = amountUnits(owed, scale) ?? 0n;
  }

  /** Applies an entry to the balances of its coin. */
  add({ kind, isHeld }: Pick<StatementFacts, "kind" | "isHeld">, units: MovedUnits): void {
    const { amount, capped = 0n, fromPayable = 0n, fromSpot = 0n, newlyOwed = 0n } = units;
    const { recovered = 0n, paid = 0n } = units;
    const sums = this.#sums;
    this.#entries++;
    switch (kind) {
      case "commission":
        sums.earned += amount;
        sums.capped += capped;
        if (isHeld) this.held += amount;
        else this.payable += amount;
        break;
      case "release":
        sums.released += amount;
        this.held -= amount;
        this.payable += amount;
        break;
      case "reversal":
        sums.reversed += amount;
        sums.fromPayable += fromPayable;
        sums.fromSpot += fromSpot;
        sums.newlyOwed += newlyOwed;
        if (isHeld) this.held -= fromPayable;
        else this.payable -= fromPayable;
        this.owed += newlyOwed;
        break;
      case "settlement":
        sums.accrued += amount;
        sums.recovered += recovered;
        sums.paid += paid;
        this.payable -= amount;
        this.owed -= recovered;
        break;
    }
  }

  total(): StatementTotal {
    const text = (units: bigint): string => formatDecimal(units, this.scale);
    const sums = Object.entries(this.#sums).map(([name, units]) => [name, text(units)]);
    return {
      asset: this.asset,
      entries: this.#entries,
      ...(Object.fromEntries(sums) as Sums),
      payable: text(this.payable),
      held: text(this.held),
      owed: text(this.owed),
    };
  }
}
