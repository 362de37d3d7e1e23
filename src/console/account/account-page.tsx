/** What the account is worth and where it is: wallets, transfers, P&L by day, exports. */
import { type ReactElement, useEffect } from "react";
import { type Column, DataTable } from "../components/data-table.tsx";
import { Figure, Figures } from "../components/figures.tsx";
import { Notice, Panel } from "../components/panel.tsx";
import { QueryView } from "../components/query-view.tsx";
import { useQuery } from "../data/query.ts";
import { plus } from "../decimals/arithmetic.ts";
import { groupDecimal, MONEY_DECIMALS, signed, toneOf } from "../decimals/format.ts";
import { useSession } from "../session/session.tsx";
import { DemoAccounts } from "../session/sign-in.tsx";
import styles from "./account-page.module.css";
import { AccountStatus } from "./account-status.tsx";
import { equityOf, QUOTE } from "./equity.ts";
import { ExportForm } from "./export-form.tsx";
import { FeesPanel } from "./fees-panel.tsx";
import { FundingPanel } from "./funding-panel.tsx";
import { KeysPanel } from "./keys-panel.tsx";
import { RealisedPanel } from "./realised-panel.tsx";
import { TransferForm } from "./transfer-form.tsx";
import { fetchWallets, type WalletRow, type Wallets } from "./wallets.ts";

const INTERVAL_MS = 2_000;

export function AccountPage(): ReactElement {
  const { client, apiKey, uid } = useSession();
  useEffect(() => {
    document.title = "Account – Rialto";
  }, []);
  const query = useQuery(
    apiKey === null ? null : `wallets ${apiKey}`,
    (signal) => fetchWallets(client, signal),
    INTERVAL_MS,
  );
  if (apiKey === null) {
    return (
      <div className={styles.page}>
        <h1>Account</h1>
        <Panel title="Sign in to see your account">
          <DemoAccounts />
        </Panel>
      </div>
    );
  }
  return (
    <div className={styles.page}>
      <h1>{uid === null ? "Account" : `Account ${uid}`}</h1>
      <QueryView what="your wallets" query={query}>
        {(wallets) => (
          <>
            <EquityFigures wallets={wallets} />
            <div className={styles.columns}>
              <Panel title="Wallets" flush>
                <DataTable
                  label="Wallets"
                  cards
                  columns={COLUMNS}
                  rows={wallets.rows}
                  rowKey={({ wallet, asset }) => `${wallet} ${asset}`}
                  empty={<Notice kind="empty">No assets yet.</Notice>}
                />
              </Panel>
              <Panel title="Transfer">
                <TransferForm wallets={wallets.rows} onDone={query.refresh} />
              </Panel>
            </div>
          </>
        )}
      </QueryView>
      <RealisedPanel />
      <FundingPanel />
      <KeysPanel apiKey={apiKey} />
      <div className={styles.columns}>
        <FeesPanel />
        <div className={styles.column}>
          <Panel title="This account">
            <AccountStatus apiKey={apiKey} />
          </Panel>
          <Panel title="Export">
            <ExportForm />
          </Panel>
        </div>
      </div>
    </div>
  );
}

function EquityFigures({ wallets: { rows, prices } }: { readonly wallets: Wallets }): ReactElement {
  const worth = (wallet: WalletRow["wallet"]) =>
    equityOf(
      rows
        .filter((row) => row.wallet === wallet)
        .map(({ asset, equity }) => ({ asset, amount: equity })),
      prices,
    );
  const [spot, contract] = [worth("Spot"), worth("Contracts")];
  const unpriced = [...spot.unpriced, ...contract.unpriced];
  const unrealised = equityOf(
    rows.map(({ asset, unrealised }) => ({ asset, amount: unrealised ?? "0" })),
    prices,
  ).value;
  const shown = (value: string): string => `${groupDecimal(value, MONEY_DECIMALS)} ${QUOTE}`;
  return (
    <Figures label="Equity" shape="cards">
      <Figure
        name="Equity"
        note={unpriced.length === 0 ? undefined : `without ${unpriced.join(", ")}: no price`}
      >
        {shown(plus(spot.value, contract.value))}
      </Figure>
      <Figure name="Spot wallet">{shown(spot.value)}</Figure>
      <Figure name="Contract wallet">{shown(contract.value)}</Figure>
      <Figure name="Unrealised P&L" tone={toneOf(unrealised)}>
        {signed(shown(unrealised))}
      </Figure>
    </Figures>
  );
}

const COLUMNS: readonly Column<WalletRow>[] = [
  { id: "wallet", header: "Wallet", cell: ({ wallet }) => wallet },
  { id: "asset", header: "Asset", cell: ({ asset }) => asset },
  { id: "equity", header: "Equity", align: "right", cell: ({ equity }) => groupDecimal(equity) },
  {
    id: "available",
    header: "Available",
    align: "right",
    cell: ({ available }) => groupDecimal(available),
  },
  {
    id: "orders",
    header: "In orders",
    align: "right",
    cell: ({ inOrders }) => groupDecimal(inOrders),
  },
];
