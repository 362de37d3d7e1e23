/** Replays a recording through the operator API over the real engine, without a socket. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { NODE_PLATFORM } from "../../src/platform/index.ts";
import {
  type AppliedMessages,
  findTapeFiles,
  type QueueRule,
  Replayer,
  type ReplaySummary,
  type ReplayTarget,
  type TapeFormat,
} from "../../src/tapes/index.ts";
import { OperatorFixture } from "./operator-fixture.ts";

const RULES = { tickSize: "0.01", stepSize: "1", minTradeAmount: "5", minNotional: "10" };
export const SYMBOL = "AAPLUSDT";
const MARKET = { symbol: SYMBOL, ...RULES };

export interface ReplayChoice {
  readonly format?: TapeFormat | null;
  readonly queue?: QueueRule;
  readonly expect?: string | null;
  readonly tapeTime?: boolean;
  /** Runs after so many messages. */
  readonly at?: ReadonlyMap<number, () => Promise<void>>;
}

export class TapeFixture {
  readonly operator = new OperatorFixture();
  readonly folder = mkdtempSync(join(tmpdir(), "rialto-tapes-"));

  static async open(): Promise<TapeFixture> {
    const fixture = new TapeFixture();
    const put = (path: string, body: object) =>
      fixture.operator.call("PUT", `/operator/v1/${path}`, body);
    await put("assets/AAPL", { coinId: 1, name: "Apple", scale: 4 });
    await put("assets/USDT", { coinId: 2, name: "Tether", scale: 6 });
    const assets = { baseAsset: "AAPL", quoteAsset: "USDT" };
    await put(`markets/spot/${SYMBOL}`, { ...assets, ...RULES, maxOpenOrders: 2 });
    return fixture;
  }

  /** Writes lines to a file, and returns its path. */
  write(name: string, lines: readonly string[] | Buffer): string {
    const path = join(this.folder, name);
    writeFileSync(path, lines instanceof Buffer ? lines : `${lines.join("\n")}\n`);
    return path;
  }

  async replay(paths: readonly string[], choice: ReplayChoice = {}): Promise<ReplaySummary> {
    const { format = null, expect = null, queue = "pessimistic", tapeTime = false, at } = choice;
    const stops = [...(at ?? [])];
    const replayer = new Replayer({
      target: this.#target(),
      files: await findTapeFiles(paths, format),
      market: MARKET,
      queue,
      pace:
        at === undefined
          ? { kind: "fast" }
          : {
              kind: "step",
              next: async (done) => {
                while (stops[0] !== undefined && stops[0][0] <= done) await stops.shift()?.[1]();
                return stops[0] === undefined ? Number.POSITIVE_INFINITY : stops[0][0] - done;
              },
            },
      tapeTime,
      expect,
      platform: NODE_PLATFORM,
      onProgress: () => undefined,
      isInterrupted: () => false,
    });
    return await replayer.run();
  }

  #target(): ReplayTarget {
    const { operator } = this;
    const path = "/operator/v1/sandbox";
    let uid = 0;
    return {
      async begin(base, quote) {
        const body = { symbol: SYMBOL, base, quote };
        ({ uid } = await operator.call<{ uid: number }>("POST", `${path}/replays`, body));
      },
      apply: (messages, levels) =>
        operator.call<AppliedMessages>("POST", `${path}/replays/${uid}/messages`, {
          messages,
          ...(levels === null ? {} : { levels }),
        }),
      end: () => operator.call("DELETE", `${path}/replays/${uid}`),
      clock: () => operator.call("GET", `${path}/clock`),
      async setClock({ speed, run, setMs }) {
        const stopped = run === null ? { freeze: true } : { run };
        const pace = speed === 0 ? stopped : { speed };
        await operator.call("POST", `${path}/clock`, {
          ...pace,
          ...(setMs === undefined ? {} : { setMs }),
        });
      },
    };
  }

  async close(): Promise<void> {
    await this.operator.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Users have ids below those of replays. */
const FIRST_REPLAY_UID = 9_000_000_000_000;
const UID = 7;

/** A user whose orders rest in a recorded market, and what was filled of them. */
export class TestersFills {
  readonly #operator: OperatorFixture;
  #orders = 0;
  #counted = 0;

  private constructor(operator: OperatorFixture) {
    this.#operator = operator;
  }

  static async begin({ operator }: TapeFixture): Promise<TestersFills> {
    const call = (path: string, body: object) =>
      operator.call("POST", `/operator/v1/${path}`, body);
    await call("users", { uid: UID });
    for (const asset of ["AAPL", "USDT"]) {
      const body = { id: asset, account: "spot", asset, amount: "100000000" };
      await call(`users/${UID}/deposits`, body);
    }
    return new TestersFills(operator);
  }

  async place(side: "BUY" | "SELL", price: string, quantity: string): Promise<void> {
    this.#orders++;
    const { client } = this.#operator.exchange;
    const placed = await client.execute({
      type: "place-spot-order",
      uid: UID,
      symbol: SYMBOL,
      side,
      orderType: "LIMIT",
      timeInForce: "GTC",
      price,
      quantity,
      quantityUnit: "base",
      clientOrderId: `tester-${this.#orders}`,
    });
    assert.ok(placed.ok, JSON.stringify(placed));
  }

  /** Filled since it was asked last. */
  takeLots(): number {
    const { events } = this.#operator.exchange;
    let lots = 0;
    for (const event of events.slice(this.#counted)) {
      if (event.type !== "spot-trade") continue;
      const isTester = Math.min(event.makerUid, event.takerUid) < FIRST_REPLAY_UID;
      if (isTester) lots += event.quantityLots;
    }
    this.#counted = events.length;
    return lots;
  }
}
