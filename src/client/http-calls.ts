/** Calls over HTTP, with retries where they are safe. */
import type { Call, Family } from "../api/calls.ts";
import { fieldIn, NetworkError, RialtoError } from "./errors.ts";
import { type CallOptions, withRetries } from "./retries.ts";
import { type ClientRuntime, SYSTEM_RUNTIME } from "./runtime.ts";

export interface HttpOptions {
  /** E.g. `http://127.0.0.1:7001`. In a browser it defaults to the page's own origin. */
  readonly baseUrl?: string | undefined;
  /** Timeout of one attempt; default 10,000. */
  readonly timeoutMs?: number | undefined;
  /** How often a request may be sent; default 4. */
  readonly attempts?: number | undefined;
  /** Replaces the global `fetch`. */
  readonly fetch?: typeof fetch | undefined;
  /** Replaces clock, timers and randomness, e.g. in tests on simulated time. */
  readonly runtime?: ClientRuntime | undefined;
}

export interface Sent {
  readonly query?: object | undefined;
  readonly body?: object | undefined;
}

type Headers = Record<string, string>;

/** The fields of a row of a table of calls that sending needs. */
export interface Endpoint extends Pick<Call, "access" | "path" | "repeat"> {
  readonly family: Family | "operator";
  readonly method: Call["method"] | "PATCH";
}

/** Adds the credentials of a request to its headers. */
export interface RequestAuthorizer {
  headers(endpoint: Endpoint, target: string, body: string): Promise<Headers>;
  /** Whether the cause of the error is gone, so that the request may be sent once more. */
  recover(refusal: RialtoError, signal: AbortSignal | undefined): Promise<boolean>;
}

const TIMEOUT_MS = 10_000;
const OK = 200;
const ACCEPTED = 202;

export class HttpCalls {
  readonly baseUrl: string;
  readonly runtime: ClientRuntime;
  readonly #options: HttpOptions;
  readonly #authorizer: RequestAuthorizer;
  #sequence = 0;

  constructor(options: HttpOptions, authorizer: RequestAuthorizer) {
    this.baseUrl = (options.baseUrl ?? pageOrigin()).replace(/\/+$/, "");
    this.runtime = options.runtime ?? SYSTEM_RUNTIME;
    this.#options = options;
    this.#authorizer = authorizer;
  }

  /** The highest `X-Rialto-Sequence` of the answers so far; 0 without one. */
  get sequence(): number {
    return this.#sequence;
  }

  /** The answer's text. Rejects with `RialtoError`, `NetworkError` or the signal's reason. */
  text(endpoint: Endpoint, sent: Sent, options?: CallOptions): Promise<string> {
    return this.#send(endpoint, sent, (text) => text, options);
  }

  json<Answer>(endpoint: Endpoint, sent: Sent, options?: CallOptions): Promise<Answer> {
    return this.#send(endpoint, sent, (text) => JSON.parse(text) as Answer, options);
  }

  /** With when the request that was answered was sent, by this machine's clock. */
  timed<Answer>(
    endpoint: Endpoint,
    sent: Sent,
    options?: CallOptions,
  ): Promise<{ readonly answer: Answer; readonly sentMs: number }> {
    const read = (text: string, sentMs: number) => ({ answer: JSON.parse(text) as Answer, sentMs });
    return this.#send(endpoint, sent, read, options);
  }

  async #send<Answer>(
    endpoint: Endpoint,
    sent: Sent,
    read: (text: string, sentMs: number) => Answer,
    options: CallOptions = {},
  ): Promise<Answer> {
    const { attempts = this.#options.attempts } = options;
    return withRetries({
      repeat: endpoint.repeat,
      options: { ...options, attempts },
      runtime: this.runtime,
      recover: (refusal, signal) => this.#authorizer.recover(refusal, signal),
      send: async (number) => {
        const sentMs = this.runtime.nowMs();
        const outcome = await this.#attempt(endpoint, sent, options, number);
        if (typeof outcome !== "string") return outcome;
        return { answer: readAs((text) => read(text, sentMs), outcome, endpoint, number) };
      },
    });
  }

  async #attempt(
    endpoint: Endpoint,
    { query, body }: Sent,
    { minSequence, signal, timeoutMs = this.#options.timeoutMs ?? TIMEOUT_MS }: CallOptions,
    attempts: number,
  ): Promise<string | RialtoError | NetworkError> {
    signal?.throwIfAborted();
    const target = endpoint.path + queryText(query);
    const text = body === undefined ? "" : JSON.stringify(body);
    const headers = await this.#authorizer.headers(endpoint, target, text);
    if (text !== "") headers["Content-Type"] = "application/json";
    if (minSequence !== undefined) headers["X-Rialto-Min-Sequence"] = String(minSequence);
    const timeout = new AbortController();
    const cancel = this.runtime.after(timeoutMs, () => timeout.abort());
    const send = this.#options.fetch ?? fetch;
    try {
      const answer = await send(this.baseUrl + target, {
        method: endpoint.method,
        headers,
        ...(text === "" ? {} : { body: text }),
        signal: signal === undefined ? timeout.signal : AbortSignal.any([signal, timeout.signal]),
        cache: "no-store",
        redirect: "error",
      });
      const sequence = Number(answer.headers.get("X-Rialto-Sequence") ?? 0);
      if (sequence > this.#sequence) this.#sequence = sequence;
      return readAnswer(endpoint, answer.status, answer.headers, await answer.text(), attempts);
    } catch (error) {
      const what = `${endpoint.method} ${endpoint.path}`;
      const why = timeout.signal.aborted ? `no answer in ${timeoutMs} ms` : messageOf(error);
      return new NetworkError(`${what}: ${why}`, { status: null, attempts }, error);
    } finally {
      cancel();
    }
  }
}

/** Another server may answer 200 with a page. */
function readAs<Answer>(
  read: (text: string) => Answer,
  text: string,
  { method, path }: Endpoint,
  attempts: number,
): Answer {
  try {
    return read(text);
  } catch (error) {
    const message = `${method} ${path}: the answer is not JSON`;
    throw new NetworkError(message, { status: OK, attempts }, error);
  }
}

function readAnswer(
  { family, method, path }: Endpoint,
  status: number,
  headers: { get(name: string): string | null },
  text: string,
  attempts: number,
): string | RialtoError | NetworkError {
  // 202: it waits for a second operator, so it did not do what the method says.
  if (status >= 200 && status < 300 && status !== ACCEPTED) return text;
  const refusal = family === "operator" ? operatorRefusal(text) : familyRefusal(text);
  if (refusal === null) {
    const message = `${method} ${path}: ${status}, but not from an exchange`;
    return new NetworkError(message, { status, attempts });
  }
  const { code, message, field } = refusal;
  const retryAfterMs = retryAfter(headers.get("Retry-After"));
  return new RialtoError(message, { code, family, status, field, retryAfterMs, attempts });
}

interface ReadRefusal {
  readonly code: number | string;
  readonly message: string;
  readonly field: string | null;
}

function familyRefusal(text: string): ReadRefusal | null {
  const { code, msg } = parsed(text) as { code?: unknown; msg?: unknown };
  if (typeof msg !== "string" || (typeof code !== "number" && typeof code !== "string"))
    return null;
  return { code, message: msg, field: fieldIn(msg) };
}

function operatorRefusal(text: string): ReadRefusal | null {
  const { error } = parsed(text) as { error?: { code: string; message: string; field?: string } };
  if (typeof error?.code !== "string") return null;
  return { code: error.code, message: error.message, field: error.field ?? null };
}

function parsed(text: string): object {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : {};
  } catch {
    return {};
  }
}

function retryAfter(seconds: string | null): number | null {
  const value = seconds === null ? Number.NaN : Number(seconds);
  return Number.isFinite(value) && value >= 0 ? value * 1000 : null;
}

/** Percent-encoded so that no URL parser changes it: the signature covers this text. */
export function queryText(query: object | undefined): string {
  const pairs: string[] = [];
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value === undefined || value === null) continue;
    const text = Array.isArray(value) ? value.join(",") : String(value);
    pairs.push(`${encode(name)}=${encode(text)}`);
  }
  return pairs.length === 0 ? "" : `?${pairs.join("&")}`;
}

function encode(text: string): string {
  const hex = (sign: string): string => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`;
  return encodeURIComponent(text).replace(/[!'()*]/g, hex);
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}

function pageOrigin(): string {
  const { location } = globalThis as { location?: { readonly origin: string } };
  if (location !== undefined) return location.origin;
  throw new TypeError("outside of a browser, set baseUrl, e.g. http://127.0.0.1:7001");
}
