/** An engine with one contract market, and positions with spread liquidation prices. */

import { sha256Hex } from "../src/app/event-digest.ts";
import { Engine } from "../src/engine/engine.ts";
import { RULES_VERSION } from "../src/engine/index.ts";
import {
  ByteWriter,
  type Command,
  type CommandOf,
  type EngineQuery,
} from "../src/protocol/index.ts";

const SYMBOL = "BTCUSDT";
const ACTOR = "bench";
export const MAKER_UID = 1;
const FIRST_HOLDER_UID = 2;
/** Midnight UTC, so that funding slots are eight hours apart from here. */
const START_MS = 1_767_225_600_000;
export const SLOT_MS = 8 * 3_600_000;
export const MID_TICKS = 600_000;
/** Leverages of the isolated positions: liquidation prices from 9.4 % to 0.4 % away. */
const LEVERAGES = { least: 10, most: 100 } as const;

const MARKET: CommandOf<"set-contract-market"> = {
  type: "set-contract-market",
  actor: ACTOR,
  symbol: SYMBOL,
  baseAsset: "BTC",
  quoteAsset: "USDT",
  marginAsset: "USDT",
  tickSize: "0.1",
  stepSize: "0.001",
  pricePrecision: 1,
  quantityPrecision: 3,
  contractVal: "0.001",
  minOrderSize: "0.001",
  maxOrderSize: "1000000",
  maxPositionSize: "1000000",
  marketOpenLimitSize: "1000000",
  minLeverage: 1,
  maxLeverage: 100,
  defaultLeverage: 20,
  buyLimitPriceRatio: "0.5",
  sellLimitPriceRatio: "0.5",
  makerFeeRate: "0.0002",
  takerFeeRate: "0.0008",
  liquidateFeeRate: "0.01",
  interestRate: "0.0001",
  fundingInnerClamp: "0.0005",
  fundingRateCap: "0.0075",
  fundingBufferRate: "0.001",
  impactNotional: "10000",
  ...{ insuranceSlippage: "0.002", insuranceDrawLimit: null, indexStepLimit: "0.1" },
  fundingIntervalMinutes: 480,
  indexStaleMs: 86_400_000,
  maxOpenOrders: 100_000,
  tiers: [{ maxNotional: "1000000000000", maintenanceMarginRate: "0.005", maxLeverage: 100 }],
  state: "trading",
};

function priceText(ticks: number): string {
  return `${Math.floor(ticks / 10)}.${ticks % 10}`;
}

function* userCommands(uid: number, amount: string): Generator<Command> {
  const inviteCode = `C${uid}`;
  yield { type: "register-user", actor: ACTOR, uid, inviteCode, invitedWith: null, kyc: true };
  yield {
    type: "deposit-funds",
    actor: ACTOR,
    requestId: "first",
    uid,
    wallet: "contract",
    asset: "USDT",
    amount,
  };
}

/** The contract with its index, for an engine that has the assets. */
export function* contractCommands(): Generator<Command> {
  yield MARKET;
  yield indexCommand(MID_TICKS);
}

function* listingCommands(): Generator<Command> {
  yield { type: "adopt-rules", version: RULES_VERSION };
  yield { type: "set-asset", actor: ACTOR, asset: "BTC", coinId: 1, name: "Bitcoin", scale: 8 };
  yield { type: "set-asset", actor: ACTOR, asset: "USDT", coinId: 2, name: "Tether", scale: 8 };
  yield* contractCommands();
  yield* userCommands(MAKER_UID, "10000000000");
}

export function indexCommand(ticks: number): CommandOf<"set-index-price"> {
  return {
    type: "set-index-price",
    actor: ACTOR,
    symbol: SYMBOL,
    price: priceText(ticks),
    force: true,
  };
}

interface OrderTerms {
  readonly uid: number;
  readonly opensLong: boolean;
  readonly ticks: number;
  readonly quantity: string;
  readonly clientOrderId: string;
}

export function openingOrder(terms: OrderTerms): CommandOf<"place-contract-order"> {
  const { uid, opensLong, ticks, quantity, clientOrderId } = terms;
  return {
    type: "place-contract-order",
    uid,
    symbol: SYMBOL,
    side: opensLong ? "BUY" : "SELL",
    positionSide: opensLong ? "LONG" : "SHORT",
    orderType: "LIMIT",
    timeInForce: "GTC",
    price: priceText(ticks),
    quantity,
    clientOrderId,
    tpTriggerPrice: null,
    slTriggerPrice: null,
    tpWorkingType: "CONTRACT_PRICE",
    slWorkingType: "CONTRACT_PRICE",
  };
}

/** An engine that applies commands and discards their events; cascades are run to their end. */
export class ContractEngine {
  readonly engine = Engine.create(sha256Hex, { high: 0x243f6a88, low: 0x85a308d3 });
  readonly #events = new ByteWriter(1 << 20);
  #sequence = 0;
  #nowMs = START_MS;
  accepted = 0;
  #orders = 0;
  /** No command may be rejected during setup. */
  #isStrict = true;

  constructor() {
    for (const command of listingCommands()) this.apply(command);
  }

  get nowMs(): number {
    return this.#nowMs;
  }

  apply(command: Command): void {
    this.#applyOne(command);
    while (this.engine.hasUnfinishedRisk) this.#applyOne({ type: "continue-risk" });
  }

  /** Everything due until then happens, as when the sequencer's clock reached it. */
  advanceTo(nowMs: number): void {
    this.#nowMs = nowMs;
    while (this.engine.nextDueMs <= nowMs) this.apply({ type: "advance-time", toMs: nowMs });
  }

  nextClientOrderId(): string {
    this.#orders++;
    return `bench-${this.#orders}`;
  }

  /** This many holders, alternately LONG and SHORT, each against the maker, at one price. */
  openPositions(count: number, marginType: "ISOLATED" | "CROSSED"): void {
    this.#isStrict = true;
    for (let i = 0; i < count; i++) {
      const uid = FIRST_HOLDER_UID + i;
      const leverage = LEVERAGES.least + (i % (LEVERAGES.most - LEVERAGES.least + 1));
      const isIsolated = marginType === "ISOLATED";
      // A cross account is as far from liquidation as an isolated position with this leverage.
      const amount = isIsolated ? "1000" : (60 / leverage + 0.06).toFixed(4);
      for (const command of userCommands(uid, amount)) this.apply(command);
      const settings = { uid, symbol: SYMBOL } as const;
      this.apply({ type: "set-margin-type", ...settings, marginType, separatedType: null });
      this.apply({
        type: "set-leverage",
        ...settings,
        marginType: null,
        crossLeverage: 100,
        isolatedLongLeverage: leverage,
        isolatedShortLeverage: leverage,
      });
      const opensLong = i % 2 === 0;
      const terms = { ticks: MID_TICKS, quantity: "0.001" };
      for (const [holder, isLong] of [
        [MAKER_UID, !opensLong],
        [uid, opensLong],
      ] as const) {
        const clientOrderId = this.nextClientOrderId();
        this.apply(openingOrder({ ...terms, uid: holder, opensLong: isLong, clientOrderId }));
      }
    }
    this.#isStrict = false;
  }

  /** Number of open positions, including the maker's. */
  positionCount(): number {
    return (this.#ask({ type: "status" }) as { positions: number }).positions;
  }

  markPrice(): string {
    const prices = this.#ask({ type: "contract-prices", symbol: SYMBOL });
    return (prices as [{ markPrice: string }])[0].markPrice;
  }

  #ask(query: EngineQuery): unknown {
    const answer = this.engine.query(query, this.#nowMs);
    if (!answer.ok) throw new Error(`${query.type} was not answered`);
    return answer.value;
  }

  #applyOne(command: Command): void {
    if (this.#events.length > 1 << 19) this.#events.clear();
    const before = this.#events.length;
    const result = this.engine.apply(command, this.#sequence + 1, this.#nowMs, this.#events);
    if (this.#events.length > before) this.#sequence++;
    if (result.ok) this.accepted++;
    else if (this.#isStrict) throw new Error(`${command.type}: ${JSON.stringify(result)}`);
  }
}
