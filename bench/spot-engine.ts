/** An engine with one market and funded users, and a seeded stream of commands for it. */
import assert from "node:assert/strict";
import { sha256Hex } from "../src/app/event-digest.ts";
import { Engine } from "../src/engine/engine.ts";
import { RULES_VERSION } from "../src/engine/index.ts";
import { ByteWriter, type Command, type CommandOf } from "../src/protocol/index.ts";

const SYMBOL = "BTCUSDT";
const ACTOR = "bench";
const USERS = 1_000;
const START_MS = 1_700_000_000_000;
/** Price levels on each side over which resting orders are spread. */
const LEVELS = 2_000;
const MID_TICKS = 5_000_000;
const HASH_KEY = { high: 0x243f6a88, low: 0x85a308d3 };

/** The commands that list the market and fund the users. */
export function* setUpCommands(users = USERS): Generator<Command> {
  yield { type: "adopt-rules", version: RULES_VERSION };
  yield { type: "set-asset", actor: ACTOR, asset: "BTC", coinId: 1, name: "Bitcoin", scale: 8 };
  yield { type: "set-asset", actor: ACTOR, asset: "USDT", coinId: 2, name: "Tether", scale: 8 };
  yield {
    type: "set-spot-market",
    actor: ACTOR,
    symbol: SYMBOL,
    baseAsset: "BTC",
    quoteAsset: "USDT",
    tickSize: "0.01",
    stepSize: "0.00001",
    minTradeAmount: "0.00001",
    maxTradeAmount: "1000",
    minNotional: "1",
    makerFeeRate: "0.001",
    takerFeeRate: "0.001",
    buyLimitPriceRatio: "0.5",
    sellLimitPriceRatio: "0.5",
    maxOpenOrders: 100_000,
    state: "trading",
  };
  for (let uid = 1; uid <= users; uid++) {
    const inviteCode = `B${uid}`;
    yield { type: "register-user", actor: ACTOR, uid, inviteCode, invitedWith: null, kyc: true };
    for (const [asset, amount] of [
      ["USDT", "10000000000"],
      ["BTC", "10000000"],
    ] as const) {
      const requestId = asset;
      const wallet = "spot" as const;
      yield { type: "deposit-funds", actor: ACTOR, requestId, uid, wallet, asset, amount };
    }
  }
}

/** The fields of a resting order that are kept until it is cancelled. */
interface Resting {
  readonly uid: number;
  readonly id: number;
}

/** Resting orders, trading orders and cancels, at a constant depth of the book. */
export class OrderFlow {
  readonly #resting: Resting[] = [];
  #state: number;
  #orders = 0;

  constructor(seed: number) {
    this.#state = seed;
  }

  #random(): number {
    this.#state = (Math.imul(this.#state, 1_664_525) + 1_013_904_223) >>> 0;
    return this.#state / 4_294_967_296;
  }

  /** An order priced away from the other side. */
  resting(): Command {
    const distance = 1 + Math.floor(this.#random() * LEVELS);
    const order = this.#place(distance);
    this.#resting.push({ uid: order.uid, id: this.#orders - 1 });
    return order;
  }

  /** One of ten orders trades at once; the others rest, and as many resting ones are cancelled. */
  next(): Command {
    const kind = this.#random();
    if (kind < 0.1) return this.#place(-20);
    if (kind < 0.55 || this.#resting.length === 0) return this.resting();
    const index = Math.floor(this.#random() * this.#resting.length);
    const { uid, id } = this.#resting[index] as Resting;
    const last = this.#resting.pop() as Resting;
    if (index < this.#resting.length) this.#resting[index] = last;
    // Created again, as a decoder would: a command kept since its order was placed would be far
    // away in memory, and the engine's time would include fetching it.
    const clientOrderId = clientOrderIdOf(id);
    return { type: "cancel-spot-order", uid, symbol: SYMBOL, orderId: null, clientOrderId };
  }

  #place(distanceTicks: number): CommandOf<"place-spot-order"> {
    const buys = this.#random() < 0.5;
    const ticks = MID_TICKS + (buys ? -distanceTicks : distanceTicks);
    const id = this.#orders++;
    return {
      type: "place-spot-order",
      uid: 1 + Math.floor(this.#random() * USERS),
      symbol: SYMBOL,
      side: buys ? "BUY" : "SELL",
      orderType: "LIMIT",
      timeInForce: "GTC",
      price: `${Math.floor(ticks / 100)}.${String(ticks % 100).padStart(2, "0")}`,
      quantity: `0.0${1 + Math.floor(this.#random() * 9)}`,
      quantityUnit: "base",
      clientOrderId: clientOrderIdOf(id),
    };
  }
}

function clientOrderIdOf(id: number): string {
  return `bench-${id}`;
}

/** An engine that applies commands and discards their events. */
export class FedEngine {
  readonly engine = Engine.create(sha256Hex, HASH_KEY);
  readonly #events = new ByteWriter(1 << 20);
  #sequence = 0;
  accepted = 0;

  /** Further commands list what else the exchange trades. */
  constructor(further: Iterable<Command> = []) {
    for (const command of setUpCommands()) this.apply(command);
    const accepted = this.accepted;
    const all = [...further];
    for (const command of all) this.apply(command);
    assert.equal(this.accepted - accepted, all.length);
  }

  apply(command: Command): void {
    if (this.#events.length > 1 << 19) this.#events.clear();
    const before = this.#events.length;
    const nowMs = START_MS + Math.floor(this.#sequence / 100);
    const result = this.engine.apply(command, this.#sequence + 1, nowMs, this.#events);
    if (this.#events.length > before) this.#sequence++;
    if (result.ok) this.accepted++;
  }
}
