/** Why something could not be read, in words that say what to do. */
import type { ReactElement } from "react";
import { NetworkError, RialtoError } from "../../client/index.ts";
import { Notice } from "./panel.tsx";

export interface FailureNoticeProps {
  /** What was asked for: "The candles". */
  readonly what: string;
  readonly error: Error;
  readonly onRetry?: (() => void) | undefined;
  /** Beside what was read before: one line. */
  readonly slim?: boolean;
}

const TOO_MANY_REQUESTS = 429;

export function FailureNotice(props: FailureNoticeProps): ReactElement {
  const { what, error, onRetry, slim = false } = props;
  if (error instanceof RialtoError && error.status === TOO_MANY_REQUESTS) {
    const seconds = Math.ceil((error.retryAfterMs ?? 1_000) / 1_000);
    return (
      <Notice kind="limited" onRetry={onRetry} slim={slim}>
        Too many requests from here. {what} can be asked for again in {seconds} s.
      </Notice>
    );
  }
  if (error instanceof NetworkError) {
    return (
      <Notice kind="disconnected" onRetry={onRetry} slim={slim}>
        <span title={error.message}>
          {what} could not be read: the exchange does not answer. Is it running?
        </span>
      </Notice>
    );
  }
  return (
    <Notice kind="error" onRetry={onRetry} slim={slim}>
      {what} could not be read: {error.message}
    </Notice>
  );
}
