/** What the last backup says, and how one is made and restored. */
import type { ReactElement } from "react";
import type { GetStatusAnswer } from "../../../client/index.ts";
import { Figure, Figures } from "../../components/figures.tsx";
import { Notice, Panel } from "../../components/panel.tsx";
import { QueryView } from "../../components/query-view.tsx";
import { useQuery } from "../../data/query.ts";
import { utcTime } from "../../data/utc.ts";
import layout from "../components/layout.module.css";
import { useOperator } from "../session/operator-session.tsx";
import { ageText } from "./backup-age.ts";

const REFRESH_MS = 5_000;

/** As the process remembers it: `src/app/backup/backup-record.ts`. */
interface BackupRecord {
  readonly target: string;
  readonly sequence: number;
  readonly madeMs: number;
}

export function BackupsPage(): ReactElement {
  const { client } = useOperator();
  const query = useQuery("backups", (signal) => client.getStatus({ signal }), REFRESH_MS);
  return (
    <div className={layout.page}>
      <h1 className="visually-hidden">Backups</h1>
      <Panel title="Last backup of each folder">
        <QueryView what="the last backup" query={query}>
          {(status) => <LastBackup status={status} />}
        </QueryView>
      </Panel>
      <Panel title="Back up and restore">
        <div className={layout.form}>
          <p>
            Back up on the exchange's machine, even while it is running. A backup does not contain
            the master key: keep a copy of it elsewhere.
          </p>
          <code>rialto backup /backup/rialto --data-dir /var/lib/rialto</code>
          <p>
            Restore into an empty folder, to the end of the backup or to an earlier command or time.
            Then start the exchange with that folder and the master key.
          </p>
          <code>rialto restore /backup/rialto --data-dir /var/lib/rialto-restored</code>
        </div>
      </Panel>
    </div>
  );
}

function LastBackup({ status }: { readonly status: GetStatusAnswer }): ReactElement {
  const backups = (status.process.backups ?? []) as readonly BackupRecord[];
  if (backups.length === 0) {
    return <Notice kind="empty">No backups of this exchange yet.</Notice>;
  }
  return (
    <>
      {backups.map(({ target, sequence, madeMs }) => (
        <Figures key={target} label={`Last backup to ${target}`} shape="rows">
          <Figure name="Folder">{target}</Figure>
          <Figure name="Made">{utcTime(madeMs)}</Figure>
          <Figure name="Age">{ageText(Date.now() - madeMs)}</Figure>
          <Figure name="Up to sequence">{sequence}</Figure>
          <Figure name="Commands since">{Math.max(0, status.sequence - sequence)}</Figure>
        </Figures>
      ))}
    </>
  );
}
