/** The part of the naive model of history that is about contracts. */
import type { AlgoOrderView, Event, EventOf } from "../../src/protocol/index.ts";
import type {
  ContractFill,
  ContractHistoryQueries,
  EndedContractOrder,
  FundingRate,
  HistoryAnswer,
  HistoryQuestion,
  Income,
  IncomeType,
  PublicTrade,
} from "../../src/queries/index.ts";
import { exact, text } from "../support/exact.ts";
import { type Listing, product } from "./listed.ts";
import { isIn, naiveCandles, type PricePoint } from "./naive-candles.ts";
import { wholeMatches } from "./naive-fill-totals.ts";

type Name = keyof ContractHistoryQueries | "public-contract-trades" | "contract-candles";
type Answers = { [Each in Name]: (question: HistoryQuestion<Each>) => HistoryAnswer<Each> };
type Trade = EventOf<"contract-trade">;

interface Received {
  readonly uid: number;
  readonly asset: string;
  readonly symbol: string;
  readonly incomeType: IncomeType;
  readonly minor: bigint;
  readonly wallet: bigint;
  readonly fee?: bigint;
}

export class ContractHistoryModel {
  readonly #tickSizes = new Map<string, string>();
  readonly #ended: EndedContractOrder[] = [];
  readonly #fills: ContractFill[] = [];
  readonly #tape: PublicTrade[] = [];
  readonly #algos = new Map<number, AlgoOrderView & { readonly uid: number }>();
  readonly #incomes: Income[] = [];
  readonly #rates: FundingRate[] = [];
  readonly #points = new Map<string, PricePoint[]>();
  /** Fees of liquidation that were taken since the last one began. */
  #liquidationFees = 0n;
  readonly #listing: Listing;

  constructor(listing: Listing) {
    this.#listing = listing;
  }

  apply(event: Event, timeMs: number): void {
    if (event.type === "contract-market-set") this.#tickSizes.set(event.symbol, event.tickSize);
    if (event.type === "contract-trade") this.#trade(event, timeMs);
    if (event.type === "contract-order-ended") this.#end(event, timeMs);
    if (event.type === "algo-order-changed") this.#changeAlgo(event);
    if (event.type === "contract-prices-changed") {
      this.#point(event.symbol, "INDEX", event.indexTicks, null, timeMs);
      this.#point(event.symbol, "MARK", event.markTicks, null, timeMs);
    }
    if (event.type === "funding-settled") {
      this.#rates.push({
        symbol: event.symbol,
        slotMs: event.slotMs,
        rate: text(event.rateE8 * 10n ** 10n),
        indexPrice: this.price(event.symbol, event.indexTicks),
        markPrice: this.price(event.symbol, event.markTicks),
      });
    }
    for (const received of this.#received(event)) this.#receive(received, timeMs);
  }

  /** Decimal text of a price under the present tick. */
  price(symbol: string, ticks: number): string {
    return product(ticks, this.#tickSizes.get(symbol) ?? "");
  }

  #point(
    symbol: string,
    priceType: string,
    ticks: number,
    traded: PricePoint["traded"],
    timeMs: number,
  ): void {
    const key = `${symbol} ${priceType}`;
    const points = this.#points.get(key) ?? [];
    if (ticks > 0) points.push({ timeMs, price: exact(this.price(symbol, ticks)), traded });
    this.#points.set(key, points);
  }

  #trade(event: Trade, timeMs: number): void {
    const { symbol, tradeId, kind, asset } = event;
    const price = this.price(symbol, event.priceTicks);
    const quantity = product(event.quantityLots, this.#listing.contract(symbol).step);
    const value = this.#listing.units(event.valueMinor, asset);
    const isPublic = kind === "book" || kind === "liquidation";
    const takerBought = event.takerSide === "BUY";
    if (isPublic) {
      const buyerIsMaker = !takerBought;
      const quoteQuantity = value;
      this.#tape.push({ tradeId, symbol, price, quantity, quoteQuantity, timeMs, buyerIsMaker });
      const traded = { base: exact(quantity), quote: exact(value), takerBought };
      this.#point(symbol, "LAST", event.priceTicks, traded, timeMs);
    }
    for (const isTaker of [false, true]) {
      const fill = isTaker ? event.taker : event.maker;
      this.#fills.push({
        tradeId,
        orderId: fill.orderId,
        uid: fill.uid,
        symbol,
        side: isTaker === takerBought ? "BUY" : "SELL",
        positionSide: fill.positionSide,
        kind,
        maker: isPublic && !isTaker,
        isClosing: fill.isClosing,
        price,
        quantity,
        value,
        fee: this.#listing.units(fill.feeMinor, asset),
        feeAsset: asset,
        realizedPnl: this.#listing.units(fill.realizedPnlMinor, asset),
        timeMs,
      });
    }
  }

  #end(event: EventOf<"contract-order-ended">, timeMs: number): void {
    const { type: _, priceTicks, quantityLots, filledLots, filledValueMinor, ...same } = event;
    const { step, quote } = this.#listing.contract(event.symbol);
    const filledQuantity = product(filledLots, step);
    const filledValue = this.#listing.units(filledValueMinor, quote);
    this.#ended.push({
      ...same,
      price: this.price(event.symbol, priceTicks),
      quantity: product(quantityLots, step),
      filledQuantity,
      filledValue,
      avgPrice: average(filledValue, filledQuantity),
      reduceOnly: `${event.side} ${event.positionSide}` in { "BUY SHORT": 1, "SELL LONG": 1 },
      endedMs: timeMs,
    });
  }

  #changeAlgo(event: EventOf<"algo-order-changed">): void {
    if (event.status === "NEW" || event.status === "UNTRIGGERED") return;
    const price = (ticks: number) => this.price(event.symbol, ticks);
    const preset = (ticks: number, value: string) => (ticks === 0 ? null : value);
    this.#algos.set(event.algoId, {
      uid: event.uid,
      algoId: event.algoId,
      clientAlgoId: event.clientAlgoId,
      orderType: event.orderType,
      symbol: event.symbol,
      side: event.side,
      positionSide: event.positionSide,
      timeInForce: event.timeInForce,
      quantity: product(event.quantityLots, this.#listing.contract(event.symbol).step),
      status: event.status,
      actualOrderId: event.actualOrderId || null,
      actualPrice: text(event.actualPriceE8 * 10n ** 10n),
      triggerPrice: price(event.triggerTicks),
      price: price(event.priceTicks),
      tpTriggerPrice: preset(event.tpTriggerTicks, price(event.tpTriggerTicks)),
      tpPrice: preset(event.tpTriggerTicks, "0"),
      slTriggerPrice: preset(event.slTriggerTicks, price(event.slTriggerTicks)),
      slPrice: preset(event.slTriggerTicks, "0"),
      tpOrderType: event.tpTriggerTicks === 0 ? null : event.tpWorkingType,
      workingType: event.workingType,
      closePosition: event.closePosition,
      reduceOnly: event.reduceOnly,
      createdMs: event.createdMs,
      updatedMs: event.updatedMs,
      triggeredMs: event.triggeredMs,
    });
  }

  /** The rows of income that an event is. */
  #received(event: Event): Received[] {
    switch (event.type) {
      case "contract-trade":
        return [event.maker, event.taker].map((fill) => ({
          uid: fill.uid,
          asset: event.asset,
          symbol: event.symbol,
          incomeType: incomeTypeOf(fill),
          minor: fill.realizedPnlMinor - fill.feeMinor,
          wallet: fill.walletMinor,
          fee: fill.feeMinor,
        }));
      case "funds-moved":
        return receivedFunds(event);
      case "funding-moved":
        return [step(event, "position_funding", event.deltaMinor)];
      case "position-margin-moved":
        return [step(event, event.deltaMinor < 0n ? "margin_move_out" : "margin_move_in", 0n)];
      case "liquidation-started":
        this.#liquidationFees = 0n;
        return [step(event, "start_liquidate", 0n)];
      case "liquidation-settled": {
        const { insurancePaidMinor, liquidationFeeMinor, walletAfterFixMinor } = event;
        this.#liquidationFees += liquidationFeeMinor;
        const fix = step(event, "order_fix_margin_amount", insurancePaidMinor);
        const fee = step(event, "finish_liquidate", -liquidationFeeMinor);
        return [{ ...fix, wallet: walletAfterFixMinor }, fee].filter(({ minor }) => minor !== 0n);
      }
      case "liquidation-finished":
        return this.#liquidationFees === 0n ? [step(event, "finish_liquidate", 0n)] : [];
      default:
        return [];
    }
  }

  #receive(received: Received, timeMs: number): void {
    const { uid, asset, symbol, incomeType } = received;
    const isTransfer = incomeType.startsWith("transfer");
    this.#incomes.push({
      incomeId: this.#incomes.length + 1,
      uid,
      asset,
      symbol: symbol || null,
      incomeType,
      income: this.#listing.units(received.minor, asset),
      balance: this.#listing.units(received.wallet, asset),
      fillFee: this.#listing.units(received.fee ?? 0n, asset),
      transferReason: isTransfer ? "USER_TRANSFER" : "UNKNOWN_TRANSFER_REASON",
      timeMs,
    });
  }

  get lastMatch(): readonly ContractFill[] {
    return this.#fills.slice(-2);
  }

  ordersById(q: HistoryQuestion<"orders-by-id">): HistoryAnswer<"orders-by-id"> {
    return this.#ended
      .filter(({ orderId, clientOrderId }) =>
        q.orderId === null ? clientOrderId === q.clientOrderId : orderId === q.orderId,
      )
      .map(({ uid, orderId, clientOrderId, symbol, status }) => {
        return { product: "contract" as const, uid, orderId, clientOrderId, symbol, status };
      })
      .sort((one, other) => one.uid - other.uid || one.orderId - other.orderId)
      .slice(0, q.limit);
  }

  answers(): Answers {
    return {
      "ended-contract-order": (q) =>
        this.#ended
          .filter(
            ({ uid, orderId, clientOrderId }) =>
              uid === q.uid &&
              (q.orderId === null ? clientOrderId === q.clientOrderId : orderId === q.orderId),
          )
          .sort((one, other) => other.orderId - one.orderId)[0] ?? null,
      "ended-contract-orders": (q) =>
        this.#ended
          .filter((order) => isOf(q, order) && isIn(q.created, order.createdMs))
          .sort((one, other) => other.orderId - one.orderId)
          .slice(q.offset, q.offset + q.limit),
      "contract-fills": (q) =>
        this.#fills
          .filter((fill) => isOf(q, fill) && isIn(q.time, fill.timeMs))
          .filter(({ orderId }) => q.orderId === null || orderId === q.orderId)
          .reverse()
          .slice(0, q.limit),
      "contract-fills-from": (q) =>
        wholeMatches(
          this.#fills.filter(
            (fill) =>
              isOf(q, fill) &&
              isIn(q.time, fill.timeMs) &&
              (q.orderId === null || fill.orderId === q.orderId) &&
              fill.tradeId >= q.fromId,
          ),
          q.limit,
        ),
      "public-contract-trades": (q) =>
        this.#tape
          .filter(({ symbol }) => symbol === q.symbol)
          .reverse()
          .slice(0, q.limit),
      "contract-candles": (q) =>
        naiveCandles(this.#points.get(`${q.symbol} ${q.priceType}`) ?? [], q),
      "algo-orders": (q) =>
        [...this.#algos.values()]
          .filter((algo) => isOf(q, algo) && isIn(q.created, algo.createdMs))
          .sort((one, other) => other.algoId - one.algoId)
          .slice(0, q.limit)
          .map(({ uid: _, ...algo }) => algo),
      income: (q) => this.#income(q),
      "funding-rates": (q) =>
        this.#rates
          .filter(({ symbol, slotMs }) => symbol === q.symbol && isIn(q.time, slotMs))
          .reverse()
          .slice(0, q.limit),
    };
  }

  #income(q: HistoryQuestion<"income">): Income[] {
    const { before } = q;
    return this.#incomes
      .filter((row) => isOf(q, row) && isIn(q.time, row.timeMs))
      .filter(({ asset }) => q.asset === null || asset === q.asset)
      .filter(({ incomeType }) => q.incomeType === null || incomeType === q.incomeType)
      .filter(
        ({ incomeId, timeMs }) =>
          before === null ||
          timeMs < before.timeMs ||
          (timeMs === before.timeMs && incomeId < before.incomeId),
      )
      .reverse()
      .slice(0, q.limit);
  }
}

/** The wallet of the event, changed by so much. */
function step(
  event: {
    readonly uid: number;
    readonly asset: string;
    readonly symbol: string;
    readonly walletMinor: bigint;
  },
  incomeType: IncomeType,
  minor: bigint,
): Received {
  const { uid, asset, symbol, walletMinor } = event;
  return { uid, asset, symbol, incomeType, minor, wallet: walletMinor };
}

function receivedFunds(event: EventOf<"funds-moved">): Received[] {
  const { uid, asset, from, to, amountMinor } = event;
  const names = {
    "null contract": "deposit",
    "contract null": "withdraw",
    "spot contract": "transfer_in",
    "contract spot": "transfer_out",
  } as const;
  const incomeType = names[`${from} ${to}` as keyof typeof names];
  if (incomeType === undefined) return [];
  const minor = to === "contract" ? amountMinor : -amountMinor;
  return [{ uid, asset, symbol: "", incomeType, minor, wallet: event.contractEquityMinor }];
}

function incomeTypeOf({ isClosing, positionSide }: Trade["maker"]): IncomeType {
  if (isClosing) return positionSide === "LONG" ? "position_close_long" : "position_close_short";
  return positionSide === "LONG" ? "position_open_long" : "position_open_short";
}

function isOf(
  q: { readonly uid: number; readonly symbol: string | null },
  row: { readonly uid: number; readonly symbol: string | null },
): boolean {
  return row.uid === q.uid && (q.symbol === null || row.symbol === q.symbol);
}

/** Value / quantity to 8 decimals, half up; "0" without a quantity. */
function average(value: string, quantity: string): string {
  const divisor = exact(quantity);
  if (divisor === 0n) return "0";
  const doubled = (exact(value) * 2n * 10n ** 8n) / divisor;
  return text(((doubled + 1n) / 2n) * 10n ** 10n);
}
