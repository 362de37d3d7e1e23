/** The user's lines over the chart, and the questions before they change something. */
import { type ReactElement, type RefObject, useEffect, useRef, useState } from "react";
import type { StreamTicker } from "../../../client/index.ts";
import { useToast } from "../../components/toast.tsx";
import { useMutation } from "../../data/mutation.ts";
import { groupDecimal } from "../../decimals/format.ts";
import { useLineChanges } from "../account/line-changes.ts";
import {
  type AlertLine,
  type EntryLine,
  isMovable,
  type MovableLine,
  type PlacedLine,
} from "../chart-line.ts";
import { toOrderError } from "../form/order-error.ts";
import { useMarket } from "../market.tsx";
import { AddAtPrice } from "./add-at-price.tsx";
import type { CandleChart } from "./candle-chart.ts";
import { LineQuestion, LinesDialog } from "./line-dialogs.tsx";
import { LineLayer } from "./line-layer.ts";
import {
  EXIT_WORDS,
  type Exit,
  exitAt,
  exitSentences,
  moveSentences,
  type Prices,
} from "./line-sentences.ts";
import styles from "./lines.module.css";

export interface ChartLinesViewProps {
  readonly chart: CandleChart;
  /** What the pointer moves over: the chart and what is on it. */
  readonly area: RefObject<HTMLElement | null>;
  /** Is told how to place the lines whenever the chart is drawn. */
  readonly onPlace: (place: (() => void) | null) => void;
  /** Whether the list is open; at "alert" the field of a new alert has the focus. */
  readonly list: "lines" | "alert" | null;
  readonly onList: (shows: boolean) => void;
  readonly marksFills: boolean;
  readonly onMarksFills: (marks: boolean) => void;
}

type Question =
  | { readonly kind: "move"; readonly line: PlacedLine; readonly price: string }
  | {
      readonly kind: "exit";
      readonly line: EntryLine;
      readonly exit: Exit;
      readonly price: string;
    };

export function ChartLinesView(props: ChartLinesViewProps): ReactElement {
  const { chart, area, onPlace, list, onList } = props;
  const { ticker, rules } = useMarket();
  const changes = useLineChanges();
  const [question, setQuestion] = useState<Question | null>(null);
  const askExit = (line: EntryLine, price: string): void => {
    const exit = exitAt(line, price, ticker.get()?.lastPrice ?? line.price);
    setQuestion({ kind: "exit", line, exit, price });
  };
  const { cancel, moveAlert, addAlert } = useAtOnce();
  const move = (line: MovableLine, price: string): void => {
    if (line.kind !== "alert") setQuestion({ kind: "move", line, price });
    else void moveAlert(line, price).then(() => layer.current?.reset(line.id));
  };
  const { host, layer } = useLineLayer(chart, onPlace, {
    onMove: move,
    onCancel: cancel,
    onExit: (line, price) => (price === null ? onList(true) : askExit(line, price)),
  });
  const close = (): void => {
    if (question !== null) layer.current?.reset(question.line.id);
    setQuestion(null);
  };
  const prices = pricesOf(ticker.get(), rules.baseAsset);
  return (
    <>
      <div ref={host} className={styles.layer} />
      <AddAtPrice
        chart={chart}
        area={area}
        onAlert={addAlert}
        onExit={(line, exit, price) => setQuestion({ kind: "exit", line, exit, price })}
      />
      {question?.kind === "move" ? (
        <LineQuestion
          title={question.line.kind === "order" ? "Move order" : "Move trigger"}
          sentences={moveSentences(question.line, question.price, prices)}
          yes={`Move to ${groupDecimal(question.price)}`}
          no={`Keep ${groupDecimal(question.line.price)}`}
          act={() => changes.move(question.line, question.price)}
          onClose={close}
        />
      ) : null}
      {question?.kind === "exit" ? (
        <LineQuestion
          title={`Set ${EXIT_WORDS[question.exit]}`}
          sentences={exitSentences(question.line, question.exit, question.price, prices)}
          yes={`Set ${EXIT_WORDS[question.exit]}`}
          no="Back"
          act={() => changes.setExit(question.line, question.exit, question.price)}
          onClose={close}
        />
      ) : null}
      {list !== null && question === null ? (
        <LinesDialog
          changes={changes}
          onMove={(line, price) => {
            if (isMovable(line)) move(line, price);
          }}
          onExit={askExit}
          startsAtAlert={list === "alert"}
          marksFills={props.marksFills}
          onMarksFills={props.onMarksFills}
          onClose={() => onList(false)}
        />
      ) : null}
    </>
  );
}

function pricesOf(ticker: StreamTicker | null, baseAsset: string): Prices {
  return { last: ticker?.lastPrice ?? null, mark: ticker?.markPrice ?? null, baseAsset };
}

interface AtOnce {
  readonly cancel: (line: MovableLine) => void;
  readonly moveAlert: (line: AlertLine, price: string) => Promise<unknown>;
  readonly addAlert: (price: string) => void;
}

/** What needs no question. */
function useAtOnce(): AtOnce {
  const { refreshAccount } = useMarket();
  const changes = useLineChanges();
  const toast = useToast();
  const { run } = useMutation((error) => toast(toOrderError(error).text, "bad"));
  return {
    cancel: (line) => void run(() => changes.cancel(line)).then(refreshAccount),
    moveAlert: (line, price) => run(() => changes.move(line, price)),
    addAlert: (price) => void run(() => changes.addAlert(price)),
  };
}

interface LayerHandlers {
  readonly onMove: (line: MovableLine, price: string) => void;
  readonly onCancel: (line: MovableLine) => void;
  readonly onExit: (line: EntryLine, price: string | null) => void;
}

function useLineLayer(
  chart: CandleChart,
  onPlace: (place: (() => void) | null) => void,
  handlers: LayerHandlers,
) {
  const { lines, rules } = useMarket();
  const { tickSize, priceDecimals } = rules;
  const host = useRef<HTMLDivElement>(null);
  const layer = useRef<LineLayer | null>(null);
  const latest = useRef(handlers);
  latest.current = handlers;
  useEffect(() => {
    if (host.current === null) return;
    const made = new LineLayer(
      host.current,
      chart,
      { tickSize, priceDecimals },
      {
        onMove: (line, price) => latest.current.onMove(line, price),
        onCancel: (line) => latest.current.onCancel(line),
        onExit: (line, price) => latest.current.onExit(line, price),
      },
    );
    layer.current = made;
    const show = (): void => made.show(lines.get());
    show();
    onPlace(made.place);
    const stop = lines.subscribe(show);
    return () => {
      onPlace(null);
      stop();
      made.close();
    };
  }, [chart, lines, tickSize, priceDecimals, onPlace]);
  return { host, layer };
}
