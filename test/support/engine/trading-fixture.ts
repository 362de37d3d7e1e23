/**
 * Contract markets and funded users in a state of their own, for tests of orders: commands go
 * straight to their handlers, without the liquidations and triggers that follow in the engine, and
 * what must hold of money, orders and positions between any two of them is checked on demand.
 */
import { invariant, type MarginType, parseDecimal, powerOfTen } from "../../../src/domain/index.ts";
import { moveUserFunds } from "../../../src/engine/accounts/funds.ts";
import { registerUser } from "../../../src/engine/accounts/users.ts";
import { symbolAccountOf } from "../../../src/engine/contract/contract-state.ts";
import { walletMinor } from "../../../src/engine/contract/formulas/account-equity.ts";
import { frozenByRest } from "../../../src/engine/contract/formulas/order-margin.ts";
import { setContractMarket } from "../../../src/engine/contract/markets.ts";
import { placeContractOrder } from "../../../src/engine/contract/orders/place-order.ts";
import { openOrderSlots } from "../../../src/engine/contract/orders/resting-orders.ts";
import {
  type ContractMarket,
  LONG,
  type Position,
  SHORT,
  type SymbolAccount,
} from "../../../src/engine/contract/state/contract-market.ts";
import {
  CONTRACT_AVAILABLE,
  CONTRACT_ORDER_MARGIN,
  CONTRACT_POSITION_MARGIN,
} from "../../../src/engine/ledger/ledger.ts";
import { RULES_VERSION } from "../../../src/engine/rules-version.ts";
import { setAsset } from "../../../src/engine/spot/markets.ts";
import { State, type TimedContext } from "../../../src/engine/state.ts";
import type { CommandOf, Event, EventOf } from "../../../src/protocol/index.ts";
import { BTC_CONTRACT } from "../listings.ts";

const ACTOR = "test";
export const { symbol: SYMBOL } = BTC_CONTRACT;

/** Tick 0.1, lot 0.001, fees 0.02 % and 0.08 %, three tiers; amounts in 10^-8. */
export const EXAMPLE_RULES: CommandOf<"set-contract-market"> = {
  type: "set-contract-market",
  actor: ACTOR,
  ...BTC_CONTRACT,
  maxOrderSize: "100",
  maxPositionSize: "200",
  marketOpenLimitSize: "50",
  tiers: [
    ...BTC_CONTRACT.tiers,
    { maxNotional: "100000000", maintenanceMarginRate: "0.025", maxLeverage: 20 },
  ],
};

type Order = Partial<CommandOf<"place-contract-order">>;

export class TradingFixture {
  readonly state = new State({ high: 1, low: 2 });
  readonly market: ContractMarket;
  readonly context: TimedContext & { sequence: number };
  /** Of all commands so far. */
  readonly events: Event[] = [];
  #nextClientId = 1;

  constructor(rules: Partial<CommandOf<"set-contract-market">> = {}) {
    const { state, events } = this;
    const emit = (event: Event) => events.push(event);
    this.context = { state, nowMs: 1_000, sequence: 1, stepsLeft: 0, emit };
    state.rulesVersion = RULES_VERSION;
    for (const [coinId, asset] of ["USDT", "BTC"].entries()) {
      const command = { asset, coinId: coinId + 1, name: asset, scale: 8 };
      setAsset(this.context, { type: "set-asset", actor: ACTOR, ...command });
    }
    setContractMarket(this.context, { ...EXAMPLE_RULES, ...rules });
    const market = state.contract.marketsBySymbol.get(SYMBOL);
    invariant(market !== undefined, "the rules of the test market are valid");
    this.market = market;
  }

  /** A user with `funds` in the contract wallet. */
  addUser(uid: number, funds: string, marginType: MarginType = "CROSSED"): SymbolAccount {
    const { context, state } = this;
    const inviteCode = `code${uid}`;
    const user = { uid, inviteCode, invitedWith: null, kyc: false };
    registerUser(context, { type: "register-user", actor: ACTOR, ...user });
    if (funds !== "0") {
      const amount = { requestId: `fund${uid}`, uid, asset: "USDT", amount: funds };
      moveUserFunds(context, {
        type: "deposit-funds",
        actor: ACTOR,
        wallet: "contract",
        ...amount,
      });
    }
    const registered = state.users.get(uid);
    invariant(registered !== undefined, "uids of the test are free");
    const owner = symbolAccountOf(state, registered, this.market);
    owner.marginType = marginType;
    return owner;
  }

  /** The mark, as index and book would have led to it; in whole units of the quote asset. */
  setMark(price: string): void {
    this.market.indexPrice.ticks = this.ticks(price);
    this.market.mark.ticks = this.ticks(price);
    this.state.contract.risk.markChanged(this.market);
  }

  /** Limit when there is a price, else market. */
  place(
    { account }: SymbolAccount,
    intent: "BUY LONG" | "SELL LONG" | "SELL SHORT" | "BUY SHORT",
    quantity: string,
    price: string | null = null,
    more: Order = {},
  ) {
    this.context.sequence++;
    const [side, positionSide] = intent.split(" ") as ["BUY" | "SELL", "LONG" | "SHORT"];
    return placeContractOrder(this.context, {
      type: "place-contract-order",
      uid: account.user.uid,
      symbol: SYMBOL,
      side,
      positionSide,
      orderType: price === null ? "MARKET" : "LIMIT",
      timeInForce: price === null ? "IOC" : "GTC",
      price: price ?? "",
      quantity,
      clientOrderId: `c${this.#nextClientId++}`,
      tpTriggerPrice: null,
      slTriggerPrice: null,
      tpWorkingType: "CONTRACT_PRICE",
      slWorkingType: "CONTRACT_PRICE",
      ...more,
    });
  }

  /** Why it ended, or "resting" for an order that stands in the book. */
  endOf(orderId: number): string {
    if (this.state.contract.orders.findById(orderId) !== -1) return "resting";
    const ended = this.eventsOf("contract-order-ended").find((event) => event.orderId === orderId);
    return ended?.reason ?? "unknown";
  }

  eventsOf<Type extends Event["type"]>(type: Type): EventOf<Type>[] {
    return this.events.filter((event): event is EventOf<Type> => event.type === type);
  }

  amount(text: string): bigint {
    const minor = parseDecimal(text, 8);
    invariant(typeof minor === "bigint", "amounts of the test are decimals");
    return minor;
  }

  ticks(price: string): number {
    const { scale, step } = this.market.rules.tick;
    return Number(this.amount(price) / (powerOfTen(8 - scale) * BigInt(step)));
  }

  available({ account }: SymbolAccount): bigint {
    return this.state.ledger.balance(account.base + CONTRACT_AVAILABLE);
  }

  orderMargin({ account }: SymbolAccount): bigint {
    return this.state.ledger.balance(account.base + CONTRACT_ORDER_MARGIN);
  }

  wallet({ account }: SymbolAccount): bigint {
    return walletMinor(this.state.ledger, account);
  }

  /** The one position of a side. */
  position(owner: SymbolAccount, side: 0 | 1): Position {
    const [position] = owner.positions[side];
    invariant(position !== undefined, "the side is open");
    return position;
  }

  /** Every sum that is kept, counted again over what it is the sum of. */
  check(): void {
    const { contract, ledger } = this.state;
    for (const market of contract.markets) {
      market.book.validate();
      invariant(!market.book.isCrossed(), "a book at rest is not crossed");
      const lots = [0n, 0n];
      const values = [0n, 0n];
      for (const { side, sizeLots, openValueMinor } of market.positions) {
        lots[side] = (lots[side] ?? 0n) + BigInt(sizeLots);
        values[side] = (values[side] ?? 0n) + openValueMinor;
      }
      for (const side of [LONG, SHORT]) {
        invariant(market.openLots[side] === lots[side], "open lots are the sum of the positions");
        invariant(market.openValueMinor[side] === values[side], "so are the open values");
      }
      invariant(lots[LONG] === lots[SHORT], "every long lot has a short one");
      const { index } = market.rules.marginAsset;
      const clearing = ledger.balance(ledger.houseAccount(index, "pnl-clearing"));
      const [long = 0n, short = 0n] = values;
      invariant(clearing === short - long, "pnl-clearing is what positions have not realised");
    }
    for (const ofUser of contract.accounts.values()) {
      for (const account of ofUser.values()) {
        let frozenMinor = 0n;
        for (const slot of openOrderSlots(contract, account.user.uid, () => true)) {
          frozenMinor += frozenByRest(contract, slot);
        }
        const { base } = account;
        const orderMargin = ledger.balance(base + CONTRACT_ORDER_MARGIN);
        invariant(orderMargin === frozenMinor, "order margin is what open orders freeze");
        let marginMinor = 0n;
        for (const owner of account.symbols.values()) marginMinor += this.#checkOwner(owner);
        const positionMargin = ledger.balance(base + CONTRACT_POSITION_MARGIN);
        invariant(positionMargin === marginMinor, "position margin is that of the positions");
        invariant(account.isolatedMarginMinor === marginMinor, "and so is its running sum");
      }
    }
  }

  /** Returns the margin of its positions. */
  #checkOwner(owner: SymbolAccount): bigint {
    const { contract } = this.state;
    const { extras, orders } = contract;
    const resting = { open: [0, 0], close: [0, 0] };
    const { uid } = owner.account.user;
    const slots = openOrderSlots(contract, uid, (market) => market === owner.market);
    for (const slot of slots) {
      const lots = extras.isClosing(slot) ? resting.close : resting.open;
      lots[extras.positionSide(slot)] =
        (lots[extras.positionSide(slot)] ?? 0) + orders.openLots(slot);
    }
    invariant(owner.openOrders === slots.length, "open orders are counted");
    let marginMinor = 0n;
    for (const side of [LONG, SHORT] as const) {
      let lots = 0;
      for (const position of owner.positions[side]) {
        lots += position.sizeLots;
        marginMinor += position.marginMinor;
        const { sizeLots, cumOpenLots, cumCloseLots } = position;
        invariant(BigInt(sizeLots) === cumOpenLots - cumCloseLots, "size is opened less closed");
        invariant(sizeLots > 0, "a position without size is gone");
      }
      invariant(owner.sideLots[side] === lots, "side lots are the sum of the side's positions");
      invariant(owner.restingOpenLots[side] === resting.open[side], "resting opens are counted");
      invariant(owner.restingCloseLots[side] === resting.close[side], "resting closes are counted");
      invariant(owner.restingCloseLots[side] <= lots, "resting closes are within the position");
    }
    return marginMinor;
  }
}
