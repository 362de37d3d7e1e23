/**
 * Random values of every command and event, from the ordinary to what only a hostile hand would
 * send.
 */
import {
  APPROVAL_ACTIONS,
  DECISIONS,
  END_REASONS,
  MARKET_STATES,
  OPERATOR_ROLES,
  ORDER_STATUSES,
  ORDER_TYPES,
  PERMISSIONS,
  PRODUCTS,
  PROPOSAL_STATES,
  SELF_TRADE_PREVENTIONS,
  SIDES,
  TIMES_IN_FORCE,
  USER_STATES,
  WALLETS,
} from "../../src/domain/index.ts";
import type {
  Command,
  CommandOf,
  CommandType,
  Event,
  EventOf,
  EventType,
  GraveCommand,
  ProposedCommand,
  UserChange,
} from "../../src/protocol/index.ts";
import type { Random } from "../support/random.ts";
import { randomAffiliateCommands, randomAffiliateEvents } from "./random-affiliate-records.ts";
import { randomContractCommands, randomContractEvents } from "./random-contract-records.ts";
import { randomWebhookCommands, randomWebhookEvents } from "./random-webhook-records.ts";
import { randomWithdrawalCommands, randomWithdrawalEvents } from "./random-withdrawal-records.ts";

const BIG_BITS_MAX = 127 * 64;
const TEXTS = [
  "",
  "BTCUSDT",
  "a".repeat(127),
  "b".repeat(128),
  "0.00000001",
  "\u0000",
  "\ufeffmark",
  "ключ",
  "🔑🔑",
  "é",
  "\u{10ffff}",
  "x".repeat(9_000),
  `${"y".repeat(126)}é`,
];

type Makers<Kind extends string, Value> = {
  readonly [Type in Kind]: () => Omit<Extract<Value, { readonly type: Type }>, "type">;
};

export class RandomRecords {
  readonly #random: Random;
  readonly #commands: Makers<CommandType, Command>;
  readonly #events: Makers<EventType, Event>;

  constructor(random: Random) {
    this.#random = random;
    this.#commands = this.#commandMakers();
    this.#events = this.#eventMakers();
  }

  get commandTypes(): readonly CommandType[] {
    return Object.keys(this.#commands) as CommandType[];
  }

  get eventTypes(): readonly EventType[] {
    return Object.keys(this.#events) as EventType[];
  }

  command<Type extends CommandType>(type: Type): CommandOf<Type> {
    return { type, ...this.#commands[type]() } as unknown as CommandOf<Type>;
  }

  event<Type extends EventType>(type: Type): EventOf<Type> {
    return { type, ...this.#events[type]() } as unknown as EventOf<Type>;
  }

  uint(): number {
    const random = this.#random;
    if (random.chance(0.2)) return random.pick([0, 1, 127, 128, 2 ** 31, 2 ** 32, 2 ** 53 - 1]);
    return Math.floor(random.next() * 2 ** random.integer(1, 53));
  }

  big(): bigint {
    const random = this.#random;
    let value = 0n;
    for (let bits = random.integer(0, random.chance(0.05) ? BIG_BITS_MAX : 130); bits > 0; bits--) {
      value = value * 2n + BigInt(random.integer(0, 1));
    }
    return random.chance(0.3) ? -value : value;
  }

  text(): string {
    const random = this.#random;
    if (random.chance(0.4)) return random.pick(TEXTS);
    const characters = random.chance(0.2) ? "aé€🔑\n" : "abc019.:/#-_";
    const length = random.integer(0, 40);
    return Array.from({ length }, () => random.pick([...characters])).join("");
  }

  flag(): boolean {
    return this.#random.chance(0.5);
  }

  #orNull<Value>(make: () => Value): Value | null {
    return this.flag() ? null : make();
  }

  #list<Value>(make: () => Value): readonly Value[] {
    return Array.from({ length: this.#random.integer(0, 5) }, make);
  }

  #movement() {
    const text = () => this.text();
    return { actor: text(), requestId: text(), asset: text(), amount: text() };
  }

  #market() {
    const text = () => this.text();
    return {
      actor: text(),
      symbol: text(),
      baseAsset: text(),
      quoteAsset: text(),
      tickSize: text(),
      stepSize: text(),
      minTradeAmount: text(),
      maxTradeAmount: text(),
      minNotional: text(),
      makerFeeRate: text(),
      takerFeeRate: text(),
      buyLimitPriceRatio: text(),
      sellLimitPriceRatio: text(),
      maxOpenOrders: this.uint(),
      state: this.#random.pick(MARKET_STATES),
    };
  }

  #key() {
    return {
      actor: this.text(),
      apiKey: this.text(),
      uid: this.uint(),
      label: this.text(),
      permissions: this.#list(() => this.#random.pick(PERMISSIONS)),
      ipAllowList: this.#list(() => this.text()),
      expiresAtMs: this.#orNull(() => this.uint()),
    };
  }

  #feeRates() {
    return {
      actor: this.text(),
      uid: this.uint(),
      product: this.#random.pick(PRODUCTS),
      symbol: this.#orNull(() => this.text()),
      makerFeeRate: this.text(),
      takerFeeRate: this.text(),
    };
  }

  #asset() {
    const { text, uint } = this.#bound();
    return { actor: text(), asset: text(), coinId: uint(), name: text(), scale: uint() };
  }

  #bound() {
    return {
      text: () => this.text(),
      uint: () => this.uint(),
      big: () => this.big(),
      flag: () => this.flag(),
      pick: <Item>(items: readonly Item[]) => this.#random.pick(items),
      orNull: <Value>(make: () => Value) => this.#orNull(make),
      list: <Value>(make: () => Value) => this.#list(make),
    };
  }

  #commandMakers(): Makers<CommandType, Command> {
    const { text, uint, flag, pick, orNull } = this.#bound();
    const wallet = () => pick(WALLETS);
    return {
      "place-spot-order": () => ({
        uid: uint(),
        symbol: text(),
        side: pick(SIDES),
        orderType: pick(ORDER_TYPES),
        timeInForce: pick(TIMES_IN_FORCE),
        price: text(),
        quantity: text(),
        quantityUnit: pick(["base", "quote"] as const),
        clientOrderId: text(),
      }),
      "cancel-spot-order": () => ({
        uid: uint(),
        symbol: orNull(text),
        orderId: orNull(uint),
        clientOrderId: orNull(text),
      }),
      "cancel-all-spot-orders": () => ({ uid: uint(), symbol: text() }),
      ...this.#additionCommands(),
      "adopt-rules": () => ({ version: uint() }),
      "advance-clock": () => ({ actor: text(), byMs: uint() }),
      "set-clock": () => ({ actor: text(), toMs: orNull(uint), speedE3: orNull(uint) }),
      "set-asset": () => this.#asset(),
      "set-spot-market": () => this.#market(),
      "set-spot-market-state": () => ({
        actor: text(),
        symbol: text(),
        state: pick(MARKET_STATES),
      }),
      "register-user": () => ({
        actor: text(),
        uid: orNull(uint),
        inviteCode: text(),
        invitedWith: orNull(text),
        kyc: flag(),
      }),
      "update-user": () => ({
        actor: text(),
        uid: uint(),
        kyc: orNull(flag),
        state: orNull(() => pick(USER_STATES)),
        selfTradePrevention: orNull(() => pick(SELF_TRADE_PREVENTIONS)),
      }),
      "set-fee-rates": () => this.#feeRates(),
      "set-api-key": () => this.#key(),
      "revoke-api-key": () => ({ actor: text(), apiKey: text() }),
      "set-operator": () => ({ ...this.#operator(), tokenHash: orNull(text) }),
      "remove-operator": () => ({ actor: text(), name: text() }),
      ...this.#approvalCommands(),
      "deposit-funds": () => ({ ...this.#movement(), uid: uint(), wallet: wallet() }),
      "withdraw-funds": () => ({ ...this.#movement(), uid: uint(), wallet: wallet() }),
      "transfer-funds": () => ({ ...this.#movement(), uid: uint(), from: wallet(), to: wallet() }),
      "deposit-insurance": () => this.#movement(),
      "withdraw-insurance": () => this.#movement(),
      ...randomContractCommands(this.#bound()),
      ...randomAffiliateCommands(this.#bound()),
      ...randomWithdrawalCommands(this.#bound()),
      ...randomWebhookCommands(this.#bound()),
    };
  }

  #approvalCommands() {
    const { text, uint, pick, orNull } = this.#bound();
    const types = ["deposit-funds", "set-operator", "set-approval-rule"] as const;
    const graves = ["set-spot-market-state", "update-user", "revoke-api-key"] as const;
    return {
      "set-approval-rule": () => ({
        actor: text(),
        action: pick(APPROVAL_ACTIONS),
        asset: text(),
        above: orNull(text),
      }),
      propose: () => ({
        actor: text(),
        proposer: text(),
        command: this.command(pick(types)) as ProposedCommand,
      }),
      "do-for-reason": () => ({
        reason: text(),
        command: this.command(pick(graves)) as GraveCommand,
      }),
      "decide-proposal": () => ({
        actor: text(),
        decider: text(),
        proposalId: uint(),
        decision: pick(DECISIONS),
        note: text(),
      }),
    };
  }

  #approvalEvents() {
    const { text, uint, pick, orNull } = this.#bound();
    return {
      "approval-rule-set": () => ({
        actor: text(),
        action: pick(APPROVAL_ACTIONS),
        asset: text(),
        above: orNull(text),
      }),
      "reason-given": () => ({ reason: text() }),
      "proposal-changed": () => ({
        actor: text(),
        proposalId: uint(),
        proposer: text(),
        state: pick(PROPOSAL_STATES),
        action: pick(APPROVAL_ACTIONS),
        what: text(),
        note: text(),
      }),
    };
  }

  #additionCommands() {
    const { text, uint, pick, orNull } = this.#bound();
    const changes = ["amend-spot-order", "close-positions", "set-dead-man-switch"] as const;
    return {
      "do-once": () => ({
        requestId: text(),
        command: this.command(pick(changes)) as UserChange,
      }),
      "place-recorded-order": () => ({
        uid: uint(),
        symbol: text(),
        side: pick(SIDES),
        timeInForce: pick(TIMES_IN_FORCE),
        price: text(),
        quantity: text(),
        clientOrderId: text(),
      }),
      "execute-recorded-order": () => ({
        uid: uint(),
        makerUid: uint(),
        symbol: text(),
        side: pick(SIDES),
        price: text(),
        quantity: text(),
        makerOrderId: text(),
        clientOrderId: text(),
      }),
      "reduce-recorded-order": () => ({
        uid: uint(),
        symbol: text(),
        clientOrderId: text(),
        quantity: text(),
      }),
      "amend-spot-order": () => ({
        uid: uint(),
        symbol: orNull(text),
        orderId: orNull(uint),
        clientOrderId: orNull(text),
        price: orNull(text),
        quantity: orNull(text),
      }),
      "set-dead-man-switch": () => ({
        uid: uint(),
        product: pick(PRODUCTS),
        symbol: orNull(text),
        countdownMs: uint(),
      }),
    };
  }

  #additionEvents() {
    const { uint, flag } = this.#bound();
    return {
      "spot-order-amended": () => ({
        ...this.#order(),
        keptPriority: flag(),
        createdMs: uint(),
      }),
      "dead-man-switch-set": () => ({
        ...this.#switchScope(),
        countdownMs: uint(),
        firesAtMs: uint(),
      }),
      "dead-man-switch-fired": () => ({ ...this.#switchScope(), isHeld: flag() }),
    };
  }

  #switchScope() {
    const { text, uint, pick, orNull } = this.#bound();
    return { uid: uint(), product: pick(PRODUCTS), symbol: orNull(text) };
  }

  #order() {
    const { text, uint, big, pick } = this.#bound();
    return {
      orderId: uint(),
      uid: uint(),
      symbol: text(),
      clientOrderId: text(),
      side: pick(SIDES),
      timeInForce: pick(TIMES_IN_FORCE),
      priceTicks: uint(),
      quantityLots: uint(),
      filledLots: uint(),
      filledQuoteMinor: big(),
    };
  }

  #trade() {
    const { text, uint, big, pick } = this.#bound();
    return {
      tradeId: uint(),
      symbol: text(),
      takerSide: pick(SIDES),
      priceTicks: uint(),
      quantityLots: uint(),
      baseMinor: big(),
      quoteMinor: big(),
      makerOrderId: uint(),
      takerOrderId: uint(),
      makerUid: uint(),
      takerUid: uint(),
      makerFeeMinor: big(),
      takerFeeMinor: big(),
      buyerBaseEquityMinor: big(),
      buyerQuoteEquityMinor: big(),
      sellerBaseEquityMinor: big(),
      sellerQuoteEquityMinor: big(),
    };
  }

  #operator() {
    const { text, uint, pick, orNull } = this.#bound();
    return {
      actor: text(),
      name: text(),
      role: pick(OPERATOR_ROLES),
      expiresAtMs: orNull(uint),
    };
  }

  #eventMakers(): Makers<EventType, Event> {
    const { text, uint, big, flag, pick, orNull } = this.#bound();
    return {
      "command-applied": () => ({ sequence: uint(), timestampMs: uint() }),
      "rules-adopted": () => ({ version: uint() }),
      "clock-advanced": () => ({ actor: text(), byMs: uint() }),
      "clock-set": () => ({ actor: text(), timeMs: uint(), speedE3: uint() }),
      "asset-set": () => this.#asset(),
      "spot-market-set": () => this.#market(),
      "spot-market-state-set": () => ({
        actor: text(),
        symbol: text(),
        state: pick(MARKET_STATES),
      }),
      "user-registered": () => ({
        actor: text(),
        uid: uint(),
        inviteCode: text(),
        inviterUid: orNull(uint),
        kyc: flag(),
      }),
      "user-updated": () => ({
        actor: text(),
        uid: uint(),
        kyc: flag(),
        state: pick(USER_STATES),
        selfTradePrevention: pick(SELF_TRADE_PREVENTIONS),
      }),
      "fee-rates-set": () => this.#feeRates(),
      "api-key-set": () => this.#key(),
      "api-key-revoked": () => ({ actor: text(), apiKey: text(), uid: uint() }),
      ...this.#approvalEvents(),
      "operator-set": () => ({ ...this.#operator(), hasNewToken: flag() }),
      "operator-removed": () => ({ actor: text(), name: text() }),
      "funds-moved": () => ({
        actor: text(),
        requestId: text(),
        uid: uint(),
        asset: text(),
        amountMinor: big(),
        from: orNull(() => pick(WALLETS)),
        to: orNull(() => pick(WALLETS)),
        spotEquityMinor: big(),
        contractEquityMinor: big(),
      }),
      "insurance-moved": () => ({
        actor: text(),
        requestId: text(),
        asset: text(),
        deltaMinor: big(),
        balanceMinor: big(),
      }),
      "spot-order-opened": () => this.#order(),
      "spot-trade": () => this.#trade(),
      "spot-order-ended": () => ({
        ...this.#order(),
        orderType: pick(ORDER_TYPES),
        quoteAmountMinor: big(),
        status: pick(ORDER_STATUSES),
        reason: pick(END_REASONS),
        createdMs: uint(),
      }),
      ...this.#additionEvents(),
      ...randomContractEvents(this.#bound()),
      ...randomAffiliateEvents(this.#bound()),
      ...randomWithdrawalEvents(this.#bound()),
      ...randomWebhookEvents(this.#bound()),
    };
  }
}
