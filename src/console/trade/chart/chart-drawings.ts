/** The user's drawings on the chart: drawn, moved, removed, and told as data. */
import {
  type Chart,
  type Overlay,
  type OverlayCreate,
  registerIndicator,
  registerOverlay,
} from "klinecharts";
import { CANDLE_PANE } from "./chart-indicators.ts";
import {
  DRAWINGS_GROUP,
  type Drawing,
  RECTANGLE,
  TEXT,
  type Tool,
  toolOf,
  toolOfOverlay,
} from "./drawings.ts";
import { VWAP } from "./indicators.ts";

export interface DrawingEvents {
  /** Called with all drawings after each change by the user. */
  readonly onDrawings: (drawings: readonly Drawing[]) => void;
  /** The tool that is in use; null when it is finished. */
  readonly onTool: (tool: Tool | null) => void;
  /** A text was placed and has no words yet. */
  readonly onText: (id: string) => void;
}

// What the library lacks.
registerIndicator(VWAP);
registerOverlay(RECTANGLE);
registerOverlay(TEXT);
// Draws nothing: the library calls it whenever it draws the candles' pane.
registerOverlay({
  name: "rialtoDrawn",
  totalStep: 1,
  createPointFigures: ({ overlay: { extendData } }) => {
    if (typeof extendData === "function") extendData();
    return [];
  },
});

export class ChartDrawings {
  readonly #chart: Chart;
  readonly #events: DrawingEvents;
  #drawing: string | null = null;
  #selected: string | null = null;
  #isClosed = false;

  constructor(chart: Chart, events: DrawingEvents) {
    this.#chart = chart;
    this.#events = events;
  }

  get isDrawing(): boolean {
    return this.#drawing !== null;
  }

  /** Replaces everything, without telling. */
  show(drawings: readonly Drawing[]): void {
    const shown = this.#all().map(({ id }) => id);
    for (const id of shown) this.#silently(() => this.#chart.removeOverlay({ id }));
    for (const { id, tool, points, text } of drawings) {
      this.#chart.createOverlay({
        ...this.#template(tool),
        id,
        points: points.map(({ time, price }) => ({ timestamp: time, value: price })),
        extendData: text,
      });
    }
  }

  /** The next clicks on the chart set the points of a new drawing. */
  begin(tool: Tool): void {
    this.cancel();
    this.#events.onTool(tool);
    const id = `${tool}-${Date.now().toString(36)}`;
    this.#drawing = id;
    this.#chart.createOverlay({ ...this.#template(tool), id, extendData: "" });
  }

  /** Draws a horizontal line without clicks. */
  addHorizontal(price: number): void {
    const id = `horizontal-${Date.now().toString(36)}`;
    const list = this.#chart.getDataList();
    const points = [{ timestamp: list.at(-1)?.timestamp ?? 0, value: price }];
    this.#chart.createOverlay({ ...this.#template("horizontal"), id, points });
    this.#tell();
  }

  cancel(): void {
    if (this.#drawing === null) return;
    const id = this.#drawing;
    this.#drawing = null;
    this.#silently(() => this.#chart.removeOverlay({ id }));
    this.#events.onTool(null);
  }

  /** An empty text takes it away. */
  setText(id: string, text: string): void {
    if (text === "") this.#silently(() => this.#chart.removeOverlay({ id }));
    else this.#chart.overrideOverlay({ id, extendData: text });
    this.#tell();
  }

  clear(): void {
    this.cancel();
    this.#silently(() => this.#chart.removeOverlay({ groupId: DRAWINGS_GROUP }));
    this.#selected = null;
    this.#tell();
  }

  /** Escape ends what is being drawn, Delete removes what is selected. */
  press(key: string): boolean {
    if (key === "Escape" && this.isDrawing) {
      this.cancel();
      return true;
    }
    if ((key === "Delete" || key === "Backspace") && this.#selected !== null) {
      this.#chart.removeOverlay({ id: this.#selected });
      return true;
    }
    return false;
  }

  close(): void {
    this.#isClosed = true;
  }

  #template(tool: Tool): OverlayCreate {
    return {
      name: toolOf(tool).overlay,
      groupId: DRAWINGS_GROUP,
      paneId: CANDLE_PANE,
      onDrawEnd: ({ overlay }) => this.#end(overlay, tool),
      onPressedMoveEnd: () => this.#tell(),
      onSelected: ({ overlay: { id } }) => {
        this.#selected = id;
      },
      onDeselected: () => {
        this.#selected = null;
      },
      onDoubleClick: ({ overlay: { id } }) => {
        if (tool === "text") this.#events.onText(id);
      },
      onRemoved: ({ overlay: { id } }) => {
        if (this.#selected === id) this.#selected = null;
        if (this.#drawing === id) {
          this.#drawing = null;
          this.#events.onTool(null);
        }
        // The library reports it before it is gone.
        if (!this.#isSilent) queueMicrotask(() => this.#tell());
      },
    };
  }

  #end({ id }: Overlay, tool: Tool): void {
    this.#drawing = null;
    this.#events.onTool(null);
    // The library finishes the drawing after this call.
    queueMicrotask(() => (tool === "text" ? this.#events.onText(id) : this.#tell()));
  }

  #isSilent = false;

  #silently(work: () => void): void {
    this.#isSilent = true;
    work();
    this.#isSilent = false;
  }

  #all(): Overlay[] {
    return this.#chart
      .getOverlays({ groupId: DRAWINGS_GROUP })
      .filter(({ id }) => id !== this.#drawing);
  }

  #tell(): void {
    if (!this.#isClosed) this.#events.onDrawings(this.#all().flatMap(drawingOf));
  }
}

function drawingOf({ id, name, points, extendData }: Overlay): Drawing[] {
  const kind = toolOfOverlay(name);
  const read = points.flatMap(({ timestamp, value }) =>
    timestamp === undefined || value === undefined ? [] : [{ time: timestamp, price: value }],
  );
  if (kind === undefined || read.length < kind.points) return [];
  const text = typeof extendData === "string" ? extendData : "";
  return [{ id, tool: kind.tool, points: read.slice(0, kind.points), text }];
}
