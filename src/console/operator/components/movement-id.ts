/** Ids of movements of money: the exchange carries each out once, so every form draws one. */

const RANDOM_BYTES = 8;

/** "console-20261122-0f3a…": says where it came from and when, and is nobody else's. */
export function newMovementId(): string {
  const day = new Date().toISOString().slice(0, 10).replaceAll("-", "");
  const random = crypto.getRandomValues(new Uint8Array(RANDOM_BYTES));
  const hex = [...random].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return `console-${day}-${hex}`;
}
