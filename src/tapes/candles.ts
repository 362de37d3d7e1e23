/**
 * Candles as ccxt returns them: `timestamp, open, high, low, close, volume`. Each is four trades
 * within its interval: open, the extreme on the way, the other one, close; of a quarter of the
 * volume each.
 */
import { Columns, RisingTime, readTimeMs } from "./columns.ts";
import type { MarketGrid } from "./market-grid.ts";
import { addNeeds, type TapeNeeds, type TapeReader, type TapeStep } from "./tape.ts";
import { TapeError } from "./tape-error.ts";

const COLUMNS = {
  timestamp: ["timestamp", "time", "datetime", "date", "open_time"],
  open: ["open"],
  high: ["high"],
  low: ["low"],
  close: ["close"],
  volume: ["volume"],
} as const;

/** Parts of a candle, and of its volume and its time. */
const PARTS = 4;
/** Volumes of public exchanges have fewer. */
const VOLUME = /^\d{1,18}(\.\d{1,18})?$/;

export class CandleReader implements TapeReader {
  readonly needs: TapeNeeds = { baseLots: 0n, quoteTickLots: 0n };
  readonly #columns = new Columns(COLUMNS, ["timestamp", "open", "high", "low", "close", "volume"]);
  readonly #grid: MarketGrid;
  readonly #time = new RisingTime();
  #lastMs: number | null = null;
  #intervalMs: number | null = null;

  constructor(grid: MarketGrid) {
    this.#grid = grid;
  }

  read(text: string, line: number, steps: TapeStep[]): void {
    const cells = this.#columns.read(text);
    if (cells === null) return;
    const { timestamp = "" } = cells;
    const timeMs = readTimeMs(timestamp);
    this.#time.check(timeMs, timestamp);
    this.#checkInterval(timeMs, timestamp);
    const price = (name: "open" | "high" | "low" | "close") =>
      this.#grid.price(cells[name] ?? "", name);
    const candle = {
      timeMs,
      open: price("open"),
      high: price("high"),
      low: price("low"),
      close: price("close"),
      lots: this.#lots(cells.volume ?? ""),
    };
    if (candle.high < Math.max(candle.open, candle.close)) {
      throw new TapeError("high", `${cells.high} is below open or close`);
    }
    if (candle.low > Math.min(candle.open, candle.close)) {
      throw new TapeError("low", `${cells.low} is above open or close`);
    }
    this.#addTrades(candle, line, steps);
  }

  #checkInterval(timeMs: number, text: string): void {
    const lastMs = this.#lastMs;
    this.#lastMs = timeMs;
    if (lastMs === null) return;
    const intervalMs = timeMs - lastMs;
    if (intervalMs === 0) throw new TapeError("timestamp", `${text} is there twice`);
    this.#intervalMs ??= intervalMs;
    // Months differ; all else is a gap, or rows of another file.
    if (intervalMs === this.#intervalMs || intervalMs > 27 * 86_400_000) return;
    const expected = lastMs + this.#intervalMs;
    throw new TapeError("timestamp", `a gap: ${expected} expected, ${text} found`);
  }

  /** Rounded down: sums of trades have more decimals than the market's step. */
  #lots(text: string): number {
    if (!VOLUME.test(text)) throw new TapeError("volume", `"${text}" is not a volume`);
    const { scale, step } = this.#grid.step;
    const [whole = "", fraction = ""] = text.split(".");
    const units = BigInt(whole + fraction.padEnd(scale, "0").slice(0, scale));
    const lots = units / BigInt(step);
    if (lots > BigInt(Number.MAX_SAFE_INTEGER))
      throw new TapeError("volume", `${text} is too much`);
    return Number(lots);
  }

  #addTrades(candle: Candle, line: number, steps: TapeStep[]): void {
    const { timeMs, open, high, low, close, lots } = candle;
    const path = close >= open ? [open, low, high, close] : [open, high, low, close];
    const partMs = Math.floor((this.#intervalMs ?? PARTS) / PARTS);
    let before = open;
    for (const [i, ticks] of path.entries()) {
      const share = Math.floor(lots / PARTS) + (i < lots % PARTS ? 1 : 0);
      const side = ticks > before || (ticks === before && close >= open) ? "BUY" : "SELL";
      before = ticks;
      if (share === 0) continue;
      addNeeds(this.needs, ticks, share);
      const terms = {
        price: this.#grid.priceText(ticks),
        quantity: this.#grid.quantityText(share),
      };
      const messages = [{ kind: "trade", side, ...terms }] as const;
      steps.push({ timeMs: timeMs + i * partMs, messages, isUnknown: false, line });
    }
  }
}

interface Candle {
  readonly timeMs: number;
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
  readonly lots: number;
}
