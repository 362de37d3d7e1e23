/** Calls of the API by their ids: signed where needed, typed by the schemas of the route. */
import { CALLS, type CallId } from "../api/calls.ts";
import { type Credentials, Signer } from "./credentials.ts";
import type { RialtoError } from "./errors.ts";
import { HttpCalls, type HttpOptions, type Sent } from "./http-calls.ts";
import { abortable, type CallOptions } from "./retries.ts";
import type { Answer, PlacedSpotRow } from "./route-types.ts";
import { type ClientRuntime, type SocketClass, socketClass } from "./runtime.ts";
import { ServerClock } from "./server-clock.ts";
import { SocketCalls } from "./socket-calls.ts";

/** In v2 and v3. */
const TIMESTAMP_EXPIRED: ReadonlySet<number | string> = new Set([-1046, "40008"]);

/** Whether a timestamp was rejected: another clock may be right a moment later. */
export function isTimestampExpired({ code }: RialtoError): boolean {
  return TIMESTAMP_EXPIRED.has(code);
}

export interface ApiOptions extends HttpOptions {
  /** Market data needs none. */
  readonly credentials?: Credentials | undefined;
  /**
   * `websocket`: trading calls go over one connection that is authenticated once; market data and
   * all other calls still go over HTTP. Close the client in the end. Default `http`.
   */
  readonly transport?: "http" | "websocket" | undefined;
  /** Replaces the global one. */
  readonly webSocket?: SocketClass | undefined;
}

export class ApiCalls {
  readonly clock: ServerClock;
  readonly #http: HttpCalls;
  readonly #socket: SocketCalls | null;
  readonly #signer: Signer | null;
  /** Aborted when the client is closed. */
  #looking = new AbortController();

  constructor(options: ApiOptions) {
    const { credentials, transport = "http" } = options;
    this.#signer = credentials === undefined ? null : new Signer(credentials);
    const recover = (refusal: RialtoError, signal: AbortSignal | undefined) =>
      this.#recover(refusal, signal);
    this.#http = new HttpCalls(options, {
      headers: async ({ access, method }, target, body) =>
        access === null ? {} : this.signer.headers(this.clock.nowMs(), method, target, body),
      recover,
    });
    this.clock = new ServerClock(this.runtime);
    this.#socket = transport === "http" ? null : this.#socketCalls(options, recover);
  }

  #socketCalls(
    { attempts, timeoutMs, webSocket }: ApiOptions,
    recover: (refusal: RialtoError, signal: AbortSignal | undefined) => Promise<boolean>,
  ): SocketCalls {
    return new SocketCalls({
      baseUrl: this.#http.baseUrl,
      socketClass: socketClass(webSocket),
      runtime: this.runtime,
      signer: this.#signer,
      nowMs: () => this.clock.nowMs(),
      recover,
      timeoutMs,
      attempts,
    });
  }

  async #recover(refusal: RialtoError, signal: AbortSignal | undefined): Promise<boolean> {
    if (!isTimestampExpired(refusal)) return false;
    try {
      await this.syncTime({ signal });
      return true;
    } catch {
      // The request was refused, which says more than that the time is not known.
      signal?.throwIfAborted();
      return false;
    }
  }

  get sequence(): number {
    return this.#http.sequence;
  }

  get baseUrl(): string {
    return this.#http.baseUrl;
  }

  get runtime(): ClientRuntime {
    return this.#http.runtime;
  }

  get signer(): Signer {
    if (this.#signer !== null) return this.#signer;
    throw new TypeError("this call is signed: give the client credentials");
  }

  /** v2 answers come in an envelope; this is its data. */
  async call<Id extends CallId>(id: Id, sent: Sent, options?: CallOptions): Promise<Answer<Id>> {
    if (this.#socket?.has(id) === true) {
      // Throws where the call is signed and there is nothing to sign with.
      if (CALLS[id].access !== null) void this.signer;
      return this.#socket.call(id, sent, options);
    }
    return await this.callOverHttp(id, sent, options);
  }

  /** With a timestamp of its own, which a call on a connection that is logged on does not have. */
  async callOverHttp<Id extends CallId>(
    id: Id,
    sent: Sent,
    options?: CallOptions,
  ): Promise<Answer<Id>> {
    if (CALLS[id].family !== "v2") return this.#http.json(CALLS[id], sent, options);
    return (await this.#http.json<{ data: Answer<Id> }>(CALLS[id], sent, options)).data;
  }

  /** The spot batch, which is a method of the WebSocket alone. */
  async placeSpotOrders(
    orders: readonly object[],
    options?: CallOptions,
  ): Promise<readonly PlacedSpotRow[]> {
    if (this.#socket === null) {
      throw new TypeError('placeOrders of spot needs the option transport: "websocket"');
    }
    void this.signer;
    return this.#socket.call("v3-place-orders", { body: { orders } }, options);
  }

  /** Ends the connection of the trading WebSocket, if there is one, and a look at the time. */
  close(): void {
    this.#socket?.close();
    this.#looking.abort();
    this.#looking = new AbortController();
  }

  text(id: CallId, sent: Sent, options?: CallOptions): Promise<string> {
    return this.#http.text(CALLS[id], sent, options);
  }

  syncTime({ signal, ...options }: CallOptions = {}): Promise<void> {
    const measured = this.clock.sync(async () => {
      // Over HTTP: a WebSocket may be waiting for the right time to log on.
      const time = CALLS["v3-server-time"];
      type Said = Answer<"v3-server-time">;
      const shared = { ...options, signal: this.#looking.signal };
      const { answer, sentMs } = await this.#http.timed<Said>(time, {}, shared);
      return { sentMs, serverMs: answer.serverTime };
    });
    // Others may wait for it too, whom this caller's signal does not concern.
    return abortable(measured, signal);
  }
}
