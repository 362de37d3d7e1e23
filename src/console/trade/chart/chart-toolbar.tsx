/** Above the chart: its type, indicators, lines, fullscreen; beside it the drawing tools. */
import type { ReactElement } from "react";
import { Button } from "../../components/button.tsx";
import { Choice } from "../../components/field.tsx";
import styles from "./chart.module.css";
import { CANDLE_STYLES, type CandleStyle, SCALES, type Scale } from "./chart-setup.ts";
import { DRAWING_TOOLS, type Tool } from "./drawings.ts";

export interface ChartToolbarProps {
  readonly style: CandleStyle;
  readonly onStyle: (style: CandleStyle) => void;
  readonly scale: Scale;
  readonly onScale: (scale: Scale) => void;
  readonly indicatorCount: number;
  readonly onIndicators: () => void;
  readonly showsTools: boolean;
  readonly onTools: () => void;
  readonly lineCount: number;
  readonly onLines: () => void;
  readonly isFull: boolean;
  readonly onFull: () => void;
}

export function ChartToolbar(props: ChartToolbarProps): ReactElement {
  const { style, onStyle, indicatorCount, onIndicators, lineCount, onLines } = props;
  const { scale, onScale, showsTools, onTools, isFull, onFull } = props;
  return (
    <div className={styles.toolbar} role="toolbar" aria-label="Chart">
      <Choice
        label="Chart type"
        showLabel={false}
        value={style}
        options={CANDLE_STYLES}
        onValue={onStyle}
      />
      <div className={styles.scale}>
        <Choice
          label="Price scale"
          showLabel={false}
          value={scale}
          options={SCALES}
          onValue={onScale}
        />
      </div>
      <Button tone="quiet" size="small" onClick={onIndicators}>
        Indicators{indicatorCount > 0 ? ` (${indicatorCount})` : ""}
      </Button>
      <Button tone="quiet" size="small" aria-pressed={showsTools} onClick={onTools}>
        Draw
      </Button>
      <Button tone="quiet" size="small" onClick={onLines}>
        Lines{lineCount > 0 ? ` (${lineCount})` : ""}
      </Button>
      <Button
        tone="quiet"
        size="small"
        className={styles.full}
        aria-pressed={isFull}
        aria-label="Fullscreen chart"
        onClick={onFull}
      >
        <Icon path={isFull ? SMALLER : LARGER} />
      </Button>
    </div>
  );
}

const LARGER = "M3 8V3h5M12 3h5v5M17 12v5h-5M8 17H3v-5";
const SMALLER = "M8 3v5H3M17 8h-5V3M12 17v-5h5M3 12h5v5";

export interface DrawingRailProps {
  /** In use. */
  readonly tool: Tool | null;
  readonly hasDrawings: boolean;
  /** The tool in use ends it. */
  readonly onTool: (tool: Tool) => void;
  readonly onClear: () => void;
}

export function DrawingRail(props: DrawingRailProps): ReactElement {
  const { tool, hasDrawings, onTool, onClear } = props;
  return (
    <div className={styles.rail} role="toolbar" aria-label="Drawing" aria-orientation="vertical">
      {DRAWING_TOOLS.map((each) => (
        <button
          key={each.tool}
          type="button"
          title={each.text}
          aria-label={each.text}
          aria-pressed={each.tool === tool}
          onClick={() => onTool(each.tool)}
        >
          <Icon path={each.icon} />
        </button>
      ))}
      <button
        type="button"
        title="Remove all drawings"
        aria-label="Remove all drawings"
        disabled={!hasDrawings}
        onClick={onClear}
      >
        <Icon path="M4 6h12M8 6V3h4v3M6 6l1 11h6l1-11" />
      </button>
    </div>
  );
}

function Icon({ path }: { readonly path: string }): ReactElement {
  return (
    <svg viewBox="0 0 20 20" width="16" height="16" aria-hidden="true">
      <path d={path} fill="none" stroke="currentColor" strokeWidth="1.4" />
    </svg>
  );
}
