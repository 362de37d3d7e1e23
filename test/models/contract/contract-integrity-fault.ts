/** Faults in what keeps one account from handing its loss to the insurance fund. */
import type { PlantedFault } from "../planted-fault.ts";
import { fault } from "./contract-fault.ts";

const OPENING_IS_DUE =
  'return this.isCrossDue() || (this.owner.marginType === "ISOLATED" && ' +
  "this.#isSideDue(side));";

const FILLS = [
  fault(
    "orders/fill-checks",
    "what a taker opens is not looked at",
    "return canSettle(state, match, match.taker, match.maker);",
    "return !match.taker.isClosing || canSettle(state, match, match.taker, match.maker);",
  ),
  fault(
    "orders/fill-checks",
    "what a maker opens is not looked at",
    "return canSettle(state, match, match.maker, match.taker);",
    "return !match.maker.isClosing || canSettle(state, match, match.maker, match.taker);",
  ),
  fault(
    "orders/account-picture",
    "a picture pays no fee",
    "this.#cashMinor -= feeMinor + marginMinor;",
    "this.#cashMinor -= marginMinor;",
  ),
  fault(
    "orders/account-picture",
    "the tier of an isolated side is that of before",
    "valueMinor(rules, mark.ticks, this.#sideLots[side])",
    "valueMinor(rules, mark.ticks, this.owner.sideLots[side])",
  ),
  fault(
    "orders/account-picture",
    "the tier of a cross account is that of before",
    "notionalMinor * tierRateE8(this.owner, notionalMinor);",
    "notionalMinor * tierRateE8(this.owner, crossNotionalMinor(this.owner));",
  ),
  fault(
    "orders/account-picture",
    "an isolated position may be opened into its liquidation",
    OPENING_IS_DUE,
    "return this.isCrossDue() && side >= 0;",
  ),
  fault(
    "orders/account-picture",
    "what is isolated may take a cross account's maintenance",
    OPENING_IS_DUE,
    `return this.owner.marginType === "ISOLATED" ? this.#isSideDue(side) : this.isCrossDue();`,
  ),
  fault(
    "orders/order-checks",
    "what rests is not reckoned with",
    "const restLots = mayRest(form.request) ? openLots - met.lots : 0;",
    "const restLots = 0;",
  ),
  fault(
    "orders/order-checks",
    "what is met is reckoned at its limit",
    "const metMinor = valueMinor(rules, met.worstTicks, met.lots);",
    "const metMinor = valueMinor(rules, priceTicks || met.worstTicks, met.lots);",
  ),
  fault(
    "orders/fill-checks",
    "a close may make an account due",
    "if (!before.isCrossDue()) return true;",
    "if (!before.isCrossDue()) return false;",
  ),
  fault(
    "orders/fill-checks",
    "who waits for liquidation may not close",
    "if (!before.isCrossDue()) return true;",
    "return true;",
  ),
  fault(
    "orders/fill-checks",
    "who waits for liquidation may not close evenly",
    "after.crossEquityMinor * before.crossMaintenanceE8 <\n",
    "after.crossEquityMinor * before.crossMaintenanceE8 <=\n",
  ),
  fault(
    "orders/fill-checks",
    "who waits for liquidation closes at any price",
    "after.crossEquityMinor * before.crossMaintenanceE8 <\n",
    "after.crossEquityMinor * 0n <\n",
  ),
  fault(
    "orders/fill-or-kill",
    "fill or kill counts whom no fill fits",
    "if (!isFit(accounts, match, match.maker, match.taker)) {",
    "if (slot === NONE) {",
  ),
  fault(
    "orders/fill-or-kill",
    "fill or kill forgets what it has filled",
    "accounts.apply(match);",
    "",
  ),
  fault(
    "orders/fill-or-kill",
    "fill or kill does not look at its own account",
    "} else if (isFit(accounts, match, match.taker, match.maker)) {",
    "} else if (slot !== NONE) {",
  ),
  fault(
    "orders/amend-order",
    "an amended order is looked at without its own position",
    "orderId: orders.orderId(slot),\n    openLots,",
    "orderId: 0,\n    openLots,",
  ),
] as const;

const LEAVING: readonly PlantedFault[] = [
  {
    ...fault(
      "",
      "a transfer may make an account due",
      "return account === null || !isCrossDueWithout(state.ledger, account, amountMinor);",
      "return account === null || !isCrossDueWithout(state.ledger, account, 0n);",
    ),
    file: "engine/accounts/funds.ts",
  },
  fault(
    "margin/position-margin",
    "margin that is added may make an account due",
    "if (!isThere || makesCrossDue(state, account, amountMinor)) {",
    "if (!isThere) {",
  ),
  fault(
    "margin/position-margin",
    "margin that is removed may make a position due",
    "if (makesDue(state, position, amountMinor)) {",
    "if (makesDue(state, position, 0n)) {",
  ),
  fault(
    "margin/position-margin",
    "one position is saved by giving up the others",
    "if (makesCrossDue(context.state, owner.account, addedMinor)) return false;",
    "",
  ),
];

const MARKS = [
  fault(
    "prices/prices",
    "the mean is over the samples that there are",
    "const mean = meanTicks(mark.samples, MARK_SECONDS);",
    "const mean = meanTicks(mark.samples, Math.max(1, mark.samples.length));",
  ),
  fault(
    "prices/prices",
    "the mark may be half a percent away from the index",
    "const most = fractionOf(index, rules.markBoundE8);",
    "const most = fractionOf(index, 500_000 + 0 * rules.markBoundE8);",
  ),
  fault(
    "market-rules",
    "the lowest tier alone bounds the mark",
    "boundE8 = Math.min(boundE8, Math.floor(roomE8 / 2));",
    "boundE8 = Math.min(boundE8, Math.floor(roomE8 / 2));\n    break;",
  ),
  fault(
    "prices/sampling",
    "the best prices are sampled",
    "impactSum(impactBookOf(state, market));",
    "impactSum({ ...impactBookOf(state, market), notionalMinor: 1n });",
  ),
  fault(
    "prices/sampling",
    "a sample is rounded down",
    "Number(divideRoundingHalfUp(sum.numerator, sum.denominator)) - 2 * ticks;",
    "Number(sum.numerator / sum.denominator) - 2 * ticks;",
  ),
  fault(
    "formulas/impact-price",
    "a book may be as wide as it likes",
    "if ((queryPart - bidPart) * 2n * SPREAD_DIVISOR > numerator) return null;",
    "",
  ),
  fault(
    "prices/sampling",
    "a short stop forgets the last sample",
    "repeatLast(mark.samples, sampler.sampledMs, secondMs, MARK_SECONDS);",
    "",
  ),
  fault(
    "prices/sampling",
    "half a minute is a long stop",
    "return secondOf(nowMs) - secondOf(lastMs) > GAP_MAX_MS;",
    "return secondOf(nowMs) - secondOf(lastMs) >= GAP_MAX_MS;",
  ),
  fault(
    "prices/sampling",
    "nothing waits after a long stop",
    "mark.riskFromMs = secondMs + GAP_MAX_MS;",
    "mark.riskFromMs = secondMs;",
  ),
  fault(
    "prices/sampling",
    "what waited after a stop waits for the next command",
    "return mark.riskFromMs === 0 ? Number.POSITIVE_INFINITY : mark.riskFromMs;",
    "return mark.riskFromMs >= 0 ? Number.POSITIVE_INFINITY : mark.riskFromMs;",
  ),
] as const;

const INDEXES = [
  fault(
    "orders/order-checks",
    "positions are opened at a stale index",
    'return reject("index-stale", "symbol");',
    "return null;",
  ),
  fault(
    "orders/order-checks",
    "nothing is closed at a stale index",
    "if (form.isClosing || state.rulesVersion < RULES_WITH_MARKET_INTEGRITY) return null;",
    "if (state.rulesVersion < RULES_WITH_MARKET_INTEGRITY) return null;",
  ),
  fault(
    "prices/prices",
    "an index without an age is always stale",
    "return indexStaleMs === 0 || nowMs",
    "return nowMs",
  ),
  fault(
    "prices/sampling",
    "eight samples are enough for the first index",
    "spotSamples.length < (last === 0 ? INDEX_SECONDS : INDEX_SAMPLES_MIN)",
    "spotSamples.length < INDEX_SAMPLES_MIN",
  ),
  fault(
    "prices/sampling",
    "one sample keeps an index alive",
    "spotSamples.length < (last === 0 ? INDEX_SECONDS : INDEX_SAMPLES_MIN)",
    "spotSamples.length < (last === 0 ? INDEX_SECONDS : 1)",
  ),
  fault(
    "prices/sampling",
    "an index from a spot book jumps",
    "last === 0 ? median : Math.min(Math.max(median, last - step), last + step);",
    "last === 0 || step > 0 ? median : last;",
  ),
  fault(
    "prices/sampling",
    "an index of few ticks never moves",
    "Math.max(1, floorQuotient(last, INDEX_STEP_DIVISOR))",
    "floorQuotient(last, INDEX_STEP_DIVISOR)",
  ),
  fault(
    "prices/prices",
    "a step of just the limit has to be forced",
    "if (step * ONE_E8 <= last * BigInt(rules.indexStepLimitE8)) return null;",
    "if (step * ONE_E8 < last * BigInt(rules.indexStepLimitE8)) return null;",
  ),
  fault(
    "prices/prices",
    "force has no effect",
    "command.force ? null : checkStep(",
    "command.force === null ? null : checkStep(",
  ),
  fault(
    "prices/prices",
    "a stale index does not come back",
    "if (!isFresh(state, market, nowMs)) return null;",
    "",
  ),
] as const;

const INSURANCE = [
  fault(
    "formulas/insurance-limits",
    "the fund pays any slippage",
    "if (worseNum * ONE_E8 > fromNum * BigInt(rules.insuranceSlippageE8)) return 0;",
    "",
  ),
  fault(
    "formulas/insurance-limits",
    "the fund does not pay all of its slippage",
    "if (worseNum * ONE_E8 > fromNum * BigInt(rules.insuranceSlippageE8)) return 0;",
    "if (worseNum * ONE_E8 >= fromNum * BigInt(rules.insuranceSlippageE8)) return 0;",
  ),
  fault(
    "formulas/insurance-limits",
    "slippage is reckoned from bankruptcy alone",
    "(markNum < bankruptcyNum ? markNum : bankruptcyNum)",
    "bankruptcyNum",
  ),
  fault(
    "formulas/insurance-limits",
    "the fund pays slippage for which nobody paid fees",
    "return lots > BigInt(lotsMax) ? lotsMax : Number(lots);",
    "return lots > 0n ? lotsMax : 0;",
  ),
  fault(
    "formulas/insurance-limits",
    "fees of the liquidation stand for its slippage",
    "position.insuredMinor += fill.feeMinor;",
    "",
  ),
  fault(
    "formulas/insurance-limits",
    "an hour's limit follows the fund",
    "const baseMinor = isPresent ? draws.baseMinor : fundMinor;",
    "const baseMinor = fundMinor;",
  ),
  fault(
    "formulas/insurance-limits",
    "an hour's draws do not add up",
    "draws.drawnMinor += paidMinor;",
    "draws.drawnMinor = paidMinor;",
  ),
  fault(
    "formulas/insurance-limits",
    "an hour never ends",
    "const isPresent = draws.hourEndMs === hourEndMs(nowMs);",
    "const isPresent = draws.hourEndMs + 0 * hourEndMs(nowMs) !== 0;",
  ),
] as const;

export const INTEGRITY_FAULTS: readonly PlantedFault[] = [
  ...FILLS,
  ...LEAVING,
  ...MARKS,
  ...INDEXES,
  ...INSURANCE,
];
