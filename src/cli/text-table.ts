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

type Fields = Readonly<Record<string, unknown>>;

/** `name  value`, one per line, with dotted names for fields within; then tables of lists. */
export function textFields(fields: Fields): string {
  const flat = flatten(fields, "");
  const tables = flat.filter(([, value]) => isTable(value));
  const values = flat.filter(([, value]) => !isTable(value));
  const width = Math.max(...values.map(([name]) => name.length));
  const lines = values.map(([name, value]) => `${name.padEnd(width)}  ${cellText(value)}`);
  const below = tables.map(([name, rows]) => `\n${name}\n${rowsText(rows as Fields[])}`);
  return [...lines, ...below].join("\n");
}

function flatten(fields: Fields, before: string): readonly (readonly [string, unknown])[] {
  return Object.entries(fields).flatMap(([name, value]) =>
    isFields(value) ? flatten(value, `${before}${name}.`) : [[`${before}${name}`, value] as const],
  );
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isTable(value: unknown): boolean {
  return Array.isArray(value) && value.some(isFields);
}

/** A column for each field of the first row. */
function rowsText(rows: readonly Fields[]): string {
  const names = Object.keys(rows[0] ?? {});
  return textTable(
    names,
    rows.map((row) => names.map((name) => row[name])),
  );
}

function cellText(value: unknown): string {
  if (value === null || value === undefined) return "–";
  if (Array.isArray(value)) return value.length === 0 ? "–" : value.map(cellText).join(",");
  if (!isFields(value)) return String(value);
  return Object.entries(value)
    .map(([name, part]) => `${name}=${cellText(part)}`)
    .join(" ");
}

/** UTC, to the second. */
export function textTime(timestampMs: number): string {
  return new Date(timestampMs).toISOString().replace(/\.\d{3}Z$/, "Z");
}
