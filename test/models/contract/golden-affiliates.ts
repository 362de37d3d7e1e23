/**
 * Commands of the affiliate programme for a golden journal with contracts: each user of its traffic
 * invited the next, and they become affiliates in a growing tree. They also trade the margin coin
 * against USDT, so that commissions have a value in it.
 */
import {
  type Command,
  type CommandOf,
  type EventOf,
  readEvents,
} from "../../../src/protocol/index.ts";
import { text } from "../../support/exact.ts";
import type { Random } from "../../support/random.ts";
import { UIDS } from "./contract-setup.ts";

const ACTOR = "operator";
const RATES = ["0", "0.1", "0.2", "0.33333333", "0.5"];
/** Commissions that are worth to be named. */
const ROWS_MAX = 50;

const SPOT_MARKET: CommandOf<"set-spot-market"> = {
  type: "set-spot-market",
  actor: ACTOR,
  symbol: "QUOUSDT",
  baseAsset: "QUO",
  quoteAsset: "USDT",
  tickSize: "0.01",
  stepSize: "0.01",
  minTradeAmount: "0.01",
  maxTradeAmount: "100000",
  minNotional: "0",
  makerFeeRate: "0.001",
  takerFeeRate: "0.002",
  buyLimitPriceRatio: "1",
  sellLimitPriceRatio: "0.9",
  maxOpenOrders: 100,
  state: "trading",
};

type Accrued = EventOf<"commission-accrued">;

export class GoldenAffiliates {
  readonly #random: Random;
  readonly #scales = new Map<string, number>();
  #rows: Accrued[] = [];
  #ids = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  /** A coin of the contracts gets a price in USDT; commands for after those of the traffic. */
  setUp(): readonly Command[] {
    const asset = { asset: "USDT", coinId: 900, name: "Tether", scale: 6 };
    const deposits = UIDS.map((uid): Command => {
      const requestId = `golden-${uid}`;
      const money = { uid, wallet: "spot", asset: "USDT", amount: "100000" } as const;
      return { type: "deposit-funds", actor: ACTOR, requestId, ...money };
    });
    return [{ type: "set-asset", actor: ACTOR, ...asset }, SPOT_MARKET, ...deposits];
  }

  /** Looks at what a command has led to. */
  note(events: Uint8Array): void {
    for (const event of readEvents(events)) {
      if (event.type === "asset-set") this.#scales.set(event.asset, event.scale);
      if (event.type === "commission-accrued") {
        this.#rows = [event, ...this.#rows].slice(0, ROWS_MAX);
      }
    }
  }

  /** The next command; some of them change nothing. */
  next(): Command {
    const random = this.#random;
    const kind = random.next();
    if (kind < 0.4) return this.#order();
    if (kind < 0.6) return this.#affiliate();
    if (kind < 0.68) return this.#policy();
    if (kind < 0.72) {
      const house = random.chance(0.3);
      return { type: "set-house-account", actor: ACTOR, uid: random.pick(UIDS), house };
    }
    if (kind < 0.77) return { type: "settle-commissions", actor: ACTOR, reason: "early" };
    if (kind < 0.85) return this.#payment();
    return this.#correction();
  }

  #order(): CommandOf<"place-spot-order"> {
    const random = this.#random;
    return {
      type: "place-spot-order",
      uid: random.pick(UIDS),
      symbol: SPOT_MARKET.symbol,
      side: random.pick(["BUY", "SELL"] as const),
      orderType: "LIMIT",
      timeInForce: "GTC",
      price: `1.0${random.integer(1, 9)}`,
      quantity: String(random.integer(1, 40)),
      quantityUnit: "base",
      clientOrderId: `golden-${++this.#ids}`,
    };
  }

  #affiliate(): CommandOf<"set-affiliate"> {
    const random = this.#random;
    return {
      type: "set-affiliate",
      actor: ACTOR,
      uid: random.pick(UIDS),
      spotRate: random.pick(RATES),
      futuresRate: random.pick([...RATES, "0.8"]),
      parentUid: random.chance(0.5) ? null : random.pick(UIDS),
    };
  }

  #policy(): CommandOf<"set-affiliate-policy"> {
    const random = this.#random;
    return {
      type: "set-affiliate-policy",
      actor: ACTOR,
      capPerReferral30d: random.pick([null, "0.5", "2", "500"]),
      holdSelfReferral: random.chance(0.5),
      holdWashTrades: random.chance(0.5),
      washTradeShare: random.pick(["0", "0.5", "0.9"]),
    };
  }

  #payment(): CommandOf<"withdraw-internally"> {
    const random = this.#random;
    return {
      type: "withdraw-internally",
      uid: random.pick(UIDS),
      toUid: random.pick(UIDS),
      asset: random.pick([...this.#scales.keys()]),
      amount: random.pick(["0.01", "1", "25"]),
      requestId: random.chance(0.5) ? null : `payment-${++this.#ids}`,
    };
  }

  /** The release of a commission that is held, or the reversal of any. */
  #correction(): Command {
    const random = this.#random;
    const row = this.#rows.length === 0 ? null : random.pick(this.#rows);
    if (row === null) return this.#affiliate();
    const { commissionId, affiliateUid, traderUid, product, symbol, asset } = row;
    const about = { actor: ACTOR, commissionId, reason: "looked at" } as const;
    if (row.isHeld && random.chance(0.6)) return { type: "release-commission", ...about };
    const scale = BigInt(this.#scales.get(asset) ?? 0);
    const amount = text(row.commissionMinor * 10n ** (18n - scale));
    const whose = { affiliateUid, traderUid, product, symbol, asset, amount };
    return { type: "reverse-commission", ...about, ...whose };
  }
}
