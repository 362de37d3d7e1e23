/** The console for traders and affiliates, served by the gateway. */
import { lazy, type ReactElement, StrictMode, Suspense } from "react";
import { createRoot } from "react-dom/client";
import { Route, Switch } from "wouter";
import { ActivityProvider } from "./activity/activity-provider.tsx";
import { MarketsWatch } from "./activity/market-watch.ts";
import { AlertsWatch } from "./alerts/alerts-watch.ts";
import { Notice } from "./components/panel.tsx";
import { ToastProvider } from "./components/toast.tsx";
import { SessionProvider } from "./session/session.tsx";
import { VenueProvider } from "./session/venue.tsx";
import { NotFound } from "./shell/not-found.tsx";
import { Shell } from "./shell/shell.tsx";
import { applyTheme } from "./shell/theme-choice.ts";
import { StartPage } from "./start/start-page.tsx";
import "./styles/theme.css";

const TradePage = lazy(async () => ({
  default: (await import("./trade/trade-page.tsx")).TradePage,
}));
const AccountPage = lazy(async () => ({
  default: (await import("./account/account-page.tsx")).AccountPage,
}));
const AffiliatePage = lazy(async () => ({
  default: (await import("./affiliate/affiliate-page.tsx")).AffiliatePage,
}));

function Pages(): ReactElement {
  return (
    <Suspense fallback={<Notice kind="loading">Loading…</Notice>}>
      <Switch>
        <Route path="/" component={StartPage} />
        <Route path="/trade/spot/:symbol">
          {({ symbol }) => <TradePage product="spot" symbol={symbol} key={`spot-${symbol}`} />}
        </Route>
        <Route path="/trade/contract/:symbol">
          {({ symbol }) => (
            <TradePage product="contract" symbol={symbol} key={`contract-${symbol}`} />
          )}
        </Route>
        <Route path="/affiliate" component={AffiliatePage} />
        <Route path="/account" component={AccountPage} />
        <Route component={NotFound} />
      </Switch>
    </Suspense>
  );
}

applyTheme();
createRoot(document.getElementById("root") as HTMLElement).render(
  <StrictMode>
    <ToastProvider>
      <VenueProvider>
        <SessionProvider>
          <ActivityProvider>
            <MarketsWatch />
            <AlertsWatch />
            <Shell>
              <Pages />
            </Shell>
          </ActivityProvider>
        </SessionProvider>
      </VenueProvider>
    </ToastProvider>
  </StrictMode>,
);
