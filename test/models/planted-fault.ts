/**
 * One planted fault: the source text of a module as it stands, and what stands there instead. The
 * modules are changed on their way into a thread of their own, never on disk.
 */
export interface PlantedFault {
  readonly name: string;
  /** Below `src`. */
  readonly file: string;
  /** Stands in the file at least once; every occurrence is replaced. */
  readonly original: string;
  readonly faulty: string;
}

/** What the thread with the fault reports. */
export interface FaultReport {
  /** Null when no check noticed anything. */
  readonly finder: string | null;
  readonly detail: string;
}

/** Of a search in runs, one after the other. */
export interface RunsReport extends FaultReport {
  /** The one that noticed it; the last where none did. */
  readonly run: number;
}

const PLACE = "engine/spot/place-order.ts";
const CHECKS = "engine/spot/order-checks.ts";
const AMEND = "engine/spot/amend-order.ts";
const INTAKE = "engine/orders/order-intake.ts";
const PLAN = "engine/spot/match-plan.ts";
const FUNDS = "engine/accounts/funds.ts";
const TICKER = "engine/market-data/rolling-ticker.ts";
const SNAPSHOT = "engine/snapshot.ts";

export const PLANTED_FAULTS: readonly PlantedFault[] = [
  {
    name: "every fill rounds its fee up by itself",
    file: "engine/ledger/fees.ts",
    original:
      "divideRoundingUp(numeratorAfter, ONE_E8) - divideRoundingUp(numeratorBefore, ONE_E8)",
    faulty: "divideRoundingUp(numeratorAfter - numeratorBefore, ONE_E8)",
  },
  {
    name: "fees round down",
    file: "domain/decimal.ts",
    original: "(numerator + denominator - 1n) / denominator",
    faulty: "numerator / denominator",
  },
  {
    name: "the maker is charged the rate of a taker",
    file: PLACE,
    original: "makerFeeRateE8: rates.makerFeeRateE8",
    faulty: "makerFeeRateE8: rates.takerFeeRateE8",
  },
  {
    name: "a user's own rates for a market are ignored",
    file: PLACE,
    original: 'user.feeRates.get(feeRatesKey("spot", market.symbol)) ??',
    faulty: "",
  },
  {
    name: "a cancelled order stays frozen",
    file: "engine/spot/resting-orders.ts",
    original: "ledger.move(accounts + SPOT_FROZEN, accounts + SPOT_AVAILABLE, restMinor);",
    faulty: "",
  },
  {
    name: "price improvement stays frozen",
    file: "engine/spot/settlement.ts",
    original: "takerBuys && taker.limitTicks > match.priceTicks",
    faulty: "false",
  },
  {
    name: "the last of a price trades first",
    file: "engine/matching/order-book.ts",
    original: "levels.best === NONE ? NONE : (levels.firstOrder[levels.best] as number)",
    faulty: "levels.best === NONE ? NONE : (levels.lastOrder[levels.best] as number)",
  },
  {
    name: "the price band is exclusive",
    file: INTAKE,
    original: "priceTicks > band.buyMaxTicks",
    faulty: "priceTicks >= band.buyMaxTicks",
  },
  {
    name: "market orders ignore the price band",
    file: INTAKE,
    original: "side === BUY ? band.buyMaxTicks : band.sellMinTicks",
    faulty: "side === BUY ? Number.MAX_SAFE_INTEGER : 1",
  },
  {
    name: "the minimum notional is exclusive",
    file: CHECKS,
    original: "return notionalMinor < minimumMinor",
    faulty: "return notionalMinor <= minimumMinor",
  },
  {
    name: "one open order too many",
    file: INTAKE,
    original: "otherOrders < maxOpenOrders",
    faulty: "otherOrders <= maxOpenOrders",
  },
  {
    name: "a repeated client order id places again",
    file: INTAKE,
    original: "if (entry === NONE) return null;",
    faulty: "return null;",
  },
  {
    name: "a client order id with another order gets the first answer",
    file: INTAKE,
    original: "if (!same) return",
    faulty: "if (false) return",
  },
  {
    name: "a client order id is forgotten a millisecond early",
    file: "engine/matching/client-order-index.ts",
    original: "nowMs - endedMs > this.#retentionMs",
    faulty: "nowMs - endedMs >= this.#retentionMs",
  },
  {
    name: "a refused order consumes an order id",
    file: PLACE,
    original: "const checked = checkPlacement(context, command);",
    faulty:
      "const checked = checkPlacement(context, command);" +
      "if (!checked.ok) context.state.nextOrderId++;",
  },
  {
    name: "fill or kill fills a part",
    file: PLACE,
    original: 'request.timeInForce === "FOK" && !fillable',
    faulty: "false",
  },
  {
    name: "a post-only order takes",
    file: PLACE,
    original: 'if (request.timeInForce === "POST_ONLY") return',
    faulty: "if (false) return",
  },
  {
    name: "orders are taken while only cancels are allowed",
    file: INTAKE,
    original: 'return market.state === "trading"',
    faulty: 'return market.state !== "halted"',
  },
  {
    name: "cancels change a halted market",
    file: "engine/spot/cancel-order.ts",
    original: 'market.state === "halted"',
    faulty: "false",
  },
  {
    name: "a stranger's order can be cancelled",
    file: "engine/spot/open-orders.ts",
    original: "state.orders.uid(slot) !== reference.uid",
    faulty: "false",
  },
  {
    name: "an amended order keeps its place though its price changed",
    file: AMEND,
    original: "form.value.priceTicks === priceTicks && form.value.quantityLots <= quantityLots",
    faulty: "form.value.quantityLots <= quantityLots",
  },
  {
    name: "an amended order loses its place though only its quantity fell",
    file: AMEND,
    original: "form.value.quantityLots <= quantityLots",
    faulty: "form.value.quantityLots === quantityLots",
  },
  {
    name: "an order that shrinks releases what it has left",
    file: AMEND,
    original: "frozenByRestMinor(market, side, form.priceTicks, lessLots)",
    faulty: "frozenByRestMinor(market, side, form.priceTicks, form.quantityLots - filledLots)",
  },
  {
    name: "an order that shrinks releases nothing",
    file: AMEND,
    original: "ledger.move(accounts + SPOT_FROZEN, accounts + SPOT_AVAILABLE, releasedMinor);",
    faulty: "",
  },
  {
    name: "an amended order has to be paid for twice",
    file: CHECKS,
    original: "request.user, paidIn.index, SPOT_AVAILABLE) + releasedMinor",
    faulty: "request.user, paidIn.index, SPOT_AVAILABLE)",
  },
  {
    name: "an amended order counts twice among the open ones",
    file: CHECKS,
    original: "(user.openOrderCounts[market.index] ?? 0) - replaced.orders",
    faulty: "(user.openOrderCounts[market.index] ?? 0)",
  },
  {
    name: "an amended post-only order takes",
    file: AMEND,
    original: "&& wouldTake(replacement.value)",
    faulty: "&& false",
  },
  {
    name: "an amended order forgets what it has paid in fees",
    file: AMEND,
    original: "createdMs, ...past };",
    faulty: "createdMs, ...past, feeNumerator: 0n };",
  },
  {
    name: "an amended order trades its filled part again",
    file: CHECKS,
    original: ": quantityLots - filledLots,",
    faulty: ": quantityLots,",
  },
  {
    name: "an order can be amended to what it has filled",
    file: INTAKE,
    original: "if (quantityLots > filledLots) return null;",
    faulty: "if (quantityLots >= filledLots) return null;",
  },
  {
    name: "a tested order is not told of a repeated client order id",
    file: "engine/views/answer.ts",
    original: "checkPlacement({ state, nowMs }, query.order)",
    faulty: 'checkPlacement({ state, nowMs }, { ...query.order, clientOrderId: "untold" })',
  },
  {
    name: "a dead man's orders stay where there are others",
    file: "engine/dead-man-switch/fire-switch.ts",
    original: "if (!isInScope(market)) continue;",
    faulty: "if (!isInScope(market)) break;",
  },
  {
    name: "a countdown ends a moment late",
    file: "engine/dead-man-switch/set-switch.ts",
    original: "nowMs + countdownMs;",
    faulty: "nowMs + countdownMs + 1;",
  },
  {
    name: "a snapshot forgets when an order was amended",
    file: "engine/spot/resting-orders.ts",
    original: "order.filledLots > 0 || order.updatedMs > createdMs",
    faulty: "order.filledLots > 0",
  },
  {
    name: "self-trade prevention is ignored",
    file: PLAN,
    original: "orders.uid(slot) === taker.uid",
    faulty: "false",
  },
  {
    name: "expiring the maker leaves the taker unfinished",
    file: PLAN,
    original: 'taker.selfTradePrevention !== "EXPIRE_MAKER"',
    faulty: "true",
  },
  {
    name: "a deposit with the same id pays twice",
    file: FUNDS,
    original: "if (first === null) return null;",
    faulty: "return null;",
  },
  {
    name: "a withdrawal may take what is frozen",
    file: FUNDS,
    original: "availableMinor(state, user, assetIndex, wallet) < amountMinor",
    faulty: "walletEquityMinor(state, user, assetIndex, wallet) < amountMinor",
  },
  {
    name: "a trade stays in the ticker a moment too long",
    file: TICKER,
    original: "if (bucket.lastMs <= cutMs) return;",
    faulty: "if (bucket.lastMs < cutMs) return;",
  },
  {
    name: "the latest of equal lows counts",
    file: TICKER,
    original: "later.lowPrice < into.lowPrice",
    faulty: "later.lowPrice <= into.lowPrice",
  },
  {
    name: "a snapshot forgets what an order has paid in fees",
    file: "engine/snapshot-section.ts",
    original: "feeNumerator: orders.progress(slot)?.feeNumerator ?? 0n",
    faulty: "feeNumerator: 0n",
  },
  {
    name: "a restored market has no last price",
    file: SNAPSHOT,
    original: "setLastPrice(market.value, lastPriceUnits);",
    faulty: "",
  },
  {
    name: "excess precision is cut off",
    file: "domain/decimal.ts",
    original: 'if (decimals > scale) return "excess-precision";',
    faulty:
      "if (decimals > scale) return BigInt(text.slice(0, point + scale + 1).replace('.', ''));",
  },
  {
    name: "whole numbers are encoded by 32 bits",
    file: "protocol/bytes.ts",
    original: "rest = Math.floor(value / FOUR_GROUPS);",
    faulty: "rest = Math.floor(value / FOUR_GROUPS) & 0xf;",
  },
  {
    name: "answers leave before they are durable",
    file: "app/sequencer.ts",
    original: "this.#inFlight.push(batch);",
    faulty: "this.#inFlight.push({ ...batch, durable: true }); this.#release();",
  },
  {
    name: "a replay takes another time than the journal's",
    file: "app/replay.ts",
    original: "sequence, batch.timestampMs, this.#events",
    faulty: "sequence, batch.timestampMs - (sequence > 50 ? 1 : 0), this.#events",
  },
];
