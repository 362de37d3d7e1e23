/**
 * Pages beside the API: the reference, health and, if configured, metrics. They have limits per
 * address like calls, because a page is larger than most answers.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler } from "fastify";
import { refuse } from "../../api/errors.ts";
import { CONSOLE_WEIGHT, PAGES, type Page } from "../../api/pages.ts";
import { type AddressRanges, clientAddress } from "../http/address.ts";
import type { HttpErrors } from "../http/http-errors.ts";
import type { Clock, ClusterNode, GatewayMetrics, VenueMark } from "../http/ports.ts";
import type { RateLimits } from "../http/rate-limit.ts";
import { JSON_CONTENT_TYPE } from "../http/reply.ts";
import { answerPage, type StoredPage, storePage } from "./stored-page.ts";

const MS_PER_SECOND = 1_000;
/** The label in the metrics of everything that is no route. */
const NO_ROUTE = "none";

/** Paths of the pages, all of them GET. */
export function pagePaths(publicMetrics: boolean): readonly string[] {
  const pages: readonly Page[] = Object.values(PAGES);
  return pages
    .map(({ path }) => path)
    .filter((path) => path !== PAGES.metrics.path || publicMetrics);
}

export interface PagesPorts {
  readonly version: string;
  readonly venue: VenueMark | null;
  readonly node: Pick<ClusterNode, "status"> | null;
  readonly metrics: GatewayMetrics;
  readonly notReadyBecause: () => string | null;
  readonly publicMetrics: boolean;
  readonly limits: RateLimits;
  readonly clock: Clock;
  readonly trustedProxies: AddressRanges | null;
  readonly errors: HttpErrors;
}

type Handler = (request: FastifyRequest, reply: FastifyReply) => unknown;

export function registerPages(app: FastifyInstance, ports: PagesPorts): void {
  const { version, metrics, notReadyBecause, publicMetrics } = ports;
  const serve: Serve = (page, handler) => {
    const onRequest = limitedTo(page.path, page.weight, ports);
    app.get(page.path, { onRequest }, handler as never);
  };
  // Loaded and built on the first request, so that the start does not wait for it.
  const stored = madeOnce(async () => {
    const { buildOpenApi } = await import("../../api/openapi.ts");
    return storePage(JSON_CONTENT_TYPE, Buffer.from(JSON.stringify(buildOpenApi(version))));
  });
  serve(PAGES.openApi, async (request, reply) => sendStored(request, reply, await stored()));
  registerDocs(serve);
  serve(PAGES.live, (_request, reply) => sendHealth(reply, ports, { status: "live" }));
  serve(PAGES.ready, (_request, reply) => {
    const reason = notReadyBecause();
    const node = ports.node?.status() ?? {};
    if (reason === null) return sendHealth(reply, ports, { status: "ready", ...node });
    const unready = reply.code(503).header("Retry-After", 1);
    return sendHealth(unready, ports, { status: "not-ready", reason, ...node });
  });
  limitConsole(app, ports);
  if (!publicMetrics) return;
  serve(PAGES.metrics, async (_request, reply) => {
    const text = await metrics.render();
    return reply.header("Content-Type", metrics.contentType).send(text);
  });
}

/** A restored venue says so in the body, too. */
function sendHealth(reply: FastifyReply, { venue }: PagesPorts, health: object): unknown {
  if (venue === null) return sendJson(reply, JSON.stringify(health));
  const { id, restoredSequence } = venue;
  const restored = restoredSequence === null ? {} : { venue: id, restoredSequence };
  const body = JSON.stringify({ ...health, ...restored });
  return sendJson(reply.header("X-Rialto-Venue", id), body);
}

type Serve = (page: Page, handler: Handler) => void;

function registerDocs(serve: Serve): void {
  const files = madeOnce(async () => {
    const { DocsFiles } = await import("./docs-page.ts");
    return new DocsFiles();
  });
  const send = async (name: string, request: FastifyRequest, reply: FastifyReply) => {
    const docs = await files();
    const file = await docs.find(name);
    if (file !== null) return sendStored(request, reply.headers(file.headers), file.page);
    // Programs get the API's error.
    const isBrowser = request.headers.accept?.includes("text/html") === true;
    const lost = isBrowser ? await docs.find("not-found") : null;
    if (lost === null) return reply.callNotFound();
    return reply
      .code(404)
      .headers({ ...lost.headers, "Content-Type": lost.page.contentType })
      .send(lost.page.plain);
  };
  serve(PAGES.docsRedirect, (_request, reply) => reply.redirect(PAGES.docs.path, 301));
  serve(PAGES.docs, (request, reply) => send("", request, reply));
  serve(PAGES.docsPage, (request, reply) => {
    const { page } = request.params as { readonly page: string };
    return send(page, request, reply);
  });
}

/** Takes the weight of a page, or refuses when it is used up. `id` names its pool. */
function limitedTo(id: string, weight: number, ports: PagesPorts): onRequestHookHandler {
  const { clock, errors, limits, metrics, trustedProxies } = ports;
  const limit = { kind: "weight", ip: weight, uid: 0 } as const;
  const pool = limits.forRoute({ id, limit, access: null });
  return ({ raw }, reply, done) => {
    const waitMs = pool.takeAddress(clientAddress(raw, trustedProxies), clock.monotonicMs());
    if (waitMs === 0) {
      done();
      return;
    }
    reply.hijack();
    reply.raw.setHeader("Retry-After", Math.ceil(waitMs / MS_PER_SECOND));
    const status = errors.answer(raw.url ?? "", reply.raw, refuse("rate-limited"));
    metrics.answered(NO_ROUTE, status, 0);
  };
}

/** The files of the console are registered elsewhere and marked as pages. */
function limitConsole(app: FastifyInstance, ports: PagesPorts): void {
  const limit = limitedTo("console", CONSOLE_WEIGHT, ports);
  app.addHook("onRoute", (route) => {
    if ((route.config as { readonly isPage?: boolean } | undefined)?.isPage !== true) return;
    route.onRequest = [limit, ...[route.onRequest ?? []].flat()];
  });
}

function madeOnce<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | null = null;
  return () => {
    made ??= make();
    return made;
  };
}

function sendJson(reply: FastifyReply, json: string): FastifyReply {
  return reply.header("Content-Type", JSON_CONTENT_TYPE).send(json);
}

function sendStored(
  { headers }: FastifyRequest,
  reply: FastifyReply,
  page: StoredPage,
): FastifyReply {
  const answer = answerPage(page, headers);
  return reply
    .code(answer.status)
    .headers(answer.headers)
    .send(answer.body ?? undefined);
}
