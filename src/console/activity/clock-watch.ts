/** Jumps of exchange time. */

/** Below it, it is the network. */
const JUMP_MIN_MS = 30_000;
/** A clock that runs fast or slow jumps again and again, about as far: so much further is news. */
const NEWS_RATIO = 4;

/** Tells of jumps from exchange times as they arrive; a clock that runs fast is told once. */
export class ClockWatch {
  #offsetMs: number | null = null;
  #last = { atMs: Number.NEGATIVE_INFINITY, jumpMs: 0 };

  /** A sentence, or null. `localMs` is of this machine. */
  next(exchangeMs: number, localMs: number): string | null {
    const offsetMs = exchangeMs - localMs;
    const jumpMs = this.#offsetMs === null ? 0 : offsetMs - this.#offsetMs;
    if (this.#offsetMs !== null && Math.abs(jumpMs) < JUMP_MIN_MS) return null;
    this.#offsetMs = offsetMs;
    if (jumpMs === 0) return null;
    const { atMs, jumpMs: before } = this.#last;
    this.#last = { atMs: localMs, jumpMs };
    const isFurther = Math.abs(jumpMs) >= NEWS_RATIO * Math.abs(before);
    if (localMs - atMs < JUMP_MIN_MS && !isFurther) return null;
    return `Exchange time jumped ${jumpMs > 0 ? "forward" : "back"} by ${span(Math.abs(jumpMs))}`;
  }
}

const UNITS = [
  [86_400_000, "d"],
  [3_600_000, "h"],
  [60_000, "min"],
  [1_000, "s"],
] as const;

/** "2 h 5 min": the two largest units. */
function span(ms: number): string {
  let rest = ms;
  const parts = UNITS.map(([unitMs, unit]) => {
    const count = Math.floor(rest / unitMs);
    rest -= count * unitMs;
    return [count, unit] as const;
  });
  const first = parts.findIndex(([count]) => count > 0);
  return parts
    .slice(first, first + 2)
    .filter(([count]) => count > 0)
    .map(([count, unit]) => `${count} ${unit}`)
    .join(" ");
}
