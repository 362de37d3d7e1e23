/**
 * Actions of the colluding accounts beside trading: settings, margins, transfers, triggers, the
 * spot book.
 */
import type { CommandOf } from "../../../src/protocol/index.ts";
import { ASSET, HAND, type Listing } from "./adversary-fixture.ts";
import { type BlockName, MAKER_MODES, type Step } from "./episode-plan.ts";
import { decimal, type EpisodeRun } from "./episode-run.ts";
import { distance, part, pickFrom } from "./offset.ts";
import { priceAt, sideOf } from "./room.ts";

const SPOT_SYMBOL = "BTCUSDT";
const CONDITIONAL_TYPES = [
  ...["STOP_MARKET", "TAKE_PROFIT_MARKET", "STOP", "TAKE_PROFIT", "TRAILING_STOP_MARKET"],
] as CommandOf<"place-algo-order">["orderType"][];

type Block = (run: EpisodeRun, step: Step, listing: Listing) => void;

export const MANAGEMENT_BLOCKS = {
  leverage(run, step, { symbol, maxLeverage }) {
    const leverage = Math.max(1, Math.round(maxLeverage * pickFrom([1, 0.5, 0.2, 0.05], step.x)));
    setLeverage(run, HAND[step.who], symbol, leverage);
  },

  "margin-type"(run, step, { symbol }) {
    run.execute({
      type: "set-margin-type",
      uid: HAND[step.who],
      symbol,
      marginType: step.isLong ? "ISOLATED" : "CROSSED",
      separatedType: step.x < 0.5 ? null : step.x < 0.75 ? "SEPARATED" : "COMBINED",
    });
  },

  margin(run, step) {
    const uid = HAND[step.who];
    const own = ownPosition(run, step);
    if (own === null) return;
    const amount = run.available(uid) * part(step.x);
    run.execute({
      type: "move-position-margin",
      uid,
      positionId: own,
      amount: (step.isLong ? amount : amount / 10).toFixed(4),
      direction: step.isLong ? "add" : "remove",
    });
  },

  append(run, step) {
    const positionId = ownPosition(run, step);
    if (positionId === null) return;
    const uid = HAND[step.who];
    run.execute({ type: "set-auto-append-margin", uid, positionId, enabled: step.isLong });
  },

  transfer(run, step) {
    const uid = HAND[step.who];
    const amount = step.isLong ? run.available(uid) * part(step.x) : 1_000 * part(step.x);
    run.execute({
      type: "transfer-own-funds",
      requestId: run.newId(),
      uid,
      from: step.isLong ? "contract" : "spot",
      to: step.isLong ? "spot" : "contract",
      asset: ASSET,
      amount: Math.max(0, amount - 0.0001).toFixed(4),
    });
  },

  restart(run, step) {
    run.restart(pickFrom([0, 1_000, 20_000, 35_000, 700_000], step.x));
    for (const listing of run.fixture.listings) run.requote(listing);
  },

  /** Moves the newest resting order: nearer, farther, larger. */
  amend(run, step, listing) {
    const mine = run.restingIds.filter(({ uid }) => uid === HAND[step.who]);
    const newest = mine.at(step.z < 0.7 ? -1 : 0);
    if (newest === undefined) return;
    run.execute({
      type: "amend-contract-order",
      uid: newest.uid,
      orderId: newest.orderId,
      clientOrderId: null,
      price: decimal(priceAt(run, listing, step.x), listing.perUnit),
      quantity: step.y < 0.5 ? null : decimal(1 + Math.floor(step.y * 2_000), listing.perLot),
    });
  },

  conditional(run, step, listing) {
    const { perUnit, perLot, symbol } = listing;
    const closes = step.z < 0.5;
    const orderType = pickFrom(CONDITIONAL_TYPES, (step.z * 2) % 1);
    const isTrailing = orderType === "TRAILING_STOP_MARKET";
    const hasPrice = orderType === "STOP" || orderType === "TAKE_PROFIT";
    const trigger = decimal(priceAt(run, listing, step.x), perUnit);
    run.execute({
      ...{ type: "place-algo-order", uid: HAND[step.who], symbol, orderType },
      side: step.isLong === closes ? "SELL" : "BUY",
      positionSide: sideOf(step),
      quantity: decimal(1 + Math.floor(step.y * 3_000), perLot),
      ...{ closePosition: false, isTpSl: false },
      triggerPrice: isTrailing ? "" : trigger,
      price: hasPrice ? decimal(priceAt(run, listing, step.y), perUnit) : "",
      workingType: step.y < 0.5 && !isTrailing ? "MARK_PRICE" : "CONTRACT_PRICE",
      clientAlgoId: run.newId(),
      ...{ presetTakeProfitPrice: null, presetStopLossPrice: null },
      ...{ tpWorkingType: "CONTRACT_PRICE", slWorkingType: "CONTRACT_PRICE" },
      callbackRate: isTrailing ? "0.5" : "",
      activationPrice: null,
    });
  },

  /** Quotes in the spot book: dust, or all that there is. */
  "spot-quote"(run, step, { indexTicks, perUnit }) {
    const quantity = step.y < 0.5 ? "0.001" : "0.05";
    const far = distance(step.x) * (step.z < 0.5 ? 1 : 3);
    const centre = Math.round(indexTicks * (1 + far));
    spotOrder(run, HAND[step.who], "BUY", decimal(centre - 1, perUnit), quantity);
    spotOrder(
      run,
      HAND[(step.who + 1) % 3] as number,
      "SELL",
      decimal(centre + 1, perUnit),
      quantity,
    );
  },

  "spot-take"(run, step, { indexTicks, perUnit }) {
    const ticks = Math.round(indexTicks * (1 + distance(step.x)));
    const side = step.isLong ? "BUY" : "SELL";
    spotOrder(run, HAND[step.who], side, decimal(ticks, perUnit), step.y < 0.5 ? "0.001" : "0.05");
  },

  /** The honest maker changes its mind about how it quotes; always at or outside the index. */
  maker(run, step) {
    run.makerMode = pickFrom(MAKER_MODES, step.x);
    for (const listing of run.fixture.listings) run.requote(listing);
  },
} satisfies Partial<Record<BlockName, Block>>;

function spotOrder(
  run: EpisodeRun,
  uid: number,
  side: "BUY" | "SELL",
  price: string,
  quantity: string,
): void {
  run.execute({
    ...{ type: "place-spot-order", uid, symbol: SPOT_SYMBOL, side, orderType: "LIMIT" },
    ...{ timeInForce: "GTC", price, quantity, quantityUnit: "base", clientOrderId: run.newId() },
  });
}

export function setLeverage(run: EpisodeRun, uid: number, symbol: string, leverage: number): void {
  run.execute({
    ...{ type: "set-leverage", uid, symbol, marginType: null, crossLeverage: leverage },
    ...{ isolatedLongLeverage: leverage, isolatedShortLeverage: leverage },
  });
}

function ownPosition(run: EpisodeRun, step: Step): number | null {
  const own = run.positionIds.filter(({ uid }) => uid === HAND[step.who]);
  return own.length === 0 ? null : pickFrom(own, step.y).positionId;
}
