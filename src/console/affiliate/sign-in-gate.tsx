/** What stands here for who is not signed in, and for who is no affiliate. */
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
            Here an affiliate sees every commission and its reason, invitees and what they brought,
            and statements that can be checked without trusting the exchange.
          </p>
          <DemoAccounts />
          <p className={styles.hint}>
            Or sign in at the top right with an API key that may read or has the permission
            “affiliate”.
          </p>
        </div>
      </Panel>
    </div>
  );
}

export interface NotAffiliateProps {
  /** Null while it is not known. */
  readonly uid: number | null;
  /** The exchange's words. */
  readonly reason: string;
}

export function NotAffiliate({ uid, reason }: NotAffiliateProps): ReactElement {
  const { operatorPort } = useVenue();
  return (
    <div className={styles.narrow}>
      <h1>Affiliate</h1>
      <Panel title={`${uid === null ? "This account" : `Account ${uid}`} has no affiliate page`}>
        <div className={styles.text}>
          <p role="status">The exchange says: {reason}</p>
          <p>
            An affiliate has an invite code. Of every trading fee that its invitees pay, it earns a
            share at once, which the next full hour pays into its spot wallet. Affiliates may stand
            below one another: the one above earns the difference of the two rates.
          </p>
          <p>
            The operator of this exchange makes a user an affiliate and sets the rates
            {operatorPort === null ? "" : ", in the operator console or"} by{" "}
            <code>PUT /operator/v1/affiliates/{uid ?? "<uid>"}</code>. A key needs the permission
            “read” or “affiliate”.
          </p>
          <DemoAccounts />
        </div>
      </Panel>
    </div>
  );
}
