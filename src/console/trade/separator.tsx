/** A line between panels that is dragged, or moved by arrow keys, to resize one of them. */
import { type KeyboardEvent, type PointerEvent, type ReactElement, useRef } from "react";
import { fitSize, type LayoutSizes, LIMITS } from "./layout.ts";
import styles from "./separator.module.css";

const STEP_PX = 16;

export interface SeparatorProps {
  readonly part: keyof LayoutSizes;
  /** What is resized: "Order book". */
  readonly label: string;
  readonly size: number;
  /** While it is dragged, without rendering. */
  readonly onMove: (part: keyof LayoutSizes, pixels: number) => void;
  /** At the end. */
  readonly onSize: (part: keyof LayoutSizes, pixels: number) => void;
}

export function Separator(props: SeparatorProps): ReactElement {
  const { part, label, size, onMove, onSize } = props;
  const isRow = part === "account";
  const drag = useRef<{ readonly from: number; readonly size: number } | null>(null);
  const sizeAt = (event: PointerEvent): number | null => {
    if (drag.current === null) return null;
    const at = isRow ? event.clientY : event.clientX;
    // All of them lie right of the line or below it.
    return fitSize(part, drag.current.size + drag.current.from - at);
  };
  const begin = (event: PointerEvent<HTMLElement>): void => {
    event.currentTarget.setPointerCapture(event.pointerId);
    drag.current = { from: isRow ? event.clientY : event.clientX, size };
  };
  const move = (event: PointerEvent): void => {
    const pixels = sizeAt(event);
    if (pixels !== null) onMove(part, pixels);
  };
  const end = (event: PointerEvent): void => {
    const pixels = sizeAt(event);
    drag.current = null;
    if (pixels !== null) onSize(part, pixels);
  };
  const press = (event: KeyboardEvent): void => {
    const [min, max] = LIMITS[part];
    const grow = isRow ? "ArrowUp" : "ArrowLeft";
    const shrink = isRow ? "ArrowDown" : "ArrowRight";
    const next = { [grow]: size + STEP_PX, [shrink]: size - STEP_PX, Home: min, End: max }[
      event.key
    ];
    if (next === undefined) return;
    event.preventDefault();
    onSize(part, fitSize(part, next));
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a line that is moved is no <hr>
    <div
      role="separator"
      tabIndex={0}
      aria-label={`Resize: ${label}`}
      aria-orientation={isRow ? "horizontal" : "vertical"}
      aria-valuenow={size}
      aria-valuemin={LIMITS[part][0]}
      aria-valuemax={LIMITS[part][1]}
      className={styles.separator}
      data-part={part}
      onPointerDown={begin}
      onPointerMove={move}
      onPointerUp={end}
      onPointerCancel={end}
      onKeyDown={press}
    />
  );
}
