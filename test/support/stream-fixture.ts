/**
 * The real engine with streams behind it, in one process and without sockets: a spot and a contract
 * market of the same name, and users with funds in both wallets.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { invariant } from "../../src/domain/index.ts";
import { RULES_VERSION } from "../../src/engine/index.ts";
import { NODE_PLATFORM } from "../../src/platform/index.ts";
import { type Command, type SpotDepthView, submitAll } from "../../src/protocol/index.ts";
import { EventRouter, type Subscriber, type Topic } from "../../src/streams/index.ts";
import { DirectExchange } from "./direct-exchange.ts";
import { BTC_CONTRACT, BTC_SPOT } from "./listings.ts";
import type { StreamMessage } from "./stream-client.ts";

export const { symbol: SYMBOL } = BTC_SPOT;
const ACTOR = "operator";

const SPOT_MARKET: Command = {
  type: "set-spot-market",
  actor: ACTOR,
  ...BTC_SPOT,
  takerFeeRate: "0.002",
  buyLimitPriceRatio: "100",
  sellLimitPriceRatio: "0.9999",
};

const CONTRACT_MARKET: Command = {
  type: "set-contract-market",
  actor: ACTOR,
  ...BTC_CONTRACT,
  buyLimitPriceRatio: "0.5",
  sellLimitPriceRatio: "0.5",
  takerFeeRate: "0.0005",
  fundingRateCap: "0.003",
  fundingBufferRate: "0.1",
  indexStaleMs: 86_400_000,
  maxOpenOrders: 100_000,
  tiers: [{ maxNotional: "1000000000", maintenanceMarginRate: "0.005", maxLeverage: 100 }],
};

const TURNS = 30;

/**
 * Lets everything happen that is on its way, without counting on the clock: however slow the
 * machine is, each turn runs what is due.
 */
export async function settle(): Promise<void> {
  for (let turns = 0; turns < TURNS; turns++) await sleep(1);
}

export class StreamFixture {
  readonly exchange = new DirectExchange();
  readonly router: EventRouter;
  #ids = 0;

  constructor() {
    const ports = {
      engine: this.exchange.client,
      history: this.exchange.history,
      clock: { exchangeMs: () => this.exchange.wallMs, monotonicMs: () => performance.now() },
      scheduler: NODE_PLATFORM.scheduler,
      periodMs: 0,
      activity: { count: 0 },
      delayMs: () => 0,
      onFatal: (error: Error) => {
        throw error;
      },
    };
    this.router = new EventRouter(ports, () => undefined);
    this.exchange.onEvents = (chunk) => this.router.publish(chunk);
    this.router.wake();
  }

  static async open(): Promise<StreamFixture> {
    const fixture = new StreamFixture();
    await fixture.must({ type: "adopt-rules", version: RULES_VERSION });
    for (const [asset, coinId] of [
      ["BTC", 1],
      ["USDT", 2],
    ] as const) {
      await fixture.must({ type: "set-asset", actor: ACTOR, asset, coinId, name: asset, scale: 8 });
    }
    await fixture.must(SPOT_MARKET);
    await fixture.must(CONTRACT_MARKET);
    const index = {
      type: "set-index-price",
      actor: ACTOR,
      symbol: SYMBOL,
      price: "1000",
      force: true,
    } as const;
    await fixture.must(index);
    invariant(await fixture.router.ready(), "the markets are listed");
    return fixture;
  }

  async user(): Promise<number> {
    this.#ids++;
    const uid = 1000 + this.#ids;
    await this.must({
      type: "register-user",
      actor: ACTOR,
      uid,
      inviteCode: `INVITE${this.#ids}`,
      invitedWith: null,
      kyc: false,
    });
    for (const [wallet, asset] of [
      ["spot", "BTC"],
      ["spot", "USDT"],
      ["contract", "USDT"],
    ] as const) {
      const requestId = `${uid}-${wallet}-${asset}`;
      const funds = { actor: ACTOR, requestId, uid, wallet, asset, amount: "100000000" };
      await this.must({ type: "deposit-funds", ...funds });
    }
    return uid;
  }

  /** Null when the command was refused, else what it answered. */
  async execute(command: Command): Promise<unknown> {
    const [answer] = await submitAll(this.exchange, [{ kind: "command", command }]);
    invariant(answer !== undefined && "result" in answer, "the exchange is there");
    return answer.result.ok ? answer.result.value : null;
  }

  async must(command: Command): Promise<void> {
    const answer = await submitAll(this.exchange, [{ kind: "command", command }]);
    const [first] = answer;
    invariant(first !== undefined && "result" in first, "the exchange is there");
    invariant(first.result.ok, `${command.type}: ${JSON.stringify(first.result)}`);
  }

  /** Executes, and looks at the book directly behind it. */
  async bookAfter(command: Command, product: "spot" | "contract"): Promise<SpotDepthView> {
    const [, answer] = await submitAll(this.exchange, [
      { kind: "command", command },
      { kind: "query", query: { type: `${product}-depth`, symbol: SYMBOL, levels: 200 } },
    ]);
    invariant(answer !== undefined && "result" in answer && answer.result.ok, "a book is there");
    return answer.result.value as SpotDepthView;
  }
}

/** A subscriber that reads everything at once. */
export class Listener implements Subscriber {
  readonly messages: StreamMessage[] = [];
  onMessage: (message: StreamMessage) => void = (message) => this.messages.push(message);

  deliver(_topic: Topic, frame: Buffer): void {
    this.onMessage(JSON.parse(frame.toString("utf8")) as StreamMessage);
  }

  /** Of all messages. */
  get entries(): readonly Readonly<Record<string, unknown>>[] {
    return this.messages.flatMap(({ d }) => d as Readonly<Record<string, unknown>>[]);
  }
}
