/** Faults in what follows from prices: liquidations and conditional orders. */
import { fault } from "./contract-fault.ts";

export const RISK_FAULTS = [
  fault(
    "indexes/risk-index",
    "a cross band spends the whole surplus on each market",
    "(surplusE8 - watch.spareE8 - 1n) / BigInt(owners.length)",
    "surplusE8 - watch.spareE8 - 1n",
  ),
  fault(
    "indexes/risk-index",
    "the edge of a tier is not in the band",
    "this.#band(group, low, high);",
    "this.#band(group, 0 * low, high * Number.POSITIVE_INFINITY);",
  ),
  fault(
    "indexes/risk-index",
    "a sibling's change is overlooked",
    "for (const position of positions) this.#suspectPositions.add(position);",
    "for (const position of positions.slice(0, 1)) this.#suspectPositions.add(position);",
  ),
  fault(
    "indexes/risk-index",
    "a payer of funding keeps its bound",
    "this.#bandPosition(this.#watches[riskSlot] as PositionWatch, bound);",
    "",
  ),
  fault(
    "indexes/risk-index",
    "changed fee rates are overlooked",
    "if (group !== null) this.#suspectGroups.add(group);",
    "",
  ),
  fault(
    "indexes/risk-index",
    "other rules of a market are overlooked",
    "for (const position of market.positions) this.positionChanged(position);",
    "",
  ),
  fault(
    "indexes/risk-index",
    "what waited for its market is forgotten",
    "for (const entry of parked) this.#suspectAgain(entry);",
    "",
  ),
  fault(
    "risk/risk-loop",
    "a stale index liquidates",
    'market.state === "trading" && isMarkReliable(context.state, market, context.nowMs)',
    'market.state === "trading" && (context.nowMs > 0 || isMarkReliable(context.state, market, 0))',
  ),
  fault(
    "risk/liquidation",
    "orders of the other side are cancelled too",
    'cancelOpenOrders(context, account, market, side, "liquidation");',
    'cancelOpenOrders(context, account, market, null, "liquidation");',
  ),
  fault(
    "risk/liquidation",
    "cross accounts are not netted",
    "for (const owner of owners) if (netSymbol(context, owner)) context.stepsLeft--;",
    "",
  ),
  fault(
    "risk/liquidation",
    "a position goes down one tier at a time",
    "rules.tiers[Math.max(0, tier - 2)]",
    "rules.tiers[Math.max(0, tier - 1)]",
  ),
  fault(
    "risk/liquidation",
    "the smallest position is closed first",
    "maintenanceE8 > largestE8 ||",
    "largestE8 < 0n || maintenanceE8 < largestE8 ||",
  ),
  fault(
    "risk/liquidation",
    "bankruptcy is rounded against the holder",
    "side === LONG\n      ? ceilDivide(",
    "side !== LONG\n      ? ceilDivide(",
  ),
  fault(
    "risk/liquidation",
    "the fund pays beyond the band",
    "if (side === BUY ? priceTicks > band : priceTicks < band) return;",
    "if (priceTicks + band < 0) return;",
  ),
  fault(
    "risk/liquidation",
    "the fund does not reckon with the fee",
    "price * BigInt(terms.takerFeeRateE8)) * rules.minorPerTickLot",
    "0n * BigInt(terms.takerFeeRateE8)) * rules.minorPerTickLot",
  ),
  fault(
    "orders/liquidation-fill",
    "the liquidation fee takes more than is left",
    "fullFeeMinor < leftMinor ? fullFeeMinor : leftMinor",
    "fullFeeMinor",
  ),
  fault(
    "orders/liquidation-fill",
    "the exchange's fee makes a debt",
    "const feeMinor = exactFeeMinor < coveredMinor ? exactFeeMinor : coveredMinor;",
    "const feeMinor = exactFeeMinor < coveredMinor + 1n ? exactFeeMinor : exactFeeMinor;",
  ),
  fault(
    "risk/deleveraging",
    "the least profitable gives first",
    "if (left !== right) return left > right;",
    "if (left !== right) return left < right;",
  ),
  fault(
    "risk/deleveraging",
    "the liquidated user's own position gives first",
    "if (one.isOwn !== other.isOwn) return other.isOwn;",
    "if (one.isOwn !== other.isOwn) return one.isOwn;",
  ),
  fault(
    "risk/deleveraging",
    "a hedged account gives more than its net size",
    "netLots.get(owner) ?? owner.sideLots[side] - owner.sideLots[otherSide(side)]",
    "netLots.get(owner) ?? owner.sideLots[side] - 0 * owner.sideLots[otherSide(side)]",
  ),
  fault(
    "risk/netting",
    "netting at the last price",
    'settleOffBook(context, "netting", market, market.mark.ticks, lots, maker, taker);',
    'settleOffBook(context, "netting", market, market.lastTicks, lots, maker, taker);',
  ),
  fault(
    "margin/position-margin",
    "margin is added where it does not help",
    "if (addedMinor <= 0n || !isSaved) return false;",
    "if (addedMinor <= 0n || (!isSaved && addedMinor < 0n)) return false;",
  ),
] as const;

export const CONDITION_FAULTS = [
  fault(
    "indexes/trigger-index",
    "a trigger that is just reached does not fire",
    "return firesUpwards(order) ? ticks >= levelTicks : ticks <= levelTicks;",
    "return firesUpwards(order) ? ticks > levelTicks : ticks < levelTicks;",
  ),
  fault(
    "indexes/trigger-index",
    "the highest id fires first",
    "else if (lowest === null || order.algoId < lowest.algoId) lowest = order;",
    "else if (lowest === null || order.algoId > lowest.algoId) lowest = order;",
  ),
  fault(
    "indexes/trigger-index",
    "the level of a trailing sell is rounded up",
    'RATE_ONE_E8 - order.callbackRateE8, "down")',
    'RATE_ONE_E8 - order.callbackRateE8, "up")',
  ),
  fault(
    "indexes/trigger-index",
    "a trailing stop does not follow",
    "order.extremeTicks = best(order.extremeTicks, lastTicks);",
    "best(order.extremeTicks, lastTicks);",
  ),
  fault(
    "conditional/conditional-lifecycle",
    "attached rows are armed before the first fill",
    'if (order.status === "UNTRIGGERED") triggerIndex.watch(order);',
    'order.status = "UNTRIGGERED";\n  triggerIndex.watch(order);',
  ),
  fault(
    "conditional/conditional-lifecycle",
    "rows stay when their side is gone",
    'if (closesSide && order.status === "UNTRIGGERED") cancelConditional(context, order);',
    'if (closesSide && order.status === "FILLED") cancelConditional(context, order);',
  ),
  fault(
    "conditional/conditional-lifecycle",
    "attached rows outlive a parent without a fill",
    "if (filledLots > 0) return;\n",
    "return;\n",
  ),
  fault(
    "conditional/conditional-lifecycle",
    "attached rows do not grow with their parent",
    "order.quantityLots = filledLots;",
    'if (order.status === "NEW") order.quantityLots = filledLots;',
  ),
  fault(
    "risk/firing",
    "a child closes what resting orders close",
    "const closableLots = owner.sideLots[positionSide] - owner.restingCloseLots[positionSide];",
    "const closableLots = owner.sideLots[positionSide];",
  ),
  fault(
    "snapshot-rows",
    "a snapshot forgets the extreme of a trailing stop",
    "extremeTicks: uint",
    "extremeTicks: { ...uint, source: undefined, write: (w) => uint.write(w, 0) }",
  ),
] as const;
