/** The + beside the pointer: what can be placed at that price. */
import { type ReactElement, type RefObject, useEffect, useRef, useState } from "react";
import { groupDecimal } from "../../decimals/format.ts";
import type { EntryLine } from "../chart-line.ts";
import { useMarket } from "../market.tsx";
import { usePick } from "../pick.ts";
import type { CandleChart } from "./candle-chart.ts";
import { EXIT_WORDS, type Exit, exitAt } from "./line-sentences.ts";
import styles from "./lines.module.css";

export interface AddAtPriceProps {
  readonly chart: CandleChart;
  /** What the pointer moves over: the chart and this button. */
  readonly area: RefObject<HTMLElement | null>;
  readonly onAlert: (price: string) => void;
  readonly onExit: (line: EntryLine, exit: Exit, price: string) => void;
}

export function AddAtPrice({ chart, area, onAlert, onExit }: AddAtPriceProps): ReactElement {
  const { lines, ticker } = useMarket();
  const pick = usePick();
  const button = useRef<HTMLButtonElement>(null);
  const menu = useRef<HTMLDivElement>(null);
  const [price, setPrice] = useState<string | null>(null);
  usePlaceAtPointer(chart, area, button);
  const open = (): void => {
    if (button.current === null || menu.current === null) return;
    const place = button.current.getBoundingClientRect();
    const y = Number(button.current.dataset.y);
    setPrice(chart.priceAt(y));
    const { style } = menu.current;
    style.right = `${Math.max(4, document.documentElement.clientWidth - place.left)}px`;
    style.top = `${Math.min(place.top, innerHeight - 180)}px`;
    menu.current.showPopover();
  };
  const choose = (work: () => void): void => {
    menu.current?.hidePopover();
    work();
  };
  const entries = lines.get().filter((line) => line.kind === "entry");
  return (
    <>
      <button
        ref={button}
        type="button"
        className={styles.add}
        hidden
        tabIndex={-1}
        aria-label="Add at this price"
        onClick={open}
      >
        +
      </button>
      <div ref={menu} popover="auto" className={styles.menu}>
        {price === null ? null : (
          <>
            <h3>At {groupDecimal(price)}</h3>
            <button type="button" onClick={() => choose(() => pick(price, true))}>
              Use as order price
            </button>
            {entries.map((line) => {
              const exit = exitAt(line, price, ticker.get()?.lastPrice ?? line.price);
              const side = line.positionSide.toLowerCase();
              return (
                <button
                  key={line.id}
                  type="button"
                  onClick={() => choose(() => onExit(line, exit, price))}
                >
                  Set {EXIT_WORDS[exit]} for {side}
                </button>
              );
            })}
            <button type="button" onClick={() => choose(() => onAlert(price))}>
              Alert me at this price
            </button>
            <button
              type="button"
              onClick={() => choose(() => chart.drawings.addHorizontal(Number(price)))}
            >
              Draw horizontal line
            </button>
          </>
        )}
      </div>
    </>
  );
}

/** Follows the pointer along the axis; on a touch screen it stays where the last touch was. */
function usePlaceAtPointer(
  chart: CandleChart,
  area: RefObject<HTMLElement | null>,
  button: RefObject<HTMLButtonElement | null>,
): void {
  useEffect(() => {
    const host = area.current;
    const element = button.current;
    if (host === null || element === null) return;
    const follow = ({ clientY, target, buttons, pointerType }: PointerEvent): void => {
      if (target instanceof Node && element.contains(target)) return;
      const { width, height } = chart.plot;
      const y = clientY - host.getBoundingClientRect().top;
      const isDragging = buttons !== 0 && pointerType === "mouse";
      element.hidden = y < 0 || y > height || isDragging || chart.drawings.isDrawing;
      if (element.hidden) return;
      const size = element.offsetWidth;
      element.dataset.y = String(y);
      element.style.transform = `translate(${width - size - 2}px, ${Math.round(y - size / 2)}px)`;
    };
    const leave = ({ pointerType }: PointerEvent): void => {
      if (pointerType === "mouse") element.hidden = true;
    };
    host.addEventListener("pointermove", follow);
    host.addEventListener("pointerdown", follow);
    host.addEventListener("pointerleave", leave);
    return () => {
      host.removeEventListener("pointermove", follow);
      host.removeEventListener("pointerdown", follow);
      host.removeEventListener("pointerleave", leave);
    };
  }, [chart, area, button]);
}
