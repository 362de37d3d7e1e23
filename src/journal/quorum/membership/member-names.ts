/**
 * Names of PostgreSQL nodes in the quorum. Each has the generation of the membership: `p1_g3`. A
 * standby counts for commits under exactly the name that the primary lists, so one that was not
 * joined again since the membership changed does not count: PostgreSQL would take its flushes of a
 * history that nobody else has for a confirmation.
 */

export interface MemberName {
  readonly name: string;
  /** Null where the names have none, as with Patroni. */
  readonly generation: number | null;
}

export function memberName(name: string, generation: number): string {
  return `${name}_g${generation}`;
}

export function parseMemberName(text: string): MemberName {
  const [, name = text, generation] = /^(.+)_g(\d{1,9})$/.exec(text) ?? [];
  return { name, generation: generation === undefined ? null : Number(generation) };
}

/** Who counts, of `synchronous_standby_names`. */
export function countedNames(setting: string): readonly string[] {
  const [, list = setting] = /^\s*(?:(?:first|any)\s+)?\d+\s*\((.*)\)\s*$/i.exec(setting) ?? [];
  const names = list.split(",").map((name) => name.trim().replace(/^"(.*)"$/, "$1"));
  return names.filter((name) => name !== "");
}

/** `synchronous_standby_names`: one of these confirms each commit. */
export function quorumOf(names: readonly string[]): string {
  const quoted = names.map((name) => (/^[a-z_][a-z0-9_]*$/.test(name) ? name : `"${name}"`));
  return `ANY 1 (${quoted.join(", ")})`;
}

/** The newest generation in some names; null when none has one. */
export function newestGeneration(names: readonly string[]): number | null {
  const found = names.map((name) => parseMemberName(name).generation);
  const known = found.filter((generation) => generation !== null);
  return known.length === 0 ? null : Math.max(...known);
}

/** The fields of a connection string of PostgreSQL: `host=10.0.0.1 user='a b'`. */
export function conninfoFields(text: string): ReadonlyMap<string, string> {
  const fields = new Map<string, string>();
  for (const [, name = "", quoted, plain = ""] of text.matchAll(
    /([a-z_]+)\s*=\s*(?:'((?:[^'\\]|\\.)*)'|(\S*))/g,
  )) {
    fields.set(name, (quoted ?? plain).replaceAll(/\\(.)/g, "$1"));
  }
  return fields;
}

function conninfoText(fields: ReadonlyMap<string, string>): string {
  const toText = ([name, value]: readonly [string, string]) =>
    /^[^\s'\\]+$/.test(value)
      ? `${name}=${value}`
      : `${name}='${value.replaceAll(/['\\]/g, "\\$&")}'`;
  return [...fields].map(toText).join(" ");
}

/** How a standby of this name reaches the primary at an address; who it is there, it was before. */
export function standbyConninfo(primaryUrl: string, name: string, former: string): string {
  const url = new URL(primaryUrl);
  const fields = new Map(conninfoFields(former));
  fields.set("host", url.hostname.replace(/^\[(.*)\]$/, "$1"));
  fields.set("port", url.port || "5432");
  if (!fields.has("user") && url.username !== "") {
    fields.set("user", decodeURIComponent(url.username));
    if (url.password !== "") fields.set("password", decodeURIComponent(url.password));
  }
  fields.set("application_name", name);
  return conninfoText(fields);
}
