/** The steps of an explanation as boxes and arrows; an ordered list for screen readers. */
import { type ReactElement, useEffect, useMemo, useRef, useState } from "react";
import type { CommissionExplanation } from "../../../client/index.ts";
import styles from "./explanation-picture.module.css";
import { explanationSteps } from "./explanation-steps.ts";
import { type Box, layOut, type Picture } from "./picture-layout.ts";

export interface ExplanationPictureProps {
  readonly explained: CommissionExplanation;
}

export function ExplanationPicture({ explained }: ExplanationPictureProps): ReactElement {
  const host = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState<number | null>(null);
  useEffect(() => {
    const element = host.current;
    if (element === null) return;
    const observer = new ResizeObserver(() => setWidth(element.clientWidth));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  const picture = useMemo(
    () => (width === null ? null : layOut(explanationSteps(explained), width)),
    [explained, width],
  );
  return (
    <div ref={host} className={styles.host} style={{ height: picture?.height ?? 0 }}>
      {picture === null ? null : (
        <>
          <Arrows picture={picture} />
          <ol className={styles.steps} aria-label="Steps">
            {picture.boxes.map((box) => (
              <StepBox key={box.step.id} box={box} />
            ))}
          </ol>
        </>
      )}
    </div>
  );
}

function Arrows({ picture }: { readonly picture: Picture }): ReactElement {
  const { width, height, arrows } = picture;
  return (
    <svg className={styles.arrows} width={width} height={height} aria-hidden="true">
      <defs>
        <marker
          id="arrow-head"
          viewBox="0 0 8 8"
          refX="8"
          refY="4"
          markerWidth="8"
          markerHeight="8"
          orient="auto"
        >
          <path d="M0 0L8 4L0 8z" />
        </marker>
      </defs>
      {arrows.map(({ from, to, path }) => (
        <path
          key={`${from}-${to}`}
          className={styles.arrow}
          d={path}
          markerEnd="url(#arrow-head)"
        />
      ))}
    </svg>
  );
}

function StepBox({ box }: { readonly box: Box }): ReactElement {
  const { step, lines, x, y, width, height } = box;
  return (
    <li className={styles.step} data-tone={step.tone} style={{ left: x, top: y, width, height }}>
      <h3>{step.title}</h3>
      <p>
        {lines.map((line, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines have no other key and never move
          <span key={i}>{line} </span>
        ))}
      </p>
    </li>
  );
}
