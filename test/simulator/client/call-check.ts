/**
 * What the client made of the answers to one of its calls: it says what it was answered, asks as
 * often as its reference says and not sooner, and an error tells what may have happened.
 */
import { isDeepStrictEqual } from "node:util";
import { ERRORS } from "../../../src/api/errors.ts";
import { NetworkError, RialtoError } from "../../../src/client/index.ts";
import { hold } from "../breach.ts";
import type { Attempt } from "./client-network.ts";

const ATTEMPTS = 4;
const FIRST_WAIT_MS = 200;
const WAIT_MAX_MS = 5_000;
const RETRY_AFTER_MAX_MS = 30_000;
const TIMEOUT_MS = 10_000;
/** Waits are sums of fractions. */
const SLACK_MS = 0.001;
const EXPIRED = ERRORS["timestamp-expired"].v3.code;

export const TIME_PATH = "/api/v3/time";

export interface Call {
  readonly method: string;
  readonly path: string;
  /** Whether it may be sent again when nobody knows what became of it. */
  readonly isRepeatable: boolean;
}

/** What came of a call; neither an answer nor an error when nobody knows. */
export type Told<Answer> = (
  answer: Answer | null,
  error: RialtoError | null,
  /** It was certainly sent only once. */
  isOnce: boolean,
) => void;

export type Settled =
  | { readonly answer: unknown; readonly error: null }
  | { readonly answer: null; readonly error: RialtoError | NetworkError };

export function checkCall(call: Call, all: readonly Attempt[], settled: Settled): void {
  const { method, path } = call;
  const attempts = all.filter((attempt) => attempt.method === method && attempt.path === path);
  const last = attempts.at(-1);
  const detail = () => {
    const sent = attempts.map(({ answer, endedMs, sentMs }) => {
      return `${sentMs} to ${endedMs}: ${answer?.status} ${answer?.text.slice(0, 200)}`;
    });
    const { error } = settled;
    const end = error === null ? JSON.stringify(settled.answer) : `${error.name} ${error.message}`;
    return `${method} ${path}: ${end} after ${sent.join(", ")}`;
  };
  hold(last !== undefined, "a client's call is sent", detail);
  // Whoever follows a stream reads the same at the same time, and nobody knows whose was which.
  if (method === "GET" && attempts.some((one, index) => isAhead(one, attempts[index - 1]))) return;
  checkEnd(last, settled, detail);
  const bodies = new Set(attempts.map(({ body }) => body));
  hold(bodies.size === 1, "a retry is the same request", detail);
  const isCounted = settled.error === null || settled.error.attempts === attempts.length;
  hold(isCounted, "an error says how often it was tried", detail);
  for (const [index, attempt] of attempts.entries()) {
    const isInTime = attempt.endedMs - attempt.sentMs <= TIMEOUT_MS + SLACK_MS;
    hold(isInTime, "an attempt ends in its time", detail);
    const next = attempts[index + 1];
    if (next !== undefined) checkWait(attempt, next.sentMs, index, detail);
  }
  const isCurable = !isExpired(last) || couldSync(all);
  const hasEnded = attempts.length >= ATTEMPTS || !isCurable || !isRepeated(call, last, attempts);
  hold(settled.error === null || hasEnded, "what may be repeated is", detail);
  for (const attempt of attempts.slice(0, -1)) {
    const { answer } = attempt;
    const isUntouched = answer?.status === 429 || isExpired(attempt);
    const may = isUntouched || (call.isRepeatable && (answer === null || answer.status >= 500));
    hold(may, "only what may be repeated is", detail);
  }
  const isBounded = attempts.length <= ATTEMPTS + (attempts.some(isExpired) ? 1 : 0);
  hold(isBounded, "a client tries as often as it says", detail);
}

/** Of the trading WebSocket: of a call that nobody has seen nothing may have taken effect. */
export function checkUnsent(call: Call, messages: number, { attempts, message }: NetworkError) {
  const isDue = call.isRepeatable || messages > 0 || attempts >= ATTEMPTS;
  const detail = () => `${call.path} after ${attempts} attempts: ${message}`;
  hold(isDue, "a call that was not sent is tried again", detail);
}

/**
 * Whether an attempt began before the one before it had ended, which may take no time, or behind
 * one that was answered.
 */
function isAhead({ sentMs }: Attempt, before: Attempt | undefined): boolean {
  if (before === undefined) return false;
  if (before.answer?.status === 200) return true;
  return sentMs < before.endedMs || (sentMs === before.sentMs && !isExpired(before));
}

function isExpired({ answer }: Attempt): boolean {
  return answer !== null && codeOf(answer.text) === EXPIRED;
}

function codeOf(text: string): unknown {
  const body: unknown = JSON.parse(text);
  return typeof body === "object" && body !== null ? (body as { code?: unknown }).code : undefined;
}

function checkEnd({ answer }: Attempt, settled: Settled, detail: () => string): void {
  const check = "a client says what it was answered";
  const { error } = settled;
  if (answer === null) {
    hold(error instanceof NetworkError && error.status === null, check, detail);
  } else if (answer.status === 200) {
    const isSame = isDeepStrictEqual(settled.answer, JSON.parse(answer.text));
    hold(error === null && isSame, check, detail);
  } else {
    const isRefusal = error instanceof RialtoError && error.status === answer.status;
    hold(isRefusal && error.code === codeOf(answer.text), check, detail);
  }
}

/** The look at its clock, behind a timestamp that was no good, had an answer. */
function couldSync(all: readonly Attempt[]): boolean {
  return all.findLast(({ path }) => path === TIME_PATH)?.answer?.status === 200;
}

/** Whether another attempt follows one that ended so. */
function isRepeated({ isRepeatable }: Call, last: Attempt, attempts: readonly Attempt[]): boolean {
  const { answer, retryAfterMs } = last;
  if (isExpired(last)) return attempts.filter(isExpired).length === 1;
  if (retryAfterMs > RETRY_AFTER_MAX_MS) return false;
  if (answer?.status === 429) return true;
  return isRepeatable && (answer === null || answer.status >= 500);
}

function checkWait(attempt: Attempt, nextMs: number, index: number, detail: () => string): void {
  // Behind a look at the exchange's clock, at once.
  if (isExpired(attempt)) return;
  const waitMs = nextMs - attempt.endedMs;
  const leastMs = attempt.retryAfterMs + FIRST_WAIT_MS * 2 ** index * 0.5;
  const isPatient = waitMs >= Math.min(leastMs, WAIT_MAX_MS) - SLACK_MS;
  const isPrompt = waitMs <= attempt.retryAfterMs + WAIT_MAX_MS + SLACK_MS;
  hold(isPatient && isPrompt, "a client waits as long as it says", detail);
}

/** What came of a call; anything else than its own errors is a mistake of ours. */
export async function settledOf(sent: Promise<unknown>): Promise<Settled> {
  try {
    return { answer: await sent, error: null };
  } catch (error) {
    if (error instanceof RialtoError || error instanceof NetworkError) {
      return { answer: null, error };
    }
    throw error;
  }
}

/** Whether an earlier attempt may have taken effect, and the last one says nothing about it. */
export function isUnknown({ attempts, status }: RialtoError): boolean {
  return attempts > 1 && (status === 429 || status >= 500);
}
