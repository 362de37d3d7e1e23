/** One check of a diagnosis: its finding, and the next step if something is wrong. */

/** `warn`: it works, but a person should know; `fail`: it does not work, or soon will not. */
export type Outcome = "ok" | "warn" | "fail";

export interface Check {
  /** In kebab case, for programs. */
  readonly name: string;
  readonly outcome: Outcome;
  readonly finding: string;
  /** What to do next; null when there is nothing to do. */
  readonly next: string | null;
}

export function ok(name: string, finding: string): Check {
  return { name, outcome: "ok", finding, next: null };
}

export function warn(name: string, finding: string, next: string): Check {
  return { name, outcome: "warn", finding, next };
}

export function fail(name: string, finding: string, next: string): Check {
  return { name, outcome: "fail", finding, next };
}

/** A number of bytes as text for people. */
export function bytesText(bytes: number): string {
  const units = ["bytes", "KiB", "MiB", "GiB", "TiB"];
  const index = Math.min(units.length - 1, Math.floor(Math.log2(Math.max(bytes, 1)) / 10));
  const amount = bytes / 1024 ** index;
  return `${amount >= 100 || index === 0 ? Math.round(amount) : amount.toFixed(1)} ${units[index]}`;
}

/** A duration as text for people, in its largest unit. */
export function spanText(spanMs: number): string {
  const seconds = Math.max(0, Math.round(spanMs / 1000));
  const minutes = Math.round(seconds / 60);
  const hours = Math.round(minutes / 60);
  if (seconds < 120) return `${seconds} s`;
  if (minutes < 120) return `${minutes} minutes`;
  return hours < 48 ? `${hours} hours` : `${Math.round(hours / 24)} days`;
}
