/** Ends a market: open orders are cancelled, positions closed at the mark, and trading stops. */
import { accept, PRODUCTS, type Product, reject } from "../../../domain/index.ts";
import type { CommandOf, PositionAtRiskView } from "../../../protocol/index.ts";
import { isCounterparty } from "../liquidity-account.ts";
import { lotsOf } from "../market-moment.ts";
import type { Outcome } from "../outcome.ts";
import { setStates } from "./market-scenarios.ts";
import { priceText, type Scene } from "./scene.ts";

const USERS_PER_PAGE = 500;
const POSITIONS_MAX = 10_000;
const NOTHING = { tradeTicks: 0, book: { bids: [], asks: [] } };

export async function delist(scene: Scene): Promise<Outcome<null>> {
  const { engine, request, symbol } = scene;
  let listed = 0;
  for (const product of PRODUCTS) {
    if (request.product !== null && request.product !== product) continue;
    const market = await engine.query({ type: `${product}-markets`, symbol });
    if (!market.ok && "unavailable" in market) return market;
    if (!market.ok) continue;
    listed++;
    const cancelled = await cancelAll(scene, product);
    if (!cancelled.ok) return cancelled;
    scene.did.push(`${cancelled.value} orders of ${symbol} (${product}) were cancelled`);
    if (product === "spot") continue;
    const closed = await closeAll(scene);
    if (!closed.ok) return closed;
  }
  if (listed === 0) return reject("unknown-symbol", "symbol");
  return await setStates(scene, "halted", "is delisted and halted");
}

type CancelAll =
  | CommandOf<"cancel-all-spot-orders">
  | CommandOf<"cancel-all-contract-orders">
  | CommandOf<"cancel-all-algo-orders">;

function cancelsOf(product: Product, uid: number, symbol: string): readonly CancelAll[] {
  if (product === "spot") return [{ type: "cancel-all-spot-orders", uid, symbol }];
  return [
    { type: "cancel-all-contract-orders", uid, symbol },
    { type: "cancel-all-algo-orders", uid, symbol },
  ];
}

/** Of all users; resolves to how many orders that were. */
async function cancelAll(scene: Scene, product: Product): Promise<Outcome<number>> {
  const { engine, symbol } = scene;
  let cancelled = 0;
  for (let afterUid = 0; ; ) {
    const users = await engine.query({ type: "users", afterUid, limit: USERS_PER_PAGE });
    if (!users.ok) return users;
    const last = users.value.at(-1);
    if (last === undefined) return accept(cancelled);
    afterUid = last.uid;
    const commands = users.value.flatMap(({ uid }) => cancelsOf(product, uid, symbol));
    const replies = await engine.executeAll<CancelAll["type"]>(commands);
    for (const reply of replies) if (reply.ok) cancelled += reply.value.length;
  }
}

/** Each position against the house, at the mark. */
async function closeAll(scene: Scene): Promise<Outcome<null>> {
  const { actor, engine, symbol, trading } = scene;
  const opened = await trading.open(symbol, "contract", actor);
  if (!opened.ok) return opened;
  const { uid, moment } = opened.value;
  const held = await engine.query({ type: "positions-at-risk", symbol, limit: POSITIONS_MAX });
  if (!held.ok) return held;
  const positions = held.value.filter((position) => {
    return position.uid !== uid && !isCounterparty(position.uid);
  });
  for (const position of positions) {
    const closed = await closeOne(scene, uid, position);
    if (!closed.ok) return closed;
  }
  const last = await trading.look(symbol, uid);
  if (!last.ok) return last;
  const emptied = await trading.bringAbout(uid, last.value, NOTHING, actor);
  if (!emptied.ok) return emptied;
  const price = priceText(moment.rules, moment.bandTicks);
  scene.did.push(`${positions.length} positions were closed at the mark price, ${price}`);
  return accept(null);
}

async function closeOne(
  scene: Scene,
  house: number,
  { id: positionId, side, size, uid }: PositionAtRiskView,
): Promise<Outcome<null>> {
  const { actor, engine, symbol, trading } = scene;
  const moment = await trading.look(symbol, house);
  if (!moment.ok) return moment;
  const { bandTicks: ticks, rules } = moment.value;
  const level = [{ ticks, lots: Math.min(lotsOf(rules, size), rules.maxLots) }];
  const book = side === "LONG" ? { bids: level, asks: [] } : { bids: [], asks: level };
  const offered = await trading.bringAbout(house, moment.value, { tradeTicks: 0, book }, actor);
  if (!offered.ok) return offered;
  const closed = await engine.execute({ type: "close-positions", uid, symbol, positionId });
  return closed.ok ? accept(null) : closed;
}
