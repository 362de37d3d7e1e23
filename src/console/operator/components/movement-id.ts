/** IDs of fund movements: the exchange executes each ID once. */

const RANDOM_BYTES = 8;

/** A unique ID with origin and date: "console-20261122-0f3a…" */
export function newMovementId(): string {
  const day = new Date().toISOString().slice(0, 10).replaceAll("-", "");
  const random = crypto.getRandomValues(new Uint8Array(RANDOM_BYTES));
  const hex = [...random].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return `console-${day}-${hex}`;
}
