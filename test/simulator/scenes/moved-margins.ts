/**
 * A cross position and an isolated one of the same account: margin that moves from the wallet to
 * the isolated one brings the mark nearer at which the cross account is due. Nothing else happens
 * to the account before the mark comes there.
 */
import { text } from "../../support/exact.ts";
import { hold } from "../breach.ts";
import { SYMBOL, TWO_SYMBOLS } from "../markets.ts";
import type { Trader } from "../trader.ts";
import type { Scene, Stage } from "./stage.ts";
import { TwoSides } from "./two-sides.ts";

const FUNDS = ["150", "400", "1000"];
const SHARES = [50n, 90n, 99n, 100n];
/** In ticks from where it is due, in the direction in which it loses. */
const STEPS = [-1, 0, 1, 20];

export const movedMargins: Scene = async (stage) => {
  const { random } = stage;
  const [symbol, otherSymbol] = random.shuffle([...TWO_SYMBOLS]);
  const drawn = await TwoSides.begin(stage);
  if (drawn === null) return;
  const cross = new TwoSides(stage, symbol ?? SYMBOL, drawn.holder, drawn.other);
  const isolated = new TwoSides(stage, otherSymbol ?? SYMBOL, drawn.holder, drawn.other);
  for (const sides of [cross, isolated]) {
    await stage.clear("contract", sides.symbol);
    await sides.setIndex(sides.price);
    await sides.flatten();
    await sides.setMode(sides === cross ? "CROSSED" : "ISOLATED", "COMBINED");
    await sides.setLeverage(random.pick([20, 50]));
  }
  await cross.fund(random.pick(FUNDS));
  await isolated.open(random.pick(["LONG", "SHORT"] as const), 0.3);
  await cross.open(random.pick(["LONG", "SHORT"] as const), random.pick([0.5, 0.8, 0.9]));
  const naive = await stage.look();
  const [position] = isolated.positions;
  const spare = naive.availableBalance(cross.holder.uid, "USDT");
  const share = (spare * random.pick(SHARES)) / 100n;
  const amount = share - (share % naive.unit("USDT"));
  if (position !== undefined && amount > 0n) {
    const { margin } = position;
    const body = { isolatedPositionId: position.id, amount: text(amount), type: 1 };
    await sendOften(stage, cross.holder, body);
    await stage.look();
    const moved = isolated.positions.find(({ id }) => id === position.id)?.margin ?? margin;
    hold(moved <= margin + amount, "a signed request has one effect", () => JSON.stringify(body));
  }
  const after = await stage.look();
  const [first] = cross.positions;
  if (first !== undefined) {
    const dueAt = after.liquidatePrice(first);
    const loses = first.side === "LONG" ? -1n : 1n;
    for (const ticks of STEPS) {
      await cross.moveMark(dueAt + loses * BigInt(ticks) * cross.market.rules.tick);
      await stage.look();
    }
  }
  await isolated.end();
  await cross.end();
};

/** The same bytes once or twice. */
async function sendOften(stage: Stage, { credentials }: Trader, body: object): Promise<void> {
  const { exchange, random } = stage;
  const path = "/capi/v3/account/positionMargin";
  const request = exchange.signedAs(credentials, "POST", path, JSON.stringify(body));
  for (let count = random.integer(1, 2); count > 0; count--) {
    await stage.do(exchange.send("public", request));
  }
}
