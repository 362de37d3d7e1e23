/**
 * The user's lines over the chart, as elements: they can be dragged, moved with arrow keys, and
 * cancelled. Places change with each drawing of the chart; only what changed is written.
 */
import { groupDecimal } from "../../decimals/format.ts";
import {
  type ChartLine,
  type EntryLine,
  isCancellable,
  isMovable,
  type MovableLine,
} from "../chart-line.ts";
import type { CandleChart } from "./candle-chart.ts";
import { LineElement } from "./line-element.ts";

export interface LineEvents {
  /** Dropped at another price. */
  readonly onMove: (line: MovableLine, price: string) => void;
  readonly onCancel: (line: MovableLine) => void;
  /** Its handle was dropped at a price; null where it was only pressed. */
  readonly onExit: (line: EntryLine, price: string | null) => void;
}

/** Less than this is a press, not a drag. */
const DRAG_PX = 4;
const LABEL_HEIGHT = 24;
const TAG_HEIGHT = 19;
const STEPS = { ArrowUp: 1, ArrowDown: -1, PageUp: 10, PageDown: -10 } as const;

interface Drag {
  readonly element: LineElement;
  readonly isExit: boolean;
  readonly startY: number;
  hasMoved: boolean;
}

export class LineLayer {
  readonly #host: HTMLElement;
  readonly #chart: CandleChart;
  readonly #events: LineEvents;
  readonly #tickSize: number;
  readonly #decimals: number;
  readonly #elements = new Map<string, LineElement>();
  readonly #ghost: LineElement;
  #drag: Drag | null = null;

  constructor(
    host: HTMLElement,
    chart: CandleChart,
    rules: { readonly tickSize: string; readonly priceDecimals: number },
    events: LineEvents,
  ) {
    this.#host = host;
    this.#chart = chart;
    this.#events = events;
    this.#tickSize = Number(rules.tickSize);
    this.#decimals = rules.priceDecimals;
    this.#ghost = new LineElement(host);
    host.addEventListener("pointerdown", this.#onDown);
    host.addEventListener("pointermove", this.#onPointer);
    host.addEventListener("pointerup", this.#onUp);
    host.addEventListener("pointercancel", this.#onLost);
    host.addEventListener("click", this.#onClick);
    host.addEventListener("keydown", this.#onKey);
    host.addEventListener("focusout", this.#onLeave);
  }

  show(lines: readonly ChartLine[]): void {
    const ids = new Set(lines.map(({ id }) => id));
    for (const [id, element] of this.#elements) {
      if (ids.has(id)) continue;
      element.remove();
      this.#elements.delete(id);
    }
    for (const line of lines) {
      const element = this.#elements.get(line.id) ?? new LineElement(this.#host);
      this.#elements.set(line.id, element);
      element.show(line, {
        canMove: isMovable(line),
        canCancel: isCancellable(line),
        price: this.#text(line.price),
      });
    }
    this.place();
  }

  /** Puts every line where its price is now. */
  readonly place = (): void => {
    const { width, height } = this.#chart.plot;
    const shown = [...this.#elements.values()].map((element) => ({
      element,
      y: this.#chart.yOf(Number(element.price)),
    }));
    shown.sort((one, other) => one.y - other.y);
    let lastY = Number.NEGATIVE_INFINITY;
    let lastTag = Number.NEGATIVE_INFINITY;
    let aside = 0;
    const presentY = this.#chart.presentY;
    for (const { element, y } of shown) {
      const isInside = y >= 0 && y <= height;
      // Labels that would cover each other stand side by side.
      aside = y - lastY < LABEL_HEIGHT ? aside : 0;
      // The price on the axis leaves the last price to be read, and the one above it.
      const nudge = isInside ? this.#nudge(y, lastTag, presentY) : 0;
      element.place(isInside ? y : null, width, { aside, nudge });
      if (!isInside) continue;
      aside += element.labelWidth + 4;
      lastY = y;
      lastTag = y + nudge;
    }
  };

  #nudge(y: number, tagAbove: number, presentY: number): number {
    let place = y;
    if (Math.abs(place - presentY) < TAG_HEIGHT) {
      place = y < presentY ? presentY - TAG_HEIGHT : presentY + TAG_HEIGHT;
    }
    if (place - tagAbove < TAG_HEIGHT) place = tagAbove + TAG_HEIGHT;
    if (Math.abs(place - presentY) < TAG_HEIGHT) place = presentY + TAG_HEIGHT;
    return Math.round(place - y);
  }

  /** Puts a line that was moved back to its price. */
  reset(id: string): void {
    this.#elements.get(id)?.moveTo(null);
    this.#ghost.hide();
    this.place();
  }

  close(): void {
    for (const element of this.#elements.values()) element.remove();
    this.#ghost.remove();
    this.#host.removeEventListener("pointerdown", this.#onDown);
    this.#host.removeEventListener("pointermove", this.#onPointer);
    this.#host.removeEventListener("pointerup", this.#onUp);
    this.#host.removeEventListener("pointercancel", this.#onLost);
    this.#host.removeEventListener("click", this.#onClick);
    this.#host.removeEventListener("keydown", this.#onKey);
    this.#host.removeEventListener("focusout", this.#onLeave);
  }

  #text(price: string): string {
    return groupDecimal(price, this.#decimals);
  }

  #elementOf(target: EventTarget | null): LineElement | null {
    if (!(target instanceof Node)) return null;
    for (const element of this.#elements.values()) if (element.contains(target)) return element;
    return null;
  }

  readonly #onDown = (event: PointerEvent): void => {
    const element = this.#elementOf(event.target);
    const part = element?.partOf(event.target);
    if (element === null || event.button !== 0 || part === undefined || part === "cancel") return;
    if (part === "grip" && !isMovable(element.line)) return;
    (event.target as HTMLElement).setPointerCapture(event.pointerId);
    this.#drag = {
      element,
      isExit: part === "exit",
      startY: event.clientY,
      hasMoved: false,
    };
  };

  readonly #onPointer = (event: PointerEvent): void => {
    const drag = this.#drag;
    if (drag === null) return;
    if (!drag.hasMoved && Math.abs(event.clientY - drag.startY) < DRAG_PX) return;
    drag.hasMoved = true;
    const price = this.#priceAt(event.clientY);
    if (price === null) return;
    if (drag.isExit) this.#showGhost(drag.element, price);
    else drag.element.moveTo(price, this.#text(price));
    this.place();
  };

  readonly #onUp = (event: PointerEvent): void => {
    const drag = this.#drag;
    this.#drag = null;
    if (drag?.hasMoved !== true) return;
    const price = this.#priceAt(event.clientY);
    const { line } = drag.element;
    if (price === null) this.reset(line.id);
    else if (line.kind === "entry") this.#events.onExit(line, price);
    else if (isMovable(line)) this.#drop(drag.element, line, price);
  };

  readonly #onLost = (): void => {
    const drag = this.#drag;
    this.#drag = null;
    if (drag !== null) this.reset(drag.element.line.id);
  };

  readonly #onClick = (event: MouseEvent): void => {
    const element = this.#elementOf(event.target);
    if (element === null) return;
    const part = element.partOf(event.target);
    const { line } = element;
    if (part === "cancel" && isCancellable(line)) this.#events.onCancel(line);
    // A drag ends with a click as well.
    if (line.kind === "entry" && part === "exit" && this.#ghost.isHidden) {
      this.#events.onExit(line, null);
    }
  };

  /** Arrows move by a tick, Page keys by ten; Enter asks, Escape puts back. */
  readonly #onKey = (event: KeyboardEvent): void => {
    const element = this.#elementOf(event.target);
    if (element === null || element.partOf(event.target) !== "grip") return;
    const { line } = element;
    if (!isMovable(line)) return;
    const step = STEPS[event.key as keyof typeof STEPS];
    if (step !== undefined) {
      const price = Number(element.price) + step * this.#tickSize;
      if (price > 0) element.moveTo(this.#cut(price), this.#text(this.#cut(price)));
      this.place();
    } else if (event.key === "Enter" && element.isMoved) this.#drop(element, line, element.price);
    else if (event.key === "Escape") this.reset(line.id);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  /** A line that was moved with keys and left is put back, unless the question is open. */
  readonly #onLeave = ({ target }: FocusEvent): void => {
    const element = this.#elementOf(target);
    if (element?.isMoved === true && !element.isAsked && this.#drag === null) {
      this.reset(element.line.id);
    }
  };

  #drop(element: LineElement, line: MovableLine, price: string): void {
    if (Number(price) === Number(line.price)) {
      this.reset(line.id);
      return;
    }
    element.isAsked = true;
    this.#events.onMove(line, price);
  }

  #showGhost({ line }: LineElement, price: string): void {
    const label = "Take-profit / stop-loss";
    const ghost = { ...line, label, price };
    this.#ghost.show(ghost, { canMove: false, canCancel: false, price: this.#text(price) });
    this.#ghost.place(this.#chart.yOf(Number(price)), this.#chart.plot.width);
  }

  #priceAt(clientY: number): string | null {
    const y = clientY - this.#host.getBoundingClientRect().top;
    const { height } = this.#chart.plot;
    const price = this.#chart.priceAt(Math.max(0, Math.min(height, y)));
    return price === null ? null : this.#cut(Number(price));
  }

  /** On the tick. */
  #cut(price: number): string {
    return (Math.round(price / this.#tickSize) * this.#tickSize).toFixed(this.#decimals);
  }
}
