/** Fills while nobody watched, one sentence for each order. */
import type { ContractFill, RialtoClient, SpotFill } from "../../client/index.ts";
import { plus } from "../decimals/arithmetic.ts";
import { groupDecimal } from "../decimals/format.ts";
import type { Activity } from "./activity.ts";
import { averagePriceText } from "./average-price.ts";

const FILLS_MAX = 100;

type Fill = SpotFill | ContractFill;

/** `sinceMs` is exclusive. Of each market at most the 100 newest fills. */
export async function missedFills(
  client: RialtoClient,
  sinceMs: number,
  wasSeen: (fill: Fill) => boolean,
): Promise<readonly Activity[]> {
  const range = { startTime: sinceMs + 1, limit: FILLS_MAX };
  const { symbols } = await client.spot.exchangeInfo();
  const [contracts, ...spot] = await Promise.all([
    client.contract.userTrades({ ...range, detail: "FULL" }),
    ...symbols.map(({ symbol }) => client.spot.myTrades({ ...range, symbol })),
  ]);
  const missed = [contracts, ...spot].map((fills) => fills.filter((fill) => !wasSeen(fill)));
  return missed.flatMap(sentences).sort((left, right) => left.atMs - right.atMs);
}

function sentences(fills: readonly Fill[]): Activity[] {
  const byOrder = Map.groupBy(fills, ({ orderId }) => orderId);
  return [...byOrder.values()].map(sentence);
}

function sentence(fills: readonly Fill[]): Activity {
  const [first] = fills as [Fill];
  const quantity = fills.reduce((sum, { qty }) => plus(sum, qty), "0");
  const value = fills.reduce((sum, { quoteQty }) => plus(sum, quoteQty), "0");
  const price = averagePriceText(value, quantity);
  const verb = ("buyer" in first ? first.buyer : first.isBuyer) ? "bought" : "sold";
  const deed = `${verb} ${groupDecimal(quantity)} ${first.symbol} at ${price}`;
  const forced = forcedBy(first);
  return {
    atMs: Math.max(...fills.map(({ time }) => time)),
    text: `${forced === null ? "While you were away" : `${forced} while you were away`}: ${deed}`,
    tone: forced === null ? "good" : "bad",
    isNews: true,
  };
}

function forcedBy(fill: Fill): string | null {
  if (!("matchType" in fill)) return null;
  if (fill.matchType === "ADL") return "ADL";
  return fill.matchType === "LIQUIDATION" && !fill.maker ? "Liquidation" : null;
}
