/**
 * The source of the client's operator calls, made from the document that the plane serves about
 * itself: a file for each topic, with the types of its calls and a class with their methods, which
 * goes on where the topic before ends. Formatting is left to the formatter.
 */
import assert from "node:assert/strict";

interface Schema {
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly description?: string;
}

interface Content {
  readonly content: { readonly "application/json": { readonly schema: Schema } };
}

interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly parameters: readonly {
    readonly name: string;
    readonly in: "path" | "query";
    readonly required: boolean;
    readonly schema: Schema;
  }[];
  readonly requestBody?: Content;
  readonly responses: { readonly 200: Content };
}

export interface OperatorDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

interface Call {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly topic: string;
  readonly summary: string;
  readonly input: Schema;
  readonly answer: Schema;
}

const MADE = "Made from the operator plane's own table of calls, to which a test holds it.";
/** Objects of so many fields get a name where they come again. */
const NAMED_FIELDS_MIN = 4;
const COLUMNS_MAX = 96;

/** Texts by the path of their files. */
export function operatorClientSource(document: OperatorDocument): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  let before = "operator-calls";
  for (const [topic, calls] of Map.groupBy(callsOf(document), (call) => call.topic)) {
    const lines = [
      ...comment(`${topic}: calls of the operator plane. ${MADE}`),
      'import type { CallOptions } from "../http-calls.ts";',
      `import { ${className(before)} } from "./${before}.ts";`,
      "",
      ...typeLines(calls),
      ...classLines(topic, before, calls),
      "",
    ];
    before = fileName(topic);
    files.set(`src/client/operator/${before}.ts`, lines.join("\n"));
  }
  return files;
}

function callsOf({ paths }: OperatorDocument): Call[] {
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => {
      const { operationId: id, tags, parameters, requestBody, summary, description } = operation;
      const places = new Set(parameters.map((parameter) => parameter.in));
      assert.ok(!places.has("query") || requestBody === undefined, `${id}: query and body`);
      const body = requestBody?.content["application/json"].schema;
      const named = parameters.map(({ name, schema }) => [name, schema] as const);
      const properties = Object.entries(body?.properties ?? {});
      const names = [...named, ...properties].map(([name]) => name);
      assert.equal(new Set(names).size, names.length, `${id}: a name of both path and body`);
      const required = parameters.filter((given) => given.required).map(({ name }) => name);
      return {
        id,
        method: method.toUpperCase(),
        path,
        topic: tags[0] ?? "",
        summary: description === undefined ? `${summary}.` : `${summary}. ${description}`,
        input: {
          type: "object",
          properties: Object.fromEntries([...named, ...properties]),
          required: [...required, ...(body?.required ?? [])],
        },
        answer: operation.responses[200].content["application/json"].schema,
      };
    }),
  );
}

const fileName = (topic: string): string => topic.toLowerCase().replaceAll(" ", "-");
/** "api-keys": ApiKeysCalls. */
const className = (file: string): string =>
  file === "operator-calls"
    ? "OperatorCalls"
    : `${file.replace(/(?:^|-)(.)/g, (_, first: string) => first.toUpperCase())}Calls`;
const typeName = (id: string, suffix: string): string =>
  id.slice(0, 1).toUpperCase() + id.slice(1) + suffix;
const hasInput = ({ input }: Call): boolean => Object.keys(input.properties ?? {}).length > 0;

function typeLines(calls: readonly Call[]): string[] {
  const known = new Map<string, string>();
  const lines: string[] = [];
  // One thing comes before its list, so that the list can name it.
  const inOrder = calls.toSorted((one, other) => Number(isList(one)) - Number(isList(other)));
  for (const call of inOrder) {
    const types = hasInput(call)
      ? [["Input", call.input] as const, ["Answer", call.answer] as const]
      : [["Answer", call.answer] as const];
    for (const [suffix, schema] of types) {
      const name = typeName(call.id, suffix);
      const text = typeText(schema, known);
      lines.push(`export type ${name} = ${text};`, "");
      if (isNamed(schema) && text.startsWith("{")) known.set(text, name);
    }
  }
  return lines;
}

const isList = ({ id }: Call): boolean => id.startsWith("list");
const isNamed = ({ properties = {} }: Schema): boolean =>
  Object.keys(properties).length >= NAMED_FIELDS_MIN;

function typeText(schema: Schema, known: ReadonlyMap<string, string>): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return schema.enum.map((word) => JSON.stringify(word)).join(" | ");
  if (schema.anyOf !== undefined) {
    return schema.anyOf.map((one) => typeText(one, known)).join(" | ");
  }
  switch (schema.type) {
    case "integer":
    case "number":
      return "number";
    case "array":
      return `readonly (${typeText(schema.items ?? {}, known)})[]`;
    case "object":
      return objectText(schema, known);
    case undefined:
      return "unknown";
    default:
      assert.ok(["string", "boolean", "null"].includes(schema.type ?? ""), `type ${schema.type}`);
      return schema.type;
  }
}

function objectText(schema: Schema, known: ReadonlyMap<string, string>): string {
  const { properties = {}, patternProperties = {}, required = [] } = schema;
  const [values] = Object.values(patternProperties);
  if (values !== undefined) return `Readonly<Record<string, ${typeText(values, known)}>>`;
  const fields = Object.entries(properties).map(([name, property]) => {
    const mark = required.includes(name) ? "" : "?";
    return `readonly ${name}${mark}: ${typeText(property, known)};`;
  });
  if (fields.length === 0) return "Readonly<Record<string, never>>";
  const text = `{ ${fields.join(" ")} }`;
  return known.get(text) ?? text;
}

function classLines(topic: string, before: string, calls: readonly Call[]): string[] {
  const name = className(fileName(topic));
  return [
    `export abstract class ${name} extends ${className(before)} {`,
    ...calls.flatMap((call, i) => (i === 0 ? methodLines(call) : ["", ...methodLines(call)])),
    "}",
  ];
}

function methodLines(call: Call): string[] {
  const { id, method, path, input, summary } = call;
  const isOptional = (input.required ?? []).length === 0;
  const given = hasInput(call)
    ? `input: ${typeName(id, "Input")}${isOptional ? " = {}" : ""}, `
    : "";
  return [
    ...comment(summary),
    `${id}(${given}options?: CallOptions): Promise<${typeName(id, "Answer")}> {`,
    `return this.call("${method}", "${path}", ${hasInput(call) ? "input" : "{}"}, options);`,
    "}",
  ];
}

/** One line, or as many as the columns need. */
function comment(text: string): string[] {
  if (text.length + "/**  */".length <= COLUMNS_MAX) return [`/** ${text} */`];
  const lines = [""];
  for (const word of text.split(" ")) {
    const last = lines.at(-1) ?? "";
    if (last.length + word.length + 4 > COLUMNS_MAX) lines.push(word);
    else lines[lines.length - 1] = last === "" ? word : `${last} ${word}`;
  }
  return ["/**", ...lines.map((line) => ` * ${line}`), " */"];
}
