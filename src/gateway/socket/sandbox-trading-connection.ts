/**
 * A socket of the trading WebSocket in a sandbox: with the faults that the rules ask for, and into
 * the log of requests. A message is matched by the call that it is, so that one rule is about HTTP
 * and WebSocket, or by the name of its method, which is about the WebSocket alone.
 */
import { ERRORS, type Refusal } from "../../api/errors.ts";
import type { RequestFault, SandboxTraffic } from "../../faults/index.ts";
import { type AnswerFault, faultAnswer } from "../fault-answer.ts";
import { errorText } from "./envelope.ts";
import { textFrames } from "./text-frames.ts";
import { type ConnectionOptions, type Request, TradingConnection } from "./trading-connection.ts";

const MS_PER_SECOND = 1_000;
/** In which refusals of the session are written. */
const SESSION_FAMILY = "v3";

interface Held {
  readonly request: Request;
  isDue: boolean;
}

export class SandboxTradingConnection extends TradingConnection {
  readonly #options: ConnectionOptions;
  readonly #traffic: SandboxTraffic;
  /** Messages that wait for a delay, of their own or of an earlier one: the order is kept. */
  readonly #held: Held[] = [];
  /** No further message begins: the connection is stalled or dropped. */
  #isOver = false;

  constructor(options: ConnectionOptions, traffic: SandboxTraffic) {
    super(options);
    this.#options = options;
    this.#traffic = traffic;
  }

  protected override carryOut(request: Request): void {
    const { requests } = this.#traffic.rules;
    if (requests !== null) {
      const { address } = this.#options;
      const { known, method } = request;
      const routeId = known?.endpoint.route.id ?? null;
      request.hit = requests.meet({ ...this.#sender, address, routeId, method });
    }
    const { hit } = request;
    if (hit === null && this.#held.length === 0 && !this.#isOver) {
      super.carryOut(request);
      return;
    }
    const delayMs = hit?.delayMs ?? 0;
    const held = { request, isDue: delayMs === 0 };
    this.#held.push(held);
    if (held.isDue) this.#release();
    else {
      this.#traffic.held.after(delayMs, () => {
        held.isDue = true;
        this.#release();
      });
    }
  }

  protected override refuse(request: Request, refusal: Refusal, waitMs = 0): void {
    const family = request.known?.endpoint.route.family ?? SESSION_FAMILY;
    request.code = ERRORS[refusal.reason][family].code;
    super.refuse(request, refusal, waitMs);
  }

  protected override done(request: Request, status: number, text: string): void {
    switch (request.hit?.fault?.kind) {
      case "drop-answer":
        this.#dropFor(request);
        return;
      case "truncate-answer":
        this.#truncate(text);
        this.#record(request, status);
        return;
      default:
        super.done(request, status, text);
        this.#record(request, status);
    }
  }

  #release(): void {
    for (let next = this.#held[0]; next?.isDue && !this.#isOver; next = this.#held[0]) {
      this.#held.shift();
      try {
        this.#meet(next.request, next.request.hit?.fault ?? null);
      } catch (error) {
        this.#options.ports.onFatal(error);
      }
    }
  }

  #meet(request: Request, fault: RequestFault | null): void {
    switch (fault?.kind) {
      case "answer":
        this.#answerFault(request, fault);
        return;
      case "drop-request":
        this.#dropFor(request);
        return;
      case "stall":
        this.#isOver = true;
        this.#traffic.held.after(fault.ms, () => this.#dropFor(request));
        return;
      default:
        super.carryOut(request);
    }
  }

  #answerFault(request: Request, fault: AnswerFault): void {
    const family = request.known?.endpoint.route.family ?? SESSION_FAMILY;
    const { code, msg } = faultAnswer(fault, family);
    request.code = code;
    const retryMs = (fault.retryAfterS ?? 0) * MS_PER_SECOND;
    this.done(request, fault.status, errorText(request.id, fault.status, code, msg, retryMs));
  }

  #dropFor(request: Request): void {
    this.#isOver = true;
    this.drop();
    this.#record(request, null);
  }

  /** The answers before it leave whole. */
  #truncate(text: string): void {
    this.flush();
    this.#isOver = true;
    const { client, socket } = this.#options;
    const frame = textFrames([text]);
    this.close();
    socket.end(frame.subarray(0, frame.length / 2), () => client.terminate());
  }

  get #sender(): { readonly uid: number; readonly apiKey: string } {
    const { address, ports } = this.#options;
    const apiKey = this.session?.apiKey ?? "";
    return { uid: ports.authenticator.current(apiKey, address)?.uid ?? 0, apiKey };
  }

  /** `status` is null when the connection was closed without an answer. */
  #record(request: Request, status: number | null): void {
    const { address, ports } = this.#options;
    const { code, hit, known, method, startedMs } = request;
    const { clock } = ports;
    const route = known === null ? method : routeText(known.endpoint.route);
    this.#traffic.log.add({
      time: clock.exchangeMs(),
      transport: "websocket",
      route,
      method,
      ...this.#sender,
      address,
      status,
      code,
      ms: clock.monotonicMs() - startedMs,
      fault: hit?.rule ?? null,
    });
  }
}

function routeText({ method, path }: { readonly method: string; readonly path: string }): string {
  return `${method} ${path}`;
}
