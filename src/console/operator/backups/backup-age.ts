/** How old a backup is, in the largest two units. */

const UNITS = [
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
  ["second", 1],
] as const;

/** "2 hours 5 minutes"; a clock that lags shows "0 seconds". */
export function ageText(ageMs: number): string {
  let seconds = Math.max(0, Math.floor(ageMs / 1_000));
  const parts: string[] = [];
  for (const [name, size] of UNITS) {
    const count = Math.floor(seconds / size);
    seconds -= count * size;
    if (count > 0) parts.push(`${count} ${name}${count === 1 ? "" : "s"}`);
    else if (parts.length > 0) break;
    if (parts.length === 2) break;
  }
  return parts.length === 0 ? "0 seconds" : parts.join(" ");
}
