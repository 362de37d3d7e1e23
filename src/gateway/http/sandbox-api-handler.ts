/**
 * Answers the requests of one route in a sandbox: with the faults that the rules ask for, and into
 * the log of requests. Elsewhere `ApiHandler` alone is there, so that faults cost nothing.
 *
 * A rule meets a request when its body is there and before it is checked, so that a delay is like
 * one on the way: a request that was held for too long has an expired timestamp. The user of a
 * request is the one whose key it names.
 */
import { ERRORS, type Refusal } from "../../api/errors.ts";
import type { RequestFault, SandboxTraffic } from "../../faults/index.ts";
import type { Endpoint } from "../endpoint.ts";
import { type AnswerFault, faultAnswer } from "../fault-answer.ts";
import { ApiHandler, type ApiHandlerPorts } from "./api-handler.ts";
import { errorText } from "./reply.ts";
import type { RequestContext } from "./request-context.ts";

/** Tells a rule's answer from the exchange's own. */
const FAULT_HEADER = "X-Rialto-Fault";

export class SandboxApiHandler extends ApiHandler {
  readonly #endpoint: Endpoint;
  readonly #ports: ApiHandlerPorts;
  readonly #traffic: SandboxTraffic;
  /** As it is written in the log. */
  readonly #routeText: string;

  constructor(endpoint: Endpoint, ports: ApiHandlerPorts, traffic: SandboxTraffic) {
    super(endpoint, ports);
    const { method, path } = endpoint.route;
    this.#routeText = `${method} ${path}`;
    this.#endpoint = endpoint;
    this.#ports = ports;
    this.#traffic = traffic;
  }

  override proceed(context: RequestContext, body: Buffer): void {
    const { requests } = this.#traffic.rules;
    if (requests === null) {
      super.proceed(context, body);
      return;
    }
    const { address } = context;
    const { id: routeId } = this.#endpoint.route;
    const apiKey = apiKeyOf(context);
    const uid = this.#userOf(context, apiKey);
    const hit = requests.meet({ uid, apiKey, address, routeId, method: null });
    context.hit = hit;
    if (hit === null) super.proceed(context, body);
    else if (hit.delayMs === 0) this.#meet(context, body, hit.fault);
    else this.#traffic.held.after(hit.delayMs, () => this.#meet(context, body, hit.fault));
  }

  override refuse(context: RequestContext, refusal: Refusal): void {
    context.code = ERRORS[refusal.reason][this.#endpoint.route.family].code;
    super.refuse(context, refusal);
  }

  protected override send(
    context: RequestContext,
    status: number,
    body: string | Buffer,
    contentType?: string,
  ): void {
    const { hit, response } = context;
    switch (hit?.fault?.kind) {
      case "drop-answer":
        this.#drop(context);
        return;
      case "truncate-answer":
        this.#truncate(context, status, Buffer.from(body), contentType);
        return;
      default:
        if (hit !== null) response.setHeader(FAULT_HEADER, hit.rule);
        super.send(context, status, body, contentType);
        this.#record(context, status);
    }
  }

  #meet(context: RequestContext, body: Buffer, fault: RequestFault | null): void {
    switch (fault?.kind) {
      case "answer":
        this.#answerFault(context, fault);
        return;
      case "drop-request":
        this.#drop(context);
        return;
      case "stall":
        this.#traffic.held.after(fault.ms, () => this.#drop(context));
        return;
      default:
        super.proceed(context, body);
    }
  }

  #answerFault(context: RequestContext, fault: AnswerFault): void {
    const { route } = this.#endpoint;
    const { code, msg } = faultAnswer(fault, route.family);
    context.code = code;
    context.retryAfterSeconds = fault.retryAfterS ?? 0;
    this.send(context, fault.status, errorText(route, code, msg, this.#ports.clock.exchangeMs()));
  }

  /** What waits on a connection that was closed is not carried out. */
  #drop(context: RequestContext): void {
    context.request.socket.destroy();
    this.#record(context, null);
  }

  /** The head announces the whole answer. */
  #truncate(
    context: RequestContext,
    status: number,
    body: Buffer,
    contentType: string | undefined,
  ): void {
    const { request, response } = context;
    response.writeHead(status, this.headersOf(context, body.length, contentType));
    response.write(body.subarray(0, Math.floor(body.length / 2)), () => request.socket.destroy());
    this.#record(context, status);
  }

  /** Who was identified, or whose key a request names that was refused before that. */
  #userOf({ address, uid }: RequestContext, apiKey: string): number {
    if (uid !== 0 || apiKey === "") return uid;
    return this.#ports.authenticator.current(apiKey, address)?.uid ?? 0;
  }

  /** `status` is null when the connection was closed without an answer. */
  #record(context: RequestContext, status: number | null): void {
    const { address, code, hit, startedMs } = context;
    const { clock } = this.#ports;
    const apiKey = apiKeyOf(context);
    this.#traffic.log.add({
      time: clock.exchangeMs(),
      transport: "http",
      route: this.#routeText,
      method: null,
      uid: this.#userOf(context, apiKey),
      apiKey,
      address,
      status,
      code,
      ms: clock.monotonicMs() - startedMs,
      fault: hit?.rule ?? null,
    });
  }
}

/** Empty without a key. */
function apiKeyOf({ request }: RequestContext): string {
  const apiKey = request.headers["access-key"];
  return typeof apiKey === "string" ? apiKey : "";
}
