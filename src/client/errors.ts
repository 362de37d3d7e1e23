/** How calls fail: the exchange rejected the request, or gave no answer. */
import type { Family } from "../api/calls.ts";

/** The exchange rejected the request. */
export class RialtoError extends Error {
  override readonly name = "RialtoError";
  /** As on the wire: a negative number in v3, text in v2 and the operator API. */
  readonly code: number | string;
  readonly family: Family | "operator";
  /** HTTP status. */
  readonly status: number;
  /** The offending parameter, if the exchange named one. */
  readonly field: string | null;
  /** How long to wait before another attempt, if the exchange said so. */
  readonly retryAfterMs: number | null;
  /** How often the request was sent. Above 1, an earlier attempt may have taken effect. */
  readonly attempts: number;

  constructor(message: string, facts: Omit<RialtoError, keyof Error>) {
    super(message);
    this.code = facts.code;
    this.family = facts.family;
    this.status = facts.status;
    this.field = facts.field;
    this.retryAfterMs = facts.retryAfterMs;
    this.attempts = facts.attempts;
  }
}

/** No answer came, or not from an exchange: a write may have taken effect. */
export class NetworkError extends Error {
  override readonly name = "NetworkError";
  /** HTTP status of an answer that was not the exchange's, otherwise null. */
  readonly status: number | null;
  readonly attempts: number;

  constructor(message: string, facts: Omit<NetworkError, keyof Error>, cause?: unknown) {
    super(message, { cause });
    this.status = facts.status;
    this.attempts = facts.attempts;
  }
}

/** `…: field` or `…: field (detail)` at the end of a message; a field has no spaces. */
const NAMED_FIELD = /: ([A-Za-z][\w.[\]-]*)(?: \(.*\))?$/s;

/** The parameter that a message of the API names. */
export function fieldIn(message: string): string | null {
  return NAMED_FIELD.exec(message)?.[1] ?? null;
}

/**
 * A stream cannot continue: a channel was rejected, a reader fell behind, or a key was rejected.
 */
export class StreamError extends Error {
  override readonly name = "StreamError";
}
