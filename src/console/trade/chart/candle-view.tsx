/** The candle chart with its tools, the user's lines and a legend. */
import { type FormEvent, type KeyboardEvent, type ReactElement, useRef, useState } from "react";
import { Button } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { FailureNotice } from "../../components/failure-notice.tsx";
import { Field } from "../../components/field.tsx";
import { useMedia } from "../../components/media.ts";
import { Notice } from "../../components/panel.tsx";
import { useLive } from "../../data/live-value.ts";
import { useMarket } from "../market.tsx";
import { useShortcuts } from "../shortcuts.tsx";
import type { CandleChart } from "./candle-chart.ts";
import type { CandleFeed } from "./candle-feed.ts";
import { CandleLegend } from "./candle-legend.tsx";
import styles from "./chart.module.css";
import { ChartLinesView } from "./chart-lines-view.tsx";
import type { ChartSetup } from "./chart-setup.ts";
import { ChartToolbar, DrawingRail } from "./chart-toolbar.tsx";
import type { Tool } from "./drawings.ts";
import { IndicatorDialog } from "./indicator-dialog.tsx";
import { type OpenChart, useCandleChart } from "./use-candle-chart.ts";

export interface CandleViewProps {
  readonly setup: ChartSetup;
  readonly onSetup: (part: Partial<ChartSetup>) => void;
  readonly isFull: boolean;
  readonly onFull: (isFull: boolean) => void;
}

/** Where the drawing tools would take too much of the chart. */
const NARROW = "(max-width: 700px)";

export function CandleView({ setup, onSetup, isFull, onFull }: CandleViewProps): ReactElement {
  const { rules, lines } = useMarket();
  const [dialog, setDialog] = useDialog();
  const [tool, setTool] = useState<Tool | null>(null);
  const [textId, setTextId] = useState<string | null>(null);
  const isNarrow = useMedia(NARROW);
  const [toolsChoice, setToolsChoice] = useState<boolean | null>(null);
  const showsTools = toolsChoice ?? !isNarrow;
  const area = useRef<HTMLDivElement>(null);
  const { place, setPlace } = usePlace();
  const opened = useCandleChart(setup, {
    onDrawings: (drawings) => onSetup({ drawings }),
    onTool: setTool,
    onText: setTextId,
    onDrawn: () => place.current?.(),
  });
  const { chart, legend } = opened;
  return (
    <>
      <ChartToolbar
        style={setup.style}
        onStyle={(style) => onSetup({ style })}
        scale={setup.scale}
        onScale={(scale) => onSetup({ scale })}
        indicatorCount={setup.indicators.length}
        onIndicators={() => setDialog("indicators")}
        showsTools={showsTools}
        onTools={() => setToolsChoice(!showsTools)}
        lineCount={useLive(lines).length}
        onLines={() => setDialog("lines")}
        isFull={isFull}
        onFull={() => onFull(!isFull)}
      />
      <CandleLegend host={legend} baseAsset={rules.baseAsset} />
      <div className={styles.stage}>
        {showsTools ? <Tools chart={chart} tool={tool} setup={setup} /> : null}
        <div ref={area} className={styles.canvas} data-drawing={tool ?? undefined}>
          <Canvas opened={opened} interval={setup.interval} />
          {chart === null ? null : (
            <ChartLinesView
              chart={chart}
              area={area}
              onPlace={setPlace}
              list={dialog === "indicators" ? null : dialog}
              onList={(shows) => setDialog(shows ? "lines" : null)}
              marksFills={setup.marksFills}
              onMarksFills={(marksFills) => onSetup({ marksFills })}
            />
          )}
        </div>
      </div>
      <Foot clock={opened.clock} />
      {dialog === "indicators" ? (
        <IndicatorDialog
          chosen={setup.indicators}
          onChange={(indicators) => onSetup({ indicators })}
          onClose={() => setDialog(null)}
        />
      ) : null}
      <DrawingText
        id={textId}
        drawings={setup.drawings}
        onText={(id, text) => {
          chart?.drawings.setText(id, text);
          setTextId(null);
        }}
      />
    </>
  );
}

type OpenDialog = "indicators" | "lines" | "alert" | null;

/** The dialog that is open, also by its key. */
function useDialog(): [OpenDialog, (dialog: OpenDialog) => void] {
  const [dialog, setDialog] = useState<OpenDialog>(null);
  const [keys] = useState(() => ({ a: () => setDialog("alert") }));
  useShortcuts(keys);
  return [dialog, setDialog];
}

/** How to place what is over the chart, which changes without drawing React's part again. */
function usePlace() {
  const place = useRef<(() => void) | null>(null);
  const [setPlace] = useState(() => (next: (() => void) | null) => {
    place.current = next;
  });
  return { place, setPlace };
}

interface ToolsProps {
  readonly chart: CandleChart | null;
  readonly tool: Tool | null;
  readonly setup: ChartSetup;
}

function Tools({ chart, tool, setup }: ToolsProps): ReactElement {
  return (
    <DrawingRail
      tool={tool}
      hasDrawings={setup.drawings.length > 0}
      onTool={(next) => {
        if (next === tool) chart?.drawings.cancel();
        else chart?.drawings.begin(next);
      }}
      onClear={() => chart?.drawings.clear()}
    />
  );
}

interface CanvasProps {
  readonly opened: OpenChart;
  readonly interval: string;
}

function Canvas({ opened, interval }: CanvasProps): ReactElement {
  const { host, chart, feed } = opened;
  const { symbol } = useMarket().rules;
  const press = (event: KeyboardEvent): void => {
    if (!event.ctrlKey && !event.metaKey && chart?.press(event.key) === true)
      event.preventDefault();
  };
  return (
    <>
      <section
        ref={host}
        className={styles.host}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys scroll and zoom it
        tabIndex={0}
        aria-label={`Chart of ${symbol}, ${interval}: arrow keys scroll, plus and minus zoom`}
        onKeyDown={press}
      />
      {feed === null ? null : <Phase feed={feed} />}
    </>
  );
}

function Phase({ feed }: { readonly feed: CandleFeed }): ReactElement | null {
  const { name, error } = useLive(feed.phase);
  if (name === "live") return null;
  return (
    <div className={styles.cover}>
      {error !== null ? (
        <FailureNotice what="candles" error={error} onRetry={feed.refresh} />
      ) : name === "empty" ? (
        <Notice kind="empty">No candles yet: nothing has traded in this market.</Notice>
      ) : (
        <Notice kind="loading">Loading candles…</Notice>
      )}
    </div>
  );
}

interface DrawingTextProps {
  /** Null: none is asked for. */
  readonly id: string | null;
  readonly drawings: ChartSetup["drawings"];
  readonly onText: (id: string, text: string) => void;
}

function DrawingText({ id, drawings, onText }: DrawingTextProps): ReactElement | null {
  if (id === null) return null;
  const first = drawings.find((drawing) => drawing.id === id)?.text ?? "";
  return <TextDialog first={first} onText={(text) => onText(id, text)} />;
}

interface TextDialogProps {
  readonly first: string;
  /** Empty: take the text away. */
  readonly onText: (text: string) => void;
}

const TEXT_MAX = 200;

function TextDialog({ first, onText }: TextDialogProps): ReactElement {
  const [text, setText] = useState(first);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    onText(text.trim());
  };
  return (
    <Dialog title="Text on the chart" open onClose={() => onText(first)}>
      <form className={styles.text} onSubmit={submit}>
        <Field label="Text" value={text} maxLength={TEXT_MAX} onText={setText} />
        <Button type="submit" tone="accent" size="large">
          {text.trim() === "" && first !== "" ? "Remove" : "Save"}
        </Button>
      </form>
    </Dialog>
  );
}

/** The notice of the chart library, and the time zone of the axis. */
function Foot({ clock }: { readonly clock: string }): ReactElement {
  return (
    <p className={styles.foot}>
      <span>
        KLineChart © 2019 lihu · Lightweight Charts © 2019{" "}
        <a href="https://www.tradingview.com/" target="_blank" rel="noreferrer">
          TradingView, Inc.
        </a>
      </span>
      <span>Times in {clock}</span>
    </p>
  );
}
