/** GET /api/v2/market/depth: the order book by price, or by steps of prices. */
import { depthRoute, GROUPED_LEVELS_MAX } from "../../api/v2/market.ts";
import { accept, invariant, parseGrid } from "../../domain/index.ts";
import type { SpotMarketView } from "../../protocol/index.ts";
import type { Exchange, Outcome } from "../endpoint.ts";
import { endpoint } from "../endpoint.ts";
import { groupLevels, type Level, type PriceStep } from "./book-step.ts";
import { knownMarket } from "./known-market.ts";
import { readSymbol } from "./parameters-v2.ts";

const LEVELS_STANDARD = 15;

export const depth = endpoint(depthRoute, async ({ query }, exchange) => {
  const symbol = readSymbol(query.symbol);
  if (!symbol.ok) return symbol;
  const limit = query.limit ?? LEVELS_STANDARD;
  const step = await readStep(exchange, symbol.value, query.type ?? "step0");
  if (!step.ok) return step;
  const levels = step.value === null ? limit : GROUPED_LEVELS_MAX;
  const book = await exchange.engine.ask({ type: "spot-depth", symbol: symbol.value, levels });
  if (!book.ok) return book;
  const grouped = (side: readonly Level[], direction: "down" | "up") =>
    step.value === null
      ? side.map(([price, quantity]): [string, string] => [price, quantity])
      : groupLevels(side, direction, step.value, limit);
  return accept({
    asks: grouped(book.value.asks, "up"),
    bids: grouped(book.value.bids, "down"),
    timestamp: String(book.timestampMs),
  });
});

/** Null: every price by itself. */
async function readStep(
  exchange: Exchange,
  symbol: string,
  type: string,
): Promise<Outcome<PriceStep | null>> {
  const power = Number(type.slice("step".length));
  if (power === 0) return accept(null);
  const known = await knownMarket(exchange, symbol);
  return known.ok ? accept(toStep(known.value.market, power)) : known;
}

function toStep({ tickSize, baseScale }: SpotMarketView, power: number): PriceStep {
  const tick = parseGrid(tickSize);
  invariant(tick !== null, "a listed market has a tick size");
  const width = BigInt(tick.step) * 10n ** BigInt(power);
  return { width, priceScale: tick.scale, quantityScale: baseScale };
}
