/**
 * Ends a countdown: cancels the open orders of its account, oldest first, and on contracts its
 * conditional orders after them. Many orders take several slices, each of as many steps as the
 * command has left; the switch is removed with the last slice. A halted market keeps its orders;
 * the switch is then held until a market resumes.
 */
import type { MarketState } from "../../domain/index.ts";
import { cancelConditional } from "../contract/conditional/conditional-lifecycle.ts";
import { userConditionalOrders } from "../contract/conditional/conditional-orders.ts";
import {
  endRestingOrder as endContractOrder,
  openOrderSlots as openContractSlots,
} from "../contract/orders/resting-orders.ts";
import { marketOfOrder, openOrderSlots } from "../spot/open-orders.ts";
import { endRestingOrder } from "../spot/resting-orders.ts";
import { type Context, userOfOrder } from "../state.ts";
import type { DeadManSwitch } from "./dead-man-switches.ts";

/** Cancels as much as steps are left for. */
export function fireSwitch(context: Context, fired: DeadManSwitch): void {
  const { deadManSwitches } = context.state;
  const isInScope = ({ symbol }: { readonly symbol: string }): boolean =>
    fired.symbol === null || fired.symbol === symbol;
  const cancelled = fired.product === "spot" ? cancelSpot : cancelContracts;
  const isHeld = cancelled(context, fired.uid, isInScope);
  deadManSwitches.firedAtMs = fired.firesAtMs;
  // Something may be left, and the next slice finds out.
  if (context.stepsLeft <= 0) return;
  const { uid, product, symbol } = fired;
  if (isHeld) deadManSwitches.hold(fired);
  else deadManSwitches.remove(uid, product, symbol);
  context.emit({ type: "dead-man-switch-fired", uid, product, symbol, isHeld });
}

type IsInScope = (market: { readonly symbol: string; readonly state: MarketState }) => boolean;

/** Returns whether a halted market keeps orders. */
function cancelSpot(context: Context, uid: number, isInScope: IsInScope): boolean {
  const { state } = context;
  let isAnyKept = false;
  for (const slot of openOrderSlots(state, uid, null)) {
    const market = marketOfOrder(state, slot);
    if (!isInScope(market)) continue;
    if (market.state === "halted") {
      isAnyKept = true;
      continue;
    }
    if (context.stepsLeft <= 0) break;
    endRestingOrder(context, market, userOfOrder(state, slot), slot, "dead-man-switch");
    context.stepsLeft--;
  }
  return isAnyKept;
}

/** Conditional orders are in no book, so those of a halted market are cancelled too. */
function cancelContracts(context: Context, uid: number, isInScope: IsInScope): boolean {
  const { state } = context;
  const { contract } = state;
  let isAnyKept = false;
  const slots = openContractSlots(contract, uid, (market) => {
    if (!isInScope(market)) return false;
    if (market.state !== "halted") return true;
    isAnyKept = true;
    return false;
  });
  for (const slot of slots) {
    if (context.stepsLeft <= 0) break;
    endContractOrder(context, slot, "dead-man-switch");
    context.stepsLeft--;
  }
  const user = state.users.get(uid);
  if (user === undefined || context.stepsLeft <= 0) return isAnyKept;
  for (const order of userConditionalOrders(state, user)) {
    if (context.stepsLeft <= 0) break;
    if (!isInScope(order.owner.market)) continue;
    cancelConditional(context, order);
    context.stepsLeft--;
  }
  return isAnyKept;
}
