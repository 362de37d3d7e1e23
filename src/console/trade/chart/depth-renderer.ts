/** Draws a depth chart on a canvas: bids left, asks right, and the level under the pointer. */
import { themeColor } from "../../shell/theme.tsx";
import {
  type DepthPoint,
  type DepthRange,
  depthRange,
  reachedAt,
  roundStep,
} from "./depth-curve.ts";

const AXIS_HEIGHT = 22;
const AXIS_LABELS = 5;
const LABEL_WIDTH = 110;
const TOP = 12;

export interface DepthData {
  readonly bids: readonly DepthPoint[];
  readonly asks: readonly DepthPoint[];
  /** CSS pixels from the left edge; null without a pointer. */
  readonly pointerX: number | null;
  readonly priceDecimals: number;
}

/** Maps prices and sums to canvas coordinates. */
class Frame {
  readonly width: number;
  readonly height: number;
  readonly #range: DepthRange;

  constructor(canvas: HTMLCanvasElement, range: DepthRange) {
    this.width = canvas.clientWidth;
    this.height = canvas.clientHeight - AXIS_HEIGHT;
    this.#range = range;
  }

  x(price: number): number {
    const { middle, half } = this.#range;
    return ((price - middle + half) / (2 * half)) * this.width;
  }

  price(x: number): number {
    const { middle, half } = this.#range;
    return middle - half + (x / this.width) * 2 * half;
  }

  y(sum: number): number {
    return this.height - (sum / this.#range.most) * (this.height - TOP);
  }
}

export class DepthRenderer {
  readonly #canvas: HTMLCanvasElement;

  constructor(canvas: HTMLCanvasElement) {
    this.#canvas = canvas;
  }

  /** Resizes the canvas to its element. */
  fit(): void {
    const { clientWidth, clientHeight } = this.#canvas;
    this.#canvas.width = Math.round(clientWidth * devicePixelRatio);
    this.#canvas.height = Math.round(clientHeight * devicePixelRatio);
  }

  /** Returns the level under the pointer. */
  draw(depth: DepthData): ReturnType<typeof reachedAt> {
    const { bids, asks, pointerX } = depth;
    const context = this.#canvas.getContext("2d");
    const range = depthRange(bids, asks);
    if (context === null) return undefined;
    context.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0);
    context.clearRect(0, 0, this.#canvas.clientWidth, this.#canvas.clientHeight);
    if (range === null || this.#canvas.clientWidth === 0) return undefined;
    const frame = new Frame(this.#canvas, range);
    context.font = `11px ${themeColor("--sans")}`;
    drawSums(context, frame, range);
    drawSide(context, frame, bids, "--buy");
    drawSide(context, frame, asks, "--sell");
    drawPrices(context, frame, depth.priceDecimals);
    if (pointerX === null) return undefined;
    const reached = reachedAt(bids, asks, frame.price(pointerX));
    if (reached !== undefined) drawPointer(context, frame, pointerX, reached);
    return reached;
  }
}

function drawSide(
  context: CanvasRenderingContext2D,
  frame: Frame,
  points: readonly DepthPoint[],
  color: "--buy" | "--sell",
): void {
  const edge = color === "--buy" ? 0 : frame.width;
  const [first] = points;
  if (first === undefined) return;
  context.beginPath();
  let y = frame.height;
  context.moveTo(frame.x(first.x), y);
  for (const point of points) {
    context.lineTo(frame.x(point.x), y);
    y = frame.y(point.y);
    context.lineTo(frame.x(point.x), y);
  }
  context.lineTo(edge, y);
  context.strokeStyle = themeColor(color);
  context.lineWidth = 1.5;
  context.stroke();
  context.lineTo(edge, frame.height);
  context.closePath();
  context.fillStyle = themeColor(`${color}-soft`);
  context.fill();
}

function drawSums(context: CanvasRenderingContext2D, frame: Frame, { most }: DepthRange): void {
  const step = roundStep(most / 3);
  context.textAlign = "right";
  context.textBaseline = "bottom";
  context.lineWidth = 1;
  for (let sum = step; sum <= most; sum += step) {
    const y = Math.round(frame.y(sum)) + 0.5;
    context.strokeStyle = themeColor("--line");
    context.beginPath();
    context.moveTo(0, y);
    context.lineTo(frame.width, y);
    context.stroke();
    context.fillStyle = themeColor("--text-dim");
    context.fillText(Number(sum.toPrecision(6)).toLocaleString("en"), frame.width - 4, y - 1);
  }
}

function drawPrices(context: CanvasRenderingContext2D, frame: Frame, decimals: number): void {
  const count = Math.max(2, Math.min(AXIS_LABELS, Math.floor(frame.width / LABEL_WIDTH)));
  context.fillStyle = themeColor("--text-dim");
  context.textBaseline = "middle";
  for (let i = 0; i < count; i++) {
    const x = (i / (count - 1)) * frame.width;
    const price = frame.price(x);
    const text = price.toLocaleString("en", {
      minimumFractionDigits: decimals,
      maximumFractionDigits: decimals,
    });
    context.textAlign = i === 0 ? "left" : i === count - 1 ? "right" : "center";
    const inset = i === 0 ? 4 : i === count - 1 ? -4 : 0;
    context.fillText(text, x + inset, frame.height + AXIS_HEIGHT / 2);
  }
}

function drawPointer(
  context: CanvasRenderingContext2D,
  frame: Frame,
  x: number,
  { side, point }: NonNullable<ReturnType<typeof reachedAt>>,
): void {
  context.strokeStyle = themeColor("--line-strong");
  context.setLineDash([4, 4]);
  context.beginPath();
  context.moveTo(x, 0);
  context.lineTo(x, frame.height);
  context.stroke();
  context.setLineDash([]);
  context.fillStyle = themeColor(side === "bids" ? "--buy" : "--sell");
  context.beginPath();
  context.arc(x, frame.y(point.y), 4, 0, 2 * Math.PI);
  context.fill();
}
