/** Calls of the API by their ids: signed where needed, typed by the schemas of the route. */
import { CALLS, type CallId } from "../api/calls.ts";
import { type Credentials, Signer } from "./credentials.ts";
import { type CallOptions, HttpCalls, type HttpOptions, type Sent } from "./http-calls.ts";
import type { Answer } from "./route-types.ts";
import { ServerClock } from "./server-clock.ts";

/** The error code of a rejected timestamp, in v2 and v3. */
const TIMESTAMP_EXPIRED: ReadonlySet<number | string> = new Set([-1046, "40008"]);

export interface ApiOptions extends HttpOptions {
  /** Market data needs none. */
  readonly credentials?: Credentials | undefined;
}

export class ApiCalls {
  readonly clock = new ServerClock();
  readonly #http: HttpCalls;
  readonly #signer: Signer | null;

  constructor(options: ApiOptions) {
    const { credentials } = options;
    this.#signer = credentials === undefined ? null : new Signer(credentials);
    this.#http = new HttpCalls(options, {
      headers: async ({ access, method }, target, body) =>
        access === null ? {} : this.signer.headers(this.clock.nowMs(), method, target, body),
      recover: async ({ code }, signal) => {
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
    throw new TypeError("this call is signed: give the client credentials");
  }

  /** v2 answers come in an envelope; this is its data. */
  async call<Id extends CallId>(id: Id, sent: Sent, options?: CallOptions): Promise<Answer<Id>> {
    if (CALLS[id].family !== "v2") return this.#http.json(CALLS[id], sent, options);
    return (await this.#http.json<{ data: Answer<Id> }>(CALLS[id], sent, options)).data;
  }

  text(id: CallId, sent: Sent, options?: CallOptions): Promise<string> {
    return this.#http.text(CALLS[id], sent, options);
  }

  syncTime(options?: CallOptions): Promise<void> {
    return this.clock.sync(async () => {
      return (await this.call("v3-server-time", {}, options)).serverTime;
    });
  }
}
