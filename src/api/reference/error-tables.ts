/** The registry of errors as tables, for the reference and for docs/reference/errors.md. */

import type { Family } from "../calls.ts";
import type { ErrorEntry } from "../error-entry.ts";
import { ERRORS, OPERATOR_ERRORS } from "../errors.ts";
import { table } from "./markdown.ts";

const FAMILIES: readonly { readonly family: Family; readonly title: string }[] = [
  { family: "v2", title: "Errors of v2" },
  { family: "v3", title: "Errors of v3, spot" },
  { family: "capi", title: "Errors of v3, contracts" },
];

/** By code, ignoring its sign; reasons with the same code in the order of the registry. */
function rows(family: Family): readonly (readonly string[])[] {
  const byText = new Map<string, readonly string[]>();
  for (const { [family]: coded, message, when, remedy } of Object.values<ErrorEntry>(ERRORS)) {
    const row = [String(coded.code), String(coded.status), message, when, remedy];
    byText.set(row.join("|"), row);
  }
  const rank = ([code = ""]: readonly string[]) => Math.abs(Number(code));
  return [...byText.values()].sort((one, other) => rank(one) - rank(other));
}

/** A table for each family, as Markdown under headings of the given level. */
export function errorTables(level: "##" | "###"): string {
  return FAMILIES.map(({ family, title }) => {
    const head = ["Code", "HTTP", "Message", "When", "What to do"];
    return `${level} ${title}\n\n${table(head, rows(family))}`;
  }).join("\n\n");
}

/** The codes of the operator API in alphabetical order. */
export function operatorErrorTable(): string {
  const rows = Object.entries(OPERATOR_ERRORS).map(([code, { status, message }]) => [
    code,
    String(status),
    message,
  ]);
  return table(
    ["Code", "HTTP", "Message"],
    rows.sort(([one = ""], [other = ""]) => (one < other ? -1 : 1)),
  );
}
