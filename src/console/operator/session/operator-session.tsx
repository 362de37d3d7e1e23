/** The operator session: the client with its token, and whether this exchange is a sandbox. */
import {
  createContext,
  type ReactElement,
  type ReactNode,
  useCallback,
  useContext,
  useEffect,
  useState,
} from "react";
import { OperatorClient, RialtoError } from "../../../client/index.ts";
import type { OperatorRole } from "../../../domain/index.ts";
import { SignOutContext } from "../../components/failure-notice.tsx";
import { Notice } from "../../components/panel.tsx";
import { isUnauthorized, signInMessage } from "./sign-in-failure.ts";
import { SignInPage } from "./sign-in-page.tsx";
import { type OperatorLogin, readStoredLogin, storeLogin } from "./stored-token.ts";

export interface OperatorSession {
  readonly client: OperatorClient;
  readonly actor: string;
  readonly role: OperatorRole;
  /** Whether the clock and mark prices can be changed. */
  readonly isSandbox: boolean;
  /** The text of `/metrics`, which the client does not cover. */
  readonly readMetrics: (signal: AbortSignal) => Promise<string>;
  /** The present state of a sandbox as a file, which the client does not cover either. */
  readonly readState: () => Promise<Blob>;
  readonly signOut: () => void;
}

const OperatorContext = createContext<OperatorSession | null>(null);

export function useOperator(): OperatorSession {
  const session = useContext(OperatorContext);
  if (session === null) throw new Error("useOperator is for components inside OperatorProvider");
  return session;
}

const CONFLICT = 409;
/** The caller's name with the token of the data folder. */
const SHARED_NAME = "operator";

/** Shows the sign-in page until a token is accepted. */
export function OperatorProvider({ children }: { readonly children: ReactNode }): ReactElement {
  const [session, setSession] = useState<OperatorSession | null>(null);
  const [stored, setStored] = useState<OperatorLogin | null>(readStoredLogin);
  const [failure, setFailure] = useState<string | null>(null);
  const signOut = useCallback(() => {
    storeLogin(null);
    setStored(null);
    setSession(null);
  }, []);
  const open = useCallback(
    async (login: OperatorLogin): Promise<void> => {
      const opened = await openSession(login, signOut);
      setFailure(null);
      setSession(opened);
    },
    [signOut],
  );
  // A stored token may have been replaced.
  const reopen = useCallback(() => {
    if (stored === null) return;
    open(stored).catch((error: unknown) => {
      if (isUnauthorized(error)) signOut();
      setFailure(signInMessage(error));
    });
  }, [stored, open, signOut]);
  useEffect(reopen, [reopen]);
  const signIn = async (login: OperatorLogin, keep: boolean): Promise<void> => {
    await open(login);
    storeLogin(keep ? login : null);
  };
  if (session !== null) {
    return (
      <OperatorContext value={session}>
        <SignOutContext value={signOut}>{children}</SignOutContext>
      </OperatorContext>
    );
  }
  if (stored === null) return <SignInPage onSignIn={signIn} failure={failure} />;
  if (failure === null) return <Notice kind="loading">Connecting…</Notice>;
  return (
    <Notice kind="disconnected" onRetry={reopen}>
      {failure}
    </Notice>
  );
}

/** Makes one attempt, so that a wrong token shows at once. */
async function openSession(
  { token, actor: given }: OperatorLogin,
  signOut: () => void,
): Promise<OperatorSession> {
  const client = new OperatorClient({ token, actor: given });
  const { name, role } = await client.getCaller({ attempts: 1 });
  // An operator's own token says who it is.
  const actor = name === SHARED_NAME ? given : name;
  const isSandbox = await hasClock(client);
  const read = async (path: string, options: RequestInit = {}): Promise<Response> => {
    const headers = { Authorization: `Bearer ${token}` };
    const answer = await fetch(path, { ...options, headers, cache: "no-store" });
    if (!answer.ok) throw new Error(`${path} returned status ${answer.status}`);
    return answer;
  };
  const readMetrics = async (signal: AbortSignal) => (await read("/metrics", { signal })).text();
  const readState = async () => (await read("/operator/v1/sandbox/state")).blob();
  return { client, actor, role, isSandbox, readMetrics, readState, signOut };
}

async function hasClock(client: OperatorClient): Promise<boolean> {
  try {
    await client.getClock();
    return true;
  } catch (error) {
    if (error instanceof RialtoError && error.status === CONFLICT) return false;
    throw error;
  }
}
