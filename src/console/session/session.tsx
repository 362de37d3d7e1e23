/** The session: the client that all pages use. Its keys stay in this page. */
import {
  createContext,
  type ReactElement,
  type ReactNode,
  useCallback,
  useContext,
  useEffect,
  useMemo,
  useState,
} from "react";
import { type ApiCredentials, RialtoClient, RialtoError } from "../../client/index.ts";
import { readStoredCredentials, storeCredentials } from "./stored-credentials.ts";
import { useVenue } from "./venue.tsx";

export interface Session {
  /** Signs with the user's keys if there are any. A new object after each sign-in. */
  readonly client: RialtoClient;
  /** Null while signed out. */
  readonly apiKey: string | null;
  /** Null while unknown. */
  readonly uid: number | null;
  /** Rejects if the exchange rejects the keys. */
  readonly signIn: (credentials: ApiCredentials, remember: boolean) => Promise<void>;
  readonly signOut: () => void;
}

const SessionContext = createContext<Session | null>(null);

export function SessionProvider({ children }: { readonly children: ReactNode }): ReactElement {
  const { demoAccounts } = useVenue();
  const [credentials, setCredentials] = useState<ApiCredentials | null>(readStoredCredentials);
  const [checkedUid, setCheckedUid] = useState<number | null>(null);
  const client = useMemo(
    () => new RialtoClient(credentials === null ? {} : { credentials }),
    [credentials],
  );
  const signIn = useCallback(async (given: ApiCredentials, remember: boolean): Promise<void> => {
    setCheckedUid(await checkKeys(given));
    storeCredentials(remember ? given : null);
    setCredentials(given);
  }, []);
  const signOut = useCallback(() => {
    storeCredentials(null);
    setCredentials(null);
  }, []);
  // Stored keys may have been revoked.
  useEffect(() => {
    const stored = readStoredCredentials();
    if (stored === null) return;
    checkKeys(stored).then(setCheckedUid, (error: unknown) => {
      if (isRefusal(error)) signOut();
    });
  }, [signOut]);
  const session = useMemo<Session>(() => {
    const apiKey = credentials?.apiKey ?? null;
    const demo = demoAccounts.find((account) => account.apiKey === apiKey);
    const uid = apiKey === null ? null : (demo?.uid ?? checkedUid);
    return { client, apiKey, uid, signIn, signOut };
  }, [client, credentials, demoAccounts, checkedUid, signIn, signOut]);
  return <SessionContext value={session}>{children}</SessionContext>;
}

/** The keys' owner; null for a valid key without permission to read spot. */
async function checkKeys(credentials: ApiCredentials): Promise<number | null> {
  const client = new RialtoClient({ credentials });
  try {
    return (await client.spot.account()).uid;
  } catch (error) {
    if (error instanceof RialtoError && error.status === FORBIDDEN) return null;
    throw error;
  }
}

const FORBIDDEN = 403;
const UNAUTHORIZED = 401;

function isRefusal(error: unknown): boolean {
  return error instanceof RialtoError && error.status === UNAUTHORIZED;
}

export function useSession(): Session {
  const session = useContext(SessionContext);
  if (session === null) throw new Error("useSession is for components inside SessionProvider");
  return session;
}
