/** UTC days as callers write them, YYYY-MM-DD. */
import { type Refusal, refuse } from "../../api/errors.ts";
import { type Accepted, accept } from "../../domain/index.ts";

export const DAY_MS = 24 * 60 * 60 * 1000;

export function dayOf(timeMs: number): string {
  return new Date(timeMs).toISOString().slice(0, 10);
}

/** Its first millisecond. The schema has seen to the form, so what is left is 31 February. */
export function readDay(text: string, field: string): Accepted<number> | Refusal {
  const startMs = Date.parse(`${text}T00:00:00Z`);
  const isDay = !Number.isNaN(startMs) && dayOf(startMs) === text;
  return isDay ? accept(startMs) : refuse("invalid-parameter", field, "a day of the calendar");
}
