/**
 * The document behind the reference page: the OpenAPI document, the guides as further tags, groups
 * for the sidebar, and the examples' requests as they were sent.
 */
import type { OpenApiDocument } from "../../api/openapi.ts";
import { examplesOf, queryText, type RouteExample } from "../../api/reference/examples.ts";
import { INTRODUCTION } from "../../api/reference/introduction.ts";
import type { Route } from "../../api/route.ts";
import { ROUTES } from "../../api/routes.ts";
import { type Guide, readGuides } from "./guides.ts";

type Json = Readonly<Record<string, unknown>>;

/** What newcomers use comes first; other groups follow. */
const GROUPS_FIRST: readonly string[] = ["Spot v3", "Contract v3", "Affiliate"];
const GROUPS_LAST: readonly string[] = ["Spot v2"];

/** "Spot v3: trading" is "trading" in the group "Spot v3". */
function groupOf(tag: string): string {
  return tag.split(": ", 1)[0] ?? tag;
}

function displayName(tag: string): string {
  const name = tag.slice(groupOf(tag).length).replace(/^: /, "") || tag;
  return name.charAt(0).toUpperCase() + name.slice(1);
}

function groupsOfCalls(tags: readonly string[]): readonly Json[] {
  const present = [...new Set(tags.map(groupOf))];
  const others = present.filter((name) => ![...GROUPS_FIRST, ...GROUPS_LAST].includes(name));
  return [...GROUPS_FIRST, ...others, ...GROUPS_LAST]
    .filter((name) => present.includes(name))
    .map((name) => ({ name, tags: tags.filter((tag) => groupOf(tag) === name) }));
}

function groupsOfGuides(guides: readonly Guide[]): readonly Json[] {
  return [...new Set(guides.map(({ group }) => group))].map((name) => ({
    name,
    tags: guides.filter(({ group }) => group === name).map(({ title }) => title),
  }));
}

function requestText(route: Route, example: RouteExample): string {
  const line = `${route.method} ${route.path}${queryText(example)} HTTP/1.1`;
  return example.body === undefined ? line : `${line}\n\n${JSON.stringify(example.body, null, 2)}`;
}

/** The version is added to names that both versions have. */
function listedAs({ id, tag, summary, family }: Route): string {
  const isAmbiguous = ROUTES.some(
    (other) => other.id !== id && other.tag === tag && other.summary === summary,
  );
  return isAmbiguous ? `${summary} (${family})` : summary;
}

/** The examples of a call are its samples; one of them fills in the form of its body. */
function withSamples(route: Route, operation: Json): Json {
  const samples = examplesOf(route).map((example) => ({
    lang: "http",
    label: example.status === 200 ? example.title : `${example.title} (${example.status})`,
    source: requestText(route, example),
  }));
  const { requestBody } = operation;
  return {
    ...operation,
    summary: listedAs(route),
    "x-codeSamples": samples,
    ...(requestBody === undefined ? {} : { requestBody: withFirstExample(requestBody) }),
  };
}

function withFirstExample(requestBody: unknown): unknown {
  const { content, ...rest } = requestBody as { readonly content: Record<string, Json> };
  const entries = Object.entries(content).map(([media, { examples, ...described }]) => {
    const first = Object.entries((examples ?? {}) as Json).slice(0, 1);
    return [media, { ...described, examples: Object.fromEntries(first) }];
  });
  return { ...rest, content: Object.fromEntries(entries) };
}

function paths(document: OpenApiDocument): Json {
  const copy: Record<string, Record<string, Json>> = structuredClone(document.paths) as never;
  for (const route of ROUTES) {
    const operations = copy[route.path];
    const method = route.method.toLowerCase();
    const operation = operations?.[method];
    if (operations !== undefined && operation !== undefined) {
      operations[method] = withSamples(route, operation);
    }
  }
  return copy;
}

/** In front of everything; what holds for every call is in sections of its own, drawn when read. */
const WELCOME = `Spot, USDT-margined perpetual contracts and affiliate rebates over HTTP and
WebSocket. Begin with [Signing](#tag/signing); every call below shows its parameters with their
bounds, what it costs of the [limits](#tag/limits), and requests with the answers that the exchange
really gave. Market data and account updates over WebSocket are in [Streams](#tag/streams),
refusals in [Errors](#tag/errors).

For programs: [/openapi.json](/openapi.json) is the same as an OpenAPI document.`;

const BASICS = "Basics";

export function buildDocsDocument(document: OpenApiDocument): Json {
  const guides = readGuides();
  const calls = document.tags.map(({ name }) => name);
  const sections = INTRODUCTION.map(({ title, text }) => ({ name: title, description: text }));
  return {
    ...document,
    info: { ...document.info, description: WELCOME },
    tags: [
      ...sections,
      ...document.tags.map((tag) => ({ ...tag, "x-displayName": displayName(tag.name) })),
      ...guides.map(({ title, text }) => ({ name: title, description: text })),
    ],
    "x-tagGroups": [
      { name: BASICS, tags: sections.map(({ name }) => name) },
      ...groupsOfCalls(calls),
      ...groupsOfGuides(guides),
    ],
    paths: paths(document),
  };
}
