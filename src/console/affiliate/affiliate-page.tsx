/** The affiliate page: earnings, invitees, and statements to verify. */
import { type ReactElement, useEffect } from "react";
import { RialtoError } from "../../client/index.ts";
import { FailureNotice } from "../components/failure-notice.tsx";
import { Notice } from "../components/panel.tsx";
import { useSession } from "../session/session.tsx";
import styles from "./affiliate-page.module.css";
import { useAffiliateQuery } from "./affiliate-query.ts";
import { AffiliateTabs } from "./affiliate-tabs.tsx";
import { InvitePanel } from "./invite/invite-panel.tsx";
import { EarningsPanel } from "./overview/earnings-panel.tsx";
import { Freshness } from "./overview/freshness.tsx";
import { OverviewCards } from "./overview/overview-cards.tsx";
import { NotAffiliate, SignedOut } from "./sign-in-gate.tsx";

/** Not an affiliate, or a key without permission for its reports. */
const NO_PERMISSION = -1052;

export function AffiliatePage(): ReactElement {
  const { client, apiKey, uid } = useSession();
  useEffect(() => {
    document.title = "Affiliate – Rialto";
  }, []);
  const profile = useAffiliateQuery("profile", async (options) => ({
    profile: await client.affiliate.profile(options),
    atMs: Date.now(),
  }));
  const { answer, error, refresh } = profile;
  const days = useAffiliateQuery(answer === null ? null : "days", (options) =>
    client.affiliate.commissionDays({}, options),
  );
  if (apiKey === null) return <SignedOut />;
  if (error instanceof RialtoError && error.code === NO_PERMISSION) {
    return <NotAffiliate uid={uid} reason={error.message} />;
  }
  if (answer === null) {
    if (error === null) return <Notice kind="loading">Loading your programme…</Notice>;
    return <FailureNotice what="your programme" error={error} onRetry={refresh} />;
  }
  const own = answer.profile;
  return (
    <div className={styles.page}>
      <header className={styles.header}>
        <h1>Affiliate {own.uid}</h1>
        <Freshness atMs={answer.atMs} error={error ?? days.error} />
      </header>
      {error === null ? null : (
        <FailureNotice what="your balances" error={error} onRetry={refresh} slim />
      )}
      <OverviewCards profile={own} days={days.answer} />
      <div className={styles.columns}>
        <EarningsPanel profile={own} days={days} />
        <InvitePanel inviteCode={own.inviteCode} />
      </div>
      <AffiliateTabs profile={own} key={own.uid} />
    </div>
  );
}
