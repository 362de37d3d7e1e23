/** The OpenAPI 3.1 document of the operator API, generated from its calls. */
import type { TSchema } from "typebox";
import type { Call } from "./call.ts";

const DIALECT_VERSION = "3.1.0";
const JSON_TYPE = "application/json";

const WIRE_REFUSAL = {
  type: "object",
  required: ["error"],
  properties: {
    error: {
      type: "object",
      required: ["code", "message"],
      properties: {
        code: { type: "string", description: "kebab case, for programs" },
        message: { type: "string", description: "for people" },
        field: { type: "string", description: "the field or header of the request that is wrong" },
      },
    },
  },
} as const;

const WAITS = {
  description: "Waits for a second operator; Location is the proposal",
  content: json({ $ref: "#/components/schemas/Refusal" }),
};

interface ObjectSchema {
  readonly properties: Readonly<Record<string, { readonly description?: string }>>;
  readonly required?: readonly string[];
}

/** `version` is the release's version. */
export function openApiDocument(calls: readonly Call[], version: string): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const call of calls) {
    paths[call.path] ??= {};
    (paths[call.path] as Record<string, object>)[call.method.toLowerCase()] = operation(call);
  }
  return {
    openapi: DIALECT_VERSION,
    info: {
      title: "Rialto operator API",
      version,
      description:
        "Runs the exchange: users, keys, funds, assets, markets. Every call needs the bearer " +
        "token. The header X-Operator (1 to 64 of A-Z a-z 0-9 . _ @ : / + -) names the caller in " +
        "the audit log.",
    },
    security: [{ token: [] }],
    paths,
    components: {
      securitySchemes: { token: { type: "http", scheme: "bearer" } },
      schemas: { Refusal: WIRE_REFUSAL },
    },
  };
}

function operation(call: Call): object {
  const body = Object.keys((call.body as unknown as ObjectSchema).properties).length > 0;
  return {
    operationId: call.id,
    tags: [call.tag],
    summary: call.summary,
    ...(call.sandboxOnly ? { description: "Needs --sandbox; returns 409 otherwise." } : {}),
    parameters: [...parameters(call.params, "path"), ...parameters(call.query, "query")],
    ...(body ? { requestBody: { required: true, content: json(call.body) } } : {}),
    responses: {
      200: { description: "Done", content: json(call.answer) },
      ...(call.mayWait ? { 202: WAITS } : {}),
      default: {
        description:
          "Refused: 400, 401, 404 or 409; 429 and 503 with Retry-After, the seconds to wait",
        content: json({ $ref: "#/components/schemas/Refusal" }),
      },
    },
  };
}

function parameters(schema: TSchema, place: "path" | "query"): object[] {
  const { properties, required = [] } = schema as unknown as ObjectSchema;
  return Object.entries(properties).map(([name, value]) => ({
    name,
    in: place,
    required: required.includes(name),
    description: value.description,
    schema: value,
  }));
}

function json(schema: object): object {
  return { [JSON_TYPE]: { schema } };
}
