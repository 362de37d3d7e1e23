/**
 * The OpenAPI 3.1 document, made only from the route table, the registry of errors and the recorded
 * examples. TypeBox schemas are already JSON Schema 2020-12, which OpenAPI 3.1 uses.
 */
import type { TSchema } from "typebox";
import type { Family, Limit } from "./calls.ts";
import { V2_ERROR, V3_ERROR, v2Envelope } from "./envelope.ts";
import { documentedSchema } from "./reference/documented-schema.ts";
import { examplesOf, queryText, type RouteExample } from "./reference/examples.ts";
import { describeLimit, describePermission, INTRODUCTION } from "./reference/introduction.ts";
import { TAGS } from "./reference/tags.ts";
import type { Route } from "./route.ts";
import { pathsOf, ROUTES } from "./routes.ts";
import { SIGNING_HEADERS } from "./signing.ts";

type Json = Readonly<Record<string, unknown>>;

/** The parts of the document that are read here. */
export interface OpenApiDocument {
  readonly openapi: string;
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Json>>>>;
  readonly components: Json;
}

interface ObjectSchema {
  readonly properties?: Readonly<Record<string, TSchema & { readonly description?: string }>>;
  readonly required?: readonly string[];
}

const JSON_MEDIA = "application/json";
const SECURITY_SCHEMES = Object.keys(SIGNING_HEADERS) as (keyof typeof SIGNING_HEADERS)[];

function limitExtensions(limit: Limit): Json {
  return limit.kind === "rate"
    ? { "x-rate-limit-per-second": limit.perSecond }
    : { "x-weight-ip": limit.ip, "x-weight-uid": limit.uid };
}

function isSuccess({ status }: RouteExample): boolean {
  return status === 200;
}

/** The value in the first request that has the parameter. */
function exampleOf(route: Route, parameter: string): Json {
  const values = examplesOf(route)
    .filter(isSuccess)
    .map(({ query }) => query?.[parameter]);
  const example = values.find((value) => value !== undefined);
  return example === undefined ? {} : { example };
}

function queryParameters(route: Route): readonly Json[] {
  const { properties = {}, required = [] } = (route.query ?? {}) as ObjectSchema;
  return Object.entries(properties).map(([name, property]) => {
    const schema = documentedSchema(property, route.family) as Json;
    return {
      name,
      in: "query",
      required: required.includes(name),
      schema,
      ...(schema.description === undefined ? {} : { description: schema.description }),
      ...exampleOf(route, name),
    };
  });
}

/** Named by their titles, as OpenAPI requires: one member each. */
function exampleMembers(
  examples: readonly RouteExample[],
  member: (example: RouteExample) => Json,
): Json {
  if (examples.length === 0) return {};
  const entries = examples.map((example) => [
    example.title.toLowerCase().replace(/[^a-z0-9]+/g, "-"),
    { summary: example.title, ...member(example) },
  ]);
  return { examples: Object.fromEntries(entries) };
}

function requestBody(route: Route): Json {
  if (route.body === undefined) return {};
  const examples = exampleMembers(examplesOf(route).filter(isSuccess), ({ body }) => ({
    value: body,
  }));
  const schema = documentedSchema(route.body, route.family);
  return { requestBody: { required: true, content: { [JSON_MEDIA]: { schema, ...examples } } } };
}

const ANSWER_HEADERS: Json = {
  "X-USED-WEIGHT-10S": {
    description: "Weight used of the endpoint's fullest pool",
    required: true,
    schema: { type: "integer" },
  },
  "X-Rialto-Sequence": {
    description: "The last command that the answer shows; absent where it shows none",
    schema: { type: "integer" },
  },
};
const ORDER_HEADERS: Json = {
  ...ANSWER_HEADERS,
  "X-ORDER-COUNT-1S": {
    description: "Orders sent by the user in the current second",
    required: true,
    schema: { type: "integer" },
  },
};

/** The example shows request and answer together, because an error depends on its request. */
function requestLine(route: Route, example: RouteExample): string {
  // With spaces, where a viewer can break the line.
  const body = example.body === undefined ? "" : JSON.stringify(example.body, null, 1);
  const line = `${route.method} ${route.path}${queryText(example)} ${body.replace(/\n\s*/g, " ")}`;
  return `\`${line.trim()}\``;
}

function answerExamples(route: Route, examples: readonly RouteExample[]): Json {
  return exampleMembers(examples, (example) => ({
    description: requestLine(route, example),
    value: example.answer,
  }));
}

function answers(route: Route): Json {
  const { family, envelope = "message", answer, answerMedia = [] } = route;
  const examples = examplesOf(route);
  const inMedia = (media: string) =>
    answerExamples(
      route,
      examples.filter((example) => isSuccess(example) && (example.media ?? JSON_MEDIA) === media),
    );
  const schema = documentedSchema(family === "v2" ? v2Envelope(envelope, answer) : answer, family);
  const otherMedia = answerMedia.map((media) => [
    media,
    { schema: { type: "string" }, ...inMedia(media) },
  ]);
  return {
    200: {
      description: "Success",
      headers: route.countsAsOrder === true ? ORDER_HEADERS : ANSWER_HEADERS,
      content: {
        [JSON_MEDIA]: { schema, ...inMedia(JSON_MEDIA) },
        ...Object.fromEntries(otherMedia),
      },
    },
    "4XX": refusals(
      route,
      examples.filter((example) => !isSuccess(example)),
    ),
    503: { $ref: `#/components/responses/${family}-error` },
  };
}

function refusals(route: Route, examples: readonly RouteExample[]): Json {
  if (examples.length === 0) return { $ref: `#/components/responses/${route.family}-error` };
  const schema = { $ref: `#/components/schemas/${route.family}-error` };
  return {
    description: "Refused: see the table of errors",
    content: { [JSON_MEDIA]: { schema, ...answerExamples(route, examples) } },
  };
}

function operation(route: Route): Json {
  const { access, limit } = route;
  const facts = [
    `Limit: ${describeLimit(limit, access === null)}.`,
    ...(route.countsAsOrder === true ? ["Counts in X-ORDER-COUNT-1S."] : []),
    `Permission: ${describePermission(route)}.`,
  ].join(" ");
  return {
    operationId: route.id,
    tags: [route.tag],
    summary: route.summary,
    description: route.description === undefined ? facts : `${route.description}\n\n${facts}`,
    ...limitExtensions(limit),
    "x-permissions": access === null ? [] : access.anyOf,
    security: access === null ? [] : [Object.fromEntries(SECURITY_SCHEMES.map((id) => [id, []]))],
    parameters: queryParameters(route),
    ...requestBody(route),
    responses: answers(route),
  };
}

function paths(): Json {
  const byPath: Record<string, Record<string, Json>> = {};
  for (const route of ROUTES) {
    for (const path of pathsOf(route).slice(0, 1)) {
      byPath[path] = { ...byPath[path], [route.method.toLowerCase()]: operation(route) };
    }
  }
  return byPath;
}

const FAMILIES: readonly Family[] = ["v2", "v3", "capi"];

function components(): Json {
  const schemas = FAMILIES.map((family) => [
    `${family}-error`,
    documentedSchema(family === "v2" ? V2_ERROR : V3_ERROR, family),
  ]);
  const responses = FAMILIES.map((family) => [
    `${family}-error`,
    {
      description: "See Errors",
      content: { [JSON_MEDIA]: { schema: { $ref: `#/components/schemas/${family}-error` } } },
    },
  ]);
  return {
    securitySchemes: Object.fromEntries(
      SECURITY_SCHEMES.map((id) => [
        id,
        { type: "apiKey", in: "header", name: SIGNING_HEADERS[id] },
      ]),
    ),
    schemas: Object.fromEntries(schemas),
    responses: Object.fromEntries(responses),
  };
}

function introduction(): string {
  return INTRODUCTION.map(({ title, text }) => `## ${title}\n\n${text}`).join("\n\n");
}

/** The whole document, as plain JSON. */
export function buildOpenApi(version: string): OpenApiDocument {
  const document = {
    openapi: "3.1.0",
    info: { title: "Rialto", version, description: introduction() },
    servers: [{ url: "/" }],
    tags: TAGS,
    paths: paths(),
    components: components(),
  };
  // Schemas carry hidden TypeBox marks; a round trip through JSON removes them.
  return JSON.parse(JSON.stringify(document));
}
