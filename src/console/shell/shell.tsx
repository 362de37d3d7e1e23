/** The frame of every page: navigation, theme and account. */
import { type ReactElement, type ReactNode, useState } from "react";
import { Link, useLocation } from "wouter";
import { ActivityButton } from "../activity/activity-button.tsx";
import { Button } from "../components/button.tsx";
import { useSession } from "../session/session.tsx";
import { SignInDialog } from "../session/sign-in.tsx";
import { HEADER_LINKS } from "./header-links.ts";
import styles from "./shell.module.css";
import { ThemeSwitch } from "./theme.tsx";

export interface ShellProps {
  /** Beside the account, e.g. the connection state. */
  readonly status?: ReactNode;
  readonly children: ReactNode;
}

export function Shell({ status, children }: ShellProps): ReactElement {
  const [location] = useLocation();
  const isHere = (begins: string): boolean =>
    begins === "/" ? location === "/" : location.startsWith(begins);
  return (
    <>
      <a className={styles.skip} href="#main">
        Skip to content
      </a>
      <header className={styles.header}>
        <Link href="/" className={styles.logo}>
          Rialto
        </Link>
        <nav className={styles.nav} aria-label="Pages">
          {HEADER_LINKS.map(({ path, begins, text }) => (
            <Link
              key={path}
              href={path}
              className={styles.link}
              aria-current={isHere(begins) ? "page" : undefined}
            >
              {text}
            </Link>
          ))}
          <a className={styles.link} href="/docs/">
            Reference
          </a>
        </nav>
        <div className={styles.end}>
          {status}
          <ActivityButton />
          <ThemeSwitch />
          <AccountMenu />
        </div>
      </header>
      <main id="main" className={styles.main}>
        {children}
      </main>
    </>
  );
}

function AccountMenu(): ReactElement {
  const { apiKey, uid, signOut } = useSession();
  const [open, setOpen] = useState(false);
  const name = uid === null ? `${apiKey?.slice(0, 8)}…` : `Account ${uid}`;
  return (
    <>
      {apiKey === null ? (
        <Button tone="accent" size="small" onClick={() => setOpen(true)}>
          Sign in
        </Button>
      ) : (
        <>
          <Button size="small" aria-label={`${name}: change account`} onClick={() => setOpen(true)}>
            {name}
          </Button>
          <Button tone="quiet" size="small" onClick={signOut}>
            Sign out
          </Button>
        </>
      )}
      <SignInDialog open={open} onClose={() => setOpen(false)} />
    </>
  );
}
