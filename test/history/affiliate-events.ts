/**
 * Random events of the affiliate programme for the event streams: a tree that grows, rates that
 * change, commissions behind the trades, and what operators and the clock do to them. Whoever is
 * said to have something has it: balances are kept as the exchange would keep them.
 */
import type { Product } from "../../src/domain/index.ts";
import type { Event, EventOf } from "../../src/protocol/index.ts";
import type { Random } from "../support/random.ts";
import { ASSETS, MARKETS, USERS } from "./listed.ts";

/** The first two trade as well. */
export const AFFILIATES = [7, 1_001, 501, 502, 503] as const;
const ONE_E8 = 100_000_000n;

interface Affiliate {
  parentUid: number | null;
  spotRateE8: number;
  futuresRateE8: number;
  rateVersion: number;
}

interface Balance {
  payable: bigint;
  owed: bigint;
}

/** One side of a trade. */
interface Side {
  readonly product: Product;
  readonly symbol: string;
  readonly tradeId: number;
  readonly isMaker: boolean;
  readonly traderUid: number;
  readonly asset: string;
  readonly feeMinor: bigint;
  readonly notionalMinor: bigint;
}

export class AffiliateEvents {
  readonly #random: Random;
  readonly #affiliates = new Map<number, Affiliate>();
  readonly #inviters = new Map<number, number | null>();
  readonly #balances = new Map<string, Balance>();
  /** Earned, not taken back; held ones are also in the second. */
  readonly #earned = new Map<number, EventOf<"commission-accrued">>();
  readonly #held = new Map<number, EventOf<"commission-accrued">>();
  #lastCommissionId = 0;
  #lastSettlementId = 0;
  #lastWithdrawalId = 0;
  #lastUid = 20_000;

  constructor(random: Random) {
    this.#random = random;
  }

  /** Everyone who trades is there from the beginning; who is an affiliate shows later. */
  registrations(): Event[][] {
    const uids = [...new Set<number>([...AFFILIATES, ...USERS])];
    return uids.map((uid) => {
      const others = AFFILIATES.filter((inviter) => inviter !== uid);
      return [this.#registered(uid, this.#random.chance(0.1) ? null : this.#random.pick(others))];
    });
  }

  /** What the sides of a trade earn their affiliates. */
  behind(trade: Event): Event[] {
    if (trade.type === "spot-trade") return this.#behindSpot(trade);
    if (trade.type !== "contract-trade") return [];
    const { kind, maker, taker, symbol, tradeId, asset, valueMinor } = trade;
    if ((kind !== "book" && kind !== "liquidation") || maker.uid === taker.uid) return [];
    return [maker, taker].flatMap(({ uid, feeMinor }, index) =>
      this.#side({
        product: "contract",
        symbol,
        tradeId,
        isMaker: index === 0,
        traderUid: uid,
        asset,
        feeMinor,
        notionalMinor: valueMinor,
      }),
    );
  }

  command(): Event[] {
    const random = this.#random;
    const kind = random.next();
    // Trees grow first: without them there is nothing to see.
    if (kind < 0.25 || this.#affiliates.size < 5) return [this.#set()];
    if (kind < 0.35) return this.#settle(random.chance(0.5));
    if (kind < 0.45) return this.#release();
    if (kind < 0.55) return this.#reverse();
    if (kind < 0.8) return [this.#withdraw(), this.#withdraw(), this.#withdraw()];
    if (kind < 0.9) {
      return [this.#registered(++this.#lastUid, random.pick([null, ...AFFILIATES]))];
    }
    if (kind < 0.95) {
      const uid = random.pick([...this.#inviters.keys()]);
      return [{ ...UPDATED, uid, kyc: random.chance(0.5) }];
    }
    return [random.pick<Event>([HOUSE, POLICY, { ...POLICY, capPerReferral30dE8: null }])];
  }

  #registered(uid: number, inviterUid: number | null): Event {
    this.#inviters.set(uid, inviterUid);
    const kyc = this.#random.chance(0.5);
    return {
      type: "user-registered",
      actor: "operator",
      uid,
      inviteCode: `I${uid}`,
      inviterUid,
      kyc,
    };
  }

  /** A new affiliate, or new rates, or a parent, which nobody gets twice. */
  #set(): Event {
    const random = this.#random;
    const uid = random.pick(AFFILIATES);
    const present = this.#affiliates.get(uid);
    const affiliate = present ?? {
      parentUid: null,
      spotRateE8: 0,
      futuresRateE8: 0,
      rateVersion: 0,
    };
    const parentUid = random.pick(AFFILIATES);
    const mayFollow = this.#affiliates.has(parentUid) && !this.#chain(parentUid).includes(uid);
    const isPlaced = affiliate.parentUid === null && mayFollow && random.chance(0.8);
    if (isPlaced) affiliate.parentUid = parentUid;
    if (!isPlaced || present === undefined || random.chance(0.5)) {
      affiliate.spotRateE8 = random.integer(0, 10) * 5_000_000;
      affiliate.futuresRateE8 = random.integer(0, 80_000_000);
      affiliate.rateVersion++;
    }
    this.#affiliates.set(uid, affiliate);
    const depth = this.#chain(uid).length;
    return { type: "affiliate-set", actor: "operator", uid, ...affiliate, depth };
  }

  /** From the affiliate upwards. */
  #chain(uid: number): number[] {
    const chain: number[] = [];
    for (let at: number | null = uid; at !== null; ) {
      chain.push(at);
      at = this.#affiliates.get(at)?.parentUid ?? null;
    }
    return chain;
  }

  #behindSpot(trade: EventOf<"spot-trade">): Event[] {
    const { symbol, tradeId, makerUid, takerUid, quoteMinor, takerSide } = trade;
    if (makerUid === takerUid) return [];
    const market = MARKETS.find((candidate) => candidate.symbol === symbol) ?? MARKETS[0];
    const common = { product: "spot", symbol, tradeId, notionalMinor: quoteMinor } as const;
    const [makerAsset, takerAsset] =
      takerSide === "BUY" ? [market.quote, market.base] : [market.base, market.quote];
    const maker = { isMaker: true, traderUid: makerUid, feeMinor: trade.makerFeeMinor };
    const taker = { isMaker: false, traderUid: takerUid, feeMinor: trade.takerFeeMinor };
    return [
      ...this.#side({ ...common, ...maker, asset: makerAsset }),
      ...this.#side({ ...common, ...taker, asset: takerAsset }),
    ];
  }

  #side(side: Side): Event[] {
    const random = this.#random;
    const directUid = this.#inviters.get(side.traderUid) ?? null;
    if (directUid === null || !this.#affiliates.has(directUid)) return [];
    const events: Event[] = [];
    let highest = 0;
    let highestVersion: number | null = null;
    let viaUid: number | null = null;
    for (const uid of this.#chain(directUid)) {
      const affiliate = this.#affiliates.get(uid) as Affiliate;
      const ownE8 = side.product === "spot" ? affiliate.spotRateE8 : affiliate.futuresRateE8;
      const rateE8 = Math.max(0, ownE8 - highest);
      if (rateE8 > 0 || viaUid === null) {
        const gross = (side.feeMinor * BigInt(rateE8)) / ONE_E8;
        const cappedMinor = random.chance(0.1) ? gross / 2n : 0n;
        const isHeld = random.chance(0.2);
        const flags = random.pick([["self-referral"], ["self-referral", "wash-trade"]] as const);
        const accrued: EventOf<"commission-accrued"> = {
          type: "commission-accrued",
          commissionId: ++this.#lastCommissionId,
          ...side,
          affiliateUid: uid,
          viaUid,
          rateE8,
          rateVersion: affiliate.rateVersion,
          viaRateVersion: highestVersion,
          cappedMinor,
          commissionMinor: gross - cappedMinor,
          flags: isHeld ? [...flags] : [],
          isHeld,
        };
        this.#earn(accrued);
        events.push(accrued);
        highest = Math.max(highest, ownE8);
        highestVersion = affiliate.rateVersion;
      }
      viaUid = uid;
    }
    const { tradeId, traderUid, asset } = side;
    const rounded = { type: "commission-rounded", tradeId, traderUid, asset } as const;
    return random.chance(0.3) ? [...events, { ...rounded, residueMinor: 1n }] : events;
  }

  #earn(accrued: EventOf<"commission-accrued">): void {
    const { commissionId, affiliateUid, asset, commissionMinor, isHeld } = accrued;
    if (isHeld) this.#held.set(commissionId, accrued);
    else this.#balance(affiliateUid, asset).payable += commissionMinor;
    if (commissionMinor > 0n) this.#earned.set(commissionId, accrued);
  }

  #balance(affiliateUid: number, asset: string): Balance {
    const key = `${affiliateUid}|${asset}`;
    const balance = this.#balances.get(key) ?? { payable: 0n, owed: 0n };
    this.#balances.set(key, balance);
    return balance;
  }

  #settle(isAsked: boolean): Event[] {
    const events: Event[] = [];
    if (isAsked) events.push({ type: "settlement-asked", actor: "operator", reason: "now" });
    for (const [key, balance] of this.#balances) {
      if (balance.payable === 0n || this.#random.chance(0.3)) continue;
      const [uid = "", asset = ""] = key.split("|");
      const accruedMinor = balance.payable;
      const recoveredMinor = least(balance.owed, accruedMinor);
      balance.payable = 0n;
      balance.owed -= recoveredMinor;
      events.push({
        type: "commissions-settled",
        settlementId: ++this.#lastSettlementId,
        affiliateUid: Number(uid),
        asset,
        accruedMinor,
        recoveredMinor,
        paidMinor: accruedMinor - recoveredMinor,
        uptoCommissionId: this.#lastCommissionId,
        spotEquityMinor: this.#equity(),
      });
    }
    return events;
  }

  #release(): Event[] {
    const held = this.#random.pick([...this.#held.values(), undefined]);
    if (held === undefined) return [];
    const { commissionId, affiliateUid, asset, commissionMinor: amountMinor } = held;
    this.#held.delete(commissionId);
    this.#balance(affiliateUid, asset).payable += amountMinor;
    const acted = { actor: "operator", reason: 'looked at, "fine"' } as const;
    return [
      { type: "commission-released", ...acted, commissionId, affiliateUid, asset, amountMinor },
    ];
  }

  #reverse(): Event[] {
    const random = this.#random;
    const earned = random.pick([...this.#earned.values(), undefined]);
    if (earned === undefined) return [];
    const { commissionId, affiliateUid, traderUid, product, symbol, asset } = earned;
    const amountMinor = earned.commissionMinor;
    const balance = this.#balance(affiliateUid, asset);
    const isHeld = this.#held.delete(commissionId);
    this.#earned.delete(commissionId);
    const fromPayableMinor = isHeld ? amountMinor : least(balance.payable, amountMinor);
    if (!isHeld) balance.payable -= fromPayableMinor;
    const left = amountMinor - fromPayableMinor;
    const fromSpotMinor = random.pick([0n, left, left / 2n]);
    const owedMinor = left - fromSpotMinor;
    balance.owed += owedMinor;
    return [
      {
        type: "commission-reversed",
        actor: "operator",
        reason: "a mistake",
        reversalId: ++this.#lastCommissionId,
        commissionId,
        affiliateUid,
        traderUid,
        product,
        symbol,
        asset,
        amountMinor,
        fromPayableMinor,
        fromSpotMinor,
        owedMinor,
        spotEquityMinor: this.#equity(),
      },
    ];
  }

  #withdraw(): Event {
    const random = this.#random;
    return {
      type: "internal-withdrawal-made",
      withdrawalId: ++this.#lastWithdrawalId,
      requestId: random.chance(0.5) ? null : `w${this.#lastWithdrawalId}`,
      uid: random.pick(AFFILIATES),
      toUid: random.pick(USERS),
      asset: random.pick(ASSETS).asset,
      amountMinor: BigInt(random.integer(1, 1_000_000)),
      spotEquityMinor: this.#equity(),
      toSpotEquityMinor: this.#equity(),
    };
  }

  #equity(): bigint {
    return BigInt(this.#random.integer(0, 2 ** 40));
  }
}

const UPDATED = {
  type: "user-updated",
  actor: "operator",
  state: "active",
  selfTradePrevention: "NONE",
} as const;
const HOUSE: Event = { type: "house-account-set", actor: "operator", uid: 7, house: true };
const POLICY: EventOf<"affiliate-policy-set"> = {
  type: "affiliate-policy-set",
  actor: "operator",
  capPerReferral30dE8: 12_500_000_000n,
  holdSelfReferral: true,
  holdWashTrades: false,
  washTradeShareE8: 25_000_000,
};

function least(one: bigint, other: bigint): bigint {
  return one < other ? one : other;
}
