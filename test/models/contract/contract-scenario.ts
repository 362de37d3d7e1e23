/** One scripted situation of contracts, and the users of all of them. */
import { ContractScript } from "./contract-script.ts";

export const SYMBOL = "BTCUSDT";
export const SECOND_MS = 1_000;
export const HOUR_MS = 3_600_000;
/** Whose situation it is, who trades with them, and others. */
export const HOLDER = 11;
export const DEALER = 22;
export const OTHERS = [33, 44, 55] as const;

export interface ContractScenario {
  readonly name: string;
  /** What must have happened for it to test anything. */
  readonly reaches: string;
  readonly script: ContractScript;
}

export function scenario(
  name: string,
  reaches: string,
  write: (script: ContractScript) => void,
  script = new ContractScript(),
): ContractScenario {
  script.user(DEALER, "10000000", "CROSSED");
  write(script);
  return { name, reaches, script };
}

/** Every second something happens, so that every second's prices are seen. */
export function seconds(script: ContractScript, count: number): void {
  for (let i = 0; i < count; i++) {
    script.wait(SECOND_MS - 1);
    script.command({ type: "cancel-all-contract-orders", uid: HOLDER, symbol: null });
  }
}

/** Quotes of the dealer, each as quantity and price: `0.3@56990`. */
export function bookOf(script: ContractScript, bids: string, asks: string): void {
  for (const [side, rows] of [
    ["LONG", bids],
    ["SHORT", asks],
  ] as const) {
    for (const [quantity, price] of quotesOf(rows)) {
      script.order(DEALER, "open", side, quantity, price);
    }
  }
}

/** Quantities and prices out of `0.3@56990 1@56980`. */
export function quotesOf(rows: string): readonly (readonly [quantity: string, price: string])[] {
  return rows
    .split(" ")
    .filter((row) => row !== "")
    .map((row) => row.split("@") as [string, string]);
}
