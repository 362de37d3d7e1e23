/** The frame of the operator console: navigation, connection state and sign-out. */
import { type ComponentType, type ReactElement, useEffect } from "react";
import { Link, Redirect, Route, Router, Switch, useLocation } from "wouter";
import { useHashLocation } from "wouter/use-hash-location";
import { Button } from "../components/button.tsx";
import shell from "../shell/shell.module.css";
import { ThemeSwitch } from "../shell/theme.tsx";
import { AffiliatesPage } from "./affiliates/affiliates-page.tsx";
import { AuditPage } from "./audit/audit-page.tsx";
import { BackupsPage } from "./backups/backups-page.tsx";
import { ClusterPage } from "./cluster/cluster-page.tsx";
import { Badge } from "./components/badge.tsx";
import { HealthProvider, useHealth } from "./health/health-feed.tsx";
import { HealthPage } from "./health/health-page.tsx";
import { InvariantsPage } from "./invariants/invariants-page.tsx";
import { MarketsPage } from "./markets/markets-page.tsx";
import styles from "./operator-page.module.css";
import { OperatorsPage } from "./operators/operators-page.tsx";
import { ReconciliationPage } from "./reconciliation/reconciliation-page.tsx";
import { RiskPage } from "./risk/risk-page.tsx";
import { SandboxPage } from "./sandbox/sandbox-page.tsx";
import { OperatorProvider, useOperator } from "./session/operator-session.tsx";
import { UserPage } from "./users/user-page.tsx";
import { UsersPage } from "./users/users-page.tsx";
import { WebhooksPage } from "./webhooks/webhooks-page.tsx";
import { WithdrawalsPage } from "./withdrawals/withdrawals-page.tsx";

interface Place {
  readonly path: string;
  readonly text: string;
  readonly page: ComponentType;
  readonly sandboxOnly?: true;
  readonly clusterOnly?: true;
}

const PLACES: readonly Place[] = [
  { path: "/health", text: "Health", page: HealthPage },
  { path: "/cluster", text: "Cluster", page: ClusterPage, clusterOnly: true },
  { path: "/invariants", text: "Invariants", page: InvariantsPage },
  { path: "/markets", text: "Markets", page: MarketsPage },
  { path: "/users", text: "Users", page: UsersPage },
  { path: "/withdrawals", text: "Withdrawals", page: WithdrawalsPage },
  { path: "/reconciliation", text: "Reconciliation", page: ReconciliationPage },
  { path: "/risk", text: "Risk", page: RiskPage },
  { path: "/affiliates", text: "Affiliates", page: AffiliatesPage },
  { path: "/operators", text: "Operators", page: OperatorsPage },
  { path: "/webhooks", text: "Webhooks", page: WebhooksPage },
  { path: "/audit", text: "Audit", page: AuditPage },
  { path: "/backups", text: "Backups", page: BackupsPage },
  { path: "/sandbox", text: "Sandbox", page: SandboxPage, sandboxOnly: true },
];

export function OperatorPage(): ReactElement {
  return (
    <OperatorProvider>
      <HealthProvider>
        <Router hook={useHashLocation}>
          <Frame />
        </Router>
      </HealthProvider>
    </OperatorProvider>
  );
}

function Frame(): ReactElement {
  const { actor, isSandbox, role, signOut } = useOperator();
  const [location] = useLocation();
  const isNode = useHealth().samples.at(-1)?.status.process.node !== undefined;
  const places = PLACES.filter(({ clusterOnly = false, sandboxOnly = false }) => {
    return (isSandbox || !sandboxOnly) && (isNode || !clusterOnly);
  });
  const here = places.find(({ path }) => location.startsWith(path));
  useEffect(() => {
    document.title = `${here?.text ?? "Start"} – Rialto operator`;
  }, [here]);
  return (
    <>
      <SkipButton />
      <header className={shell.header}>
        <span className={shell.logo}>Rialto operator</span>
        <nav className={`${shell.nav} ${styles.nav}`} aria-label="Pages">
          {places.map(({ path, text }) => (
            <Link
              key={path}
              href={path}
              className={shell.link}
              aria-current={path === here?.path ? "page" : undefined}
            >
              {text}
            </Link>
          ))}
        </nav>
        <div className={shell.end}>
          <Pulse />
          <ThemeSwitch />
          <Button tone="quiet" size="small" onClick={signOut}>
            <span className={styles.actor}>
              {actor} ({role}):{" "}
            </span>
            sign out
          </Button>
        </div>
      </header>
      <main id="main" className={shell.main} tabIndex={-1}>
        <Switch>
          <Route path="/users/:uid">{({ uid }) => <UserPage uid={Number(uid)} key={uid} />}</Route>
          {places.map(({ path, page }) => (
            <Route key={path} path={path} component={page} />
          ))}
          <Route>
            <Redirect to="/health" replace />
          </Route>
        </Switch>
      </main>
    </>
  );
}

/** Moves the focus by script, because the URL's hash is the route. */
function SkipButton(): ReactElement {
  const skip = (): void => document.getElementById("main")?.focus();
  return (
    <button type="button" className={shell.skip} onClick={skip}>
      Skip to content
    </button>
  );
}

/** Whether the last health sample succeeded. */
function Pulse(): ReactElement {
  const { samples, error } = useHealth();
  if (error !== null) return <Badge tone="bad">disconnected</Badge>;
  if (samples.length === 0) return <Badge tone="plain">connecting</Badge>;
  return <Badge tone="good">live</Badge>;
}
