/** Why something could not be read, in words that say what to do. */
import type { ReactElement } from "react";
import { RialtoError } from "../../client/index.ts";
import { Notice } from "./panel.tsx";

export interface FailureNoticeProps {
  /** What was asked for: "The candles". */
  readonly what: string;
  readonly error: Error;
  readonly onRetry?: (() => void) | undefined;
}

const TOO_MANY_REQUESTS = 429;

export function FailureNotice({ what, error, onRetry }: FailureNoticeProps): ReactElement {
  if (error instanceof RialtoError && error.status === TOO_MANY_REQUESTS) {
    const seconds = Math.ceil((error.retryAfterMs ?? 1_000) / 1_000);
    return (
      <Notice kind="limited" onRetry={onRetry}>
        Too many requests from here. {what} can be asked for again in {seconds} s.
      </Notice>
    );
  }
  const kind = error instanceof RialtoError ? "error" : "disconnected";
  return (
    <Notice kind={kind} onRetry={onRetry}>
      {what} could not be read: {error.message}
    </Notice>
  );
}
