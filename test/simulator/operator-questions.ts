/** What a question of an operator is, and pages of lists behind a row. */
import type { EventOf } from "../../src/protocol/index.ts";
import type { Random } from "../support/random.ts";
import { type Known, someLimit } from "./questions.ts";

export type Row = Readonly<Record<string, unknown>>;

/** Of a key that is live. */
export interface KeySettings
  extends Omit<EventOf<"api-key-set">, "type" | "actor" | "expiresAtMs"> {
  readonly expiresAt: number | null;
}

export interface OperatorKnown extends Omit<Known, "uid"> {
  readonly uid: 0;
  readonly keys: ReadonlyMap<string, KeySettings>;
}

export interface OperatorQuestion {
  readonly path: string;
  /** With one it is posted, and changes nothing. */
  readonly body?: object;
  readonly due: (said: unknown, nowMs: number) => unknown;
  /** The moment of the question counts. */
  readonly isOfNow?: boolean;
}

/** Null when there is nothing to ask for. */
export type OperatorReadings = Readonly<
  Record<string, (known: OperatorKnown, random: Random) => OperatorQuestion | null>
>;

/** What is undefined is not sent. */
export function pathOf(
  path: string,
  parts: Readonly<Record<string, string | number | undefined>>,
): string {
  const given = Object.entries(parts).flatMap(([name, value]) => {
    return value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`];
  });
  const mark = path.includes("?") ? "&" : "?";
  return given.length === 0 ? path : `${path}${mark}${given.join("&")}`;
}

/** Rows behind one of them, or from the first on; `next` is the last one of a full page. */
export function cursorPage<Each>(
  random: Random,
  path: string,
  rows: readonly Each[],
  cursorOf: (row: Each) => string | number,
  shown: (row: Each) => unknown = (row) => row,
): OperatorQuestion {
  const at = rows.length === 0 || random.chance(0.4) ? -1 : random.integer(0, rows.length - 1);
  const left = rows.slice(at + 1);
  const { limit, sent } = someLimit(random, 100, 1_000, left.length);
  const cursor = rows[at];
  const after = cursor === undefined ? undefined : cursorOf(cursor);
  const items = left.slice(0, limit);
  const last = items.length < limit ? undefined : items.at(-1);
  const next = last === undefined ? null : cursorOf(last);
  return {
    path: pathOf(path, { after, limit: sent }),
    due: () => ({ items: items.map(shown), next }),
  };
}
