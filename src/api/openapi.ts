/**
 * The OpenAPI 3.1 document, made from the route table and the registry of errors and from nothing
 * else. TypeBox schemas are JSON Schema 2020-12 already, which is what OpenAPI 3.1 speaks.
 */
import type { TSchema } from "typebox";
import { V2_ERROR, V3_ERROR, v2Envelope } from "./envelope.ts";
import { ERRORS, type ErrorEntry } from "./errors.ts";
import type { Family, Limit, Route } from "./route.ts";
import { pathsOf, ROUTES } from "./routes.ts";
import { SIGNING_HEADERS, TIMESTAMP_WINDOW_MS } from "./signing.ts";

type Json = Readonly<Record<string, unknown>>;

interface ObjectSchema {
  readonly properties?: Readonly<Record<string, TSchema & { readonly description?: string }>>;
  readonly required?: readonly string[];
}

const JSON_MEDIA = "application/json";
const SECURITY_SCHEMES = Object.keys(SIGNING_HEADERS) as (keyof typeof SIGNING_HEADERS)[];

function describeLimit(limit: Limit, isPublic: boolean): string {
  if (limit.kind === "rate") {
    return `${limit.perSecond} requests/second per ${isPublic ? "IP address" : "user"}`;
  }
  return isPublic ? `weight ${limit.ip} (IP)` : `weight ${limit.ip} (IP), ${limit.uid} (UID)`;
}

function limitExtensions(limit: Limit): Json {
  return limit.kind === "rate"
    ? { "x-rate-limit-per-second": limit.perSecond }
    : { "x-weight-ip": limit.ip, "x-weight-uid": limit.uid };
}

function queryParameters(query: TSchema | undefined): readonly Json[] {
  const { properties = {}, required = [] } = (query ?? {}) as ObjectSchema;
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: "query",
    required: required.includes(name),
    schema,
    ...(schema.description === undefined ? {} : { description: schema.description }),
  }));
}

const ANSWER_HEADERS: Json = {
  "X-USED-WEIGHT-10S": {
    description: "What is taken of the fuller of the endpoint's pools",
    schema: { type: "integer" },
  },
};
const ORDER_HEADERS: Json = {
  ...ANSWER_HEADERS,
  "X-ORDER-COUNT-1S": {
    description: "Orders that the user sent in the running second",
    schema: { type: "integer" },
  },
};

function answers(route: Route): Json {
  const error = { $ref: `#/components/responses/${route.family}-error` };
  const { family, envelope = "message", answer, answerMedia = [] } = route;
  const schema = family === "v2" ? v2Envelope(envelope, answer) : answer;
  const otherMedia = answerMedia.map((media) => [media, { schema: { type: "string" } }]);
  return {
    200: {
      description: "Success",
      headers: route.countsAsOrder === true ? ORDER_HEADERS : ANSWER_HEADERS,
      content: { [JSON_MEDIA]: { schema }, ...Object.fromEntries(otherMedia) },
    },
    "4XX": error,
    503: error,
  };
}

function operation(route: Route): Json {
  const { access, limit } = route;
  const permission = access === null ? "none" : access.anyOf.join(" or ");
  const facts = `Limit: ${describeLimit(limit, access === null)}. Permission: ${permission}.`;
  return {
    operationId: route.id,
    tags: [route.tag],
    summary: route.summary,
    description: route.description === undefined ? facts : `${route.description}\n\n${facts}`,
    ...limitExtensions(limit),
    "x-permissions": access === null ? [] : access.anyOf,
    security: access === null ? [] : [Object.fromEntries(SECURITY_SCHEMES.map((id) => [id, []]))],
    parameters: queryParameters(route.query),
    ...(route.body === undefined
      ? {}
      : { requestBody: { required: true, content: { [JSON_MEDIA]: { schema: route.body } } } }),
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

function errorRows(family: Family): string {
  const rows = new Map<string, string>();
  for (const entry of Object.values<ErrorEntry>(ERRORS)) {
    const { code, status } = entry[family];
    const row = `| ${code} | ${status} | ${entry.message} | ${entry.explanation} |`;
    rows.set(`${code} ${entry.message}`, row);
  }
  return [...rows.values()].join("\n");
}

function errorTable(family: Family, title: string): string {
  const head = "| Code | HTTP | Message | What it means |\n|---|---|---|---|";
  return `### ${title}\n\n${head}\n${errorRows(family)}`;
}

const SIGNING = `## Signing

Every request but the public ones carries four headers; \`locale\` is optional and ignored.

| Header | Content |
|---|---|
| ${SIGNING_HEADERS.key} | the API key |
| ${SIGNING_HEADERS.sign} | base64 of HMAC-SHA256 under the secret |
| ${SIGNING_HEADERS.timestamp} | Unix time in milliseconds, 13 digits |
| ${SIGNING_HEADERS.passphrase} | the passphrase of the key |

The signed text is \`timestamp + METHOD + path[?query] + body\`, exactly as sent: the method in
capitals, the path with its prefix, the query with its percent-encoding, the body byte for byte.
A timestamp is accepted within ${TIMESTAMP_WINDOW_MS / 1000} seconds of the server's clock, either
way. A request with a body says \`Content-Type: application/json\`.`;

const LIMITS = `## Limits

"N requests/second" is a token bucket of N per second per user, per IP address on a public endpoint.
"Weight" is taken from two pools of 500 per 10 seconds, one per IP address and one per user, each
endpoint with pools of its own. Beyond a limit the answer is HTTP 429 with \`Retry-After\` in
seconds. Every answer carries \`X-USED-WEIGHT-10S\`, answers to orders \`X-ORDER-COUNT-1S\`. Bodies
may have 16 KiB.`;

const VALUES = `## Values

Amounts and prices are decimal text without sign, exponent or leading zeros; on the market's tick
and step. Times are Unix milliseconds; ids are below 2^53. Unknown fields are ignored; wrong types,
repeated JSON keys, JSON keys with escapes and repeated query parameters are refused.`;

const ERROR_SECTION = [
  "## Errors",
  "v2: `{code, msg, requestTime, data}` with a text code. v3: `{code, msg}`, a negative number.",
  errorTable("v2", "v2"),
  errorTable("v3", "v3: spot"),
  errorTable("capi", "v3: contracts"),
].join("\n\n");

function errorResponse(family: Family): Json {
  const schema = family === "v2" ? V2_ERROR : V3_ERROR;
  return { description: "See the table of errors", content: { [JSON_MEDIA]: { schema } } };
}

/** The whole document, as plain JSON. */
export function buildOpenApi(version: string): Json {
  const document = {
    openapi: "3.1.0",
    info: {
      title: "Rialto",
      version,
      description: [SIGNING, LIMITS, VALUES, ERROR_SECTION].join("\n\n"),
    },
    servers: [{ url: "/" }],
    tags: [...new Set(ROUTES.map((route) => route.tag))].map((name) => ({ name })),
    paths: paths(),
    components: {
      securitySchemes: Object.fromEntries(
        SECURITY_SCHEMES.map((id) => [
          id,
          { type: "apiKey", in: "header", name: SIGNING_HEADERS[id] },
        ]),
      ),
      responses: {
        "v2-error": errorResponse("v2"),
        "v3-error": errorResponse("v3"),
        "capi-error": errorResponse("capi"),
      },
    },
  };
  // Schemas carry TypeBox's own hidden marks; a round trip leaves what JSON has.
  return JSON.parse(JSON.stringify(document, (_name, value) => modernTuple(value)));
}

/** TypeBox writes tuples as JSON Schema did before 2020-12. */
function modernTuple(value: unknown): unknown {
  if (typeof value !== "object" || value === null || !("items" in value)) return value;
  const { items, additionalItems, ...rest } = value as Json;
  if (!Array.isArray(items)) return value;
  return { ...rest, prefixItems: items, maxItems: items.length };
}
