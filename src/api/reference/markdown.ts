/** Markdown tables for the reference. */

/** No cell is empty: some viewers drop empty cells and shift the others. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => (cell === "" ? "–" : cell)).join(" | ")} |`;
  return [line(head), `|${"---|".repeat(head.length)}`, ...rows.map(line)].join("\n");
}
