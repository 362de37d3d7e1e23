/** A request on its way through the checks. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { type Refusal, refuse } from "../../api/errors.ts";
import type { RequestHit } from "../../faults/index.ts";
import type { EngineClient } from "../../protocol/index.ts";
import { OrderedRequest, type Sharing } from "./connection-order.ts";

/** What happens to a request when its turn comes, and when its body is there. */
interface Steps {
  begin(context: RequestContext): void;
  proceed(context: RequestContext, body: Buffer): void;
  refuse(context: RequestContext, refusal: Refusal): void;
}

export class RequestContext extends OrderedRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly target: string;
  readonly address: string;
  startedMs = 0;
  uid = 0;
  retryAfterSeconds = 0;
  /** What its handler asked; null before it was admitted. */
  engine: EngineClient | null = null;
  /** In a sandbox: what the request met, and the code with which it was refused. */
  hit: RequestHit | null = null;
  code: string | number | null = null;
  readonly #steps: Steps;

  constructor(
    steps: Steps,
    sharing: Sharing,
    request: IncomingMessage,
    response: ServerResponse,
    address: string,
  ) {
    super(sharing);
    this.#steps = steps;
    this.request = request;
    this.response = response;
    this.target = request.url ?? "";
    this.address = address;
  }

  begin(): void {
    this.#steps.begin(this);
  }

  bodyRead(body: Buffer): void {
    this.#steps.proceed(this, body);
  }

  bodyTooLarge(): void {
    this.#steps.refuse(this, refuse("body-too-large"));
  }
}
