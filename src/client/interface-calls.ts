/** Calls of the interface by their ids: signed where the route is, typed by its schemas. */
import { type Credentials, Signer } from "./credentials.ts";
import { type CallOptions, HttpCalls, type HttpOptions, type Sent } from "./http-calls.ts";
import { type CallId, ENDPOINTS } from "./route-table.ts";
import type { Answer } from "./route-types.ts";
import { ServerClock } from "./server-clock.ts";

/** The refusal of a timestamp, in v2 and v3. */
const TIMESTAMP_EXPIRED: ReadonlySet<number | string> = new Set([-1046, "40008"]);

export interface InterfaceOptions extends HttpOptions {
  /** Market data needs none. */
  readonly credentials?: Credentials | undefined;
}

export class InterfaceCalls {
  readonly clock = new ServerClock();
  readonly #http: HttpCalls;
  readonly #signer: Signer | null;

  constructor(options: InterfaceOptions) {
    const { credentials } = options;
    this.#signer = credentials === undefined ? null : new Signer(credentials);
    this.#http = new HttpCalls(options, {
      headers: async ({ isSigned, method }, target, body) =>
        isSigned ? this.signer.headers(this.clock.nowMs(), method, target, body) : {},
      cure: async ({ code }, signal) => {
        if (!TIMESTAMP_EXPIRED.has(code)) return false;
        await this.syncTime({ signal });
        return true;
      },
    });
  }

  get baseUrl(): string {
    return this.#http.baseUrl;
  }

  get signer(): Signer {
    if (this.#signer !== null) return this.#signer;
    throw new TypeError("this call is signed: hand credentials to the client");
  }

  call<Id extends CallId>(id: Id, sent: Sent, options?: CallOptions): Promise<Answer<Id>> {
    return this.#http.json(ENDPOINTS[id], sent, options);
  }

  /** What the envelope of a v2 answer holds. */
  async data<Id extends CallId>(id: Id, sent: Sent, options?: CallOptions): Promise<Answer<Id>> {
    return (await this.#http.json<{ data: Answer<Id> }>(ENDPOINTS[id], sent, options)).data;
  }

  text(id: CallId, sent: Sent, options?: CallOptions): Promise<string> {
    return this.#http.text(ENDPOINTS[id], sent, options);
  }

  syncTime(options?: CallOptions): Promise<void> {
    return this.clock.sync(async () => {
      return (await this.call("v3-server-time", {}, options)).serverTime;
    });
  }
}
