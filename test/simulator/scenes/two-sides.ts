/** Who holds a position in a scene, and who takes the other side of whatever the holder does. */
import type { MarginType, PositionSide, SeparatedType } from "../../../src/domain/index.ts";
import type { NaivePosition } from "../../models/contract/naive-contract-state.ts";
import { exact, text } from "../../support/exact.ts";
import { isAcceptable, mostLots } from "../directed.ts";
import { OTHER_CONTRACT_PRICE, SYMBOL, TWO_SYMBOLS } from "../markets.ts";
import type { Trader } from "../trader.ts";
import type { Stage } from "./stage.ts";

const PRICES: Readonly<Record<string, number>> = {
  [TWO_SYMBOLS[0]]: 60_000,
  [TWO_SYMBOLS[1]]: OTHER_CONTRACT_PRICE,
};
/** Of which the other side never runs out. */
const PLENTY = "1000000";
/** A mark farther from the last one takes everybody along. */
const AWAY_MAX = 0.2;

export class TwoSides {
  readonly stage: Stage;
  readonly symbol: string;
  readonly holder: Trader;
  readonly other: Trader;

  /** Null when there is nobody to trade with. */
  static async begin(stage: Stage): Promise<TwoSides | null> {
    const { random, traders } = stage;
    const [holder, other] = random.shuffle([...traders]);
    if (holder === undefined || other === undefined) return null;
    const symbol = random.chance(0.8) ? SYMBOL : TWO_SYMBOLS[1];
    const sides = new TwoSides(stage, symbol, holder, other);
    await stage.clear("contract", symbol);
    await sides.setIndex(sides.price);
    await stage.move(other, "deposits", { account: "contract", asset: "USDT", amount: PLENTY });
    return sides;
  }

  constructor(stage: Stage, symbol: string, holder: Trader, other: Trader) {
    this.stage = stage;
    this.symbol = symbol;
    this.holder = holder;
    this.other = other;
  }

  get market() {
    const market = this.stage.exchange.story.naive.contracts.get(this.symbol);
    if (market === undefined) throw new Error(`there is no contract ${this.symbol}`);
    return market;
  }

  /** Of the holder; as of the last look. */
  get positions(): readonly NaivePosition[] {
    return this.stage.exchange.story.naive.positionsOf(this.holder.uid, this.symbol);
  }

  /** Around which the index is. */
  get price(): number {
    return PRICES[this.symbol] ?? 1;
  }

  async setIndex(price: number | string): Promise<void> {
    const body = { price: String(price), force: true };
    await this.stage.operate("PUT", `index-prices/${this.symbol}`, body);
  }

  /** Brings the mark to a price by the index, from which the book keeps it apart. */
  async moveMark(price: bigint): Promise<boolean> {
    const { indexPrice, mark } = this.market;
    const away = Math.abs(Number(price) / Number(mark) - 1);
    const index = price - (mark - indexPrice);
    if (away > AWAY_MAX || index <= 0n) return false;
    await this.setIndex(text(index));
    return true;
  }

  /** At the price at which it was before, so that the market goes on for everybody else. */
  async end(): Promise<void> {
    await this.stage.look();
    await this.stage.clear("contract", this.symbol);
    await this.setIndex(this.price);
  }

  /** What the holder may dispose of is about so much. */
  async fund(amount: string): Promise<void> {
    const naive = await this.stage.look();
    const more = exact(amount) - naive.availableBalance(this.holder.uid, "USDT");
    if (more === 0n) return;
    const kind = more > 0n ? "deposits" : "withdrawals";
    const moved = { account: "contract", asset: "USDT", amount: text(more > 0n ? more : -more) };
    await this.stage.move(this.holder, kind, moved as Parameters<Stage["move"]>[2]);
  }

  /** So much of what the holder may dispose of leaves the contract wallet. */
  async takeOut(share: number): Promise<void> {
    const { holder, stage } = this;
    const naive = await stage.look();
    const thousandths = BigInt(Math.round(share * 1_000));
    const amount = (naive.availableBalance(holder.uid, "USDT") * thousandths) / 1_000n;
    const onScale = text(amount - (amount % naive.unit("USDT")));
    if (onScale === "0") return;
    if (stage.random.chance(0.5)) {
      const body = { account: "contract", asset: "USDT", amount: onScale } as const;
      await stage.move(holder, "withdrawals", body);
      return;
    }
    const way = { fromType: "CONTRACT", toType: "SPOT" } as const;
    await stage.do(holder.transfer({ ...way, coinName: "USDT", amount: onScale }));
  }

  /** All that the other side has rests to close, in parts, too far away to be taken. */
  async restToClose(): Promise<void> {
    const { other, stage, symbol } = this;
    const naive = await stage.look();
    const { mark, rules } = this.market;
    for (const positionSide of ["LONG", "SHORT"] as const) {
      const lots = naive.sideSize(other.uid, symbol, positionSide) / rules.step;
      const parts = BigInt(stage.random.integer(2, 3));
      const away = (mark * (positionSide === "LONG" ? 104n : 96n)) / 100n;
      const price = text((away / rules.tick) * rules.tick);
      const quantity = text((lots / parts) * rules.step);
      if (quantity === "0") continue;
      const terms = { symbol, side: closes(positionSide), positionSide, type: "LIMIT", price };
      for (let count = parts; count > 0n; count--) {
        await stage.place(other, "contract", { ...terms, timeInForce: "GTC", quantity });
      }
    }
  }

  /** Everything that the holder has there is closed at the mark. */
  async flatten(): Promise<void> {
    const naive = await this.stage.look();
    const { holder, stage, symbol } = this;
    for (const positionSide of ["LONG", "SHORT"] as const) {
      const size = naive.sideSize(holder.uid, symbol, positionSide);
      if (size > 0n) await this.#offer(closes(positionSide), text(size));
    }
    await stage.send(holder, "POST", "/capi/v3/closePositions", { symbol });
    await stage.clear("contract", symbol);
  }

  /** Only where nothing is open. */
  async setMode(marginType: MarginType, separatedType: SeparatedType): Promise<void> {
    const { holder, stage, symbol } = this;
    const body = { symbol, marginType, separatedType };
    await stage.send(holder, "POST", "/capi/v3/account/marginType", body);
    // Who leaves it out keeps it.
    if (separatedType === "COMBINED" || stage.random.chance(0.5)) return;
    await stage.send(holder, "POST", "/capi/v3/account/marginType", { symbol, marginType });
  }

  async setLeverage(leverage: number): Promise<boolean> {
    return await this.stage.send(this.holder, "POST", "/capi/v3/account/leverage", {
      symbol: this.symbol,
      ...{ crossLeverage: leverage, isolatedLongLeverage: leverage },
      isolatedShortLeverage: leverage,
    });
  }

  /** So much of the largest position that the holder may open at the mark. */
  async open(positionSide: PositionSide, share: number): Promise<void> {
    const naive = await this.stage.look();
    const { holder, stage, symbol } = this;
    const { mark, rules } = this.market;
    const terms = { symbol, positionSide, side: opens(positionSide), type: "LIMIT" };
    const body = { ...terms, timeInForce: "GTC", price: text(mark) };
    const sized = (lots: number) => ({ ...body, quantity: text(BigInt(lots) * rules.step) });
    const most = mostLots((lots) => {
      const order = { product: "contract", uid: holder.uid, body: sized(lots) } as const;
      return lots === 0 || isAcceptable(naive, order);
    });
    const lots = Math.floor(most * share);
    if (lots === 0) return;
    const order = sized(lots);
    await this.#offer(terms.side, order.quantity);
    await stage.place(holder, "contract", order);
  }

  /** The other one opens, at the mark. */
  async #offer(taken: "BUY" | "SELL", quantity: string): Promise<void> {
    const price = text(this.market.mark);
    await this.offer(taken, quantity, price);
  }

  /** Rests where an order of that side meets it. */
  async offer(taken: "BUY" | "SELL", quantity: string, price: string): Promise<void> {
    const side = taken === "BUY" ? "SELL" : "BUY";
    const positionSide = side === "BUY" ? "LONG" : "SHORT";
    const terms = { symbol: this.symbol, side, positionSide, type: "LIMIT", timeInForce: "GTC" };
    await this.stage.place(this.other, "contract", { ...terms, price, quantity });
  }
}

function opens(positionSide: PositionSide): "BUY" | "SELL" {
  return positionSide === "LONG" ? "BUY" : "SELL";
}

export function closes(positionSide: PositionSide): "BUY" | "SELL" {
  return positionSide === "LONG" ? "SELL" : "BUY";
}
