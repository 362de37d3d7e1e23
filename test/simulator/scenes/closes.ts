/**
 * Positions of one account in two markets, together or one for each order: closed one by one by
 * their ids, all of a market, or all, while orders rest to close them, with too little on the other
 * side, and while one of the markets does not trade.
 */
import { isDeepStrictEqual } from "node:util";
import { text } from "../../support/exact.ts";
import { hold } from "../breach.ts";
import { SYMBOL, TWO_SYMBOLS } from "../markets.ts";
import type { Scene, Stage } from "./stage.ts";
import { closes, TwoSides } from "./two-sides.ts";

const PATH = "/capi/v3/closePositions";

interface Closed {
  readonly positionId: number;
  readonly success: boolean;
  readonly successOrderId: number;
}

export const closing: Scene = async (stage) => {
  const { random } = stage;
  const drawn = await TwoSides.begin(stage);
  if (drawn === null) return;
  const markets = TWO_SYMBOLS.map((symbol) => {
    return new TwoSides(stage, symbol ?? SYMBOL, drawn.holder, drawn.other);
  });
  for (const sides of markets) await open(stage, sides);
  const halted = random.chance(0.3) ? random.pick(markets) : null;
  const path = `markets/contract/${halted?.symbol}`;
  if (halted !== null) await stage.operate("PATCH", path, { state: "cancel-only" });
  for (let count = random.integer(2, 4); count > 0; count--) await close(stage, drawn);
  if (halted !== null) await stage.operate("PATCH", path, { state: "trading" });
  await close(stage, drawn);
  for (const sides of markets) await sides.end();
};

async function open(stage: Stage, sides: TwoSides): Promise<void> {
  const { random } = stage;
  await stage.clear("contract", sides.symbol);
  await sides.setIndex(sides.price);
  await sides.flatten();
  const type = random.pick(["CROSSED", "ISOLATED"] as const);
  await sides.setMode(type, random.pick(["SEPARATED", "SEPARATED", "COMBINED"] as const));
  await sides.fund("2000");
  await sides.setLeverage(random.integer(5, 20));
  for (let count = random.integer(1, 3); count > 0; count--) {
    await sides.open(random.pick(["LONG", "SHORT"] as const), 0.1);
  }
  const naive = await stage.look();
  const { mark, rules } = sides.market;
  for (const positionSide of ["LONG", "SHORT"] as const) {
    const size = naive.sideSize(sides.holder.uid, sides.symbol, positionSide);
    if (size === 0n) continue;
    const lots = size / rules.step;
    const offered = (lots * BigInt(random.pick([0, 50, 100, 300]))) / 100n;
    if (offered === 0n) continue;
    await sides.offer(closes(positionSide), text(offered * rules.step), text(mark));
    if (random.chance(0.5)) continue;
    const away = (mark * (positionSide === "LONG" ? 103n : 97n)) / 100n;
    await stage.place(sides.holder, "contract", {
      ...{ symbol: sides.symbol, side: closes(positionSide), positionSide, type: "LIMIT" },
      ...{ timeInForce: "GTC", price: text((away / rules.tick) * rules.tick) },
      quantity: text((lots / 2n + 1n) * rules.step),
    });
  }
}

/** One of the account's positions or of another's, in its market or another one, or all of them. */
async function close(stage: Stage, { holder, other }: TwoSides): Promise<void> {
  const { random } = stage;
  const naive = await stage.look();
  const own = naive.positionsOf(holder.uid);
  const others = naive.positionsOf(other.uid);
  const one = random.pick([...own, ...own, ...own, ...others, { id: 1, symbol: SYMBOL }]);
  const symbol = random.chance(0.6) ? one.symbol : random.pick(TWO_SYMBOLS);
  const body = random.pick([
    { positionId: one.id },
    { positionId: one.id, symbol },
    { positionId: one.id, symbol },
    { symbol },
    {},
  ]);
  const outcome = await stage.do(holder.send("POST", PATH, body));
  if (outcome === null) return;
  if (outcome.status !== 200) return holder.expectRefusal(outcome, JSON.stringify(body));
  const rows = outcome.body as readonly Closed[];
  const { contracts } = naive;
  const asked = own.filter((position) => {
    const isMeant = !("positionId" in body) || position.id === body.positionId;
    return isMeant && (!("symbol" in body) || position.symbol === body.symbol);
  });
  const due = asked.map(({ id, symbol: of }) => [id, contracts.get(of)?.state === "trading"]);
  const said = rows.map(({ positionId, success }) => [positionId, success]);
  const detail = () => `${JSON.stringify([body, rows])} instead of ${JSON.stringify(due)}`;
  // One of them may be gone when another one has met an order that closes it.
  const isAsked = said.every((row) => due.some((each) => isDeepStrictEqual(row, each)));
  hold(isAsked && said.length > 0 === due.length > 0, "positions are closed as asked", detail);
  const isNamed = rows.every(({ success, successOrderId }) => success === successOrderId > 0);
  hold(isNamed, "positions are closed as asked", detail);
}
