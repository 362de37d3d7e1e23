/** Price alerts, kept in this browser: told once when the last price gets there, then gone. */
import type { Product } from "../../domain/index.ts";
import { LiveValue } from "../data/live-value.ts";
import { compare, isAmount } from "../decimals/arithmetic.ts";

export interface PriceAlert {
  readonly id: string;
  readonly product: Product;
  readonly symbol: string;
  readonly price: string;
  /** The side from which the price comes; null before a first price was seen. */
  readonly from: "below" | "above" | null;
}

type Market = Pick<PriceAlert, "product" | "symbol">;
type Storage = Pick<globalThis.Storage, "getItem" | "setItem">;

export const ALERTS_MAX = 50;
export const ALERTS_KEY = "rialto.alerts";

export class PriceAlerts {
  readonly live: LiveValue<readonly PriceAlert[]>;
  readonly #storage: Storage;

  constructor(storage: Storage) {
    this.#storage = storage;
    this.live = new LiveValue(readAlerts(storage.getItem(ALERTS_KEY)));
  }

  /** `last` is the last price, null before the first. Throws with what to do instead. */
  add({ product, symbol }: Market, price: string, last: string | null): void {
    const alerts = this.live.get();
    if (alerts.length >= ALERTS_MAX) {
      throw new Error(`There are ${ALERTS_MAX} alerts already: remove one first.`);
    }
    const from = sideOf(price, last);
    const taken = new Set(alerts.map(({ id }) => id));
    let id = 1;
    while (taken.has(String(id))) id++;
    this.#write([...alerts, { id: String(id), product, symbol, price, from }]);
  }

  /** Throws like `add`. */
  move(id: string, price: string, last: string | null): void {
    const from = sideOf(price, last);
    this.#write(
      this.live.get().map((alert) => (alert.id === id ? { ...alert, price, from } : alert)),
    );
  }

  remove(id: string): void {
    this.#write(this.live.get().filter((alert) => alert.id !== id));
  }

  /** A price of a market: takes away the alerts that it reaches, and gives them. */
  reached({ product, symbol }: Market, price: string): readonly PriceAlert[] {
    const reached: PriceAlert[] = [];
    const rest: PriceAlert[] = [];
    let isChanged = false;
    for (const alert of this.live.get()) {
      const isHere = alert.product === product && alert.symbol === symbol;
      if (!isHere) {
        rest.push(alert);
        continue;
      }
      const side = compare(price, alert.price);
      const from = alert.from ?? (side < 0 ? "below" : "above");
      const isReached = side === 0 || (from === "below") === side > 0;
      isChanged ||= isReached || from !== alert.from;
      if (isReached) reached.push(alert);
      else rest.push(from === alert.from ? alert : { ...alert, from });
    }
    if (isChanged) this.#write(rest);
    return reached;
  }

  /** Another tab has changed them. */
  reload(): void {
    this.live.set(readAlerts(this.#storage.getItem(ALERTS_KEY)));
  }

  #write(alerts: readonly PriceAlert[]): void {
    this.live.set(alerts);
    try {
      this.#storage.setItem(ALERTS_KEY, JSON.stringify(alerts));
    } catch {
      // The browser's storage is full or refused: they last as long as the page.
    }
  }
}

function sideOf(price: string, last: string | null): PriceAlert["from"] {
  if (last === null) return null;
  const side = compare(last, price);
  if (side === 0) throw new Error("The last price is there now: choose another.");
  return side < 0 ? "below" : "above";
}

/** What is wrong in what is stored is left out. */
export function readAlerts(text: string | null): readonly PriceAlert[] {
  try {
    const stored: unknown = JSON.parse(text ?? "[]");
    return Array.isArray(stored) ? stored.slice(0, ALERTS_MAX).filter(isAlert) : [];
  } catch {
    return [];
  }
}

function isAlert(value: unknown): value is PriceAlert {
  if (typeof value !== "object" || value === null) return false;
  const { id, product, symbol, price, from } = value as Record<string, unknown>;
  return (
    typeof id === "string" &&
    (product === "spot" || product === "contract") &&
    typeof symbol === "string" &&
    typeof price === "string" &&
    isAmount(price) &&
    (from === "below" || from === "above" || from === null)
  );
}
