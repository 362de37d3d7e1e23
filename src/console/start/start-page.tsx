/** The start page: this exchange, its markets, sign-in, and code for a first bot. */
import type { ReactElement } from "react";
import { Link, useLocation } from "wouter";
import { Button } from "../components/button.tsx";
import { CopyButton } from "../components/copy-button.tsx";
import { Figure, Figures } from "../components/figures.tsx";
import { Panel } from "../components/panel.tsx";
import { useSession } from "../session/session.tsx";
import { DemoAccounts } from "../session/sign-in.tsx";
import { useVenue } from "../session/venue.tsx";
import { InviteNotice } from "./invite-notice.tsx";
import { MarketList } from "./market-list.tsx";
import styles from "./start-page.module.css";

export function StartPage(): ReactElement {
  const { version, profile, sandbox } = useVenue();
  return (
    <div className={styles.page}>
      <section className={styles.hero}>
        <h1>A complete exchange, running on your machine</h1>
        <p>
          Spot, perpetual contracts and affiliate rebates, stored durably, behind an HTTP and
          WebSocket API that existing clients already support.
        </p>
        <Figures label="This exchange" shape="line">
          <Figure name="Profile">{profile}</Figure>
          <Figure name="Version">{version}</Figure>
          <Figure name="Clock">
            {sandbox ? "sandbox (the operator can advance it)" : "real time"}
          </Figure>
          <Figure name="Base URL">{location.origin}</Figure>
        </Figures>
      </section>
      <InviteNotice />
      <div className={styles.columns}>
        <div className={styles.column}>
          <MarketList product="spot" title="Spot markets" />
          <MarketList product="contract" title="Perpetual contracts" />
        </div>
        <div className={styles.column}>
          <StartTrading />
          <FirstBot />
          <NextSteps />
        </div>
      </div>
    </div>
  );
}

function StartTrading(): ReactElement {
  const { demoAccounts } = useVenue();
  const { apiKey } = useSession();
  const [, navigate] = useLocation();
  return (
    <Panel title="Start trading">
      {demoAccounts.length === 0 ? (
        <p className={styles.hint}>
          Sign in at the top right with an API key. The operator of this exchange creates accounts
          and keys.
        </p>
      ) : (
        <DemoAccounts />
      )}
      <div className={styles.buttons}>
        <Button
          tone={apiKey === null ? "plain" : "accent"}
          onClick={() => navigate("/trade/spot/BTCUSDT")}
        >
          Trade spot
        </Button>
        <Button onClick={() => navigate("/trade/contract/BTCUSDT")}>Trade contracts</Button>
        <Button onClick={() => navigate("/affiliate")}>View commissions</Button>
      </div>
    </Panel>
  );
}

function FirstBot(): ReactElement {
  const { apiKey } = useSession();
  const { demoAccounts } = useVenue();
  const account = demoAccounts.find((demo) => demo.apiKey === apiKey) ?? demoAccounts[0];
  const code = ccxtLines(location.origin, account);
  return (
    <Panel
      title="Your first bot, with ccxt"
      actions={<CopyButton text={code} what="ccxt example" />}
    >
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrolled by keyboard as well */}
      <pre className={styles.code} tabIndex={0}>
        <code>{code}</code>
      </pre>
    </Panel>
  );
}

interface Keys {
  readonly apiKey: string;
  readonly secret: string;
  readonly passphrase: string;
}

function ccxtLines(origin: string, keys: Keys | undefined): string {
  const text = (part: string | undefined, name: string): string => JSON.stringify(part ?? name);
  return `import ccxt from "ccxt"; // npm install ccxt

const exchange = new ccxt.weex({
  apiKey: ${text(keys?.apiKey, "your key")},
  secret: ${text(keys?.secret, "your secret")},
  password: ${text(keys?.passphrase, "your passphrase")},
});
for (const api of ["public", "private", "contract", "contractPrivate"])
  exchange.urls.api[api] = "${origin}";
const { ask } = await exchange.fetchTicker("BTC/USDT");
console.log(await exchange.createOrder("BTC/USDT", "limit", "buy", 0.01, ask));
`;
}

function NextSteps(): ReactElement {
  const { operatorPort } = useVenue();
  return (
    <Panel title="Next steps">
      <ul className={styles.links}>
        <li>
          <a href="/docs/">Reference</a>: every endpoint, with examples
        </li>
        <li>
          <a href="/openapi.json">OpenAPI document</a> for code generators
        </li>
        {operatorPort === null ? null : (
          <li>
            <a href={`${location.protocol}//${location.hostname}:${operatorPort}/`}>
              Operator console
            </a>
            : markets, users, funds, invariants
          </li>
        )}
        <li>
          <Link href="/affiliate">Affiliate console</Link>: every commission, explained
        </li>
      </ul>
    </Panel>
  );
}
