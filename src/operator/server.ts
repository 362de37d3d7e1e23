/**
 * The operator API: an HTTP server on its own port. Except for the console's files, every request
 * needs a bearer token, which is checked before the request is read, and a role that allows the
 * call. Every change is journaled with its caller's name.
 */
import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import { refuse } from "../api/errors.ts";
import { Actor, Fields } from "../api/operator/fields.ts";
import { parseStrictJson } from "../api/strict-json.ts";
import { accept, InvariantViolation, type Result } from "../domain/index.ts";
import { Authorization, actorOf, refuseRole } from "./authorization.ts";
import type { Call, CallRequest, OperatorContext, Outcome } from "./call.ts";
import { type Caller, mayCall } from "./caller.ts";
import { NODE_CALLS } from "./calls/cluster.ts";
import { CALLS } from "./calls/index.ts";
import { Input } from "./input.ts";
import type { Mutex } from "./mutex.ts";
import type { OperatorPorts } from "./ports.ts";
import { type Refused, reasonOf, toWire } from "./refusal.ts";
import { RunningReplays } from "./replays.ts";
import { WrongTokens } from "./wrong-tokens.ts";

export interface OperatorServerOptions extends OperatorPorts {
  /** The bearer token of the data folder as it is now: an administrator's. */
  readonly token: () => string;
  /** The client's address, behind proxies too. */
  readonly addressOf: (request: IncomingMessage) => string;
  /** Never jumps; any origin. */
  readonly monotonicMs: () => number;
  /** Whether the exchange was started with `--sandbox`. */
  readonly sandbox: boolean;
  /** One change of settings at a time, with those who change them elsewhere. */
  readonly mutex: Mutex;
  /** The release's version, for the OpenAPI document. */
  readonly version: string;
}

const BODY_BYTES_MAX = 64 * 1024;
const ACTOR_HEADER = "x-operator";
const CALLER = "caller";
const RETRY_AFTER_SECONDS = "1";
const MS_PER_SECOND = 1_000;

const HTTP_LIMITS = {
  bodyLimit: BODY_BYTES_MAX,
  requestTimeout: 10_000,
  keepAliveTimeout: 10_000,
  maxRequestsPerSocket: 10_000,
  exposeHeadRoutes: false,
  // Snapshots are answered once durable, which may take longer than any fixed timeout.
  connectionTimeout: 0,
  forceCloseConnections: "idle",
  http: { maxHeaderSize: 8192, headersTimeout: 5000, connectionsCheckingInterval: 1000 },
  routerOptions: { maxParamLength: 128, caseSensitive: true, ignoreTrailingSlash: false },
} as const;

/** The server, not yet listening. */
export function createOperatorServer(options: OperatorServerOptions): FastifyInstance {
  const { token, addressOf, monotonicMs, sandbox, version, ...ports } = options;
  const replays = new RunningReplays();
  const context: OperatorContext = { ...ports, sandbox, replays };
  const app = Fastify({
    logger: false,
    ...HTTP_LIMITS,
    clientErrorHandler: answerSocket,
    frameworkErrors: (_error, _request, reply) => {
      sendRefusal(reply as FastifyReply, refuse("malformed", null, "the path is not a valid URL"));
    },
  });
  requireToken(app, options);
  readBodiesAsBytes(app);
  answerFailures(app, context);
  for (const call of CALLS) addCall(app, call, context, sandbox);
  addProcessRoutes(app, context, version);
  return app;
}

function requireToken(app: FastifyInstance, options: OperatorServerOptions): void {
  const authorization = new Authorization(options.token);
  const wrong = new WrongTokens(options.log);
  app.decorateRequest(CALLER, null);
  app.addHook("onRequest", async (request, reply) => {
    // The console's files are public; its sign-in page asks for the token.
    if (isPage(request)) return;
    reply.header("cache-control", "no-store");
    const { authorization: header } = request.headers;
    const address = options.addressOf(request.raw);
    const nowMs = options.monotonicMs();
    const refuseWaiting = () => {
      const waitMs = wrong.waitMs(address, nowMs);
      if (waitMs === 0) return null;
      wrong.noteThrottled(address, nowMs);
      reply.header("retry-after", Math.ceil(waitMs / MS_PER_SECOND));
      return sendRefusal(reply, refuse("too-many-wrong-tokens", "authorization"));
    };
    // A request without a token does not count as a guess.
    if (header !== undefined && header !== "") {
      if (refuseWaiting() !== null) return reply;
      const { engine, node = null } = options;
      const known = isAboutNode(request) ? (node?.present ?? engine) : engine;
      const caller = await authorization.callerOf(header, known);
      // Others that came at the same time may have been wrong.
      if (refuseWaiting() !== null) return reply;
      if (!caller.ok) return sendRefusal(reply, caller);
      if (caller.value !== null) return request.setDecorator(CALLER, caller.value);
      wrong.note(address, nowMs);
    }
    reply.header("www-authenticate", "Bearer");
    return sendRefusal(reply, refuse("unauthorized", "authorization"));
  });
}

function isPage({ routeOptions }: FastifyRequest): boolean {
  return (routeOptions.config as { readonly isPage?: boolean }).isPage === true;
}

/** About the process that is asked: answered without a leader. */
function isAboutNode({ routeOptions }: FastifyRequest): boolean {
  return (routeOptions.config as { readonly isAboutNode?: boolean }).isAboutNode === true;
}

function readBodiesAsBytes(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  const bytes = { parseAs: "buffer" } as const;
  app.addContentTypeParser("application/json", bytes, (_request, body, done) => done(null, body));
}

/** Converts Fastify's own refusals and unexpected errors to the form of all refusals. */
function answerFailures(app: FastifyInstance, context: OperatorContext): void {
  app.setNotFoundHandler((_request, reply) => sendRefusal(reply, refuse("unknown-path")));
  app.setErrorHandler((error: Error & { statusCode?: number; code?: string }, request, reply) => {
    if (error.code === "FST_ERR_CTP_BODY_TOO_LARGE") {
      const detail = `at most ${BODY_BYTES_MAX} bytes`;
      return sendRefusal(reply, refuse("body-too-large", null, detail));
    }
    if (error.code === "FST_ERR_CTP_INVALID_MEDIA_TYPE") {
      const detail = "send application/json";
      return sendRefusal(reply, refuse("unsupported-content-type", "content-type", detail));
    }
    if (error.statusCode !== undefined && error.statusCode < 500) {
      return sendRefusal(reply, refuse("malformed"));
    }
    const { method, routeOptions } = request;
    context.log.error({ method, route: routeOptions.url, error }, "an operator call failed");
    if (error instanceof InvariantViolation) context.onFatal(error);
    return sendRefusal(reply, refuse("internal-error"));
  });
}

function addCall(
  app: FastifyInstance,
  call: Call,
  context: OperatorContext,
  sandbox: boolean,
): void {
  const inputs = {
    params: new Input(call.params),
    query: new Input(call.query),
    body: new Input(call.body),
  };
  const pathNames = [...call.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] as string);
  app.route({
    method: call.method,
    url: call.path.replace(/\{(\w+)\}/g, ":$1"),
    config: { isAboutNode: NODE_CALLS.has(call.id) },
    handler: async (request, reply) => {
      if (call.sandboxOnly && !sandbox) return sendRefusal(reply, refuse("sandbox-only"));
      const caller = request.getDecorator<Caller>(CALLER);
      if (!mayCall(caller, call.roles)) return sendRefusal(reply, refuseRole(caller, call.roles));
      const input = readInput(request, inputs);
      if (!input.ok) return sendRefusal(reply, input);
      const actor = await actorOf(caller, input.value.actor, call.method, context.engine);
      if (!actor.ok) return sendRefusal(reply, actor);
      const received = { ...input.value, caller, actor: actor.value };
      const outcome = await call.handle(received, context);
      logChange(context, call, received, outcome);
      if (outcome.ok) return reply.send(outcome.value);
      return sendRefusal(reply, outcome, pathNames);
    },
  });
}

type Inputs = Readonly<Record<"params" | "query" | "body", Input>>;
type AnyRequest = CallRequest<unknown, unknown, unknown>;
type Given = Pick<AnyRequest, "params" | "query" | "body"> & { readonly actor: string | null };

const ACTOR = new Input(Fields({ "X-Operator": Actor }));

function readInput(request: FastifyRequest, inputs: Inputs): Result<Given> {
  const actor = request.headers[ACTOR_HEADER] ?? null;
  const validActor = actor === null ? accept(null) : ACTOR.read({ "X-Operator": actor });
  if (!validActor.ok) return validActor;
  const params = inputs.params.readTexts(request.params as Record<string, unknown>);
  if (!params.ok) return params;
  const query = inputs.query.readTexts(request.query as Record<string, unknown>);
  if (!query.ok) return query;
  const bytes = (request.body as Buffer | undefined) ?? Buffer.alloc(0);
  const json = parseStrictJson(bytes);
  if (!json.ok) return json;
  const body = inputs.body.read(json.value);
  if (!body.ok) return body;
  return accept({
    params: params.value,
    query: query.value,
    body: body.value,
    actor: actor as string | null,
  });
}

/**
 * Logs a change without its body: one kind has a passphrase, and the audit log has every change.
 */
function logChange(
  context: OperatorContext,
  call: Call,
  request: AnyRequest,
  outcome: Outcome<unknown>,
): void {
  if (call.method === "GET") return;
  const { actor, params } = request;
  const refused = outcome.ok ? {} : { refused: reasonOf(outcome) };
  context.log.info({ call: call.id, actor, params, ...refused }, "operator call");
}

/** Routes for monitoring. These need the token as well. */
function addProcessRoutes(app: FastifyInstance, context: OperatorContext, version: string): void {
  const config = { isAboutNode: true };
  let document: Promise<object> | null = null;
  app.get("/operator/v1/openapi.json", { config }, () => {
    document ??= import("./openapi.ts").then((pages) => pages.openApiDocument(CALLS, version));
    return document;
  });
  app.get("/metrics", { config }, async (_request, reply) => {
    const page = await context.metrics.render();
    return reply.header("content-type", context.metrics.contentType).send(page);
  });
  app.get("/operator/v1/sandbox/state", async (request, reply) => {
    // The file has working keys.
    const caller = request.getDecorator<Caller>(CALLER);
    if (!mayCall(caller, [])) return sendRefusal(reply, refuseRole(caller, []));
    if (context.states === null) return sendRefusal(reply, refuse("sandbox-only"));
    const saved = await context.states.save();
    if (!saved.ok) return sendRefusal(reply, saved);
    return reply.header("content-type", "application/octet-stream").send(saved.value);
  });
  app.get("/health/live", { config }, () => ({ status: "live" }));
  app.get("/health/ready", { config }, (_request, reply) => {
    const reason = context.health.notReadyBecause();
    const node = context.node?.status() ?? {};
    if (reason === null) return reply.send({ status: "ready", ...node });
    return sendRefusal(reply, refuse("not-ready", null, reason));
  });
}

/** Answers input that is not HTTP, or is too slow, while the socket is still writable. */
function answerSocket(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const { status, body } = toWire(refuse("malformed", null, "not HTTP"));
  const text = JSON.stringify(body);
  socket.end(
    `HTTP/1.1 ${status} Bad Request\r\nconnection: close\r\n` +
      `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
  );
}

function sendRefusal(
  reply: FastifyReply,
  refused: Refused,
  pathNames: readonly string[] = [],
): FastifyReply {
  const { status, body } = toWire(refused, pathNames);
  if (status === 503) reply.header("retry-after", RETRY_AFTER_SECONDS);
  if ("waiting" in refused) {
    reply.header("location", `/operator/v1/proposals/${refused.waiting.proposalId}`);
  }
  return reply.code(status).send(body);
}
