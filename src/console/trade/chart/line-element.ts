/** One line of the chart as elements: the line, its label with buttons, its price on the axis. */
import { groupDecimal } from "../../decimals/format.ts";
import type { ChartLine } from "../chart-line.ts";
import styles from "./lines.module.css";

export interface LineLook {
  readonly canMove: boolean;
  readonly canCancel: boolean;
  /** As text of the axis. */
  readonly price: string;
}

/** How far the label and the price on the axis give way to others, in pixels. */
const IN_PLACE = { aside: 0, nudge: 0 };

export type LinePart = "grip" | "exit" | "cancel";

export class LineElement {
  /** A question about it is open. */
  isAsked = false;
  readonly #root = make("div", styles.line);
  readonly #label = make("div", styles.label);
  readonly #grip = make("button", styles.grip);
  readonly #exit = make("button", styles.exit);
  readonly #cancel = make("button", styles.cancel);
  readonly #tag = make("span", styles.tag);
  #line: ChartLine | null = null;
  #look: LineLook | null = null;
  #movedTo: string | null = null;
  #written = "";
  #placed = "";
  #width = 0;

  constructor(host: HTMLElement) {
    for (const button of [this.#grip, this.#exit, this.#cancel]) button.type = "button";
    this.#exit.append(textOf("TP/SL"));
    this.#cancel.append(textOf("×"));
    this.#label.append(this.#grip, this.#exit, this.#cancel);
    this.#root.append(this.#label, this.#tag);
    this.#root.hidden = true;
    host.append(this.#root);
  }

  get line(): ChartLine {
    return this.#line as ChartLine;
  }

  /** Where it is now, also while it is moved. */
  get price(): string {
    return this.#movedTo ?? this.line.price;
  }

  get isMoved(): boolean {
    return this.#movedTo !== null;
  }

  get isHidden(): boolean {
    return this.#root.hidden !== false;
  }

  get labelWidth(): number {
    return this.#width;
  }

  show(line: ChartLine, look: LineLook): void {
    this.#line = line;
    this.#look = look;
    if (!this.isMoved) this.#write(look.price);
  }

  /** Null puts it back. */
  moveTo(price: string | null, text = ""): void {
    this.#movedTo = price;
    if (price === null) this.isAsked = false;
    this.#write(price === null ? (this.#look?.price ?? "") : text);
  }

  /** Null hides it: its price is not in view. */
  place(y: number | null, width: number, { aside, nudge } = IN_PLACE): void {
    const placed = `${y === null ? "" : Math.round(y)} ${width} ${aside} ${nudge}`;
    if (placed === this.#placed) return;
    this.#placed = placed;
    this.#root.hidden = y === null;
    if (y === null) return;
    this.#root.style.transform = `translateY(${Math.round(y)}px)`;
    this.#root.style.setProperty("--plot", `${width}px`);
    this.#label.style.setProperty("--aside", `${aside}px`);
    this.#tag.style.setProperty("--nudge", `${nudge}px`);
    this.#width ||= this.#label.offsetWidth;
  }

  hide(): void {
    this.place(null, 0);
  }

  remove(): void {
    this.#root.remove();
  }

  contains(target: Node): boolean {
    return this.#root.contains(target);
  }

  partOf(target: EventTarget | null): LinePart | undefined {
    if (!(target instanceof Node)) return;
    if (this.#cancel.contains(target)) return "cancel";
    if (this.#exit.contains(target)) return "exit";
    return this.#grip.contains(target) ? "grip" : undefined;
  }

  #write(price: string): void {
    const { line } = this;
    const { canMove = false, canCancel = false } = this.#look ?? {};
    const written = `${line.label} ${price} ${line.tone} ${canMove} ${canCancel} ${this.isMoved}`;
    if (written === this.#written) return;
    this.#written = written;
    this.#root.dataset.tone = line.tone;
    this.#root.dataset.kind = line.kind;
    this.#root.toggleAttribute("data-moved", this.isMoved);
    this.#grip.replaceChildren(textOf(line.label));
    this.#grip.disabled = !canMove;
    const at = this.isMoved
      ? `${price}, moved from ${groupDecimal(line.price)}: Enter confirms, Escape puts it back`
      : price;
    this.#grip.setAttribute("aria-label", `${line.label} at ${at}`);
    this.#cancel.hidden = !canCancel;
    this.#cancel.setAttribute("aria-label", `Cancel ${line.label} at ${price}`);
    this.#exit.hidden = line.kind !== "entry";
    this.#exit.setAttribute("aria-label", `TP/SL (take-profit or stop-loss) of ${line.label}`);
    this.#tag.textContent = price;
    this.#width = this.#root.hidden ? 0 : this.#label.offsetWidth;
  }
}

function make<Name extends "div" | "button" | "span">(
  name: Name,
  className: string | undefined,
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name);
  element.className = className ?? "";
  return element;
}

/** On a phone the button is larger than what is seen of it. */
function textOf(text: string): HTMLSpanElement {
  const span = make("span", styles.face);
  span.textContent = text;
  return span;
}
