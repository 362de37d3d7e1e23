/** What a position's liquidation price depends on, or why there is none, in sentences. */
import type { Position } from "../../../client/index.ts";
import { compare, minus, plus } from "../../decimals/arithmetic.ts";
import { groupDecimal } from "../../decimals/format.ts";

type Held = Pick<Position, "symbol" | "side" | "size" | "marginType" | "liquidatePrice">;

const sideOf = ({ side }: Held): string => side.toLowerCase();

const sizes = (positions: readonly Held[]): string =>
  positions.reduce((sum, { size }) => plus(sum, size), "0");

/** `positions` are all of the account. */
export function liquidationReason(position: Held, positions: readonly Held[]): readonly string[] {
  const { symbol, side, marginType, liquidatePrice } = position;
  const hasPrice = compare(liquidatePrice, "0") !== 0;
  if (marginType === "ISOLATED") {
    return hasPrice
      ? ["Only this position's own margin counts. Other positions and the wallet do not."]
      : ["Its own margin covers it at any price."];
  }
  const cross = positions.filter((held) => held.marginType === "CROSSED");
  const here = cross.filter((held) => held.symbol === symbol);
  const long = sizes(here.filter((held) => held.side === "LONG"));
  const short = sizes(here.filter((held) => held.side === "SHORT"));
  const isHedged = compare(long, "0") > 0 && compare(short, "0") > 0;
  const others = [...new Set(cross.map((held) => held.symbol))].filter((name) => name !== symbol);
  const reasons = [
    "Cross positions share the wallet: they are liquidated together, when the account's equity " +
      "falls to its maintenance margin.",
  ];
  const net = minus(long, short);
  const netSide = net.startsWith("-") ? "SHORT" : "LONG";
  if (isHedged && net === "0") {
    reasons.push(
      `Your long and your short of ${groupDecimal(long)} offset each other: what one loses, the ` +
        "other gains.",
    );
  } else if (isHedged) {
    const size = groupDecimal(net.replace("-", ""));
    const which = netSide === side ? "this" : "the other";
    reasons.push(
      `Long and short offset each other. What is left, ${size} ${netSide.toLowerCase()}, is on ` +
        `${which} side and decides at which price of ${symbol} that happens.`,
    );
  }
  if (!hasPrice) {
    const why = isHedged
      ? `No price of ${symbol} on the losing side of this ${sideOf(position)} uses up the equity.`
      : `The equity covers this ${sideOf(position)} at any price of ${symbol}.`;
    reasons.push(why);
  }
  if (others.length > 0) {
    const list = others.join(", ");
    reasons.push(
      hasPrice
        ? `The price shown holds while ${list} and the wallet stay as they are.`
        : `Losses in ${list} still can.`,
    );
  }
  return reasons;
}
