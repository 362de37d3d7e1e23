/** Statements: download and verification. */
import type { ReactElement } from "react";
import type { AffiliateProfile } from "../../../client/index.ts";
import { DownloadForm } from "./download-form.tsx";
import styles from "./statements.module.css";
import { VerifyForm } from "./verify-form.tsx";

export function Statements({ profile }: { readonly profile: AffiliateProfile }): ReactElement {
  return (
    <div className={styles.columns}>
      <DownloadForm profile={profile} />
      <VerifyForm />
    </div>
  );
}
