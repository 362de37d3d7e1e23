/** Why data could not be loaded, and what to do about it. */
import { createContext, type ReactElement, useContext } from "react";
import { NetworkError, RialtoError } from "../../client/index.ts";
import { retrySeconds, TOO_MANY_REQUESTS } from "../data/retry-wait.ts";
import { Notice } from "./panel.tsx";

/** Signs out where a rejected token means signing in again; null where it does not. */
export const SignOutContext = createContext<(() => void) | null>(null);

export interface FailureNoticeProps {
  /** What failed to load: "candles". */
  readonly what: string;
  readonly error: Error;
  readonly onRetry?: (() => void) | undefined;
  /** One line beside data that is already there. */
  readonly slim?: boolean;
}

const UNAUTHORIZED = 401;

export function FailureNotice(props: FailureNoticeProps): ReactElement {
  const { what, error, onRetry, slim = false } = props;
  const signOut = useContext(SignOutContext);
  if (error instanceof NetworkError) {
    return (
      <Notice kind="disconnected" onRetry={onRetry} slim={slim}>
        <span title={error.message}>
          Could not load {what}: the exchange is not responding. Is it running?
        </span>
      </Notice>
    );
  }
  const status = error instanceof RialtoError ? error.status : null;
  if (status === UNAUTHORIZED && signOut !== null) {
    return (
      <Notice kind="error" onRetry={signOut} slim={slim}>
        Your token is no longer valid. Sign in with the current one.
      </Notice>
    );
  }
  if (error instanceof RialtoError && status === TOO_MANY_REQUESTS) {
    return (
      <Notice kind="limited" onRetry={onRetry} slim={slim}>
        Rate limit reached. Could not load {what}; try again in {retrySeconds(error)} s.
      </Notice>
    );
  }
  return (
    <Notice kind="error" onRetry={onRetry} slim={slim}>
      Could not load {what}: {error.message}
    </Notice>
  );
}
