/** The trade tape: the latest trades over REST, then the stream. */
import type {
  ContractClient,
  SpotClient,
  StreamTrade,
  Subscription,
} from "../../../client/index.ts";
import { LiveValue } from "../../data/live-value.ts";
import { ThrottledDrawing } from "../dom/throttled-drawing.ts";
import type { TradeMarket } from "../market.tsx";
import { TapeRenderer } from "./tape-renderer.ts";
import { TapeTrades } from "./tape-trades.ts";

/** Trades shown and kept. */
const TRADES_MAX = 60;

export interface TapePhase {
  readonly name: "loading" | "live" | "empty" | "failed";
  readonly error: Error | null;
}

export interface LiveTapeOptions {
  readonly host: HTMLElement;
  readonly market: TradeMarket;
  readonly api: Pick<SpotClient | ContractClient, "trades">;
  readonly onPick: (price: string) => void;
}

export class LiveTape {
  readonly phase = new LiveValue<TapePhase>({ name: "loading", error: null });
  readonly #trades = new TapeTrades(TRADES_MAX);
  readonly #renderer: TapeRenderer;
  readonly #subscription: Subscription<StreamTrade>;
  readonly #options: LiveTapeOptions;
  readonly #closing = new AbortController();
  readonly #stopState: () => void;
  readonly #drawing = new ThrottledDrawing(() => this.#draw());

  constructor(options: LiveTapeOptions) {
    const { rules, streams } = options.market;
    this.#options = options;
    this.#renderer = new TapeRenderer(options.host, {
      ...rules,
      rows: TRADES_MAX,
      onPick: options.onPick,
    });
    this.#subscription = streams.trades(rules.symbol);
    this.#subscription.listen((trade) => {
      this.#trades.push(trade);
      this.#drawing.soon();
    });
    this.#stopState = streams.onState(({ resumed }) => {
      if (resumed) this.refresh();
    });
    // From then on the stream has every trade, and one request has those before it.
    this.#subscription.ready.then(this.refresh, (error: Error) => this.#fail(error));
  }

  /** Fetches the latest trades over REST. */
  readonly refresh = (): void => {
    const { market, api } = this.#options;
    const { signal } = this.#closing;
    const query = { symbol: market.rules.symbol, limit: TRADES_MAX };
    api.trades(query, { signal }).then(
      (trades) => {
        if (signal.aborted) return;
        this.#trades.merge(trades);
        this.#drawing.soon();
      },
      (error: Error) => this.#fail(error),
    );
  };

  close(): void {
    this.#closing.abort();
    this.#stopState();
    this.#subscription.close();
    this.#drawing.cancel();
    this.#renderer.close();
  }

  #fail(error: Error): void {
    if (this.#closing.signal.aborted || this.phase.get().name === "live") return;
    this.phase.set({ name: "failed", error });
  }

  #draw(): void {
    const { newestFirst } = this.#trades;
    this.#renderer.draw(newestFirst);
    const name = newestFirst.length === 0 ? "empty" : "live";
    if (this.phase.get().name !== name) this.phase.set({ name, error: null });
  }
}
