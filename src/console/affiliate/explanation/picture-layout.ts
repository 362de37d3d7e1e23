/**
 * Places the steps of an explanation and the arrows between them. The font is monospaced, so lines
 * are wrapped here and box heights are known.
 */
import type { Step } from "./explanation-steps.ts";

/** In pixels, as in `explanation-picture.module.css`. */
export const SIGN_WIDTH = 7.3;
const LINE_HEIGHT = 17;
const TITLE_HEIGHT = 22;
const PADDING = 10;
const GAP = 26;
/** Boxes go side by side if each has room for this many characters. */
const SIDE_SIGNS_MIN = 26;

export interface Box {
  readonly step: Step;
  /** Wrapped to fit. */
  readonly lines: readonly string[];
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface Arrow {
  readonly from: string;
  readonly to: string;
  /** Of an SVG path. */
  readonly path: string;
}

export interface Picture {
  readonly width: number;
  readonly height: number;
  readonly boxes: readonly Box[];
  readonly arrows: readonly Arrow[];
}

export function layOut(steps: readonly Step[], width: number): Picture {
  const half = Math.floor((width - GAP) / 2);
  const hasLanes = signsIn(half) >= SIDE_SIGNS_MIN;
  let left = 0;
  let right = 0;
  const boxes = steps.map((step): Box => {
    const lane = hasLanes ? step.lane : "both";
    const boxWidth = lane === "both" ? width : half;
    const lines = step.lines.flatMap((line) => brokenLine(line, signsIn(boxWidth)));
    const height = TITLE_HEIGHT + lines.length * LINE_HEIGHT + 2 * PADDING;
    const y = lane === "left" ? left : lane === "right" ? right : Math.max(left, right);
    if (lane !== "right") left = y + height + GAP;
    if (lane !== "left") right = y + height + GAP;
    return { step, lines, x: lane === "right" ? width - half : 0, y, width: boxWidth, height };
  });
  const height = Math.max(0, Math.max(left, right) - GAP);
  return { width, height, boxes, arrows: arrowsOf(boxes) };
}

function signsIn(boxWidth: number): number {
  return Math.max(1, Math.floor((boxWidth - 2 * PADDING) / SIGN_WIDTH));
}

/** Wraps at spaces if possible. */
export function brokenLine(line: string, signsMax: number): string[] {
  const lines: string[] = [];
  let rest = line;
  while (rest.length > signsMax) {
    const blank = rest.lastIndexOf(" ", signsMax);
    const at = blank > 0 ? blank : signsMax;
    lines.push(rest.slice(0, at));
    rest = rest.slice(at).trimStart();
  }
  return [...lines, rest];
}

/** Straight down, or sideways and down if the boxes are not aligned. */
function arrowsOf(boxes: readonly Box[]): Arrow[] {
  const byId = new Map(boxes.map((box) => [box.step.id, box]));
  return boxes.flatMap((box) =>
    box.step.after.flatMap((id) => {
      const before = byId.get(id);
      return before === undefined ? [] : [arrowBetween(before, box)];
    }),
  );
}

function arrowBetween(before: Box, box: Box): Arrow {
  const x = before.x + before.width / 2;
  const [fromY, toY] = [before.y + before.height, box.y];
  const targetX = x >= box.x && x <= box.x + box.width ? x : box.x + box.width / 2;
  const middle = (fromY + toY) / 2;
  const path =
    targetX === x ? `M${x} ${fromY}V${toY}` : `M${x} ${fromY}V${middle}H${targetX}V${toY}`;
  return { from: before.step.id, to: box.step.id, path };
}
