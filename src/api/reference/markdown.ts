/** Markdown tables, which the reference has many of. */

/** No cell is empty: some viewers leave empty cells out and shift the others. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => (cell === "" ? "–" : cell)).join(" | ")} |`;
  return [line(head), `|${"---|".repeat(head.length)}`, ...rows.map(line)].join("\n");
}
