/** What a scenario works with: the market, the user that it is about, and what was done so far. */
import {
  accept,
  formatSteps,
  invariant,
  type Product,
  reject,
  type Side,
} from "../../../domain/index.ts";
import type {
  ContractMarketView,
  ContractPricesView,
  PositionView,
} from "../../../protocol/index.ts";
import type { HouseTrading } from "../house-trading.ts";
import { fund } from "../liquidity-account.ts";
import { type Level, type MarketRules, readMoment } from "../market-moment.ts";
import { commandsOf, type HouseOrder, needsOf } from "../order-batch.ts";
import type { Outcome } from "../outcome.ts";

export interface ScenarioRequest {
  readonly symbol: string;
  /** Null for both, or for the one that the scenario is about. */
  readonly product: Product | null;
  readonly uid: number | null;
  readonly actor: string;
}

/** A contract with its prices at one moment. */
export interface ContractMoment {
  readonly market: ContractMarketView;
  readonly prices: ContractPricesView;
}

export class Scene {
  readonly trading: HouseTrading;
  readonly request: ScenarioRequest;
  /** In sentences without a full stop. */
  readonly did: string[] = [];

  constructor(trading: HouseTrading, request: ScenarioRequest) {
    this.trading = trading;
    this.request = request;
  }

  get engine() {
    return this.trading.engine;
  }

  get symbol(): string {
    return this.request.symbol;
  }

  get actor(): string {
    return this.request.actor;
  }

  async contract(): Promise<Outcome<ContractMoment>> {
    const { symbol } = this;
    const [markets, prices] = await Promise.all([
      this.engine.query({ type: "contract-markets", symbol }),
      this.engine.query({ type: "contract-prices", symbol }),
    ]);
    if (!markets.ok) return markets;
    if (!prices.ok) return prices;
    const [market] = markets.value;
    const [price] = prices.value;
    if (market === undefined || price === undefined) return reject("unknown-symbol", "symbol");
    return accept({ market, prices: price });
  }

  /** The user's positions in the contract; none is a conflict. */
  async positions(): Promise<Outcome<readonly PositionView[]>> {
    const { symbol } = this;
    const uid = this.#uid;
    const reply = await this.engine.query({ type: "contract-positions", uid, symbol });
    if (!reply.ok) return reply;
    if (reply.value.length > 0) return accept(reply.value);
    return reject("conflict", "uid", `uid ${uid} has no position in ${symbol}`);
  }

  /** One of the user's positions as it is now; null when it is gone. */
  async position(id: number): Promise<Outcome<PositionView | null>> {
    const { symbol } = this;
    const uid = this.#uid;
    const reply = await this.engine.query({ type: "contract-positions", uid, symbol });
    if (!reply.ok) return reply;
    return accept(reply.value.find((position) => position.id === id) ?? null);
  }

  get #uid(): number {
    const { uid } = this.request;
    invariant(uid !== null, "a scenario about a user names one");
    return uid;
  }

  /** The user's contract wallet, as text. */
  async wallet(asset: string): Promise<string> {
    const reply = await this.engine.query({ type: "contract-balances", uid: this.#uid });
    if (!reply.ok) return "unknown";
    return reply.value.find((row) => row.asset === asset)?.balance ?? "0";
  }

  async insurance(asset: string): Promise<string> {
    const reply = await this.engine.query({ type: "insurance", asset });
    return reply.ok ? reply.value.balance : "unknown";
  }

  /** How often positions of the contract were liquidated since the start. */
  async liquidations(): Promise<number> {
    const reply = await this.engine.query({ type: "market-integrity" });
    if (!reply.ok) return 0;
    return reply.value.markets.find((row) => row.symbol === this.symbol)?.liquidations ?? 0;
  }

  async pin(price: string | null): Promise<Outcome<null>> {
    const { actor, symbol } = this;
    return await this.engine.execute({ type: "pin-mark-price", actor, symbol, price });
  }

  /** Orders beside those that the house has; resolves to their ids. */
  async place(uid: number, orders: readonly HouseOrder[]): Promise<Outcome<readonly number[]>> {
    const moment = await readMoment(this.engine, uid, this.symbol, "contract");
    if (!moment.ok) return moment;
    const { rules } = moment.value;
    const funded = await fund(
      this.engine,
      uid,
      rules,
      needsOf(moment.value, [...orders, ...restingOrders(moment.value.own)]),
      this.actor,
    );
    if (!funded.ok) return funded;
    // What closes may be promised to orders that stay, so all of them open.
    const positionLots = { LONG: 0, SHORT: 0 };
    const commands = commandsOf({ ...moment.value, own: [], positionLots }, uid, orders);
    const replies = await this.engine.executeAll<"place-contract-order">(
      commands.filter((command) => command.type === "place-contract-order"),
    );
    const ids: number[] = [];
    for (const reply of replies) {
      if (!reply.ok) return reply;
      ids.push(reply.value.orderId);
    }
    return accept(ids);
  }

  async cancel(uid: number, orderIds: readonly number[]): Promise<void> {
    await this.engine.executeAll<"cancel-contract-order">(
      orderIds.map((orderId) => {
        return { type: "cancel-contract-order", uid, orderId, clientOrderId: null } as const;
      }),
    );
  }

  async setForward(toMs: number): Promise<Outcome<null>> {
    const { actor } = this;
    return await this.engine.execute({ type: "set-clock", actor, toMs, speedE3: null });
  }
}

function restingOrders(own: readonly (Level & { readonly side: Side })[]): HouseOrder[] {
  return own.map(({ side, ticks, lots }) => ({ side, ticks, lots, timeInForce: "GTC" }));
}

/** One order, or several where it is larger than the market takes. */
export function splitOrder(rules: MarketRules, order: HouseOrder): HouseOrder[] {
  const orders: HouseOrder[] = [];
  for (let lots = order.lots; lots > 0; lots -= rules.maxLots) {
    orders.push({ ...order, lots: Math.min(lots, rules.maxLots) });
  }
  return orders;
}

export function priceText(rules: MarketRules, ticks: number): string {
  return formatSteps(ticks, rules.tick);
}

/** Where the mark is pinned, to put it back; null for a free one. */
export function pinOf({ isPinned, markPrice }: ContractPricesView): string | null {
  return isPinned ? markPrice : null;
}

/** `LONG of 0.5 BTC`. */
export function positionText({ side, size }: PositionView, { baseAsset }: MarketRules): string {
  return `${side} of ${size} ${baseAsset}`;
}
