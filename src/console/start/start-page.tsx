/** The first page: what runs here, a way in with one press, and the first lines of a bot. */
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
          Spot, perpetual contracts and affiliate rebates, durable, behind one HTTP and WebSocket
          interface that public clients already speak.
        </p>
        <Figures label="This exchange" shape="line">
          <Figure name="Profile">{profile}</Figure>
          <Figure name="Version">{version}</Figure>
          <Figure name="Clock">
            {sandbox ? "sandbox: the operator can move it" : "real time"}
          </Figure>
          <Figure name="Base address">{location.origin}</Figure>
        </Figures>
      </section>
      <InviteNotice />
      <div className={styles.columns}>
        <div className={styles.column}>
          <MarketList product="spot" title="Spot markets" />
          <MarketList product="contract" title="Perpetual contracts" />
        </div>
        <div className={styles.column}>
          <WayIn />
          <FirstBot />
          <Elsewhere />
        </div>
      </div>
    </div>
  );
}

function WayIn(): ReactElement {
  const { demoAccounts } = useVenue();
  const { apiKey } = useSession();
  const [, navigate] = useLocation();
  return (
    <Panel title="Trade here">
      {demoAccounts.length === 0 ? (
        <p className={styles.hint}>
          Sign in with an API key (top right). The operator of this venue makes accounts and keys.
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
        <Button onClick={() => navigate("/affiliate")}>See commissions</Button>
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
      actions={<CopyButton text={code} what="ten lines of ccxt" />}
    >
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys */}
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

function Elsewhere(): ReactElement {
  const { operatorPort } = useVenue();
  return (
    <Panel title="Where to go on">
      <ul className={styles.links}>
        <li>
          <a href="/docs/">Reference</a>: every call, with examples
        </li>
        <li>
          <a href="/openapi.json">OpenAPI document</a> for generators
        </li>
        {operatorPort === null ? null : (
          <li>
            <a href={`${location.protocol}//${location.hostname}:${operatorPort}/`}>
              Operator console
            </a>
            : markets, users, money, invariants
          </li>
        )}
        <li>
          <Link href="/affiliate">Affiliate console</Link>: every commission and its reason
        </li>
      </ul>
    </Panel>
  );
}
