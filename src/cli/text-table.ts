/** Text output for people: tables, fields and times. */

/** The first row holds the headings. Columns are as wide as their widest cell. */
export function textTable(
  headings: readonly string[],
  rows: readonly (readonly unknown[])[],
): string {
  const cells = [headings, ...rows.map((row) => row.map(cellText))];
  const widths = headings.map((_, column) =>
    Math.max(...cells.map((row) => row[column]?.length ?? 0)),
  );
  return cells
    .map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  "))
    .map((line) => line.trimEnd())
    .join("\n");
}

/** The ledger totals per asset, without accounts that hold nothing. */
export function totalsText(
  totals: Readonly<Record<string, Readonly<Record<string, string>>>>,
): string {
  const rows = Object.entries(totals).flatMap(([asset, accounts]) =>
    Object.entries(accounts)
      .filter(([, total]) => total !== "0")
      .map(([account, total]) => [asset, account, total]),
  );
  return rows.length === 0 ? "every account is 0" : textTable(["asset", "account", "total"], rows);
}

/** `name: value`, one per line. */
export function textFields(fields: Readonly<Record<string, unknown>>): string {
  const width = Math.max(...Object.keys(fields).map((name) => name.length));
  return Object.entries(fields)
    .map(([name, value]) => `${name.padEnd(width)}  ${cellText(value)}`)
    .join("\n");
}

function cellText(value: unknown): string {
  if (value === null || value === undefined) return "–";
  if (Array.isArray(value)) return value.length === 0 ? "–" : value.map(cellText).join(",");
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** UTC, to the second. */
export function textTime(timestampMs: number): string {
  return new Date(timestampMs).toISOString().replace(/\.\d{3}Z$/, "Z");
}
