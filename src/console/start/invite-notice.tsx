/** Whoever follows an affiliate's link learns what its code is for, and whom to give it to. */
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
          aria-label="Put the invitation away"
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
        This is the invite code of the affiliate who gave you the link. Take it to the operator of
        this exchange:{" "}
        {operatorPort === null ? (
          "the operator registers users"
        ) : (
          <>
            the operator registers users, in the <a href={operator}>operator console</a>
          </>
        )}
        , and registration takes the code as <code>inviteCode</code>. It counts when the account is
        made and cannot be added later; an account that exists stays as it is.
      </p>
    </div>
  );
}

function Broken(): ReactElement {
  return (
    <div className={styles.texts} data-kind="broken">
      <h2>This invite link is damaged</h2>
      <p>
        What it carries is no invite code: a code has 1 to 64 letters, digits, _ or -. Ask whoever
        gave you the link for it again, or for the code alone.
      </p>
    </div>
  );
}
