/** What was asked for, or why it is not there: loading, refused, limited, out of reach. */
import type { ReactElement, ReactNode } from "react";
import { RialtoError } from "../../client/index.ts";
import type { Polled } from "../data/query.ts";
import { useOperator } from "../operator/session/operator-session.tsx";
import { isUnauthorized } from "../operator/session/sign-in-failure.ts";
import { Notice } from "./panel.tsx";

const TOO_MANY_REQUESTS = 429;

export interface AskedProps<Answer> {
  /** "The users". */
  readonly what: string;
  readonly polled: Polled<Answer>;
  readonly children: (answer: Answer) => ReactNode;
}

/** An answer that came stays in sight while a later question fails. */
export function Asked<Answer>({ what, polled, children }: AskedProps<Answer>): ReactElement {
  const { answer, error, refresh } = polled;
  return (
    <>
      {error === null ? null : <Failure what={what} error={error} onRetry={refresh} />}
      {answer === null && error === null ? <Notice kind="loading">Reading…</Notice> : null}
      {answer === null ? null : children(answer)}
    </>
  );
}

interface FailureProps {
  readonly what: string;
  readonly error: Error;
  readonly onRetry: () => void;
}

function Failure({ what, error, onRetry }: FailureProps): ReactElement {
  const { signOut } = useOperator();
  if (isUnauthorized(error)) {
    return (
      <Notice kind="error" onRetry={signOut}>
        The token is not taken any more. Sign in with the present one.
      </Notice>
    );
  }
  if (error instanceof RialtoError && error.status === TOO_MANY_REQUESTS) {
    const seconds = Math.ceil((error.retryAfterMs ?? 1_000) / 1_000);
    return (
      <Notice kind="limited" onRetry={onRetry}>
        Too many requests from here. {what} can be asked for again in {seconds} s.
      </Notice>
    );
  }
  if (error instanceof RialtoError) {
    return (
      <Notice kind="error" onRetry={onRetry}>
        {what} could not be read: {error.message}
      </Notice>
    );
  }
  return (
    <Notice kind="disconnected" onRetry={onRetry}>
      The exchange does not answer. {what} could not be read: {error.message}
    </Notice>
  );
}
