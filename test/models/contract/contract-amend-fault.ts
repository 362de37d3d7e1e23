/** Faults of amendments and countdowns of contracts. */
import type { PlantedFault } from "../planted-fault.ts";
import { fault } from "./contract-fault.ts";

const KEEPS = "form.priceTicks === orders.priceTicks(slot) && form.openLots <= openLots";

export const AMEND_FAULTS: readonly PlantedFault[] = [
  fault(
    "orders/amend-order",
    "an amended order keeps its place though its price changed",
    KEEPS,
    "form.openLots <= openLots",
  ),
  fault(
    "orders/amend-order",
    "an amended order loses its place though only its quantity fell",
    KEEPS,
    "form.priceTicks === orders.priceTicks(slot) && form.openLots === openLots",
  ),
  fault(
    "orders/amend-order",
    "an order that shrinks releases what it has left",
    "unreserve(context.state, owner, slot, lessLots);",
    "unreserve(context.state, owner, slot, form.openLots);",
  ),
  fault(
    "orders/order-checks",
    "an amended order has to be paid for twice",
    "const freedMinor = form.replaced.frozenMinor;",
    "const freedMinor = 0n;",
  ),
  fault(
    "orders/order-checks",
    "an amended close is counted twice",
    "owner.restingCloseLots[positionSide] - replaced.openLots;",
    "owner.restingCloseLots[positionSide];",
  ),
  fault(
    "orders/order-checks",
    "an amended order counts twice in the position",
    "owner.restingOpenLots[positionSide] - replaced.openLots;",
    "owner.restingOpenLots[positionSide];",
  ),
  fault(
    "orders/order-checks",
    "an order can be amended to what it has filled",
    "checkAboveFilled(market, quantityLots, replaced.filledLots)",
    "checkAboveFilled(market, quantityLots + 1, replaced.filledLots)",
  ),
  fault(
    "orders/amend-order",
    "an amended order trades its filled part again",
    "matchTaker(context, taker, terms.limitTicks, form.openLots);",
    "matchTaker(context, taker, terms.limitTicks, form.quantityLots);",
  ),
  fault(
    "orders/amend-order",
    "an amended post-only order takes",
    '"POST_ONLY" && wouldTake(replacement)',
    '"POST_ONLY" && false',
  ),
  fault(
    "orders/amend-order",
    "an amended order forgets what it has paid in fees",
    "return { filledValueMinor: filledQuoteMinor, feeNumerator };",
    "return { filledValueMinor: filledQuoteMinor, feeNumerator: 0n * feeNumerator };",
  ),
  fault(
    "orders/amend-order",
    "an amended order forgets its conditional orders",
    "hasAttached: extras.hasAttached(slot),",
    "hasAttached: false,",
  ),
  fault(
    "orders/amend-order",
    "rows that wait for the first fill keep the old quantity",
    "if (extras.hasAttached(slot)) parentAmended(",
    "if (false) parentAmended(",
  ),
  fault(
    "orders/amend-order",
    "a stop-loss may stand on the wrong side of the new price",
    "checkPrices(context, form) ?? checkAttached(contract, slot, form)",
    "checkPrices(context, form)",
  ),
  fault(
    "orders/resting-orders",
    "a snapshot forgets when an order was amended",
    "filledLots > 0 || order.updatedMs > extra.createdMs",
    "filledLots > 0",
  ),
  {
    ...fault(
      "",
      "a countdown leaves conditional orders behind",
      "cancelConditional(context, order);",
      "",
    ),
    file: "engine/dead-man-switch/fire-switch.ts",
  },
  fault(
    "markets",
    "a held countdown is not released when a market goes on",
    "if (wasHalted) context.state.deadManSwitches.releaseHeld(context.nowMs);",
    "",
  ),
];
