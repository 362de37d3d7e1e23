/**
 * A recording of a market as messages that the exchange applies: the steps of all formats, and what
 * each reader of a format provides.
 */

export type Side = "BUY" | "SELL";

/** As the call of the operator API takes it, without the time. */
export type TapeMessage =
  | {
      readonly kind: "add" | "execute";
      readonly id: string;
      readonly side: Side;
      readonly price: string;
      readonly quantity: string;
    }
  /** `quantity` is what was cancelled. */
  | { readonly kind: "reduce"; readonly id: string; readonly quantity: string }
  | { readonly kind: "remove"; readonly id: string }
  /** The side is the taker's. */
  | {
      readonly kind: "trade" | "hidden";
      readonly side: Side;
      readonly price: string;
      readonly quantity: string;
    };

/** One row of the recording. */
export interface TapeStep {
  /** Of the recording: Unix time, or since its midnight where the format has no date. */
  readonly timeMs: number;
  /** None for a row that changes nothing, such as one about an unknown order. */
  readonly messages: readonly TapeMessage[];
  /** It is about an order that is older than the recording. */
  readonly isUnknown: boolean;
  readonly line: number;
}

/** Steps of one file, with what was read of it. */
export interface TapeSteps {
  readonly path: string;
  readonly steps: readonly TapeStep[];
  /** Of all files so far. */
  readonly bytesRead: number;
}

/** The exchange's book, best price first. */
export interface SentBook {
  readonly bids: readonly (readonly string[])[];
  readonly asks: readonly (readonly string[])[];
}

/** What the accounts of a replay need at most, in lots and in ticks times lots. */
export interface TapeNeeds {
  baseLots: bigint;
  quoteTickLots: bigint;
}

/** A recording, read once from its beginning. */
export interface Tape {
  /** Throws `TapeError` with file and line at the first row that is wrong. */
  read(): AsyncGenerator<TapeSteps>;
  /** Complete when all was read, like the next one. */
  readonly needs: TapeNeeds;
  /** Levels that the recording has on the wrong side of a later price; they are left out. */
  readonly crossedLevels: number;
}

/** Of the rows of one format. */
export interface TapeReader {
  /** Adds the steps of a row; none for a heading. Throws `TapeError` without a place. */
  read(text: string, line: number, steps: TapeStep[]): void;
  readonly needs: TapeNeeds;
}

/** Counts what an order at this price may need. */
export function addNeeds(needs: TapeNeeds, ticks: number, lots: number): void {
  needs.baseLots += BigInt(lots);
  needs.quoteTickLots += BigInt(ticks) * BigInt(lots);
}
