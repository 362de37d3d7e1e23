/**
 * Deleverages a user. An account of the house takes the other side with as much leverage as the
 * contract allows; the mark goes beyond its bankruptcy while the book is empty, so that it can be
 * closed only against positions of the user's side. The user's comes first if it has the most
 * profit for its leverage; otherwise others are deleveraged before, and it is tried again.
 */
import { accept, type PositionSide, reject } from "../../../domain/index.ts";
import type { ContractMarketView, PositionView } from "../../../protocol/index.ts";
import { openCounterparty } from "../liquidity-account.ts";
import { type BookLevels, lotsOf, type MarketMoment, type MarketRules } from "../market-moment.ts";
import type { Outcome } from "../outcome.ts";
import { pinOf, positionText, priceText, type Scene, splitOrder } from "./scene.ts";

const ROUNDS_MAX = 3;
/** Users may take what the house offers to its other account. */
const OPENING_TRIES_MAX = 5;
/** Beyond bankruptcy, and beyond the user's entry, so that the user has a profit. */
const BEYOND = 0.005;
const EMPTY: BookLevels = { bids: [], asks: [] };

export async function deleverage(scene: Scene): Promise<Outcome<null>> {
  const positions = await scene.positions();
  if (!positions.ok) return positions;
  const contract = await scene.contract();
  if (!contract.ok) return contract;
  const { prices, market } = contract.value;
  const largest = [...positions.value].sort((one, other) => Number(other.size) - Number(one.size));
  const position = largest[0] as PositionView;
  const opened = await scene.trading.open(scene.symbol, "contract", scene.actor);
  if (!opened.ok) return opened;
  const { moment, uid } = opened.value;
  if (moment.bandTicks === 0) return reject("no-mark-price", "symbol");
  const former = bookOf(moment);
  const wallet = await scene.wallet(market.marginAsset);
  const done = await deleverageBy(scene, { position, uid, market, rules: moment.rules });
  const pinned = pinOf(prices);
  const restored = await scene.pin(pinned);
  const book = await remake(scene, uid, former);
  if (!done.ok) return done;
  if (!restored.ok) return restored;
  if (!book.ok) return book;
  const left = done.value === null ? "nothing is left" : `${done.value.size} is left`;
  const text = `the ${positionText(position, moment.rules)} of uid ${scene.request.uid}`;
  scene.did.push(
    `${text} was deleveraged: ${left}`,
    `the contract wallet of uid ${scene.request.uid} went from ${wallet} to ` +
      `${await scene.wallet(market.marginAsset)} ${market.marginAsset}`,
    pinned === null ? "the mark price is unpinned" : `the mark price is pinned at ${pinned} again`,
  );
  return accept(null);
}

interface Target {
  readonly position: PositionView;
  /** The house. */
  readonly uid: number;
  readonly market: ContractMarketView;
  readonly rules: MarketRules;
}

/** Resolves to what is left of the position. */
async function deleverageBy(scene: Scene, target: Target): Promise<Outcome<PositionView | null>> {
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const opposite = await openOpposite(scene, target);
    if (!opposite.ok) return opposite;
    const bankrupt = await bankruptOpposite(scene, target, opposite.value);
    if (!bankrupt.ok) return bankrupt;
    const present = await scene.position(target.position.id);
    if (!present.ok) return present;
    const now = present.value;
    if (now === null || Number(now.size) < Number(target.position.size)) return accept(now);
    scene.did.push("other positions, which rank higher by profit and leverage, were deleveraged");
    const free = await scene.pin(null);
    if (!free.ok) return free;
  }
  return reject("conflict", "uid", "other positions rank higher by profit and leverage");
}

/** An isolated position of the other side, as large as the user's, at the mark. */
async function openOpposite(scene: Scene, target: Target): Promise<Outcome<PositionView>> {
  const { market, position, uid } = target;
  const { actor, symbol } = scene;
  const side: PositionSide = position.side === "LONG" ? "SHORT" : "LONG";
  const account = await openCounterparty(scene.engine, actor);
  if (!account.ok) return account;
  const counterparty = account.value;
  const leverage = highestLeverage(market, Number(position.size) * Number(position.openValue));
  const prepared = await isolate(scene, counterparty, leverage);
  if (!prepared.ok) return prepared;
  for (let tries = 0; tries < OPENING_TRIES_MAX; tries++) {
    const moment = await scene.trading.look(symbol, uid);
    if (!moment.ok) return moment;
    const { bandTicks: ticks, rules } = moment.value;
    const held = await positionOf(scene, counterparty, side);
    if (!held.ok) return held;
    const heldLots = held.value === null ? 0 : lotsOf(rules, held.value.size);
    const missing = lotsOf(rules, position.size) - heldLots;
    if (missing <= 0 && held.value !== null) return accept(held.value);
    const lots = Math.min(missing, rules.maxLots);
    const level = [{ ticks, lots }];
    const book = side === "SHORT" ? { bids: level, asks: [] } : { bids: [], asks: level };
    const offered = await scene.trading.bringAbout(
      uid,
      moment.value,
      { tradeTicks: 0, book },
      actor,
    );
    if (!offered.ok) return offered;
    const order = { side: side === "SHORT" ? ("SELL" as const) : ("BUY" as const), ticks, lots };
    const taken = await scene.place(counterparty, [{ ...order, timeInForce: "IOC" }]);
    if (!taken.ok) return taken;
    if (tries === 0) {
      const verb = side === "SHORT" ? "sold short" : "bought";
      scene.did.push(
        `the house (uid ${counterparty}) ${verb} ${position.size} ${rules.baseAsset} at ` +
          `${priceText(rules, ticks)} with leverage ${leverage}`,
      );
    }
  }
  return reject("conflict", null, "other orders arrive faster than the house can trade");
}

/** By the tier of the notional. */
function highestLeverage({ maxLeverage, tiers }: ContractMarketView, notional: number): number {
  const tier = tiers.find(({ maxNotional }) => Number(maxNotional) >= notional) ?? tiers.at(-1);
  return Math.min(maxLeverage, tier?.maxLeverage ?? maxLeverage);
}

async function isolate(scene: Scene, uid: number, leverage: number): Promise<Outcome<null>> {
  const { engine, symbol } = scene;
  const settings = await engine.query({ type: "contract-settings", uid, symbol });
  if (!settings.ok) return settings;
  if (settings.value[0]?.marginType !== "ISOLATED") {
    const set = await engine.execute({
      type: "set-margin-type",
      ...{ uid, symbol, marginType: "ISOLATED", separatedType: null },
    });
    if (!set.ok) return set;
  }
  const set = await engine.execute({
    type: "set-leverage",
    ...{ uid, symbol, marginType: null, crossLeverage: null },
    isolatedLongLeverage: leverage,
    isolatedShortLeverage: leverage,
  });
  return set.ok ? accept(null) : set;
}

async function positionOf(
  { engine, symbol }: Scene,
  uid: number,
  side: PositionSide,
): Promise<Outcome<PositionView | null>> {
  const reply = await engine.query({ type: "contract-positions", uid, symbol });
  if (!reply.ok) return reply;
  return accept(reply.value.find((position) => position.side === side) ?? null);
}

/** Takes the book away up to where the position is bankrupt, and the mark beyond. */
async function bankruptOpposite(
  scene: Scene,
  { market, position, uid }: Target,
  opposite: PositionView,
): Promise<Outcome<null>> {
  const { actor, symbol } = scene;
  const sign = opposite.side === "SHORT" ? 1 : -1;
  const size = Number(opposite.size);
  const bankruptcy = (Number(opposite.openValue) + sign * Number(opposite.isolatedMargin)) / size;
  const slipped = bankruptcy * (1 + sign * Number(market.insuranceSlippage));
  const entry = Number(position.openValue) / Number(position.size);
  const beyond = Math.max(sign * bankruptcy, sign * entry) * (1 + sign * BEYOND) * sign;
  const moment = await scene.trading.look(symbol, uid);
  if (!moment.ok) return moment;
  const { others, rules } = moment.value;
  const toTicks = (price: number) => Math.round((price * 10 ** rules.tick.scale) / rules.tick.step);
  const emptied = await scene.trading.bringAbout(
    uid,
    moment.value,
    { tradeTicks: 0, book: EMPTY },
    actor,
  );
  if (!emptied.ok) return emptied;
  const limit = toTicks(slipped) + sign;
  const inTheWay = (sign > 0 ? others.asks : others.bids).filter(({ ticks }) => {
    return sign * ticks <= sign * limit;
  });
  const lots = inTheWay.reduce((sum, level) => sum + level.lots, 0);
  if (lots > 0) {
    const order = { side: sign > 0 ? ("BUY" as const) : ("SELL" as const), ticks: limit, lots };
    const taken = await scene.place(uid, splitOrder(rules, { ...order, timeInForce: "IOC" }));
    if (!taken.ok) return taken;
    scene.did.push(`the house filled the orders in between, ${lots} lots`);
  }
  const markTicks = Math.max(1, toTicks(beyond));
  const borne = await scene.trading.bearAt(symbol, markTicks, actor);
  if (!borne.ok) return borne;
  scene.did.push(
    `the mark price of ${symbol} was pinned at ${priceText(rules, markTicks)} with an empty ` +
      `book, past that position's bankruptcy price of ${priceText(rules, toTicks(bankruptcy))}`,
  );
  return await scene.pin(priceText(rules, markTicks));
}

function bookOf({ own }: MarketMoment): BookLevels {
  const levels = (side: "BUY" | "SELL", sign: number) =>
    own
      .filter((order) => order.side === side)
      .map(({ ticks, lots }) => ({ ticks, lots }))
      .sort((one, other) => sign * (one.ticks - other.ticks));
  return { bids: levels("BUY", -1), asks: levels("SELL", 1) };
}

/** The house's book is what it was. */
async function remake(scene: Scene, uid: number, book: BookLevels): Promise<Outcome<null>> {
  if (book.bids.length + book.asks.length === 0) return accept(null);
  const moment = await scene.trading.look(scene.symbol, uid);
  if (!moment.ok) return moment;
  const { trading, actor } = scene;
  const made = await trading.bringAbout(uid, moment.value, { tradeTicks: 0, book }, actor);
  return made.ok ? accept(null) : made;
}
