/** Explains an invite code to whoever follows an affiliate's link. */
import type { ReactElement } from "react";
import { useLocation, useSearch } from "wouter";
import { Button } from "../components/button.tsx";
import { CopyButton } from "../components/copy-button.tsx";
import { useVenue } from "../session/venue.tsx";
import { inviteOf } from "./invite-code.ts";
import styles from "./invite-notice.module.css";

export function InviteNotice(): ReactElement | null {
  const invite = inviteOf(useSearch());
  const [, navigate] = useLocation();
  if (invite === null) return null;
  return (
    <section className={styles.invite} aria-label="Invitation">
      {invite === "broken" ? <Broken /> : <Invitation code={invite.code} />}
      <div className={styles.end}>
        <Button
          tone="quiet"
          size="small"
          aria-label="Dismiss the invitation"
          onClick={() => navigate("/", { replace: true })}
        >
          ✕
        </Button>
      </div>
    </section>
  );
}

function Invitation({ code }: { readonly code: string }): ReactElement {
  const { operatorPort } = useVenue();
  const operator = `${location.protocol}//${location.hostname}:${operatorPort}/users`;
  return (
    <div className={styles.texts}>
      <h2>You are invited</h2>
      <p className={styles.code}>
        <code>{code}</code>
        <CopyButton text={code} what="invite code" />
      </p>
      <p>
        This code belongs to the affiliate who gave you the link. Pass it to the operator of this
        exchange, who registers users
        {operatorPort === null ? null : (
          <>
            {" "}
            in the <a href={operator}>operator console</a>
          </>
        )}{" "}
        and enters it as <code>inviteCode</code>. It only counts at registration and cannot be added
        to an existing account.
      </p>
    </div>
  );
}

function Broken(): ReactElement {
  return (
    <div className={styles.texts} data-kind="broken">
      <h2>This invite link is damaged</h2>
      <p>
        It does not contain a valid invite code (1 to 64 letters, digits, _ or -). Ask the sender
        for a new link or for the code itself.
      </p>
    </div>
  );
}
