/** Markets of which a question is. */
import type { Random } from "../support/random.ts";
import type { Query } from "../support/signed-client.ts";
import { TWO_SYMBOLS } from "./markets.ts";

/** All markets of spot, or some in any order, of which one may be named twice. */
export function someSymbols(
  random: Random,
  nameOf = (symbol: string) => symbol,
): { readonly sent: Query; readonly symbols: readonly string[] | null } {
  const all = random.shuffle([...TWO_SYMBOLS]);
  const symbols = random.chance(0.3) ? all.slice(0, 1) : all;
  const names = symbols.map(nameOf);
  const twice = random.chance(0.3) ? [...names, random.pick(names)] : names;
  const kind = random.pick(["all", "symbol", "list", "list", "array"]);
  switch (kind) {
    case "all":
      return { sent: {}, symbols: null };
    case "symbol":
      return { sent: { symbol: names[0] ?? "" }, symbols: symbols.slice(0, 1) };
    case "list":
      return { sent: { symbols: twice.join(",") }, symbols };
    default:
      return { sent: { symbols: JSON.stringify(twice) }, symbols };
  }
}

/** The rows of the chosen symbols, in that order; null is all of them. */
export function chosen<Row extends { readonly symbol: unknown }>(
  rows: readonly Row[],
  symbols: readonly string[] | null,
): readonly Row[] {
  if (symbols === null) return rows;
  return symbols.flatMap((symbol) => rows.filter((row) => row.symbol === symbol));
}
