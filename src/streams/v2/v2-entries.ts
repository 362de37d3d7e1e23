/** Entries of private channels in v2, made from those of v3. */
import { contractToV2, symbolToV2 } from "../../api/symbols.ts";
import type { Product } from "../../domain/index.ts";

type Row = Readonly<Record<string, unknown>>;

const TIMES_IN_FORCE: ReadonlyMap<unknown, string> = new Map([
  ["GTC", "GOOD_TIL_CANCEL"],
  ["IOC", "IMMEDIATE_OR_CANCEL"],
  ["FOK", "FILL_OR_KILL"],
]);

/** The fields that v2 spells differently; all others are as in v3. */
const CONTRACT_WORDS: Readonly<Record<string, (value: unknown) => Row>> = {
  coin: (asset) => ({ coinId: asset }),
  symbol: (symbol) => ({ contractId: contractToV2(String(symbol)) }),
  crossSymbol: () => ({ crossContractId: "0" }),
  marginMode: (mode) => ({ marginMode: mode === "CROSSED" ? "SHARED" : mode }),
  timeInForce: (force) => ({ timeInForce: TIMES_IN_FORCE.get(force) ?? force }),
};
const SPOT_WORDS: Readonly<Record<string, (value: unknown) => Row>> = {
  coin: (asset) => ({ coinId: asset, coinName: asset }),
  symbol: (symbol) => ({ symbol: symbolToV2(String(symbol)) }),
  timeInForce: (force) => ({ timeInForce: TIMES_IN_FORCE.get(force) ?? force }),
};

export function v2Entry(product: Product, entry: object): Row {
  const words = product === "spot" ? SPOT_WORDS : CONTRACT_WORDS;
  const row: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(entry)) {
    Object.assign(row, words[name]?.(value) ?? { [name]: value });
  }
  return row;
}
