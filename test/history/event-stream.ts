/**
 * Random event streams: what an engine might have said, made directly, so that the read side is
 * tested alone and over more shapes than an engine would reach. Time stands still, walks, and leaps
 * by months.
 */
import {
  END_REASONS,
  type MarketState,
  OPERATOR_ROLES,
  ORDER_STATUSES,
  ORDER_TYPES,
  SIDES,
  type Side,
  TIMES_IN_FORCE,
} from "../../src/domain/index.ts";
import { ByteWriter, type Event, type EventOf, writeEvent } from "../../src/protocol/index.ts";
import { type Random, seededRandom } from "../support/random.ts";
import { AffiliateEvents } from "./affiliate-events.ts";
import { ContractEvents } from "./contract-events.ts";
import { ASSETS, MARKETS, USERS } from "./listed.ts";
import { WebhookEvents } from "./webhook-events.ts";
import { WithdrawalEvents } from "./withdrawal-events.ts";

/** One command's events, without the record that leads them. */
export interface AppliedCommand {
  readonly sequence: number;
  readonly timestampMs: number;
  readonly events: readonly Event[];
}

/** Few, so that client order ids repeat. */
export const CLIENT_ORDER_IDS = ["a", "b", "c-1", "c-2", "#4"] as const;
const LEAPS_MS = [61_000, 3_600_000, 90_000_000, 700_000_000, 3_000_000_000];

const webhookRandom = seededRandom("webhook events");

export class EventStream {
  readonly #random: Random;
  #sequence = 0;
  #timestampMs = Date.UTC(2026, 0, 29, 23, 58);
  #lastTradeId = 0;
  /** The first ids are those of orders before the stream. */
  #lastOrderId = 10;
  #lastRequest = 0;
  readonly #waiting: Event[][];
  readonly #contracts: ContractEvents;
  readonly #affiliates: AffiliateEvents;
  readonly #withdrawals: WithdrawalEvents;
  readonly #webhooks = new WebhookEvents(webhookRandom);

  constructor(random: Random) {
    this.#random = random;
    this.#contracts = new ContractEvents(random);
    this.#affiliates = new AffiliateEvents(random);
    this.#withdrawals = new WithdrawalEvents(random);
    this.#waiting = [
      ...ASSETS.map(({ asset, scale }) => [this.#assetSet(asset, scale)]),
      ...MARKETS.map(({ symbol }) => [this.#marketSet(symbol)]),
      ...this.#contracts.listings(),
      ...this.#affiliates.registrations(),
    ];
  }

  next(): AppliedCommand {
    const random = this.#random;
    const lastMs = this.#timestampMs;
    if (random.chance(0.5)) this.#timestampMs += random.integer(1, 20_000);
    if (random.chance(0.02)) this.#timestampMs += random.pick(LEAPS_MS);
    const happened = this.#waiting.shift() ?? this.#command(lastMs);
    const events = happened.flatMap((event) => [
      event,
      ...this.#reasonFor(event),
      ...this.#affiliates.behind(event),
    ]);
    const sequence = ++this.#sequence;
    events.push(...this.#webhooks.besides(sequence));
    return { sequence, timestampMs: this.#timestampMs, events };
  }

  #reasonFor({ type }: Event): Event[] {
    const isGrave = type === "spot-market-state-set" || type === "user-updated";
    if (!isGrave || this.#random.chance(0.3)) return [];
    return [{ type: "reason-given", reason: 'an "upgrade" ü' }];
  }

  take(count: number): AppliedCommand[] {
    return Array.from({ length: count }, () => this.next());
  }

  #command(lastMs: number): Event[] {
    const random = this.#random;
    if (random.chance(0.1)) return this.#affiliates.command();
    if (random.chance(0.08)) return this.#withdrawals.command(this.#timestampMs);
    if (random.chance(0.45)) return this.#contracts.command(lastMs, this.#timestampMs);
    const kind = random.next();
    if (kind < 0.6) {
      const count = random.integer(1, 4);
      const events: Event[] = Array.from({ length: count }, () => this.#trade());
      for (let i = random.integer(0, 3); i > 0; i--) events.push(this.#ended());
      return events;
    }
    if (kind < 0.75) return [this.#ended()];
    if (kind < 0.8) return [this.#opened()];
    if (kind < 0.93) return [this.#moved()];
    if (kind < 0.95) return [this.#insurance()];
    return [this.#acted()];
  }

  #trade(): Event {
    const random = this.#random;
    const { symbol } = random.pick(MARKETS);
    const takerSide = random.pick(SIDES);
    const makerOrderId = this.#orderIdOf(symbol, takerSide === "BUY" ? "SELL" : "BUY");
    const takerOrderId = this.#orderIdOf(symbol, takerSide);
    return {
      type: "spot-trade",
      tradeId: ++this.#lastTradeId,
      symbol,
      takerSide,
      priceTicks: random.integer(1, 200_000),
      quantityLots: random.integer(1, 5_000),
      baseMinor: BigInt(random.integer(1, 1_000_000_000)),
      quoteMinor: BigInt(random.integer(1, 1_000_000_000)) * 1_000_003n,
      makerOrderId,
      takerOrderId,
      makerUid: userOf(makerOrderId),
      takerUid: userOf(takerOrderId),
      makerFeeMinor: BigInt(random.integer(0, 1_000)),
      takerFeeMinor: BigInt(random.integer(0, 1_000)),
      buyerBaseEquityMinor: this.#equity(),
      buyerQuoteEquityMinor: this.#equity(),
      sellerBaseEquityMinor: this.#equity(),
      sellerQuoteEquityMinor: this.#equity(),
    };
  }

  #equity(): bigint {
    return BigInt(this.#random.integer(0, 2 ** 40)) << BigInt(this.#random.integer(0, 55));
  }

  /** One of the last orders of a market's side, so that an order has several fills. */
  #orderIdOf(symbol: string, side: Side): number {
    if (this.#random.chance(0.3)) this.#lastOrderId++;
    let orderId = this.#lastOrderId + 2;
    while (symbolOf(orderId) !== symbol || sideOf(orderId) !== side) orderId--;
    this.#lastOrderId = Math.max(this.#lastOrderId, orderId);
    return orderId;
  }

  #opened(): Event {
    const random = this.#random;
    const orderId = ++this.#lastOrderId;
    return {
      type: "spot-order-opened",
      orderId,
      uid: userOf(orderId),
      symbol: symbolOf(orderId),
      clientOrderId: random.pick(CLIENT_ORDER_IDS),
      side: sideOf(orderId),
      timeInForce: "GTC",
      priceTicks: random.integer(1, 1_000),
      quantityLots: random.integer(1, 1_000),
      filledLots: 0,
      filledQuoteMinor: 0n,
    };
  }

  #ended(): Event {
    const random = this.#random;
    const byQuoteAmount = random.chance(0.2);
    const orderId = ++this.#lastOrderId;
    return {
      type: "spot-order-ended",
      orderId,
      uid: userOf(orderId),
      symbol: symbolOf(orderId),
      clientOrderId: random.pick(CLIENT_ORDER_IDS),
      side: sideOf(orderId),
      orderType: random.pick(ORDER_TYPES),
      timeInForce: random.pick(TIMES_IN_FORCE),
      priceTicks: byQuoteAmount ? 0 : random.integer(1, 100_000),
      quantityLots: byQuoteAmount ? 0 : random.integer(1, 100_000),
      quoteAmountMinor: byQuoteAmount ? BigInt(random.integer(1, 10_000_000)) : 0n,
      filledLots: random.integer(0, 100_000),
      filledQuoteMinor: BigInt(random.integer(0, 1_000_000_000)),
      status: random.pick(ORDER_STATUSES),
      reason: random.pick(END_REASONS),
      createdMs: this.#timestampMs,
    };
  }

  #moved(): Event {
    const random = this.#random;
    const [from, to] = random.pick([
      [null, "spot"],
      [null, "contract"],
      ["spot", null],
      ["contract", null],
      ["spot", "contract"],
      ["contract", "spot"],
    ] as const);
    return {
      type: "funds-moved",
      actor: from !== null && to !== null && random.chance(0.5) ? "" : "operator",
      requestId: `r${++this.#lastRequest}`,
      uid: random.pick(USERS),
      asset: random.pick(ASSETS).asset,
      amountMinor: BigInt(random.integer(1, 1_000_000_000)),
      from,
      to,
      spotEquityMinor: this.#equity(),
      contractEquityMinor: this.#equity(),
    };
  }

  #insurance(): Event {
    const random = this.#random;
    const deltaMinor = BigInt(random.integer(1, 1_000_000));
    return {
      type: "insurance-moved",
      actor: "operator",
      requestId: `r${++this.#lastRequest}`,
      asset: random.pick(ASSETS).asset,
      deltaMinor: random.chance(0.5) ? deltaMinor : -deltaMinor,
      balanceMinor: this.#equity(),
    };
  }

  #acted(): Event {
    const random = this.#random;
    const uid = random.pick(USERS);
    const { symbol } = random.pick(MARKETS);
    return random.pick<() => Event>([
      () => this.#marketSet(symbol),
      () => ({ type: "rules-adopted", version: 1 }),
      () => ({ type: "clock-advanced", actor: "operator", byMs: 5 }),
      () => ({ type: "clock-set", actor: "operator", timeMs: 5, speedE3: 60_000 }),
      () => this.#state(symbol, random.pick(["trading", "halted"] as const)),
      () => ({
        type: "user-updated",
        actor: "operator",
        uid,
        kyc: false,
        state: "frozen",
        selfTradePrevention: "EXPIRE_MAKER",
      }),
      () => ({
        type: "fee-rates-set",
        actor: "operator",
        uid,
        product: "spot",
        symbol: null,
        makerFeeRate: "0",
        takerFeeRate: "0.001",
      }),
      () => ({
        type: "api-key-set",
        actor: "operator",
        apiKey: "key-1",
        uid,
        label: 'quotes " and ü',
        permissions: ["read", "spot"],
        ipAllowList: ["10.0.0.0/8"],
        expiresAtMs: null,
      }),
      () => ({ type: "api-key-revoked", actor: "operator", apiKey: "key-1", uid }),
      () => ({
        type: "operator-set",
        actor: "operator",
        name: "ann",
        role: random.pick(OPERATOR_ROLES),
        hasNewToken: random.chance(0.5),
        expiresAtMs: random.chance(0.5) ? null : 5,
      }),
      () => ({ type: "operator-removed", actor: "operator", name: "ann" }),
      () => {
        const rule = { action: "deposits", asset: "USDT", above: "100" } as const;
        return { type: "approval-rule-set", actor: "operator", ...rule };
      },
      () => ({
        ...{ type: "proposal-changed", actor: "ann", proposalId: 3, proposer: "bob" },
        ...{ state: "approved", action: "operators", what: 'add "eve"', note: "" },
      }),
    ])();
  }

  #state(symbol: string, state: MarketState): Event {
    return { type: "spot-market-state-set", actor: "operator", symbol, state };
  }

  #assetSet(asset: string, scale: number): Event {
    return { type: "asset-set", actor: "operator", asset, coinId: 1, name: asset, scale };
  }

  /** Tick sizes change, steps stay: the stream has always some orders that one would ask about. */
  #marketSet(symbol: string): EventOf<"spot-market-set"> {
    const market = MARKETS.find((candidate) => candidate.symbol === symbol) ?? MARKETS[0];
    return {
      type: "spot-market-set",
      actor: "operator",
      symbol: market.symbol,
      baseAsset: market.base,
      quoteAsset: market.quote,
      tickSize: this.#random.pick<string>(market.ticks),
      stepSize: market.step,
      minTradeAmount: "1",
      maxTradeAmount: "1000",
      minNotional: "0",
      makerFeeRate: "0.001",
      takerFeeRate: "0.001",
      buyLimitPriceRatio: "0.1",
      sellLimitPriceRatio: "0.1",
      maxOpenOrders: 200,
      state: "trading",
    };
  }
}

function symbolOf(orderId: number): string {
  return MARKETS[orderId % MARKETS.length]?.symbol ?? "";
}

function sideOf(orderId: number): Side {
  return Math.floor(orderId / MARKETS.length) % 2 === 0 ? "BUY" : "SELL";
}

/** Orders that match are often of the same user. */
function userOf(orderId: number): number {
  return USERS[Math.floor(orderId / 7) % USERS.length] ?? 0;
}

/** The bytes that the sequencer would offer for these commands. */
export function encodeChunk(commands: readonly AppliedCommand[]): Uint8Array<ArrayBuffer> {
  const writer = new ByteWriter();
  for (const { sequence, timestampMs, events } of commands) {
    writeEvent(writer, { type: "command-applied", sequence, timestampMs });
    for (const event of events) writeEvent(writer, event);
  }
  return writer.toBytes();
}

/** Cuts commands into chunks of random size. */
export function cut(random: Random, commands: readonly AppliedCommand[]): AppliedCommand[][] {
  const chunks: AppliedCommand[][] = [];
  for (let at = 0; at < commands.length; ) {
    const size = random.integer(1, random.pick([1, 5, 200]));
    chunks.push(commands.slice(at, at + size));
    at += size;
  }
  return chunks;
}
