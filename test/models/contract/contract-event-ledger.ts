/**
 * Follows all money from events alone, one by one: spot and contract wallets, fees, insurance, both
 * clearing accounts, rounding, deposits and withdrawals. Every event balances by itself in every
 * asset. After each event `pnl-clearing` is minus the open value of all positions, and
 * `funding-clearing` between the payments of a slot is what was collected and not yet paid out.
 * Wallets are taken from the events, so that a wrong one breaks the sum; gains of house accounts
 * are computed here.
 */
import type { Event, EventOf } from "../../../src/protocol/index.ts";
import { EventPositions } from "./event-positions.ts";

const HOUSES = [
  "fees",
  "insurance",
  "funding-clearing",
  "pnl-clearing",
  "rounding",
  "external",
] as const;
export type House = (typeof HOUSES)[number];
type Wallet = "spot" | "contract";

/** What was paid and received of the slot that is being settled. */
interface Slot {
  collectedMinor: bigint;
  receivedMinor: bigint;
}

export class ContractEventLedger {
  readonly positions = new EventPositions();
  readonly #scales = new Map<string, number>();
  /** By `<wallet> <uid> <asset>` and `<house> <asset>`, in minor units. */
  readonly #balances = new Map<string, bigint>();
  /** Sum of all balances by asset: 0 after every event. */
  readonly #sums = new Map<string, bigint>();
  readonly #spotMarkets = new Map<string, { readonly base: string; readonly quote: string }>();
  /** Assets that the present event moves. */
  readonly #moved = new Set<string>();
  #slot: Slot | null = null;
  /** The liquidation fill whose settlement is to come next. */
  #unsettled: EventOf<"contract-trade"> | null = null;

  get assets(): readonly string[] {
    return [...this.#scales.keys()];
  }

  scale(asset: string): number {
    return this.#scales.get(asset) ?? 0;
  }

  house(name: House, asset: string): bigint {
    return this.#balances.get(`${name} ${asset}`) ?? 0n;
  }

  wallet(wallet: Wallet, uid: number, asset: string): bigint {
    return this.#balances.get(`${wallet} ${uid} ${asset}`) ?? 0n;
  }

  /** All users together. */
  walletsMinor(wallet: Wallet, asset: string): bigint {
    let total = 0n;
    for (const [key, minor] of this.#balances) {
      if (key.startsWith(`${wallet} `) && key.endsWith(` ${asset}`)) total += minor;
    }
    return total;
  }

  /** Takes an event; the answer names what does not hold after it. */
  take(event: Event): string | null {
    this.#moved.clear();
    if (this.#unsettled !== null && event.type !== "liquidation-settled") {
      return `trade ${this.#unsettled.tradeId} liquidates, and ${event.type} comes next`;
    }
    return this.#take(event) ?? this.#balance();
  }

  #take(event: Event): string | null {
    switch (event.type) {
      case "command-applied":
        return this.positions.unclosed();
      case "asset-set":
        this.#scales.set(event.asset, event.scale);
        return null;
      case "spot-market-set":
        this.#spotMarkets.set(event.symbol, { base: event.baseAsset, quote: event.quoteAsset });
        return null;
      case "contract-market-set":
        this.positions.list(event, this.scale(event.marginAsset));
        return null;
      case "funds-moved":
        return this.#takeMovement(event);
      case "insurance-moved":
        this.#add("external", event.asset, -event.deltaMinor);
        return this.#setInsurance(event.asset, event.balanceMinor);
      case "spot-trade":
        return this.#takeSpotTrade(event);
      case "position-opened":
        this.positions.opened(event);
        return null;
      case "contract-trade":
        return this.#takeTrade(event);
      case "liquidation-settled":
        return this.#takeSettlement(event);
      case "funding-moved":
        return this.#takeFunding(event);
      case "funding-settled":
        return this.#takeSlot(event);
      case "position-closed":
        return this.positions.closed(event);
      case "position-margin-moved":
      case "liquidation-started":
      case "liquidation-finished":
        return this.#unmoved(event);
      default:
        return null;
    }
  }

  #takeMovement(event: EventOf<"funds-moved">): string | null {
    const { uid, asset, amountMinor, from, to } = event;
    if (from === null) this.#add("external", asset, -amountMinor);
    if (to === null) this.#add("external", asset, amountMinor);
    for (const wallet of ["spot", "contract"] as const) {
      const gained = (to === wallet ? amountMinor : 0n) - (from === wallet ? amountMinor : 0n);
      const minor = wallet === "spot" ? event.spotEquityMinor : event.contractEquityMinor;
      const before = this.wallet(wallet, uid, asset);
      if (minor !== before + gained) return `${wallet} of ${uid} went from ${before} to ${minor}`;
      this.#set(wallet, uid, asset, minor);
    }
    return null;
  }

  #takeSpotTrade(event: EventOf<"spot-trade">): string | null {
    const market = this.#spotMarkets.get(event.symbol);
    if (market === undefined) return `no event listed ${event.symbol}`;
    const { base, quote } = market;
    const takerBuys = event.takerSide === "BUY";
    const { makerUid, takerUid, makerFeeMinor, takerFeeMinor } = event;
    const [buyer, seller] = takerBuys ? [takerUid, makerUid] : [makerUid, takerUid];
    this.#add("fees", base, takerBuys ? takerFeeMinor : makerFeeMinor);
    this.#add("fees", quote, takerBuys ? makerFeeMinor : takerFeeMinor);
    this.#set("spot", buyer, base, event.buyerBaseEquityMinor);
    this.#set("spot", buyer, quote, event.buyerQuoteEquityMinor);
    this.#set("spot", seller, base, event.sellerBaseEquityMinor);
    this.#set("spot", seller, quote, event.sellerQuoteEquityMinor);
    return null;
  }

  #takeTrade(event: EventOf<"contract-trade">): string | null {
    const { asset, kind, maker, taker } = event;
    for (const fill of [maker, taker]) {
      const { uid, feeMinor, realizedPnlMinor, walletMinor } = fill;
      if (feeMinor < 0n) return `a fee of ${feeMinor}`;
      if ((kind === "adl" || kind === "netting") && feeMinor > 0n) return `${kind} with a fee`;
      // Of each side by itself: a maker that is also the taker comes first.
      const expected = this.wallet("contract", uid, asset) + realizedPnlMinor - feeMinor;
      if (walletMinor !== expected) return `wallet of ${uid} is ${expected}, told ${walletMinor}`;
      this.#add("fees", asset, feeMinor);
      this.#add("pnl-clearing", asset, -realizedPnlMinor);
      this.#set("contract", uid, asset, walletMinor);
    }
    if (kind === "liquidation" || kind === "adl") this.#unsettled = event;
    return this.positions.traded(event);
  }

  /** The insurance fund pays a gap or gains the liquidation fee, directly behind the trade. */
  #takeSettlement(event: EventOf<"liquidation-settled">): string | null {
    const { uid, asset, insurancePaidMinor, liquidationFeeMinor, tradeId } = event;
    const trade = this.#unsettled;
    this.#unsettled = null;
    const { taker } = trade ?? {};
    if (trade?.tradeId !== tradeId || taker?.uid !== uid) return "a settlement without its fill";
    if (taker.feeMinor !== event.feeMinor) return "the fee is not that of the trade";
    const fixedMinor = this.wallet("contract", uid, asset) + insurancePaidMinor;
    if (event.walletAfterFixMinor !== fixedMinor) return `wallet ${fixedMinor} after the fund paid`;
    if (insurancePaidMinor > 0n && liquidationFeeMinor > 0n) return "the fund pays and is paid";
    this.#set("contract", uid, asset, event.walletMinor);
    const fund = this.house("insurance", asset) - insurancePaidMinor + liquidationFeeMinor;
    if (event.insuranceMinor !== fund) return `the fund is ${fund}, told ${event.insuranceMinor}`;
    return this.#setInsurance(asset, event.insuranceMinor) ?? this.positions.liquidated(event);
  }

  /** Payers come first, and nobody receives what was not collected. */
  #takeFunding(event: EventOf<"funding-moved">): string | null {
    const { asset, uid, deltaMinor, walletMinor } = event;
    this.#slot ??= { collectedMinor: 0n, receivedMinor: 0n };
    const slot = this.#slot;
    if (deltaMinor < 0n) {
      if (slot.receivedMinor > 0n) return "somebody pays behind those who receive";
      slot.collectedMinor -= deltaMinor;
    } else {
      slot.receivedMinor += deltaMinor;
    }
    this.#add("funding-clearing", asset, -deltaMinor);
    this.#set("contract", uid, asset, walletMinor);
    const between = this.house("funding-clearing", asset);
    const expected = slot.collectedMinor - slot.receivedMinor;
    if (between !== expected) return `funding-clearing has ${between}, collected ${expected}`;
    if (between < 0n) return `${-between} of funding was given out and not collected`;
    return this.positions.funded(event);
  }

  #takeSlot(event: EventOf<"funding-settled">): string | null {
    const { collectedMinor, receivedMinor, roundingMinor } = event;
    const asset = this.positions.assetOf(event.symbol);
    const slot = this.#slot ?? { collectedMinor: 0n, receivedMinor: 0n };
    this.#slot = null;
    if (collectedMinor !== slot.collectedMinor) return `collected ${slot.collectedMinor}`;
    if (receivedMinor !== slot.receivedMinor) return `received ${slot.receivedMinor}`;
    if (roundingMinor < 0n) return `rounding of ${roundingMinor}`;
    this.#add("rounding", asset, roundingMinor);
    this.#add("funding-clearing", asset, -roundingMinor);
    return null;
  }

  /** An event that tells of a wallet and moves nothing in or out of it. */
  #unmoved({
    uid,
    asset,
    walletMinor,
  }: EventOf<"position-margin-moved" | "liquidation-started" | "liquidation-finished">):
    | string
    | null {
    const known = this.wallet("contract", uid, asset);
    return known === walletMinor ? null : `wallet of ${uid} is ${known}, told ${walletMinor}`;
  }

  /** What must hold of whatever the event moved. */
  #balance(): string | null {
    for (const asset of this.#moved) {
      const sum = this.#sums.get(asset) ?? 0n;
      if (sum !== 0n) return `${sum} minor units of ${asset} came from nowhere`;
      const owed = this.positions.owedMinor(asset);
      const clearing = this.house("pnl-clearing", asset);
      if (clearing !== -owed) return `pnl-clearing of ${asset} is ${clearing}, owed is ${owed}`;
      const between = this.house("funding-clearing", asset);
      if (this.#slot === null && between !== 0n) return `${between} of funding is left`;
      for (const name of ["fees", "insurance", "rounding"] as const) {
        if (this.house(name, asset) < 0n) return `${name} of ${asset} is below zero`;
      }
    }
    return null;
  }

  #setInsurance(asset: string, minor: bigint): string | null {
    this.#add("insurance", asset, minor - this.house("insurance", asset));
    return minor < 0n ? `the insurance fund is ${minor}` : null;
  }

  #set(wallet: Wallet, uid: number, asset: string, minor: bigint): void {
    this.#change(`${wallet} ${uid} ${asset}`, asset, minor - this.wallet(wallet, uid, asset));
  }

  #add(name: House, asset: string, deltaMinor: bigint): void {
    this.#change(`${name} ${asset}`, asset, deltaMinor);
  }

  #change(key: string, asset: string, deltaMinor: bigint): void {
    this.#moved.add(asset);
    this.#balances.set(key, (this.#balances.get(key) ?? 0n) + deltaMinor);
    this.#sums.set(asset, (this.#sums.get(asset) ?? 0n) + deltaMinor);
  }
}
