/** What runs here, asked once: version, profile, and demo accounts for who is on this machine. */
import { createContext, type ReactElement, type ReactNode, useContext } from "react";
import type { ApiCredentials } from "../../client/index.ts";
import { Notice } from "../components/panel.tsx";
import { usePolled } from "../data/query.ts";

export interface DemoAccount extends ApiCredentials {
  readonly uid: number;
}

/** As `src/app/console-pages.ts` gives it. */
export interface Venue {
  readonly version: string;
  readonly profile: "demo" | "empty";
  readonly sandbox: boolean;
  readonly operatorPort: number | null;
  readonly demoAccounts: readonly DemoAccount[];
}

const VenueContext = createContext<Venue | null>(null);

export function VenueProvider({ children }: { readonly children: ReactNode }): ReactElement {
  const { answer, error, refresh } = usePolled("venue", askVenue);
  if (error !== null) {
    return (
      <Notice kind="disconnected" onRetry={refresh}>
        The exchange does not answer ({error.message}). Is it running?
      </Notice>
    );
  }
  if (answer === null) return <Notice kind="loading">Asking the exchange…</Notice>;
  return <VenueContext value={answer}>{children}</VenueContext>;
}

async function askVenue(signal: AbortSignal): Promise<Venue> {
  const answer = await fetch("/console/venue", { signal });
  if (!answer.ok) throw new Error(`status ${answer.status}`);
  return (await answer.json()) as Venue;
}

export function useVenue(): Venue {
  const venue = useContext(VenueContext);
  if (venue === null) throw new Error("useVenue is for components inside VenueProvider");
  return venue;
}
