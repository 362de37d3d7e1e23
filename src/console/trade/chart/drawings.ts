/** What the user can draw on the chart, as tools, and what the library lacks of them. */
import type { OverlayTemplate } from "klinecharts";

export type Tool = "trend" | "ray" | "horizontal" | "rectangle" | "fibonacci" | "text";

export interface DrawingTool {
  readonly tool: Tool;
  readonly text: string;
  /** The name of the library's overlay. */
  readonly overlay: string;
  readonly points: number;
  /** Of an icon of 20 × 20. */
  readonly icon: string;
}

/** A point that can be dragged, as a part of an icon. */
const DOT = "a1.5 1.5 0 1 0 3 0 1.5 1.5 0 0 0-3 0";

export const DRAWING_TOOLS: readonly DrawingTool[] = [
  {
    tool: "trend",
    text: "Trend line",
    overlay: "segment",
    points: 2,
    icon: `M4.5 15.5 15.5 4.5M3 17${DOT}M14 3${DOT}`,
  },
  {
    tool: "ray",
    text: "Ray",
    overlay: "rayLine",
    points: 2,
    icon: `M4.5 15.5 18 2M3 17${DOT}M9 10${DOT}`,
  },
  {
    tool: "horizontal",
    text: "Horizontal line",
    overlay: "horizontalStraightLine",
    points: 1,
    icon: `M1 10h7M12 10h7M8.5 10${DOT}`,
  },
  {
    tool: "rectangle",
    text: "Rectangle",
    overlay: "rialtoRectangle",
    points: 2,
    icon: "M3 5h14v10H3z",
  },
  {
    tool: "fibonacci",
    text: "Fibonacci retracement",
    overlay: "fibonacciLine",
    points: 2,
    icon: "M2 3h16M2 8h16M2 12h16M2 17h16M5 17 15 3",
  },
  {
    tool: "text",
    text: "Text",
    overlay: "rialtoText",
    points: 1,
    icon: "M4 4h12M10 4v13M7.5 17h5",
  },
];

export interface Drawing {
  readonly id: string;
  readonly tool: Tool;
  readonly points: readonly { readonly time: number; readonly price: number }[];
  /** Of the tool "text". */
  readonly text: string;
}

/** All drawings, and nothing else, are in this group. */
export const DRAWINGS_GROUP = "drawings";

export function toolOf(tool: Tool): DrawingTool {
  return DRAWING_TOOLS.find((each) => each.tool === tool) as DrawingTool;
}

export function toolOfOverlay(overlay: string): DrawingTool | undefined {
  return DRAWING_TOOLS.find((each) => each.overlay === overlay);
}

export const RECTANGLE: OverlayTemplate = {
  name: "rialtoRectangle",
  totalStep: 3,
  needDefaultPointFigure: true,
  needDefaultXAxisFigure: true,
  needDefaultYAxisFigure: true,
  createPointFigures: ({ coordinates }) => {
    const [from, to] = coordinates;
    if (from === undefined || to === undefined) return [];
    const attrs = {
      x: Math.min(from.x, to.x),
      y: Math.min(from.y, to.y),
      width: Math.abs(to.x - from.x),
      height: Math.abs(to.y - from.y),
    };
    return [{ type: "rect", attrs, styles: { style: "stroke_fill" } }];
  },
};

export const TEXT: OverlayTemplate<unknown> = {
  name: "rialtoText",
  totalStep: 2,
  needDefaultPointFigure: true,
  createPointFigures: ({ coordinates, overlay }) => {
    const [at] = coordinates;
    if (at === undefined) return [];
    const text = typeof overlay.extendData === "string" ? overlay.extendData : "";
    return [{ type: "text", attrs: { x: at.x + 8, y: at.y, text, baseline: "middle" } }];
  },
};
