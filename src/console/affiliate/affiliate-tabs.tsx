/** The tabs of the page: commissions, invitees, sub-affiliates, statements. */
import { type ReactElement, useState } from "react";
import type { AffiliateProfile } from "../../client/index.ts";
import { type Tab, Tabs } from "../components/tabs.tsx";
import styles from "./affiliate-page.module.css";
import { CommissionList } from "./reports/commission-list.tsx";
import { InviteeList } from "./reports/invitee-list.tsx";
import { SubAffiliateDays } from "./reports/sub-affiliate-days.tsx";
import { Statements } from "./statement/statements.tsx";

type Id = "commissions" | "invitees" | "sub-affiliates" | "statements";

const TABS: readonly Tab<Id>[] = [
  { id: "commissions", label: "Commissions" },
  { id: "invitees", label: "Invitees" },
  { id: "sub-affiliates", label: "Sub-affiliates" },
  { id: "statements", label: "Statements" },
];

export function AffiliateTabs({ profile }: { readonly profile: AffiliateProfile }): ReactElement {
  const [selected, setSelected] = useState<Id>("commissions");
  /** Filters commissions by trader; empty for all. */
  const [uid, setUid] = useState("");
  return (
    <section className={styles.lists} aria-label="Lists">
      <Tabs label="Lists" tabs={TABS} selected={selected} onSelect={setSelected}>
        <div className={styles.list}>
          {selected === "commissions" ? (
            <CommissionList profile={profile} uid={uid} onUid={setUid} />
          ) : selected === "invitees" ? (
            <InviteeList
              profile={profile}
              onCommissions={(invitee) => {
                setUid(invitee);
                setSelected("commissions");
              }}
            />
          ) : selected === "sub-affiliates" ? (
            <SubAffiliateDays profile={profile} />
          ) : (
            <Statements profile={profile} />
          )}
        </div>
      </Tabs>
    </section>
  );
}
