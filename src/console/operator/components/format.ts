/** Formats times, durations and sizes for display. */
import { groupDecimal } from "../../decimals/format.ts";

const UNITS = [
  { name: "d", ms: 86_400_000 },
  { name: "h", ms: 3_600_000 },
  { name: "min", ms: 60_000 },
  { name: "s", ms: 1_000 },
] as const;

/** The two largest units: "3 d 4 h", "12 s". Below a second "0 s". */
export function spanText(ms: number): string {
  const first = UNITS.findIndex((unit) => ms >= unit.ms);
  const largest = UNITS[first];
  if (largest === undefined) return "0 s";
  const next = UNITS[first + 1];
  const head = `${Math.floor(ms / largest.ms)} ${largest.name}`;
  const rest = next === undefined ? 0 : Math.floor((ms % largest.ms) / next.ms);
  return next === undefined || rest === 0 ? head : `${head} ${rest} ${next.name}`;
}

/** "12.3 MB" */
export function bytesText(bytes: number): string {
  const units = ["B", "kB", "MB", "GB", "TB"];
  let value = bytes;
  let at = 0;
  while (value >= 1_000 && at < units.length - 1) {
    value /= 1_000;
    at++;
  }
  return `${at === 0 ? value : value.toFixed(1)} ${units[at]}`;
}

/** "85 µs", "1.25 ms", "1.2 s": three digits at most. */
export function latencyText(seconds: number): string {
  if (seconds < 0.001) return `${Math.round(seconds * 1_000_000)} µs`;
  if (seconds < 1) return `${Number((seconds * 1_000).toPrecision(3))} ms`;
  return `${Number(seconds.toPrecision(3))} s`;
}

/** "12,345" */
export function countText(count: number): string {
  return groupDecimal(String(Math.round(count)));
}
