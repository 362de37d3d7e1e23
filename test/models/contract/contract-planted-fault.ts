/** The faults that the tests of contracts must notice, one by one. */
import type { PlantedFault } from "../planted-fault.ts";
import { AMEND_FAULTS } from "./contract-amend-fault.ts";
import { fault } from "./contract-fault.ts";
import { INTEGRITY_FAULTS } from "./contract-integrity-fault.ts";
import { CONDITION_FAULTS, RISK_FAULTS } from "./contract-risk-fault.ts";

const MONEY = [
  fault(
    "formulas/valuation",
    "the removed open value is rounded in the holder's favour",
    "return side === LONG\n    ? divideRoundingUp(exact",
    "return side !== LONG\n    ? divideRoundingUp(exact",
  ),
  fault(
    "formulas/valuation",
    "the margin of a fill is rounded down",
    "return divideRoundingUp(value, BigInt(leverage))",
    "return value / BigInt(leverage)",
  ),
  fault(
    "formulas/valuation",
    "a released part is rounded up",
    "return (amountMinor * BigInt(partLots)) / BigInt(sizeLots)",
    "return (amountMinor * BigInt(partLots) + BigInt(sizeLots) - 1n) / BigInt(sizeLots)",
  ),
  fault(
    "formulas/valuation",
    "a tier ends below its maximum",
    "if (notionalMinor <= (tiers[i]",
    "if (notionalMinor < (tiers[i]",
  ),
  fault(
    "formulas/valuation",
    "maintenance without the closing fee",
    "return BigInt(maintenanceMarginRateE8 + takerFeeRateE8)",
    "return BigInt(maintenanceMarginRateE8)",
  ),
  fault(
    "formulas/valuation",
    "due only below the maintenance margin",
    "return equityMinor * ONE_E8 <= maintenanceMinorE8",
    "return equityMinor * ONE_E8 < maintenanceMinorE8",
  ),
  fault(
    "formulas/valuation",
    "liquidation prices round down",
    "(2n * numerator + denominator) / (2n * denominator)",
    "numerator / denominator",
  ),
  fault(
    "formulas/valuation",
    "a user's own rates for contracts are ignored",
    "if (user.feeRates !== null) {",
    "if (user.feeRates !== null && user.feeRates.size > 100) {",
  ),
  fault(
    "orders/positions",
    "the rest of a split fee is lost",
    "const shareMinor = lotsLeft === 0 ? feeLeftMinor : ",
    "const shareMinor = ",
  ),
  fault(
    "orders/positions",
    "closing fees are not split by size",
    "(feeMinor * BigInt(partLots)) / BigInt(lots)",
    "feeLeftMinor / 2n",
  ),
  fault(
    "orders/positions",
    "a close ignores which position it is for",
    "if (targetPositionId !== 0 && position.positionId !== targetPositionId) continue;",
    "",
  ),
  fault(
    "orders/positions",
    "separated orders share a position",
    'return separatedType === "SEPARATED" ? orderId : 0;',
    'return separatedType === "SEPARATED" ? 0 * orderId : 0;',
  ),
  fault(
    "orders/positions",
    "funding fees stay whole on a partial close",
    "position.fundingFeeMinor -= removedPart(position.fundingFeeMinor, part.lots, sizeLots);",
    "",
  ),
  fault(
    "formulas/order-margin",
    "the freeze knows one fee rate",
    "const rateE8 = Math.max(extras.takerFeeRateE8(slot), orders.makerFeeRateE8(slot));",
    "const rateE8 = extras.takerFeeRateE8(slot);",
  ),
  fault(
    "formulas/order-margin",
    "freezes round down",
    "return divideRoundingUp(exact, times * ONE_E8)",
    "return exact / (times * ONE_E8)",
  ),
  fault(
    "orders/fill",
    "the maker pays the taker's rate",
    "orders.makerFeeRateE8(makerSlot));",
    "terms.takerFeeRateE8);",
  ),
  fault(
    "orders/fill-checks",
    "makers may close into debt",
    "return canSettle(state, match, match.maker, match.taker);",
    "return match !== null;",
  ),
  fault(
    "orders/fill-checks",
    "takers may close into debt",
    "return canSettle(state, match, match.taker, match.maker);",
    "return match !== null;",
  ),
  fault(
    "orders/fill-checks",
    "a debt in cash is overlooked with the last cross position",
    "return after.hasCrossPositions || after.cashMinor >= 0n;",
    "return true;",
  ),
  fault(
    "orders/fill",
    "a trade shows the wallet before its fee",
    "walletMinor: walletBeforeMinor + realizedPnlMinor - feeMinor",
    "walletMinor: walletBeforeMinor + realizedPnlMinor",
  ),
] as const;

const ORDERS = [
  fault(
    "orders/matching",
    "price improvement stays frozen",
    "freezeOf(market.rules, terms.priceTicks, openLots,",
    "freezeOf(market.rules, terms.assumedTicks, openLots,",
  ),
  fault(
    "orders/order-checks",
    "resting closes are not reserved",
    "owner.sideLots[positionSide] - promisedLots;",
    "owner.sideLots[positionSide];",
  ),
  fault(
    "orders/resting-orders",
    "the oldest resting close is trimmed",
    "const newest = slots.pop();",
    "const newest = slots.shift();",
  ),
  fault(
    "orders/matching",
    "resting closes are not trimmed",
    "if (terms.isClosing) trimCloses(",
    "if (terms.isClosing && terms.priceTicks < 0) trimCloses(",
  ),
  fault("orders/order-checks", "orders are born due", "if (!isDue) return null;", "return null;"),
  fault(
    "orders/order-checks",
    "the leverage of a tier does not count the other side of a cross account",
    'const otherLots = owner.marginType === "CROSSED" ? owner.sideLots[otherSide] : 0;',
    "const otherLots = 0 * owner.sideLots[otherSide];",
  ),
  fault(
    "orders/order-checks",
    "the position limit does not count what rests",
    "owner.sideLots[positionSide] + restingLots + openLots",
    "owner.sideLots[positionSide] + openLots",
  ),
  fault(
    "orders/order-checks",
    "all that is available is not enough",
    "if (frozenMinor > availableMinor) {",
    "if (frozenMinor >= availableMinor) {",
  ),
  fault(
    "orders/order-checks",
    "a sell is reckoned at its own price",
    "return { assumedTicks: bestTicks, limitTicks };",
    "return { assumedTicks: limitTicks, limitTicks };",
  ),
  fault(
    "formulas/account-equity",
    "unrealised profit is available",
    "return cash + (pnl < 0n ? pnl : 0n) - crossMarginMinor(account);",
    "return cash + pnl - crossMarginMinor(account);",
  ),
  fault(
    "formulas/account-equity",
    "a cross tier looks at one side",
    "valueMinor(rules, mark.ticks, sideLots[LONG]) + valueMinor(",
    "valueMinor(rules, mark.ticks, sideLots[LONG]) + 0n * valueMinor(",
  ),
  fault(
    "margin/settings",
    "leverage changes beside resting orders",
    "if (owner.restingOpenLots[LONG] > 0 || owner.restingOpenLots[SHORT] > 0) {",
    "if (owner.restingOpenLots[LONG] > 1e9) {",
  ),
  fault(
    "margin/settings",
    "leverage is lowered without margin",
    "if (change.after < change.before && !canLower(",
    "if (change.after < 0 && !canLower(",
  ),
  fault(
    "margin/settings",
    "the margin type changes beside a position",
    "(owner.openOrders > 0 || owner.sideLots[LONG] > 0 || owner.sideLots[SHORT] > 0)",
    "(owner.openOrders > 0 || owner.sideLots[LONG] > 0)",
  ),
  fault(
    "margin/position-margin",
    "margin is removed in spite of a loss",
    "position.marginMinor + (pnlMinor < 0n ? pnlMinor : 0n) - neededMinor",
    "position.marginMinor - neededMinor",
  ),
  fault(
    "margin/position-margin",
    "somebody else's position is found",
    "if (position === undefined || position.owner.account.user.uid !== uid) {",
    "if (position === undefined || uid < 0) {",
  ),
] as const;

const PRICES = [
  fault(
    "prices/prices",
    "the mark is not bounded",
    "return index + Math.min(Math.max(mean, -most), most);",
    "return index + Math.min(Math.max(mean, -most), most * 2);",
  ),
  fault(
    "prices/prices",
    "a mean over the samples that there are",
    "const mean = meanTicks(mark.samples, MARK_SECONDS);",
    "const mean = meanTicks(mark.samples, Math.max(1, mark.samples.length));",
  ),
  fault(
    "formulas/price-samples",
    "samples live a second too long",
    "(ring[old] as PriceSample).atMs <= nowMs - seconds * SECOND_MS",
    "(ring[old] as PriceSample).atMs < nowMs - seconds * SECOND_MS",
  ),
  fault(
    "formulas/price-samples",
    "the mean rounds down",
    "return floorQuotient(sum + seconds, 2 * seconds)",
    "return floorQuotient(sum, 2 * seconds)",
  ),
  fault(
    "formulas/price-samples",
    "skipped seconds are not repeated",
    "const firstMs = Math.max(fromMs, toMs - seconds * SECOND_MS) + SECOND_MS;",
    "const firstMs = Math.max(toMs, toMs - seconds * SECOND_MS) + SECOND_MS;",
  ),
  fault(
    "prices/sampling",
    "an index goes on with seven samples",
    "(last === 0 ? INDEX_SECONDS : INDEX_SAMPLES_MIN)",
    "(last === 0 ? INDEX_SECONDS : INDEX_SAMPLES_MIN - 1)",
  ),
  fault(
    "prices/sampling",
    "the index goes to its median at once",
    "last === 0 ? median : Math.min(Math.max(median, last - step), last + step)",
    "step > 0 ? median : Math.min(Math.max(median, last - step), last + step)",
  ),
  fault(
    "prices/sampling",
    "nothing waits after a long stop",
    "mark.riskFromMs = secondMs + GAP_MAX_MS;",
    "mark.riskFromMs = secondMs;",
  ),
  fault(
    "orders/order-checks",
    "a stale index opens positions",
    'return reject("index-stale", "symbol");',
    "return null;",
  ),
  fault(
    "prices/premium",
    "skipped minutes are not repeated",
    "funding.premiumSumE12 += BigInt(samples) * funding.lastPremiumE12;",
    "",
  ),
  fault(
    "prices/premium",
    "the asks count as much as the bids",
    "(above * askDenominator - below * bidDenominator) * PREMIUM_ONE",
    "(above * askDenominator + below * bidDenominator) * PREMIUM_ONE",
  ),
  fault(
    "prices/funding",
    "the cap is applied before the interest",
    "const rate = clamp(premium + pull, BigInt(rules.fundingRateCapE8) * scale);",
    "const rate = clamp(premium, BigInt(rules.fundingRateCapE8) * scale) + pull;",
  ),
  fault(
    "prices/funding",
    "payers pay rounded down",
    "const dueMinor = ceilDivide(lots * this.#lotDueE8, ONE_E8);",
    "const dueMinor = (lots * this.#lotDueE8) / ONE_E8;",
  ),
  fault(
    "prices/funding",
    "receivers receive rounded up",
    "const shareMinor = (BigInt(position.sizeLots) * collectedMinor) / totalLots;",
    "const shareMinor = ceilDivide(BigInt(position.sizeLots) * collectedMinor, totalLots);",
  ),
  fault(
    "prices/funding",
    "funding is waived without a buffer",
    "(isolatedRateE8(owner, side) + this.#bufferE8)",
    "(isolatedRateE8(owner, side) + 0n * this.#bufferE8)",
  ),
  fault(
    "prices/funding",
    "the buffer of a cross account is that of one position",
    "roomE8 -= markValueMinor(position) * BigInt(fundingBufferRateE8);",
    "roomE8 -= 0n * BigInt(fundingBufferRateE8);",
  ),
  fault(
    "prices/funding",
    "what a cross account paid is forgotten at once",
    "this.#roomE8.set(account, roomE8 + deltaMinor * ONE_E8);",
    "this.#roomE8.set(account, roomE8);",
  ),
  fault(
    "time/timers",
    "a slot that was missed long ago is settled",
    "nowMs - slotMs <= MISSED_SLOT_MAX_MS",
    "nowMs - slotMs <= MISSED_SLOT_MAX_MS + 1e7",
  ),
] as const;

export const CONTRACT_FAULTS: readonly PlantedFault[] = [
  ...MONEY,
  ...ORDERS,
  ...PRICES,
  ...RISK_FAULTS,
  ...CONDITION_FAULTS,
  ...AMEND_FAULTS,
  ...INTEGRITY_FAULTS,
];
