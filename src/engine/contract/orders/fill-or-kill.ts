/**
 * Whether an order can be filled completely at once. The matching runs on pictures of the accounts
 * and skips makers whose fill would be refused, as the real one does. Reads only.
 */
import type { Ledger } from "../../ledger/ledger.ts";
import { BUY, NONE, SELL } from "../../matching/slot.ts";
import type { Context } from "../../state.ts";
import { frozenByRest } from "../formulas/order-margin.ts";
import type { SymbolAccount } from "../state/contract-market.ts";
import type { ContractTaker } from "../state/order-terms.ts";
import { AccountPicture } from "./account-picture.ts";
import { advanceTaker, type BookMatch, planMatch } from "./fill.ts";
import { type AccountsBefore, isFit } from "./fill-checks.ts";
import { isWithin, walkCrossing } from "./matching.ts";

/** Of an order that is under way, and has filled nothing yet. */
export function isFillableAtOnce(context: Context, taker: ContractTaker): boolean {
  const { contract, ledger } = context.state;
  const { orders } = contract;
  const { limitTicks, market, quantityLots, side } = taker.terms;
  // Without enough orders no account needs a look.
  if (walkCrossing(market, side, limitTicks, quantityLots).lots < quantityLots) return false;
  const accounts = new PicturedAccounts(ledger);
  const pictured = { ...taker };
  let slot = market.book.bestOrder(side === BUY ? SELL : BUY);
  while (pictured.filledLots < quantityLots) {
    if (slot === NONE || !isWithin(side, orders.priceTicks(slot), limitTicks)) return false;
    const lots = Math.min(orders.openLots(slot), quantityLots - pictured.filledLots);
    const match = planMatch(context, pictured, slot, lots);
    if (!isFit(accounts, match, match.maker, match.taker)) {
      accounts.of(match.maker.owner).release(frozenByRest(contract, slot));
    } else if (isFit(accounts, match, match.taker, match.maker)) {
      accounts.apply(match);
      advanceTaker(pictured, match);
    } else {
      return false;
    }
    slot = market.book.nextOrder(slot);
  }
  return true;
}

/** Every account that the order has touched, as its fills so far would leave it. */
class PicturedAccounts implements AccountsBefore {
  readonly #ledger: Ledger;
  readonly #pictures = new Map<SymbolAccount, AccountPicture>();

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

  of(owner: SymbolAccount): AccountPicture {
    let picture = this.#pictures.get(owner);
    if (picture === undefined) {
      picture = AccountPicture.of(this.#ledger, owner);
      this.#pictures.set(owner, picture);
    }
    return picture;
  }

  copyOf(owner: SymbolAccount): AccountPicture {
    return this.of(owner).copy();
  }

  apply(match: BookMatch): void {
    for (const side of [match.maker, match.taker]) this.of(side.owner).apply(match, side);
  }
}
