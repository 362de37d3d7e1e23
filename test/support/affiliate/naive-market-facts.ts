/**
 * What the reference of the affiliate programme is told of the rest of the exchange, taken from the
 * events that are not its own: users, assets, last prices, and the spot wallets. Money is whole
 * minor units, prices are whole numbers of 10^-18. Nothing is taken at an event's word that follows
 * from others: equities are added up here.
 */
import type { Event, EventOf } from "../../../src/protocol/index.ts";
import { exact, ONE } from "../exact.ts";

/** Turns an amount times a price, both of 10^-18, into 10^-8. */
const PRODUCT_TO_E8 = 10n ** 28n;

export interface NaiveUser {
  readonly uid: number;
  readonly inviterUid: number | null;
  readonly registeredMs: number;
  isFrozen: boolean;
  isHouse: boolean;
}

interface SpotMarket {
  readonly base: string;
  readonly quote: string;
  readonly tick: bigint;
  readonly step: bigint;
  /** Null before the first trade. */
  lastPrice: bigint | null;
}

interface RestingOrder {
  readonly uid: number;
  readonly symbol: string;
  readonly side: "BUY" | "SELL";
  readonly priceTicks: number;
  openLots: number;
}

/** One side of a match, as the programme sees it. */
export interface FillSide {
  readonly tradeId: number;
  readonly product: "spot" | "contract";
  readonly symbol: string;
  readonly isMaker: boolean;
  readonly traderUid: number;
  readonly otherUid: number;
  readonly asset: string;
  readonly feeMinor: bigint;
  readonly quoteAsset: string;
  readonly notionalMinor: bigint;
}

const OPEN_STATES: ReadonlySet<string> = new Set(["requested", "approved", "sent"]);

export class NaiveMarketFacts {
  /** Scales; assets are numbered in the order in which they were listed. */
  readonly assets = new Map<string, number>();
  readonly coinIds = new Map<string, number>();
  readonly users = new Map<number, NaiveUser>();
  readonly markets = new Map<string, SpotMarket>();
  /** What traders paid, by asset, before anything was given away. */
  readonly fees = new Map<string, bigint>();
  readonly #equities = new Map<string, bigint>();
  readonly #orders = new Map<number, RestingOrder>();
  /** The open ones. */
  readonly #withdrawals = new Map<number, EventOf<"withdrawal-changed">>();

  take(event: Event, nowMs: number): void {
    switch (event.type) {
      case "asset-set":
        this.assets.set(event.asset, event.scale);
        this.coinIds.set(event.asset, event.coinId);
        break;
      case "spot-market-set":
        this.#list(event);
        break;
      case "user-registered":
        this.users.set(event.uid, {
          uid: event.uid,
          inviterUid: event.inviterUid,
          registeredMs: nowMs,
          isFrozen: false,
          isHouse: false,
        });
        break;
      case "user-updated":
        this.user(event.uid).isFrozen = event.state === "frozen";
        break;
      case "funds-moved":
        if (event.to === "spot") this.credit(event.uid, event.asset, event.amountMinor);
        if (event.from === "spot") this.credit(event.uid, event.asset, -event.amountMinor);
        break;
      case "spot-order-amended":
      case "spot-order-opened":
        this.#orders.set(event.orderId, {
          uid: event.uid,
          symbol: event.symbol,
          side: event.side,
          priceTicks: event.priceTicks,
          openLots: event.quantityLots - event.filledLots,
        });
        break;
      case "spot-order-ended":
        this.#orders.delete(event.orderId);
        break;
      case "withdrawal-changed":
        if (OPEN_STATES.has(event.state)) this.#withdrawals.set(event.withdrawalId, event);
        else this.#withdrawals.delete(event.withdrawalId);
        break;
      case "spot-trade":
        this.#tradeSpot(event);
        break;
      case "contract-trade":
        this.#charge(event.asset, event.maker.feeMinor + event.taker.feeMinor);
        break;
      default:
    }
  }

  user(uid: number): NaiveUser {
    const user = this.users.get(uid);
    if (user === undefined) throw new Error(`nobody registered ${uid}`);
    return user;
  }

  /** Moves money into a spot wallet, or out of it. */
  credit(uid: number, asset: string, deltaMinor: bigint): void {
    this.#equities.set(`${uid} ${asset}`, this.equity(uid, asset) + deltaMinor);
  }

  equity(uid: number, asset: string): bigint {
    return this.#equities.get(`${uid} ${asset}`) ?? 0n;
  }

  /** What the resting orders and open withdrawals of a user reserve. */
  frozen(uid: number, asset: string): bigint {
    let total = 0n;
    for (const order of this.#orders.values()) {
      if (order.uid !== uid) continue;
      const { base, quote, tick, step } = this.#market(order.symbol);
      const quantity = BigInt(order.openLots) * step;
      if (order.side === "SELL" && base === asset) total += quantity;
      if (order.side === "BUY" && quote === asset) {
        total += (BigInt(order.priceTicks) * tick * quantity) / ONE;
      }
    }
    const leaving = [...this.#withdrawals.values()]
      .filter((one) => one.uid === uid && one.asset === asset)
      .reduce((sum, { amountMinor }) => sum + amountMinor, 0n);
    return total / this.unit(asset) + leaving;
  }

  available(uid: number, asset: string): bigint {
    return this.equity(uid, asset) - this.frozen(uid, asset);
  }

  /** How many 10^-18 a minor unit of the asset is. */
  unit(asset: string): bigint {
    return 10n ** BigInt(18 - (this.assets.get(asset) ?? 0));
  }

  /** USDT for one whole coin, in 10^-18; null when there is no price. */
  usdtPrice(asset: string): bigint | null {
    if (asset === "USDT") return ONE;
    const market = this.markets.get(`${asset}USDT`);
    if (market === undefined || market.base !== asset || market.quote !== "USDT") return null;
    return market.lastPrice;
  }

  /** An amount in 10^-8 USDT, rounded down; 0 without a price. */
  usdtE8(asset: string, amountMinor: bigint): bigint {
    const price = this.usdtPrice(asset);
    return price === null ? 0n : (amountMinor * this.unit(asset) * price) / PRODUCT_TO_E8;
  }

  /** The most minor units that are worth no more than so much. */
  minorWorth(asset: string, usdtE8: bigint): bigint {
    const price = this.usdtPrice(asset) ?? 0n;
    return (usdtE8 * PRODUCT_TO_E8) / (this.unit(asset) * price);
  }

  /** The sides of a match in the book, the maker's first; none of a match outside of it. */
  sides(event: Event): FillSide[] {
    if (event.type === "spot-trade") return this.#spotSides(event);
    if (event.type !== "contract-trade") return [];
    if (event.kind !== "book" && event.kind !== "liquidation") return [];
    const { tradeId, symbol, asset, valueMinor, maker, taker } = event;
    const fill = { tradeId, product: "contract", symbol, asset, quoteAsset: asset } as const;
    const money = (side: typeof maker, other: typeof maker) => ({
      traderUid: side.uid,
      otherUid: other.uid,
      feeMinor: side.feeMinor,
      notionalMinor: valueMinor,
    });
    return [
      { ...fill, isMaker: true, ...money(maker, taker) },
      { ...fill, isMaker: false, ...money(taker, maker) },
    ];
  }

  #list(event: EventOf<"spot-market-set">): void {
    this.markets.set(event.symbol, {
      base: event.baseAsset,
      quote: event.quoteAsset,
      tick: exact(event.tickSize),
      step: exact(event.stepSize),
      lastPrice: this.markets.get(event.symbol)?.lastPrice ?? null,
    });
  }

  #market(symbol: string): SpotMarket {
    const market = this.markets.get(symbol);
    if (market === undefined) throw new Error(`no event listed ${symbol}`);
    return market;
  }

  #charge(asset: string, feeMinor: bigint): void {
    this.fees.set(asset, (this.fees.get(asset) ?? 0n) + feeMinor);
  }

  #tradeSpot(event: EventOf<"spot-trade">): void {
    const market = this.#market(event.symbol);
    market.lastPrice = BigInt(event.priceTicks) * market.tick;
    const order = this.#orders.get(event.makerOrderId);
    if (order === undefined) throw new Error(`order ${event.makerOrderId} does not rest`);
    order.openLots -= event.quantityLots;
    const { base, quote } = market;
    const takerBuys = event.takerSide === "BUY";
    const [buyer, seller] = takerBuys
      ? [event.takerUid, event.makerUid]
      : [event.makerUid, event.takerUid];
    const [buyerFee, sellerFee] = takerBuys
      ? [event.takerFeeMinor, event.makerFeeMinor]
      : [event.makerFeeMinor, event.takerFeeMinor];
    this.credit(buyer, base, event.baseMinor - buyerFee);
    this.credit(buyer, quote, -event.quoteMinor);
    this.credit(seller, base, -event.baseMinor);
    this.credit(seller, quote, event.quoteMinor - sellerFee);
    this.#charge(base, buyerFee);
    this.#charge(quote, sellerFee);
  }

  #spotSides(event: EventOf<"spot-trade">): FillSide[] {
    const { base, quote } = this.#market(event.symbol);
    const takerBuys = event.takerSide === "BUY";
    const fill = {
      tradeId: event.tradeId,
      product: "spot",
      symbol: event.symbol,
      quoteAsset: quote,
      notionalMinor: event.quoteMinor,
    } as const;
    return [
      {
        ...{ ...fill, isMaker: true, traderUid: event.makerUid, otherUid: event.takerUid },
        ...{ asset: takerBuys ? quote : base, feeMinor: event.makerFeeMinor },
      },
      {
        ...{ ...fill, isMaker: false, traderUid: event.takerUid, otherUid: event.makerUid },
        ...{ asset: takerBuys ? base : quote, feeMinor: event.takerFeeMinor },
      },
    ];
  }
}
