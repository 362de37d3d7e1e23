/** Random events of contracts for the event streams: what an engine might have said. */
import {
  ALGO_ORDER_TYPES,
  END_REASONS,
  MARGIN_TYPES,
  MATCH_KINDS,
  ORDER_ORIGINS,
  ORDER_STATUSES,
  ORDER_TYPES,
  POSITION_SIDES,
  SIDES,
  TIMES_IN_FORCE,
  WORKING_TYPES,
} from "../../src/domain/index.ts";
import type { Event, EventOf } from "../../src/protocol/index.ts";
import type { Random } from "../support/random.ts";
import { CONTRACTS, USERS } from "./listed.ts";

const SLOT_MS = 8 * 3_600_000;
export const CONTRACT_CLIENT_IDS = ["c1", "c2", "c3", "c4", "c5", "c6", "c7", "c8", "c9"] as const;

export class ContractEvents {
  readonly #random: Random;
  /** Of orders, conditional orders and positions. */
  #lastId = 0;
  #lastTradeId = 0;
  #nowMs = 0;
  readonly #slots = new Map<string, number>();
  /** Conditional orders that wait or whose order rests. */
  readonly #algos: EventOf<"algo-order-changed">[] = [];

  constructor(random: Random) {
    this.#random = random;
  }

  listings(): Event[][] {
    return CONTRACTS.map(({ symbol }) => [this.#marketSet(symbol)]);
  }

  /** The events of one command at `nowMs`, or of timers since the last one. */
  command(lastMs: number, nowMs: number): Event[] {
    const random = this.#random;
    const events: Event[] = [];
    this.#nowMs = nowMs;
    if (lastMs < nowMs && random.chance(0.2)) {
      for (let timer = random.integer(1, 2), fromMs = lastMs; timer > 0; timer--) {
        this.#nowMs = random.integer(fromMs + 1, nowMs);
        fromMs = Math.min(this.#nowMs, nowMs - 1);
        events.push({ type: "timer-fired", timestampMs: this.#nowMs }, ...this.#happened());
      }
      return events;
    }
    for (let count = random.integer(1, 3); count > 0; count--) events.push(...this.#happened());
    return events;
  }

  #happened(): Event[] {
    const { symbol } = this.#random.pick(CONTRACTS);
    const kind = this.#random.next();
    if (kind < 0.35) return [this.#trade(symbol, this.#random.pick(MATCH_KINDS))];
    if (kind < 0.45) return [this.#prices(symbol)];
    if (kind < 0.6) return [this.#ended(symbol)];
    if (kind < 0.75) return [this.#algo(symbol)];
    if (kind < 0.82) return this.#funding(symbol);
    if (kind < 0.87) return this.#liquidation(symbol);
    if (kind < 0.92) return [this.#marginMoved(symbol)];
    if (kind < 0.95) return this.#position(symbol);
    return [this.#acted(symbol)];
  }

  #amount(): bigint {
    return BigInt(this.#random.integer(0, 2 ** 40)) << BigInt(this.#random.integer(0, 30));
  }

  #signed(): bigint {
    const amount = BigInt(this.#random.integer(1, 2 ** 40));
    return this.#random.chance(0.5) ? amount : -amount;
  }

  #trade(symbol: string, kind: EventOf<"contract-trade">["kind"]): EventOf<"contract-trade"> {
    const random = this.#random;
    return {
      type: "contract-trade",
      tradeId: ++this.#lastTradeId,
      symbol,
      kind,
      takerSide: random.pick(SIDES),
      priceTicks: random.integer(1, 200_000),
      quantityLots: random.integer(1, 5_000),
      valueMinor: BigInt(random.integer(1, 1_000_000_000)) * 1_000_003n,
      asset: marginOf(symbol),
      maker: this.#fill(symbol),
      taker: this.#fill(symbol),
      openInterestLots: random.integer(0, 10_000),
    };
  }

  #fill(symbol: string) {
    const random = this.#random;
    return {
      uid: random.pick(USERS),
      orderId: this.#orderIdOf(symbol),
      positionSide: random.pick(POSITION_SIDES),
      positionId: random.integer(1, 50),
      isClosing: random.chance(0.5),
      feeMinor: BigInt(random.integer(0, 1_000)),
      realizedPnlMinor: random.chance(0.5) ? 0n : this.#signed(),
      walletMinor: this.#amount(),
    };
  }

  /** One of the last orders of a market, so that an order has several fills, all in that market. */
  #orderIdOf(symbol: string): number {
    const place = CONTRACTS.findIndex((contract) => contract.symbol === symbol);
    const newest = Math.max(3, this.#lastId - (this.#lastId % 3));
    return newest - 3 * this.#random.integer(0, Math.min(2, newest / 3 - 1)) + place;
  }

  #prices(symbol: string): Event {
    const random = this.#random;
    const indexTicks = random.chance(0.1) ? 0 : random.integer(1, 200_000);
    const markTicks = indexTicks === 0 ? 0 : random.integer(1, 200_000);
    return { type: "contract-prices-changed", symbol, indexTicks, markTicks };
  }

  #ended(symbol: string): Event {
    const random = this.#random;
    const isMarket = random.chance(0.3);
    return {
      type: "contract-order-ended",
      orderId: ++this.#lastId,
      uid: random.pick(USERS),
      symbol,
      clientOrderId: random.pick(CONTRACT_CLIENT_IDS),
      side: random.pick(SIDES),
      positionSide: random.pick(POSITION_SIDES),
      orderType: random.pick(ORDER_TYPES),
      timeInForce: random.pick(TIMES_IN_FORCE),
      origin: random.pick(ORDER_ORIGINS),
      algoId: random.chance(0.5) ? 0 : random.integer(1, 99),
      priceTicks: isMarket ? 0 : random.integer(1, 100_000),
      quantityLots: random.integer(1, 100_000),
      filledLots: random.chance(0.3) ? 0 : random.integer(1, 100_000),
      filledValueMinor: this.#amount(),
      status: random.pick(ORDER_STATUSES),
      reason: random.pick(END_REASONS),
      createdMs: this.#nowMs,
    };
  }

  /** A new conditional order, or the next step of one that is there. */
  #algo(symbol: string): Event {
    const random = this.#random;
    const present = random.chance(0.5) ? this.#algos.shift() : undefined;
    if (present === undefined) return this.#newAlgo(symbol);
    const next: EventOf<"algo-order-changed"> = {
      ...present,
      status: random.pick(["UNTRIGGERED", "TRIGGERED", "FILLED", "CANCELED"] as const),
      actualOrderId: random.chance(0.3) ? 0 : random.integer(1, 99),
      actualPriceE8: random.chance(0.3) ? 0n : this.#amount(),
      updatedMs: this.#nowMs,
      triggeredMs: random.chance(0.3) ? 0 : this.#nowMs,
    };
    if (next.status === "UNTRIGGERED" || next.status === "TRIGGERED") this.#algos.push(next);
    return next;
  }

  #newAlgo(symbol: string): Event {
    const random = this.#random;
    const ticks = () => (random.chance(0.5) ? 0 : random.integer(1, 100_000));
    const algo: EventOf<"algo-order-changed"> = {
      type: "algo-order-changed",
      algoId: ++this.#lastId,
      uid: random.pick(USERS),
      symbol,
      clientAlgoId: `a${random.integer(1, 9)}`,
      orderType: random.pick(ALGO_ORDER_TYPES),
      side: random.pick(SIDES),
      positionSide: random.pick(POSITION_SIDES),
      timeInForce: random.pick(["GTC", "IOC"] as const),
      quantityLots: ticks(),
      closePosition: random.chance(0.5),
      reduceOnly: random.chance(0.5),
      status: random.pick(["NEW", "UNTRIGGERED"] as const),
      parentOrderId: 0,
      actualOrderId: 0,
      actualPriceE8: 0n,
      triggerTicks: ticks(),
      priceTicks: ticks(),
      tpTriggerTicks: ticks(),
      slTriggerTicks: ticks(),
      tpWorkingType: random.pick(WORKING_TYPES),
      slWorkingType: random.pick(WORKING_TYPES),
      workingType: random.pick(WORKING_TYPES),
      createdMs: this.#nowMs,
      updatedMs: this.#nowMs,
      triggeredMs: 0,
    };
    this.#algos.push(algo);
    return algo;
  }

  /** Payments of a slot, and the slot itself unless it was told already. */
  #funding(symbol: string): Event[] {
    const random = this.#random;
    const slotMs = this.#nowMs - (this.#nowMs % SLOT_MS);
    const events: Event[] = Array.from({ length: random.integer(1, 3) }, () => ({
      type: "funding-moved",
      ...this.#ofPosition(symbol),
      asset: marginOf(symbol),
      slotMs,
      deltaMinor: this.#signed(),
      walletMinor: this.#amount(),
    }));
    if (this.#slots.get(symbol) === slotMs) return events;
    this.#slots.set(symbol, slotMs);
    const sums = { collectedMinor: 1n, receivedMinor: 1n, roundingMinor: 0n, waivedMinor: 0n };
    events.push({
      type: "funding-settled",
      symbol,
      slotMs,
      rateE8: BigInt(random.integer(-750_000, 750_000)),
      indexTicks: random.integer(1, 200_000),
      markTicks: random.integer(1, 200_000),
      premiumSamples: 480,
      ...sums,
    });
    return events;
  }

  #ofPosition(symbol: string) {
    const random = this.#random;
    const [uid, positionSide] = [random.pick(USERS), random.pick(POSITION_SIDES)];
    return { symbol, uid, positionId: random.integer(1, 50), positionSide };
  }

  /** Of a position or of a whole account, with some fills or none. */
  #liquidation(symbol: string): Event[] {
    const random = this.#random;
    const asset = marginOf(symbol);
    const position = this.#ofPosition(symbol);
    const whole = random.chance(0.4) ? { ...position, symbol: "", positionId: 0 } : position;
    const marginType = random.pick(MARGIN_TYPES);
    const wallet = () => ({ asset, walletMinor: this.#amount() });
    const events: Event[] = [
      {
        type: "liquidation-started",
        ...whole,
        marginType,
        markTicks: 5,
        equityMinor: this.#signed(),
        maintenanceE8Minor: 7n,
        ...wallet(),
      },
    ];
    for (let fills = random.integer(0, 3); fills > 0; fills--) {
      const trade = this.#trade(symbol, random.pick(["liquidation", "adl"] as const));
      events.push(trade, {
        type: "liquidation-settled",
        ...position,
        tradeId: trade.tradeId,
        residueMinor: this.#signed(),
        feeMinor: 3n,
        liquidationFeeMinor: random.chance(0.5) ? 0n : BigInt(random.integer(1, 99_999)),
        insurancePaidMinor: random.chance(0.5) ? 0n : BigInt(random.integer(1, 99_999)),
        walletAfterFixMinor: this.#amount(),
        insuranceMinor: 9n,
        ...wallet(),
      });
    }
    const { positionSide: _, ...named } = whole;
    return [...events, { type: "liquidation-finished", ...named, marginType, ...wallet() }];
  }

  #marginMoved(symbol: string): Event {
    return {
      type: "position-margin-moved",
      ...this.#ofPosition(symbol),
      asset: marginOf(symbol),
      deltaMinor: this.#signed(),
      cause: this.#random.pick(["user", "auto-append"] as const),
      marginMinor: 5n,
      walletMinor: this.#amount(),
    };
  }

  #position(symbol: string): Event[] {
    const random = this.#random;
    const marginType = random.pick(MARGIN_TYPES);
    const position = { ...this.#ofPosition(symbol), positionId: ++this.#lastId, marginType };
    return [
      { type: "position-opened", ...position, separatedOpenOrderId: 0, leverage: 20 },
      { type: "auto-append-set", symbol, uid: position.uid, positionId: 1, enabled: true },
      {
        type: "position-closed",
        ...position,
        asset: marginOf(symbol),
        cumOpenLots: this.#amount(),
        cumOpenValueMinor: this.#amount(),
        cumOpenFeeMinor: this.#amount(),
        cumCloseLots: this.#amount(),
        cumCloseValueMinor: this.#amount(),
        cumCloseFeeMinor: this.#amount(),
        cumFundingFeeMinor: this.#signed(),
        cumLiquidateFeeMinor: this.#amount(),
        openedMs: this.#nowMs - random.integer(0, 99),
      },
    ];
  }

  #acted(symbol: string): Event {
    const random = this.#random;
    const actor = "operator";
    const ticks = random.integer(0, 200_000);
    return random.pick<() => Event>([
      () => this.#marketSet(symbol),
      () => ({ type: "contract-market-state-set", actor, symbol, state: "halted" }),
      () => ({ type: "index-price-set", actor, symbol, indexTicks: ticks }),
      () => ({ type: "mark-price-pinned", actor, symbol, markTicks: ticks }),
      () => ({ type: "funding-rate-set", actor, symbol, rateE8: random.pick([null, -5n]) }),
      () => ({ type: "resumed", downMs: 5 }),
      () => ({ type: "premium-sampled", symbol, premiumE12: -5n, samples: 3 }),
      () => ({
        type: "contract-settings-changed",
        symbol,
        uid: 7,
        marginType: "ISOLATED",
        separatedType: "COMBINED",
        crossLeverage: 20,
        isolatedLongLeverage: 20,
        isolatedShortLeverage: 5,
      }),
    ])();
  }

  #marketSet(symbol: string): EventOf<"contract-market-set"> {
    const contract = CONTRACTS.find((one) => one.symbol === symbol) ?? CONTRACTS[0];
    return {
      type: "contract-market-set",
      actor: "operator",
      symbol: contract.symbol,
      baseAsset: contract.base,
      quoteAsset: contract.quote,
      marginAsset: contract.quote,
      tickSize: this.#random.pick<string>(contract.ticks),
      stepSize: contract.step,
      pricePrecision: 1,
      quantityPrecision: 3,
      contractVal: contract.step,
      minOrderSize: "1",
      maxOrderSize: "1000",
      maxPositionSize: "5000",
      marketOpenLimitSize: "1000",
      minLeverage: 1,
      maxLeverage: 100,
      defaultLeverage: 20,
      buyLimitPriceRatio: "0.05",
      sellLimitPriceRatio: "0.05",
      makerFeeRate: "0.0002",
      takerFeeRate: "0.0008",
      liquidateFeeRate: "0.01",
      interestRate: "-0.0001",
      fundingInnerClamp: "0.0005",
      fundingRateCap: "0.0075",
      fundingBufferRate: "0.001",
      impactNotional: "10000",
      ...{ insuranceSlippage: "0.002", insuranceDrawLimit: null, indexStepLimit: "0.1" },
      fundingIntervalMinutes: 480,
      indexStaleMs: 60_000,
      maxOpenOrders: 200,
      tiers: [{ maxNotional: "100000", maintenanceMarginRate: "0.005", maxLeverage: 100 }],
      state: "trading",
    };
  }
}

function marginOf(symbol: string): string {
  return CONTRACTS.find((contract) => contract.symbol === symbol)?.quote ?? "";
}
