/** What this exchange is: version, profile, and demo accounts for local visitors. */
import { createContext, type ReactElement, type ReactNode, useContext } from "react";
import type { ApiCredentials } from "../../client/index.ts";
import { Notice } from "../components/panel.tsx";
import { useQuery } from "../data/query.ts";

export interface DemoAccount extends ApiCredentials {
  readonly uid: number;
}

/** As served by `src/app/console-pages.ts`. */
export interface Venue {
  readonly version: string;
  readonly profile: "demo" | "empty";
  readonly sandbox: boolean;
  readonly operatorPort: number | null;
  readonly demoAccounts: readonly DemoAccount[];
}

const VenueContext = createContext<Venue | null>(null);

export function VenueProvider({ children }: { readonly children: ReactNode }): ReactElement {
  const { answer, error, refresh } = useQuery("venue", fetchVenue);
  if (error !== null) {
    return (
      <Notice kind="disconnected" onRetry={refresh}>
        The exchange is not responding ({error.message}). Is it running?
      </Notice>
    );
  }
  if (answer === null) return <Notice kind="loading">Connecting…</Notice>;
  return <VenueContext value={answer}>{children}</VenueContext>;
}

async function fetchVenue(signal: AbortSignal): Promise<Venue> {
  const answer = await fetch("/console/venue", { signal });
  if (!answer.ok) throw new Error(`status ${answer.status}`);
  return (await answer.json()) as Venue;
}

export function useVenue(): Venue {
  const venue = useContext(VenueContext);
  if (venue === null) throw new Error("useVenue is for components inside VenueProvider");
  return venue;
}
