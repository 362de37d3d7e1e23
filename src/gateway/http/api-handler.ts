/**
 * The path of a request: address limit, headers, time, content type, key, signature, passphrase,
 * address, permission, user limit, schema, engine. Works on the plain request and response of
 * `node:http`, so that nothing is parsed before its signature is verified.
 */
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import { type Refusal, refuse } from "../../api/errors.ts";
import type { Route } from "../../api/route.ts";
import { type JsonObject, parseStrictJson } from "../../api/strict-json.ts";
import { type Accepted, accept } from "../../domain/index.ts";
import type { Scheduler } from "../../platform/index.ts";
import {
  type Authenticator,
  checkContentType,
  hasBody,
  type Identity,
  PUBLIC_CALLER,
} from "../authentication/authenticator.ts";
import type { Endpoint, EndpointRequest, Exchange, Outcome } from "../endpoint.ts";
import { type AddressRanges, clientAddress } from "./address.ts";
import type { Sharing } from "./connection-order.ts";
import { InputShape } from "./input-shape.ts";
import { exchangeAt, leastSequence } from "./least-sequence.ts";
import { ONE_STEP_ROUTES } from "./one-step-routes.ts";
import type { Clock, ClusterNode, GatewayMetrics } from "./ports.ts";
import { parseQueryString } from "./query-string.ts";
import type { RateLimits, RouteLimits } from "./rate-limit.ts";
import {
  errorBody,
  errorStatus,
  JSON_CONTENT_TYPE,
  RETRY_AFTER_SECONDS,
  successBody,
} from "./reply.ts";
import { BODY_BYTES_MAX, readBody } from "./request-body.ts";
import { RequestContext } from "./request-context.ts";

const NO_BODY = Buffer.alloc(0);
const PUBLIC_IDENTITY = accept<Identity>({ caller: PUBLIC_CALLER, signature: "" });
const NOTHING: JsonObject = Object.freeze({});
const MS_PER_SECOND = 1_000;

export interface ApiHandlerPorts {
  readonly exchange: Exchange;
  /** For whoever signs; the same but on a node of a cluster. */
  readonly signedExchange: Exchange;
  readonly authenticator: Authenticator;
  readonly limits: RateLimits;
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  readonly metrics: GatewayMetrics;
  readonly trustedProxies: AddressRanges | null;
  /** Of a venue that was restored from a backup: in the head of every answer. Null otherwise. */
  readonly restoredVenue: string | null;
  /** Null but in a cluster. */
  readonly node: Pick<ClusterNode, "whenSigningIn"> | null;
  /** A broken invariant: the process must end. The request is not answered. */
  readonly onFatal: (error: unknown) => void;
}

function limited(context: RequestContext, waitMs: number): Refusal {
  context.retryAfterSeconds = Math.ceil(waitMs / MS_PER_SECOND);
  return refuse("rate-limited");
}

function sharingOf({ id, method }: Route): Sharing {
  if (ONE_STEP_ROUTES.has(id)) return "steps";
  return method === "GET" ? "reads" : "nothing";
}

/** Answers the requests of one route. */
export class ApiHandler {
  readonly #endpoint: Endpoint;
  readonly #route: Route;
  readonly #ports: ApiHandlerPorts;
  readonly #limits: RouteLimits;
  readonly #query: InputShape;
  readonly #body: InputShape;
  readonly #sharing: Sharing;

  constructor(endpoint: Endpoint, ports: ApiHandlerPorts) {
    this.#endpoint = endpoint;
    this.#route = endpoint.route;
    this.#ports = ports;
    this.#limits = ports.limits.forRoute(endpoint.route);
    this.#query = new InputShape(endpoint.route.query);
    this.#body = new InputShape(endpoint.route.body);
    this.#sharing = sharingOf(endpoint.route);
  }

  get method(): Route["method"] {
    return this.#route.method;
  }

  /** Now, or when the earlier requests of the connection are far enough. */
  handle(request: IncomingMessage, response: ServerResponse): void {
    const address = clientAddress(request, this.#ports.trustedProxies);
    const context = new RequestContext(this, this.#sharing, request, response, address);
    if (context.takeTurn(request.socket)) return;
    context.startedMs = this.#ports.clock.monotonicMs();
    context.retryAfterSeconds = RETRY_AFTER_SECONDS;
    this.refuse(context, refuse("overloaded", null, "too many requests wait on this connection"));
  }

  begin(context: RequestContext): void {
    context.startedMs = this.#ports.clock.monotonicMs();
    const waiting = this.#route.access === null ? null : this.#ports.node?.whenSigningIn();
    if (waiting === null || waiting === undefined) this.#checkAndRead(context);
    else waiting.then((reason) => this.#signInLater(context, reason), this.#ports.onFatal);
  }

  #signInLater(context: RequestContext, reason: string | null): void {
    try {
      if (reason === null) {
        this.#checkAndRead(context);
        return;
      }
      context.retryAfterSeconds = RETRY_AFTER_SECONDS;
      this.refuse(context, refuse("not-leader", null, reason));
    } catch (error) {
      this.#ports.onFatal(error);
    }
  }

  #checkAndRead(context: RequestContext): void {
    const { headers } = context.request;
    const isWithBody = hasBody(headers);
    const refusal = this.#checkHead(context, headers, isWithBody);
    if (refusal !== null) this.refuse(context, refusal);
    else if (!isWithBody) this.proceed(context, NO_BODY);
    // A body that is too large is answered at once; the rest of it is read and dropped.
    else if (Number(headers["content-length"] ?? 0) > BODY_BYTES_MAX) context.bodyTooLarge();
    else readBody(context.request, context);
  }

  /** Refuses what it can before the body has arrived. */
  #checkHead(
    context: RequestContext,
    headers: IncomingHttpHeaders,
    isWithBody: boolean,
  ): Refusal | null {
    const waitMs = this.#limits.takeAddress(context.address, context.startedMs);
    if (waitMs > 0) return limited(context, waitMs);
    const isPublic = this.#route.access === null;
    const refusal =
      (isPublic ? null : this.#ports.authenticator.checkHeaders(headers)) ??
      (isWithBody ? checkContentType(headers) : null);
    return refusal === null ? null : this.#countFailure(context, refusal);
  }

  proceed(context: RequestContext, body: Buffer): void {
    const { onFatal } = this.#ports;
    try {
      const least = leastSequence(context.request);
      const admitted = least.ok ? this.#admit(context, body) : least;
      if (!admitted.ok || !least.ok) {
        this.refuse(context, admitted as Refusal);
        return;
      }
      const outcome = this.#handle(context, admitted.value, least.value);
      this.#ports.limits.entered?.();
      if (!(outcome instanceof Promise)) {
        this.#answer(context, outcome);
        return;
      }
      outcome.then((answer) => this.#answerLater(context, answer), onFatal);
      context.handedOver();
    } catch (error) {
      onFatal(error);
    }
  }

  #handle(
    context: RequestContext,
    request: EndpointRequest<never, never>,
    leastSequence: number | null,
  ): Outcome<unknown> | Promise<Outcome<unknown>> {
    const { exchange, signedExchange } = this.#ports;
    if (leastSequence !== null) return this.#handleFrom(context, request, leastSequence);
    const reached = this.#route.access === null ? exchange : signedExchange;
    context.engine = reached.engine.apart();
    return this.#endpoint.handle(request, { ...reached, engine: context.engine });
  }

  /** Of this node's own copy: nobody else is asked. */
  async #handleFrom(
    context: RequestContext,
    request: EndpointRequest<never, never>,
    sequence: number,
  ): Promise<Outcome<unknown>> {
    const { exchange } = this.#ports;
    context.engine = exchange.engine.apart();
    const own = { ...exchange, engine: context.engine };
    const reached = await exchangeAt(own, sequence, this.#ports);
    if (reached !== null) return await this.#endpoint.handle(request, reached);
    context.retryAfterSeconds = RETRY_AFTER_SECONDS;
    return refuse("overloaded", null, `sequence ${sequence} is not here yet`);
  }

  #answerLater(context: RequestContext, outcome: Outcome<unknown>): void {
    try {
      this.#answer(context, outcome);
    } catch (error) {
      this.#ports.onFatal(error);
    }
  }

  #admit(context: RequestContext, body: Buffer): Accepted<EndpointRequest<never, never>> | Refusal {
    const identity = this.#identify(context, body);
    if (!identity.ok) return this.#countFailure(context, identity);
    const { caller, signature } = identity.value;
    context.uid = caller.uid;
    const waitMs = this.#limits.takeUser(context.address, caller.uid, context.startedMs);
    if (waitMs > 0) return limited(context, waitMs);
    const query = this.#readQuery(context.target);
    if (!query.ok) return query;
    const json = this.#readJson(body);
    if (!json.ok) return json;
    return accept({ caller, signature, query: query.value as never, body: json.value as never });
  }

  #identify(context: RequestContext, body: Buffer): Accepted<Identity> | Refusal {
    const { access } = this.#route;
    if (access === null) return PUBLIC_IDENTITY;
    const { request, target, address } = context;
    const { method = "", headers } = request;
    return this.#ports.authenticator.identify({ method, target, headers, body, address }, access);
  }

  #readQuery(target: string): Accepted<JsonObject> | Refusal {
    const parameters = parseQueryString(target);
    return parameters.ok ? this.#query.readQuery(parameters.value) : parameters;
  }

  #readJson(body: Buffer): Accepted<JsonObject> | Refusal {
    if (this.#route.body === undefined) return accept(NOTHING);
    const json = parseStrictJson(body);
    return json.ok ? this.#body.readBody(json.value) : refuse("malformed-json", null, json.detail);
  }

  #answer(context: RequestContext, outcome: Outcome<unknown>): void {
    if (outcome.ok) {
      const endpoint = this.#endpoint;
      const text = endpoint.stringify(outcome.value as never);
      const body = successBody(this.#route, text, this.#ports.clock.exchangeMs());
      this.send(context, 200, body, endpoint.contentType?.(outcome.value as never));
    } else if ("unavailable" in outcome) {
      context.retryAfterSeconds = RETRY_AFTER_SECONDS;
      this.refuse(context, refuse(outcome.unavailable));
    } else this.refuse(context, outcome);
  }

  /** Failures have a pool per address; beyond it the answer is only to wait. */
  #countFailure(context: RequestContext, refusal: Refusal): Refusal {
    const waitMs = this.#ports.limits.takeFailure(context.address, context.startedMs);
    return waitMs > 0 ? limited(context, waitMs) : refusal;
  }

  refuse(context: RequestContext, refusal: Refusal): void {
    const { family } = this.#route;
    const body = errorBody(this.#route, refusal, this.#ports.clock.exchangeMs());
    this.send(context, errorStatus(family, refusal), body);
  }

  protected send(
    context: RequestContext,
    status: number,
    body: string | Buffer,
    contentType = JSON_CONTENT_TYPE,
  ): void {
    const { response } = context;
    const length = Buffer.byteLength(body);
    response.writeHead(status, this.headersOf(context, length, contentType));
    // A text of as many bytes as characters is ASCII: Node then need not encode head and body.
    response.end(body, length === body.length ? "latin1" : "utf8");
    const { clock, metrics } = this.#ports;
    metrics.answered(this.#route.id, status, clock.monotonicMs() - context.startedMs);
    context.answered();
  }

  protected headersOf(
    context: RequestContext,
    length: number,
    contentType = JSON_CONTENT_TYPE,
  ): string[] {
    const { address, uid, startedMs } = context;
    // In pairs: Node copies an object into its own table first.
    const headers = [
      "Content-Type",
      contentType,
      "Content-Length",
      String(length),
      "X-USED-WEIGHT-10S",
      String(this.#limits.usedWeight(address, uid, startedMs)),
    ];
    if (this.#route.countsAsOrder) {
      headers.push("X-ORDER-COUNT-1S", String(this.#limits.orderCount(uid, startedMs)));
    }
    if (context.retryAfterSeconds > 0) {
      headers.push("Retry-After", String(context.retryAfterSeconds));
    }
    const sequence = context.engine?.sequence ?? 0;
    if (sequence > 0) headers.push("X-Rialto-Sequence", String(sequence));
    const { restoredVenue } = this.#ports;
    if (restoredVenue !== null) headers.push("X-Rialto-Venue", restoredVenue);
    return headers;
  }
}
