/** What a change of a line of the chart will do, as sentences to confirm. */
import { compare, minus } from "../../decimals/arithmetic.ts";
import { groupDecimal } from "../../decimals/format.ts";
import type { EntryLine, OrderLine, PlacedLine, TriggerLine } from "../chart-line.ts";

export interface Prices {
  /** Null before the first trade is known. */
  readonly last: string | null;
  /** Null on spot, and before it is known. */
  readonly mark: string | null;
  readonly baseAsset: string;
}

/** The question first, then what is worth knowing about it. */
export function moveSentences(line: PlacedLine, price: string, prices: Prices): string[] {
  return line.kind === "order" ? moveOrder(line, price, prices) : moveTrigger(line, price, prices);
}

function moveOrder(line: OrderLine, price: string, { last, baseAsset }: Prices): string[] {
  const { side, quantity, filled } = line;
  const rest = groupDecimal(minus(quantity, filled));
  const isPartial = compare(filled, "0") > 0;
  const what = isPartial
    ? `the unfilled ${rest} of ${groupDecimal(quantity)} ${baseAsset}`
    : `${rest} ${baseAsset}`;
  const verb = side === "BUY" ? "buy" : "sell";
  const way = `from ${groupDecimal(line.price)} to ${groupDecimal(price)}`;
  const sentences = [`Move your order to ${verb} ${what} ${way}?`];
  const isCrossing = last !== null && compare(price, last) === (side === "BUY" ? 1 : -1);
  sentences.push(
    isCrossing
      ? `The last price is ${groupDecimal(last)}: the order may fill at once.`
      : "It joins the back of the queue at the new price.",
  );
  return sentences;
}

function moveTrigger(line: TriggerLine, price: string, prices: Prices): string[] {
  const { name, watches, limitPrice, isExit } = line;
  const way = `from ${groupDecimal(line.price)} to ${groupDecimal(price)}`;
  const sentences = [`Move the ${name} ${way} (${watches} price)?`];
  const present = prices[watches];
  if (present !== null && isMet(line, price, present)) {
    sentences.push(`The ${watches} price is ${groupDecimal(present)}: it would trigger at once.`);
  }
  if (limitPrice !== null) {
    sentences.push(`Its limit price stays ${groupDecimal(limitPrice)}.`);
  }
  if (!isExit) {
    sentences.push(
      "It is cancelled and placed again: if the exchange rejects the new one, none is left.",
    );
    // The exchange does not say what the old one watches.
    if (line.order.slTriggerPrice !== "") {
      sentences.push("Its stop-loss will watch the last price.");
    }
  }
  return sentences;
}

/** Whether the price that it watches has reached the trigger already. */
function isMet({ order }: TriggerLine, price: string, present: string): boolean {
  const isProfit = order.orderType.startsWith("TAKE_PROFIT");
  const firesAbove = isProfit === (order.side === "SELL");
  const distance = compare(present, price);
  return firesAbove ? distance >= 0 : distance <= 0;
}

export type Exit = "TAKE_PROFIT" | "STOP_LOSS";

/** A price on the winning side takes profit, one on the other side stops a loss. */
export function exitAt({ positionSide }: EntryLine, price: string, present: string): Exit {
  const isAbove = compare(price, present) > 0;
  return isAbove === (positionSide === "LONG") ? "TAKE_PROFIT" : "STOP_LOSS";
}

export const EXIT_WORDS: Readonly<Record<Exit, string>> = {
  TAKE_PROFIT: "take-profit",
  STOP_LOSS: "stop-loss",
};

export function exitSentences(
  line: EntryLine,
  exit: Exit,
  price: string,
  { baseAsset }: Prices,
): string[] {
  const side = line.positionSide.toLowerCase();
  const whole = `your whole position (${groupDecimal(line.size)} ${baseAsset} now)`;
  return [
    `Set a ${EXIT_WORDS[exit]} for your ${side} at ${groupDecimal(price)}?`,
    `When the last price gets there, ${whole} closes at market.`,
  ];
}
