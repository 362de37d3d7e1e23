/**
 * Calls over the trading WebSocket, with the retries of calls over HTTP. The connection is opened
 * by the first call, and again by the next one after it has ended.
 */
import { CALLS, type CallId } from "../api/calls.ts";
import {
  SOCKET_CALLS,
  SOCKET_OWN_CALLS,
  SOCKET_PATH,
  type SocketCallId,
} from "../api/socket-calls.ts";
import type { Signer } from "./credentials.ts";
import { fieldIn, NetworkError, RialtoError } from "./errors.ts";
import type { Sent } from "./http-calls.ts";
import { abortable, type CallOptions, type Failure, withRetries } from "./retries.ts";
import type { ClientRuntime, SocketClass } from "./runtime.ts";
import { type NoAnswer, type SocketAnswer, TradingSession } from "./trading-session.ts";

export interface SocketOptions {
  /** Of the API, with `http` or `https`. */
  readonly baseUrl: string;
  readonly socketClass: SocketClass;
  readonly runtime: ClientRuntime;
  readonly signer: Signer | null;
  /** The exchange's time. */
  readonly nowMs: () => number;
  /** Whether the cause of the error is gone. */
  readonly recover: (refusal: RialtoError, signal: AbortSignal | undefined) => Promise<boolean>;
  readonly timeoutMs: number | undefined;
  readonly attempts: number | undefined;
}

const TIMEOUT_MS = 10_000;
const BAD_SIGNATURE = -1047;
/** Logons of one moment count up from it, and far fewer than this follow each other. */
const COUNTED_MS = 1_000;
/** A part of the 30 s by which a timestamp may be early. A power of two. */
const LATER_MS = 8_192;
const LOGON_ATTEMPTS = 3;

const METHODS: ReadonlyMap<string, string> = new Map(
  Object.entries(SOCKET_CALLS).map(([method, id]) => [id, method]),
);
const ALL_CALLS = { ...CALLS, ...SOCKET_OWN_CALLS };

/** The request never left. */
class UnsentError extends NetworkError {}

export class SocketCalls {
  readonly #options: SocketOptions;
  #session: TradingSession | null = null;
  #lastTimestampMs = 0;

  constructor(options: SocketOptions) {
    this.#options = options;
  }

  /** Whether there is a method for the call. */
  has(id: CallId): boolean {
    return METHODS.has(id);
  }

  async call<Answer>(id: SocketCallId, sent: Sent, options: CallOptions = {}): Promise<Answer> {
    const { attempts = this.#options.attempts, signal } = options;
    return withRetries<Answer>({
      repeat: ALL_CALLS[id].repeat,
      options: { ...options, attempts },
      runtime: this.#options.runtime,
      recover: this.#options.recover,
      send: (number) => {
        signal?.throwIfAborted();
        return abortable(this.#attempt<Answer>(id, sent, options, number), signal);
      },
      wasUnsent: (failure) => failure instanceof UnsentError,
    });
  }

  /** Ends the connection; another call opens a new one. */
  close(): void {
    this.#session?.end("closed");
    this.#session = null;
  }

  async #attempt<Answer>(
    id: SocketCallId,
    { query, body }: Sent,
    { timeoutMs = this.#options.timeoutMs ?? TIMEOUT_MS }: CallOptions,
    attempts: number,
  ): Promise<{ readonly answer: Answer } | Failure> {
    const method = METHODS.get(id) ?? id;
    const { session, opened } = await this.#open(timeoutMs);
    if (!isSuccess(opened)) return this.#failure(id, "session.logon", opened, attempts);
    const outcome = await session.ask(method, body ?? withoutNothing(query), timeoutMs);
    if (isSuccess(outcome)) return { answer: outcome.result as Answer };
    return this.#failure(id, method, outcome, attempts);
  }

  /** The session, and the outcome of its logon. */
  async #open(timeoutMs: number): Promise<Opened> {
    for (let attempt = 1; ; attempt++) {
      const session = this.#current(timeoutMs, attempt > 1);
      const opened = await session.opened;
      if (isSuccess(opened)) return { session, opened };
      session.end("not logged on");
      const isRepeated = !("why" in opened) && opened.error?.code === BAD_SIGNATURE;
      if (!isRepeated || attempt === LOGON_ATTEMPTS) return { session, opened };
    }
  }

  #current(timeoutMs: number, isLater: boolean): TradingSession {
    const { baseUrl, runtime, signer, socketClass } = this.#options;
    if (this.#session === null || this.#session.isOver) {
      this.#session = new TradingSession({
        socketClass,
        runtime,
        url: baseUrl.replace(/^http/, "ws") + SOCKET_PATH,
        signer,
        timestampMs: () => (isLater ? this.#laterMs() : this.#nextTimestampMs()),
        timeoutMs,
      });
    }
    return this.#session;
  }

  /** Another one than before; earlier than that once the clock was put right. */
  #nextTimestampMs(): number {
    const nowMs = this.#options.nowMs();
    const isBehind = nowMs <= this.#lastTimestampMs && nowMs > this.#lastTimestampMs - COUNTED_MS;
    this.#lastTimestampMs = isBehind ? this.#lastTimestampMs + 1 : nowMs;
    return this.#lastTimestampMs;
  }

  /**
   * Another client of the key has logged on with the very same timestamp, and others may have with
   * the next ones while the exchange's clock stands still: so one at random of the next seconds.
   */
  #laterMs(): number {
    const [low = 0, high = 0] = this.#options.runtime.randomBytes(2);
    return this.#options.nowMs() + (((high << 8) | low) % LATER_MS);
  }

  #failure(
    id: SocketCallId,
    method: string,
    outcome: SocketAnswer | NoAnswer,
    attempts: number,
  ): Failure {
    if ("why" in outcome) {
      const text = `${method}: ${outcome.why}`;
      const facts = { status: null, attempts };
      return outcome.wasSent ? new NetworkError(text, facts) : new UnsentError(text, facts);
    }
    const { status, error } = outcome;
    const { code = 0, msg = "", retryAfterMs = null } = error ?? {};
    const { family } = ALL_CALLS[id];
    return new RialtoError(msg, {
      code,
      family,
      status,
      field: fieldIn(msg),
      retryAfterMs,
      attempts,
    });
  }
}

interface Opened {
  readonly session: TradingSession;
  readonly opened: SocketAnswer | NoAnswer;
}

function isSuccess(
  outcome: SocketAnswer | NoAnswer,
): outcome is SocketAnswer & { readonly status: 200 } {
  return "status" in outcome && outcome.status === 200;
}

/** In a query null is as good as nothing. */
function withoutNothing(query: object = {}): object {
  return Object.fromEntries(Object.entries(query).filter(([, value]) => value !== null));
}
