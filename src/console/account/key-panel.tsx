/** The API key that this page uses, and what the account may do. */
import type { ReactElement } from "react";
import { CopyButton } from "../components/copy-button.tsx";
import { Figure, Figures } from "../components/figures.tsx";
import { Panel } from "../components/panel.tsx";
import { QueryView } from "../components/query-view.tsx";
import { useQuery } from "../data/query.ts";
import { useSession } from "../session/session.tsx";
import styles from "./account-page.module.css";

const INTERVAL_MS = 30_000;

export function KeyPanel({ apiKey }: { readonly apiKey: string }): ReactElement {
  const { client } = useSession();
  const query = useQuery(
    `account ${apiKey}`,
    (signal) => client.spot.account({ signal }),
    INTERVAL_MS,
  );
  return (
    <Panel title="API key">
      <p className={styles.key}>
        <code>{apiKey}</code> <CopyButton text={apiKey} what="API key" />
      </p>
      <QueryView what="your account" query={query}>
        {({ canTrade, canDeposit, canWithdraw }) => (
          <Figures label="Account" shape="line">
            <Figure name="Trading">{allowed(canTrade)}</Figure>
            <Figure name="Deposits">{allowed(canDeposit)}</Figure>
            <Figure name="Withdrawals">{allowed(canWithdraw)}</Figure>
          </Figures>
        )}
      </QueryView>
      <p className={styles.hint}>
        This page signs with this key. The operator of the exchange creates, restricts and revokes
        API keys.
      </p>
    </Panel>
  );
}

function allowed(is: boolean): string {
  return is ? "allowed" : "suspended";
}
