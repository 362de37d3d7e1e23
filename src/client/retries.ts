/**
 * When a call is sent again. A request rejected with 429 was not carried out, and neither was one
 * that was never sent, so every such call is retried; after a lost answer or a 5xx only repeatable
 * calls are. Waits are bounded, random, and at least what the exchange asked for.
 */
import type { Call } from "../api/calls.ts";
import { type NetworkError, RialtoError } from "./errors.ts";
import { type ClientRuntime, jittered } from "./runtime.ts";

export interface CallOptions {
  /** Aborts the call, which rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Timeout of one attempt. */
  readonly timeoutMs?: number | undefined;
  /** How often a request may be sent; 1 disables retries. */
  readonly attempts?: number | undefined;
  /**
   * The answer shows everything up to this command: the `sequence` of a client of another node.
   * For reads over HTTP.
   */
  readonly minSequence?: number | undefined;
}

const ATTEMPTS = 4;
const FIRST_WAIT_MS = 200;
const WAIT_MAX_MS = 5_000;
/** If a longer wait is required the call fails, and the caller decides. */
const RETRY_AFTER_MAX_MS = 30_000;
const TOO_MANY_REQUESTS = 429;
const SERVER_FAILED = 500;

export type Failure = RialtoError | NetworkError;

export interface Attempts<Answer> {
  readonly repeat: Call["repeat"];
  readonly options: CallOptions;
  readonly runtime: ClientRuntime;
  /** Sends it once; `number` counts from 1. */
  send(number: number): Promise<{ readonly answer: Answer } | Failure>;
  /** Whether the cause of the error is gone, so that the request may be sent once more. */
  recover(refusal: RialtoError, signal: AbortSignal | undefined): Promise<boolean>;
  /** Whether nothing of the request has left. */
  wasUnsent?(failure: Failure): boolean;
}

/** Rejects with the last failure, or the signal's reason. */
export async function withRetries<Answer>(call: Attempts<Answer>): Promise<Answer> {
  const { options, runtime } = call;
  const attemptsMax = options.attempts ?? ATTEMPTS;
  let isRecovered = false;
  for (let attempt = 1; ; attempt++) {
    const outcome = await call.send(attempt);
    if (!(outcome instanceof Error)) return outcome.answer;
    options.signal?.throwIfAborted();
    if (!isRecovered && outcome instanceof RialtoError) {
      isRecovered = await call.recover(outcome, options.signal);
      if (isRecovered) continue;
    }
    const waitMs = attempt < attemptsMax ? waitBefore(call, outcome, attempt) : null;
    if (waitMs === null) throw outcome;
    await pause(runtime, waitMs, options.signal);
  }
}

/** Null when the request must not be sent again. */
function waitBefore<Answer>(
  { repeat, runtime, wasUnsent }: Attempts<Answer>,
  failure: Failure,
  attempt: number,
): number | null {
  const { status } = failure;
  const isUntouched = status === TOO_MANY_REQUESTS || wasUnsent?.(failure) === true;
  const isPassing = status === null || status >= SERVER_FAILED;
  if (!isUntouched && !(isPassing && repeat === "safe")) return null;
  const askedMs = failure instanceof RialtoError ? (failure.retryAfterMs ?? 0) : 0;
  if (askedMs > RETRY_AFTER_MAX_MS) return null;
  const backoffMs = Math.min(WAIT_MAX_MS, FIRST_WAIT_MS * 2 ** (attempt - 1));
  return askedMs + jittered(backoffMs, runtime);
}

/** Rejects with the signal's reason when it is aborted in the meantime. */
export function pause(
  runtime: ClientRuntime,
  waitMs: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => {
      cancel();
      reject(signal?.reason);
    };
    const cancel = runtime.after(waitMs, () => {
      signal?.removeEventListener("abort", onAbort);
      resolve();
    });
    signal?.addEventListener("abort", onAbort, { once: true });
    if (signal?.aborted === true) onAbort();
  });
}

/** Rejects with the signal's reason as soon as it is aborted; the answer then goes to nobody. */
export function abortable<Value>(
  work: Promise<Value>,
  signal: AbortSignal | undefined,
): Promise<Value> {
  if (signal === undefined) return work;
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
    if (signal.aborted) onAbort();
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}
