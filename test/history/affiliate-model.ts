/**
 * The affiliate programme in the naive model of history: commissions, payments and movements kept
 * as they were told, every question answered by going through all of them.
 */
import type { Product } from "../../src/domain/index.ts";
import type { Event, EventOf } from "../../src/protocol/index.ts";
import type {
  Commission,
  CommissionDetail,
  HistoryAnswer,
  HistoryQueryName,
  HistoryQuestion,
  StatementEntry,
  SubAffiliateDay,
} from "../../src/queries/index.ts";
import { exact, text } from "../support/exact.ts";
import {
  day,
  paged,
  reversalAnswer,
  reversalRow,
  settlementAnswer,
  usdt,
} from "./affiliate-answers.ts";
import { type Listing, product as productOf } from "./listed.ts";
import { isIn } from "./naive-candles.ts";
import { NaiveChain } from "./naive-chain.ts";
import { naiveCommissionDays, naivePaid } from "./naive-commission-days.ts";
import { naiveWhatIf, type Rates } from "./naive-what-if.ts";
import type { AFFILIATE_QUESTIONS } from "./questions.ts";

type Accrued = EventOf<"commission-accrued">;
type Reversed = EventOf<"commission-reversed">;
type Answers = {
  [Name in HistoryQueryName]: (question: HistoryQuestion<Name>) => HistoryAnswer<Name>;
};
type AffiliateAnswers = Pick<Answers, (typeof AFFILIATE_QUESTIONS)[number]>;

/** Something that happened, with its place among all that happened. */
interface At<Type> {
  readonly event: Type;
  readonly at: number;
  readonly timeMs: number;
}

interface Earned extends At<Accrued> {
  /** From the direct affiliate up, at that moment, for the first commission of a side. */
  readonly chain: readonly Rates[];
  readonly parentUid: number | null;
  readonly valueE8: bigint;
  readonly volumeE8: bigint;
  readonly feeE8: bigint;
  /** The affiliate whose commission came right before. */
  readonly beforeUid: number;
}

type Brought = "deposits" | "withdrawals" | "spotVolume" | "contractVolume" | "commission";

export class AffiliateHistoryModel {
  readonly #listing: Listing;
  #at = 0;
  readonly #prices = new Map<string, bigint>([["USDT", 10n ** 18n]]);
  readonly #ticks = new Map<string, string>();
  readonly #earned: Earned[] = [];
  readonly #reversed: At<EventOf<"commission-reversed">>[] = [];
  readonly #released: At<EventOf<"commission-released">>[] = [];
  readonly #settled: At<EventOf<"commissions-settled">>[] = [];
  readonly #withdrawn: At<EventOf<"internal-withdrawal-made">>[] = [];
  readonly #registered: At<EventOf<"user-registered">>[] = [];
  readonly #kyc = new Map<number, boolean>();
  readonly #rates: Rates[] = [];
  readonly #parents = new Map<number, number>();
  readonly #trades = new Map<string, NonNullable<CommissionDetail["fill"]>>();
  readonly #brought: {
    readonly uid: number;
    readonly what: Brought;
    readonly timeMs: number;
    readonly e8: bigint;
  }[] = [];
  readonly #chains = new Map<number, NaiveChain>();

  constructor(listing: Listing) {
    this.#listing = listing;
  }

  apply(event: Event, timeMs: number): void {
    const at = ++this.#at;
    this.#applyTrade(event, timeMs);
    this.#applyChain(event, timeMs);
    switch (event.type) {
      case "user-registered":
        this.#registered.push({ event, at, timeMs });
        this.#kyc.set(event.uid, event.kyc);
        break;
      case "user-updated":
        this.#kyc.set(event.uid, event.kyc);
        break;
      case "affiliate-set":
        this.#rates.push({
          uid: event.uid,
          version: event.rateVersion,
          spotE8: BigInt(event.spotRateE8),
          contractE8: BigInt(event.futuresRateE8),
          sinceMs: this.#versionOf(event.uid, event.rateVersion)?.sinceMs ?? timeMs,
        });
        if (event.parentUid !== null) this.#parents.set(event.uid, event.parentUid);
        break;
      case "funds-moved":
        if (event.from === null) {
          this.#bring(event.uid, "deposits", event.asset, event.amountMinor, timeMs);
        } else if (event.to === null) {
          this.#bring(event.uid, "withdrawals", event.asset, event.amountMinor, timeMs);
        }
        break;
      case "commission-accrued":
        this.#accrue(event, at, timeMs);
        break;
      case "commission-reversed":
        this.#reversed.push({ event, at, timeMs });
        this.#bringCommission(event, -event.amountMinor, timeMs);
        break;
      case "commission-released":
        this.#released.push({ event, at, timeMs });
        break;
      case "commissions-settled":
        this.#settled.push({ event, at, timeMs });
        break;
      case "internal-withdrawal-made":
        this.#withdrawn.push({ event, at, timeMs });
        break;
      default:
        break;
    }
  }

  #applyTrade(event: Event, timeMs: number): void {
    if (event.type === "spot-market-set") this.#ticks.set(event.symbol, event.tickSize);
    if (event.type === "contract-market-set") this.#ticks.set(`c${event.symbol}`, event.tickSize);
    if (event.type === "spot-trade") {
      const market = this.#listing.spot(event.symbol);
      const price = productOf(event.priceTicks, this.#ticks.get(event.symbol) ?? "");
      if (event.symbol === `${market.base}USDT`) this.#prices.set(market.base, exact(price));
      this.#addTrade("spot", market, event, price, event.quoteMinor, timeMs);
      if (event.makerUid === event.takerUid) return;
      for (const uid of [event.makerUid, event.takerUid]) {
        this.#bring(uid, "spotVolume", market.quote, event.quoteMinor, timeMs);
      }
    }
    if (event.type === "contract-trade" && ["book", "liquidation"].includes(event.kind)) {
      const market = this.#listing.contract(event.symbol);
      const price = productOf(event.priceTicks, this.#ticks.get(`c${event.symbol}`) ?? "");
      this.#addTrade("contract", market, event, price, event.valueMinor, timeMs);
      if (event.maker.uid === event.taker.uid) return;
      for (const { uid } of [event.maker, event.taker]) {
        this.#bring(uid, "contractVolume", market.quote, event.valueMinor, timeMs);
      }
    }
  }

  #addTrade(
    product: Product,
    market: { readonly quote: string; readonly step: string },
    { tradeId, quantityLots }: EventOf<"spot-trade" | "contract-trade">,
    price: string,
    quoteMinor: bigint,
    timeMs: number,
  ): void {
    this.#trades.set(`${product}|${tradeId}`, {
      tradeId,
      role: "maker",
      price,
      quantity: productOf(quantityLots, market.step),
      quoteQuantity: this.#listing.units(quoteMinor, market.quote),
      quoteAsset: market.quote,
      timeMs,
    });
  }

  /** In 10^-8 USDT, rounded towards 0. */
  #e8(asset: string, minor: bigint): bigint {
    return (
      (exact(this.#listing.units(minor, asset)) * (this.#prices.get(asset) ?? 0n)) / 10n ** 28n
    );
  }

  #bring(uid: number, what: Brought, asset: string, minor: bigint, timeMs: number): void {
    this.#brought.push({ uid, what, timeMs, e8: this.#e8(asset, minor) });
  }

  #bringCommission(
    event: EventOf<"commission-accrued" | "commission-reversed">,
    minor: bigint,
    timeMs: number,
  ): void {
    const { traderUid, affiliateUid, asset } = event;
    const inviter = this.#registered.find((user) => user.event.uid === traderUid);
    if (inviter?.event.inviterUid !== affiliateUid) return;
    this.#bring(traderUid, "commission", asset, minor, timeMs);
  }

  #accrue(event: Accrued, at: number, timeMs: number): void {
    const { asset, product, symbol, affiliateUid } = event;
    const quote = this.#listing[product](symbol).quote;
    const chain: Rates[] = [];
    for (let uid: number | undefined = affiliateUid; uid !== undefined; ) {
      chain.push(this.#rates.findLast((rates) => rates.uid === uid) as Rates);
      uid = this.#parents.get(uid);
    }
    this.#earned.push({
      event,
      at,
      timeMs,
      chain,
      parentUid: this.#parents.get(affiliateUid) ?? null,
      valueE8: this.#e8(asset, event.commissionMinor),
      volumeE8: this.#e8(quote, event.notionalMinor),
      feeE8: this.#e8(asset, event.feeMinor),
      beforeUid: this.#earned.at(-1)?.event.affiliateUid ?? 0,
    });
    this.#bringCommission(event, event.commissionMinor, timeMs);
  }

  #applyChain(event: Event, timeMs: number): void {
    if (!("affiliateUid" in event)) return;
    const { affiliateUid } = event;
    const chain = this.#chains.get(affiliateUid) ?? new NaiveChain(this.#listing, affiliateUid);
    this.#chains.set(affiliateUid, chain);
    const isHeld =
      event.type === "commission-reversed" && this.#stateOf(event.commissionId) === "held";
    chain.add(event, isHeld, timeMs);
  }

  answers(): AffiliateAnswers {
    return {
      commissions: (q) => this.#commissions(q),
      commission: (q) => this.#detail(q.commissionId),
      referrals: (q) => this.#referrals(q),
      "referral-activity": (q) => this.#activity(q),
      "commission-days": (q) => naiveCommissionDays(this.#listing, this.#earned, this.#reversed, q),
      "paid-commissions": (q) => naivePaid(this.#listing, this.#settled, q),
      "sub-affiliate-days": (q) => this.#days(q),
      "internal-withdrawals": (q) => this.#withdrawals(q),
      "statement-part": (q) => this.#part(q),
      "statement-heads": (q) => this.#chains.get(q.affiliateUid)?.heads(q.fromDay, q.limit) ?? [],
      "commission-what-if": (q) => naiveWhatIf(this.#listing, this.#earned, q),
    };
  }

  #reversalOf(commissionId: number) {
    return this.#reversed.find(({ event }) => event.commissionId === commissionId);
  }

  #releaseOf(commissionId: number) {
    return this.#released.find(({ event }) => event.commissionId === commissionId);
  }

  /** The first settlement after it began to wait, unless it had been taken back by then. */
  #settlementOf({ event, at }: Earned) {
    const { commissionId, affiliateUid, asset, isHeld } = event;
    const since = isHeld ? this.#releaseOf(commissionId)?.at : at;
    const until = this.#reversalOf(commissionId)?.at ?? Number.POSITIVE_INFINITY;
    if (since === undefined) return undefined;
    return this.#settled.find(
      (settled) =>
        settled.at > since &&
        settled.at < until &&
        settled.event.affiliateUid === affiliateUid &&
        settled.event.asset === asset,
    );
  }

  #stateOf(commissionId: number): Commission["status"] {
    const earned = this.#earned.find(({ event }) => event.commissionId === commissionId);
    if (earned === undefined) return "reversal";
    if (this.#reversalOf(commissionId) !== undefined) return "reversed";
    if (earned.event.isHeld && this.#releaseOf(commissionId) === undefined) return "held";
    return this.#settlementOf(earned) === undefined ? "accrued" : "settled";
  }

  #rows(isMeant: (id: number, event: Accrued | Reversed) => boolean): Commission[] {
    const some = this.#earned.filter(({ event }) => isMeant(event.commissionId, event));
    const earned = some.map(({ event, timeMs }): Commission => {
      const { product, symbol, asset, isMaker } = event;
      const { quote } = this.#listing[product](symbol);
      const notional = this.#listing.units(event.notionalMinor, quote);
      return {
        commissionId: event.commissionId,
        affiliateUid: event.affiliateUid,
        traderUid: event.traderUid,
        product,
        symbol,
        asset,
        fee: this.#listing.units(event.feeMinor, asset),
        amount: this.#listing.units(event.commissionMinor, asset),
        rate: text(BigInt(event.rateE8) * 10n ** 10n),
        viaUid: event.viaUid,
        takerAmount: isMaker ? "0" : notional,
        makerAmount: isMaker ? notional : "0",
        timeMs,
        status: this.#stateOf(event.commissionId),
        flags: event.flags,
      };
    });
    const taken = this.#reversed.filter(({ event }) => isMeant(event.reversalId, event));
    const reversed = taken.map((reversal) => {
      const { commissionId } = reversal.event;
      const of = this.#earned.find(({ event }) => event.commissionId === commissionId);
      return reversalRow(this.#listing, reversal, of?.event.viaUid ?? null);
    });
    return [...earned, ...reversed].sort((a, b) => b.commissionId - a.commissionId);
  }

  #commissions(q: HistoryQuestion<"commissions">): HistoryAnswer<"commissions"> {
    const rows = this.#rows(
      (_, { affiliateUid, asset, product, traderUid }) =>
        affiliateUid === q.affiliateUid &&
        product === q.product &&
        (q.traderUid === null || traderUid === q.traderUid) &&
        (q.asset === null || asset === q.asset),
    );
    const inside = rows.filter(({ timeMs }) => isIn(q.time, timeMs));
    return paged(inside, q.page);
  }

  #versionOf(uid: number, version: number | null) {
    return this.#rates.find((rates) => rates.uid === uid && rates.version === version);
  }

  #rateVersion(uid: number, version: number | null): CommissionDetail["rateVersion"] {
    const found = this.#versionOf(uid, version);
    if (found === undefined) return null;
    const { spotE8, contractE8, sinceMs } = found;
    const rate = (e8: bigint) => text(e8 * 10n ** 10n);
    return {
      uid,
      version: found.version,
      spotRate: rate(spotE8),
      futuresRate: rate(contractE8),
      sinceMs,
    };
  }

  #detail(commissionId: number): CommissionDetail | null {
    const [commission] = this.#rows((id) => id === commissionId);
    if (commission === undefined) return null;
    const earned = this.#earned.find(({ event }) => event.commissionId === commissionId);
    const reversed =
      this.#reversalOf(commissionId) ??
      this.#reversed.find(({ event }) => event.reversalId === commissionId);
    const reversal = reversed === undefined ? null : reversalAnswer(this.#listing, reversed);
    if (earned === undefined) {
      const none = { fill: null, settlement: null, release: null };
      const noRates = { rateVersion: null, viaRateVersion: null };
      return { commission, gross: "0", capped: "0", ...none, ...noRates, reversal };
    }
    const { asset, product, tradeId, isMaker, cappedMinor, commissionMinor } = earned.event;
    const trade = this.#trades.get(`${product}|${tradeId}`) ?? null;
    const release = this.#releaseOf(commissionId);
    const settled = this.#settlementOf(earned);
    return {
      commission,
      fill: trade && { ...trade, role: isMaker ? "maker" : "taker" },
      gross: this.#listing.units(cappedMinor + commissionMinor, asset),
      capped: this.#listing.units(cappedMinor, asset),
      rateVersion: this.#rateVersion(earned.event.affiliateUid, earned.event.rateVersion),
      viaRateVersion: this.#rateVersion(earned.beforeUid, earned.event.viaRateVersion),
      settlement: settled === undefined ? null : settlementAnswer(this.#listing, settled),
      release:
        release === undefined
          ? null
          : { actor: release.event.actor, reason: release.event.reason, timeMs: release.timeMs },
      reversal,
    };
  }

  #invited(inviterUid: number, uid: number | null) {
    return this.#registered
      .filter(({ event }) => event.inviterUid === inviterUid && (uid ?? event.uid) === event.uid)
      .reverse();
  }

  #referrals(q: HistoryQuestion<"referrals">): HistoryAnswer<"referrals"> {
    const rows = this.#invited(q.inviterUid, q.uid)
      .filter(({ timeMs }) => isIn(q.registered, timeMs))
      .map(({ event: { uid }, timeMs }) => ({
        uid,
        registeredMs: timeMs,
        kyc: this.#kyc.get(uid) ?? false,
      }));
    return paged(rows, q.page);
  }

  #activity(q: HistoryQuestion<"referral-activity">): HistoryAnswer<"referral-activity"> {
    const rows = this.#invited(q.inviterUid, q.uid)
      .filter(({ timeMs }) => isIn({ fromMs: null, toMs: q.time.toMs }, timeMs))
      .map(({ event: { uid } }) => {
        const sum = (what: Brought) =>
          usdt(
            this.#brought
              .filter((one) => one.uid === uid && one.what === what && isIn(q.time, one.timeMs))
              .reduce((total, one) => total + one.e8, 0n),
          );
        return {
          uid,
          deposits: sum("deposits"),
          withdrawals: sum("withdrawals"),
          spotVolume: sum("spotVolume"),
          contractVolume: sum("contractVolume"),
          commission: sum("commission"),
        };
      });
    return paged(rows, q.page);
  }

  #days(q: HistoryQuestion<"sub-affiliate-days">): HistoryAnswer<"sub-affiliate-days"> {
    const { fromMs, toMs } = q.time;
    if (fromMs !== null && toMs !== null && fromMs > toMs) return { rows: [], total: 0 };
    const first = fromMs === null ? "" : day(fromMs);
    const last = toMs === null ? "9" : day(toMs);
    const rows = Map.groupBy(
      this.#earned.filter(
        ({ event, parentUid, timeMs }) =>
          parentUid === q.parentUid &&
          event.product === q.product &&
          (q.subUid ?? event.affiliateUid) === event.affiliateUid &&
          day(timeMs) >= first &&
          day(timeMs) <= last,
      ),
      ({ event, timeMs }) => `${day(timeMs)}|${event.affiliateUid}`,
    );
    const days = [...rows.values()].map((earned): SubAffiliateDay => {
      const [one] = earned as [Earned];
      const paid = earned.filter(
        (each) =>
          this.#settlementOf(each) !== undefined &&
          this.#reversalOf(each.event.commissionId) === undefined,
      );
      return {
        subUid: one.event.affiliateUid,
        product: q.product,
        day: day(one.timeMs),
        volume: usdt(earned.reduce((sum, each) => sum + each.volumeE8, 0n)),
        netFee: usdt(earned.reduce((sum, each) => sum + each.feeE8, 0n)),
        paidCommission: usdt(paid.reduce((sum, each) => sum + each.valueE8, 0n)),
      };
    });
    days.sort((a, b) => (a.day === b.day ? a.subUid - b.subUid : a.day < b.day ? 1 : -1));
    return paged(days, q.page);
  }

  #withdrawals(q: HistoryQuestion<"internal-withdrawals">): HistoryAnswer<"internal-withdrawals"> {
    const rows = this.#withdrawn
      .filter(
        ({ event, timeMs }) =>
          event.uid === q.uid &&
          (q.withdrawalId ?? event.withdrawalId) === event.withdrawalId &&
          (q.asset ?? event.asset) === event.asset &&
          isIn(q.time, timeMs),
      )
      .reverse()
      .map(({ event, timeMs }) => ({
        withdrawalId: event.withdrawalId,
        fromUid: event.uid,
        toUid: event.toUid,
        asset: event.asset,
        amount: this.#listing.units(event.amountMinor, event.asset),
        timeMs,
      }));
    return paged(rows, q.page);
  }

  #part(q: HistoryQuestion<"statement-part">): HistoryAnswer<"statement-part"> {
    const chain = this.#chains.get(q.affiliateUid) ?? new NaiveChain(this.#listing, q.affiliateUid);
    const until = chain.entries.filter(({ timeMs }) => timeMs <= (q.time.toMs ?? timeMs));
    const isEmpty = (q.time.fromMs ?? 0) > (q.time.toMs ?? Number.POSITIVE_INFINITY);
    const inRange = isEmpty
      ? []
      : until.filter(({ timeMs }) => timeMs >= (q.time.fromMs ?? timeMs));
    const rest = inRange.slice(q.offset);
    const opening = isEmpty ? [] : until.slice(0, until.length - rest.length);
    const coins = new Set((isEmpty ? [] : until).map(({ asset }) => asset));
    return {
      entries: rest.slice(0, q.limit),
      openingOrdinal: opening.length,
      openingHash: opening.at(-1)?.hash ?? chain.genesis,
      openingBalances: [...coins].sort().map((asset) => {
        const last = opening.findLast((entry: StatementEntry) => entry.asset === asset);
        return {
          asset,
          scale: this.#listing.scale(asset),
          payable: last?.payableAfter ?? "0",
          held: last?.heldAfter ?? "0",
          owed: last?.owedAfter ?? "0",
        };
      }),
      total: inRange.length,
    };
  }
}
