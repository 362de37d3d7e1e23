/** A table of the fields of a schema, nested ones below their parents. */
import { escapeHtml, inlineHtml, wideTable } from "./markdown.ts";

export interface Schema {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly prefixItems?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly $ref?: string;
}

interface Row {
  readonly path: string;
  readonly schema: Schema;
  readonly isRequired: boolean;
}

export function fieldsHtml(schema: Schema, isInput: boolean): string {
  const rows = rowsOf(schema, "");
  if (rows.length === 0) return `<p>${escapeHtml(typeOf(schema))}</p>`;
  const body = rows.map(({ path, schema: field, isRequired }) => {
    const mark = isInput && isRequired ? " <em>required</em>" : "";
    return (
      `<tr><td><code>${escapeHtml(path)}</code>${mark}</td>` +
      `<td>${escapeHtml(typeOf(field))}${boundsHtml(field, isInput)}</td>` +
      `<td>${inlineHtml(field.description ?? "")}</td></tr>`
    );
  });
  const head = ["Name", "Type", "Meaning"].map((name) => `<th scope="col">${name}</th>`);
  return wideTable(
    `<table class="fields"><thead><tr>${head.join("")}</tr></thead>` +
      `<tbody>${body.join("")}</tbody></table>`,
  );
}

function rowsOf(schema: Schema, prefix: string): readonly Row[] {
  const rows: Row[] = [];
  const inner = schema.type === "array" || schema.items !== undefined ? schema.items : undefined;
  if (inner !== undefined) return rowsOf(inner, `${prefix}[]`);
  if (schema.prefixItems !== undefined) {
    return schema.prefixItems.flatMap((item, index) => {
      const path = `${prefix}[${index}]`;
      return [{ path, schema: item, isRequired: true }, ...rowsOf(item, path)];
    });
  }
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    const path = prefix === "" ? name : `${prefix}.${name}`;
    const isRequired = schema.required?.includes(name) ?? false;
    rows.push({ path, schema: field, isRequired }, ...rowsOf(field, path));
  }
  const seen = new Set(rows.map(({ path }) => path));
  for (const option of schema.anyOf ?? []) {
    for (const row of rowsOf(option, prefix)) {
      if (seen.has(row.path)) continue;
      seen.add(row.path);
      rows.push(row);
    }
  }
  return rows;
}

function typeOf(schema: Schema): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return schema.enum.map((value) => String(value)).join(" | ");
  if (schema.anyOf !== undefined) {
    return [...new Set(schema.anyOf.map((option) => typeOf(option)))].join(" or ");
  }
  if (schema.items !== undefined) return `array of ${typeOf(schema.items)}`;
  if (schema.prefixItems !== undefined) return "array";
  return Array.isArray(schema.type) ? schema.type.join(" or ") : String(schema.type ?? "any");
}

const BOUNDS: readonly (readonly [keyof Schema, string])[] = [
  ["minLength", "min length"],
  ["maxLength", "max length"],
  ["minimum", "min"],
  ["maximum", "max"],
  ["minItems", "min items"],
  ["maxItems", "max items"],
  ["pattern", "pattern"],
];

function boundsHtml(schema: Schema, isInput: boolean): string {
  if (!isInput) return "";
  const bounds = BOUNDS.filter(([name]) => schema[name] !== undefined).map(
    ([name, text]) => `${text} <code>${escapeHtml(String(schema[name]))}</code>`,
  );
  return bounds.length === 0 ? "" : `<small>${bounds.join(", ")}</small>`;
}
