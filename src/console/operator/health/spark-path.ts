/** The SVG path of a sparkline: zero at the bottom, the highest value on top. */

/** Room for the line's width. */
const MARGIN = 1;

export function sparkPath(values: readonly number[], width: number, height: number): string {
  if (values.length < 2) return "";
  const highest = Math.max(...values, Number.MIN_VALUE);
  const inner = height - 2 * MARGIN;
  return values
    .map((value, i) => {
      const x = (width * i) / (values.length - 1);
      const y = MARGIN + inner * (1 - Math.max(0, value) / highest);
      return `${i === 0 ? "M" : "L"}${x.toFixed(2)} ${y.toFixed(2)}`;
    })
    .join("");
}
