/** GET pages beside the interface: the reference, health and metrics. */
import type { FastifyInstance, FastifyReply } from "fastify";
import { buildOpenApi, type OpenApiDocument } from "../api/openapi.ts";
import { createDocsPage, DOCS_DOCUMENT_PATH } from "./docs-page.ts";
import type { GatewayMetrics } from "./ports.ts";
import { JSON_CONTENT_TYPE } from "./reply.ts";

const OPENAPI_PATH = "/openapi.json";

/** Paths that are served here, all of them by GET. */
export const PAGE_PATHS: readonly string[] = [
  OPENAPI_PATH,
  "/docs",
  "/docs/",
  DOCS_DOCUMENT_PATH,
  "/docs/js/scalar.js",
  "/health/live",
  "/health/ready",
  "/metrics",
];

export interface PagesPorts {
  readonly version: string;
  readonly metrics: GatewayMetrics;
  readonly notReadyBecause: () => string | null;
}

export function registerPages(app: FastifyInstance, ports: PagesPorts): void {
  const { version, metrics, notReadyBecause } = ports;
  // Made when first asked for, so that a start does not wait for it.
  let document: OpenApiDocument | null = null;
  let text: string | null = null;
  const openApi = () => {
    document ??= buildOpenApi(version);
    return document;
  };
  app.get(OPENAPI_PATH, (_request, reply) => {
    text ??= JSON.stringify(openApi());
    return sendJson(reply, text);
  });
  registerDocs(app, openApi);
  app.get("/health/live", (_request, reply) => sendJson(reply, '{"status":"live"}'));
  app.get("/health/ready", (_request, reply) => {
    const reason = notReadyBecause();
    if (reason === null) return sendJson(reply, '{"status":"ready"}');
    const body = JSON.stringify({ status: "not-ready", reason });
    return sendJson(reply.code(503).header("Retry-After", 1), body);
  });
  app.get("/metrics", async (_request, reply) => {
    const text = await metrics.render();
    return reply.header("Content-Type", metrics.contentType).send(text);
  });
}

function registerDocs(app: FastifyInstance, openApi: () => OpenApiDocument): void {
  const docs = createDocsPage(openApi);
  app.get("/docs", (_request, reply) => reply.redirect("/docs/", 301));
  app.get("/docs/", async (_request, reply) => {
    const { html, contentSecurityPolicy } = await docs();
    return reply
      .header("Content-Type", "text/html; charset=utf-8")
      .header("Content-Security-Policy", contentSecurityPolicy)
      .header("X-Content-Type-Options", "nosniff")
      .header("Referrer-Policy", "no-referrer")
      .send(html);
  });
  app.get("/docs/js/scalar.js", async (_request, reply) => {
    const { script } = await docs();
    reply.header("Cache-Control", "max-age=3600");
    return sendCompressed(reply, "application/javascript; charset=utf-8", script);
  });
  app.get(DOCS_DOCUMENT_PATH, async (_request, reply) => {
    const { document } = await docs();
    return sendCompressed(reply, JSON_CONTENT_TYPE, document);
  });
}

function sendJson(reply: FastifyReply, json: string): FastifyReply {
  return reply.header("Content-Type", JSON_CONTENT_TYPE).send(json);
}

/** For browsers alone, which all read gzip. */
function sendCompressed(reply: FastifyReply, contentType: string, body: Buffer): FastifyReply {
  return reply.header("Content-Type", contentType).header("Content-Encoding", "gzip").send(body);
}
