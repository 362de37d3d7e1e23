/** The affiliate page for signed-out users and for users who are not affiliates. */
import type { ReactElement } from "react";
import { Panel } from "../components/panel.tsx";
import { DemoAccounts } from "../session/sign-in.tsx";
import { useVenue } from "../session/venue.tsx";
import styles from "./affiliate-page.module.css";

export function SignedOut(): ReactElement {
  return (
    <div className={styles.narrow}>
      <h1>Affiliate</h1>
      <Panel title="Sign in to see your commissions">
        <div className={styles.text}>
          <p>
            See every commission and how it was calculated, your invitees and their activity, and
            statements you can verify yourself.
          </p>
          <DemoAccounts />
          <p className={styles.hint}>
            Or sign in at the top right with an API key that has the “read” or “affiliate”
            permission.
          </p>
        </div>
      </Panel>
    </div>
  );
}

export interface NotAffiliateProps {
  /** Null while unknown. */
  readonly uid: number | null;
  /** As the exchange states it. */
  readonly reason: string;
}

export function NotAffiliate({ uid, reason }: NotAffiliateProps): ReactElement {
  const { operatorPort } = useVenue();
  return (
    <div className={styles.narrow}>
      <h1>Affiliate</h1>
      <Panel title={`${uid === null ? "This account" : `Account ${uid}`} has no affiliate access`}>
        <div className={styles.text}>
          <p role="status">Reason: {reason}</p>
          <p>
            Affiliates earn a share of every trading fee their invitees pay. Commissions accrue with
            each fill and are paid into the spot wallet every full hour. An affiliate above another
            one earns the difference between their rates.
          </p>
          <p>
            The operator of this exchange makes users affiliates and sets their rates
            {operatorPort === null ? "" : ", in the operator console or"} by{" "}
            <code>PUT /operator/v1/affiliates/{uid ?? "<uid>"}</code>. The API key needs the “read”
            or “affiliate” permission.
          </p>
          <DemoAccounts />
        </div>
      </Panel>
    </div>
  );
}
