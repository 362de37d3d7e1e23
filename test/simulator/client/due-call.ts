/**
 * How a call of a client ends, by what its reference says: from what becomes of its attempts, one
 * after the other, how often it is sent, how long that takes, and what its caller is told.
 */
import { NetworkError, RialtoError } from "../../../src/client/index.ts";
import { hold } from "../breach.ts";
import type { Settled } from "./call-check.ts";
import type { HandshakeFate, MessageFate, RequestFate } from "./scripted-network.ts";

const ATTEMPTS = 4;
const TIMEOUT_MS = 10_000;
const FIRST_WAIT_MS = 200;
const WAIT_MAX_MS = 5_000;
const RETRY_AFTER_MAX_MS = 30_000;
/** What the disk and the turns of the event loop take besides. */
const SLACK_MS = 5_000;
const FRACTION_MS = 0.001;

export interface Asked {
  readonly isRepeatable: boolean;
  readonly attempts?: number;
  readonly timeoutMs?: number;
}

/** What becomes of one attempt. */
export interface Attempted {
  readonly end: "answered" | "expired" | "limited" | "unsent" | "unknown" | "strange";
  /** Of somebody else's page. */
  readonly status?: number;
  readonly retryAfterMs?: number;
  readonly tookMs?: number;
  /** The exchange got it. */
  readonly hasArrived?: boolean;
}

export interface DueCall {
  readonly last: Attempted;
  readonly attempts: number;
  readonly arrivals: number;
  readonly leastMs: number;
  readonly mostMs: number;
}

function dueCall(asked: Asked, attempt: () => Attempted): DueCall {
  let [arrivals, leastMs, mostMs] = [0, 0, 0];
  let isExpired = false;
  for (let attempts = 1; ; attempts++) {
    const last = attempt();
    const { end, retryAfterMs = 0, tookMs = 0 } = last;
    if (last.hasArrived === true) arrivals++;
    leastMs += tookMs;
    mostMs += tookMs;
    if (end === "expired" && !isExpired) {
      isExpired = true;
      continue;
    }
    const isUntouched =
      end === "unsent" || (end === "limited" && retryAfterMs <= RETRY_AFTER_MAX_MS);
    const isRepeated = isUntouched || (end === "unknown" && asked.isRepeatable);
    if (!isRepeated || attempts >= (asked.attempts ?? ATTEMPTS)) {
      return { last, attempts, arrivals, leastMs, mostMs };
    }
    const waitMs = Math.min(WAIT_MAX_MS, FIRST_WAIT_MS * 2 ** (attempts - 1));
    leastMs += retryAfterMs + waitMs / 2;
    mostMs += retryAfterMs + waitMs;
  }
}

/** Over HTTP. */
export function dueOverHttp(
  asked: Asked,
  given: readonly RequestFate[],
  retryAfterMs: number,
): DueCall {
  const fates = [...given];
  const { timeoutMs: tookMs = TIMEOUT_MS } = asked;
  return dueCall(asked, () => {
    const fate = fates.shift();
    if (fate === undefined) return { end: "answered", hasArrived: true };
    if (fate === "limited") return { end: "limited", retryAfterMs };
    if (fate === "page") return { end: "strange", status: 200 };
    if (fate === "failed") return { end: "unknown", status: 502 };
    const hasArrived = fate === "lost" || fate === "silent";
    const isTimeout = fate === "silent" || fate === "mute";
    return { end: "unknown", hasArrived, ...(isTimeout ? { tookMs } : {}) };
  });
}

export interface SessionScript {
  /** The connection is there and logged on. */
  isOpen: boolean;
  /** The next logon is refused, unless the client looks at the exchange's clock. */
  isClockWrong: boolean;
  readonly handshakes: readonly HandshakeFate[];
  readonly messages: readonly MessageFate[];
}

/** Over the trading WebSocket; the script is then as the call leaves the session. */
export function dueOnSession(asked: Asked, session: SessionScript) {
  const handshakes = [...session.handshakes];
  const messages = [...session.messages];
  const { timeoutMs: tookMs = TIMEOUT_MS } = asked;
  let [begun, sent] = [0, 0];
  const due = dueCall(asked, () => {
    if (!session.isOpen) {
      begun++;
      const fate = handshakes.shift();
      if (fate !== undefined) return { end: "unsent", ...(fate === "silent" ? { tookMs } : {}) };
      if (session.isClockWrong) {
        session.isClockWrong = false;
        return { end: "expired" };
      }
      session.isOpen = true;
    }
    sent++;
    const fate = messages.shift();
    if (fate === undefined) return { end: "answered", hasArrived: true };
    session.isOpen = false;
    const hasArrived = fate === "lost" || fate === "silent";
    const isTimeout = fate === "silent" || fate === "mute";
    return { end: "unknown", hasArrived, ...(isTimeout ? { tookMs } : {}) };
  });
  return { ...due, handshakes: begun, messages: sent };
}

const ENDS = "a call ends as its attempts did";

export function checkEnd(due: DueCall, settled: Settled, tookMs: number, what: string): void {
  const { error } = settled;
  const { attempts, last } = due;
  const detail = () => {
    const said = error === null ? JSON.stringify(settled.answer) : `${error.name} ${error.message}`;
    const facts = error === null ? "" : ` (${error.status}, ${error.attempts} attempts)`;
    return `${what}: ${said}${facts} after ${tookMs} ms instead of ${JSON.stringify(due)}`;
  };
  hold(
    error === null || error.attempts === attempts,
    "an error says how often it was tried",
    detail,
  );
  if (last.end === "answered") hold(!(error instanceof NetworkError), ENDS, detail);
  else if (last.end === "limited" || last.end === "expired") {
    hold(error instanceof RialtoError, ENDS, detail);
    if (last.end === "limited") hold(error.retryAfterMs === last.retryAfterMs, ENDS, detail);
  } else {
    hold(error instanceof NetworkError, ENDS, detail);
    hold(error.status === (last.status ?? null), ENDS, detail);
  }
  const isPatient = tookMs >= due.leastMs - FRACTION_MS;
  hold(isPatient && tookMs <= due.mostMs + SLACK_MS, "a client waits as long as it says", detail);
}
