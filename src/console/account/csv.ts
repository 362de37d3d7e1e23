/** Rows as a CSV file (RFC 4180) that a spreadsheet opens without running anything in it. */

/** Columns are those of the first row. */
export function toCsv(rows: readonly Readonly<Record<string, unknown>>[]): string {
  const names = Object.keys(rows[0] ?? {});
  const lines = [names, ...rows.map((row) => names.map((name) => row[name]))];
  return lines.map((cells) => `${cells.map(cell).join(",")}\r\n`).join("");
}

function cell(value: unknown): string {
  const text = value === null || value === undefined ? "" : String(value);
  const isNumber = /^-?\d+(\.\d+)?$/.test(text);
  // A text that a spreadsheet would take for a formula.
  const safe = !isNumber && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
