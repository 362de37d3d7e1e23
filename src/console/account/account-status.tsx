/** What the account may do at present. */
import type { ReactElement } from "react";
import { Figure, Figures } from "../components/figures.tsx";
import { QueryView } from "../components/query-view.tsx";
import { useQuery } from "../data/query.ts";
import { useSession } from "../session/session.tsx";

const INTERVAL_MS = 30_000;

export function AccountStatus({ apiKey }: { readonly apiKey: string }): ReactElement {
  const { client } = useSession();
  const query = useQuery(
    `account ${apiKey}`,
    (signal) => client.spot.account({ signal }),
    INTERVAL_MS,
  );
  return (
    <QueryView what="your account" query={query}>
      {({ canTrade, canDeposit, canWithdraw }) => (
        <Figures label="Account" shape="line">
          <Figure name="Trading">{allowed(canTrade)}</Figure>
          <Figure name="Deposits">{allowed(canDeposit)}</Figure>
          <Figure name="Withdrawals">{allowed(canWithdraw)}</Figure>
        </Figures>
      )}
    </QueryView>
  );
}

function allowed(is: boolean): string {
  return is ? "allowed" : "suspended";
}
