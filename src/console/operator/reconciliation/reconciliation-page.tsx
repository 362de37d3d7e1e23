/** What custody holds against what the exchange owes, and the report of balances. */
import { type ReactElement, useState } from "react";
import type { GetCustodyBalancesAnswer } from "../../../client/index.ts";
import { Button } from "../../components/button.tsx";
import { type Column, DataTable } from "../../components/data-table.tsx";
import { Figure, Figures } from "../../components/figures.tsx";
import { Notice, Panel } from "../../components/panel.tsx";
import { QueryView } from "../../components/query-view.tsx";
import { useQuery } from "../../data/query.ts";
import { utcTime } from "../../data/utc.ts";
import { groupDecimal, signOf } from "../../decimals/format.ts";
import { Badge } from "../components/badge.tsx";
import { spanText } from "../components/format.ts";
import layout from "../components/layout.module.css";
import { mayCall } from "../components/may-call.ts";
import { useOperator } from "../session/operator-session.tsx";
import { ReportDialog } from "./report-dialog.tsx";

type Row = GetCustodyBalancesAnswer["items"][number];

const REFRESH_MS = 5_000;

export function ReconciliationPage(): ReactElement {
  const { client, role } = useOperator();
  const [isReporting, setReporting] = useState(false);
  const query = useQuery(
    "custody",
    async (signal) => {
      const options = { signal };
      const [report, status] = await Promise.all([
        client.getCustodyBalances(options),
        client.getStatus(options),
      ]);
      return { report, nowMs: status.time };
    },
    REFRESH_MS,
  );
  const { answer, refresh } = query;
  return (
    <div className={layout.page}>
      <h1 className="visually-hidden">Reconciliation</h1>
      <Panel
        title="Custody and what is owed"
        actions={
          mayCall(role, "reportCustodyBalances") && answer !== null ? (
            <Button size="small" tone="accent" onClick={() => setReporting(true)}>
              Report balances
            </Button>
          ) : undefined
        }
      >
        <QueryView what="the last report" query={query}>
          {({ report, nowMs }) => <LastReport report={report} nowMs={nowMs} />}
        </QueryView>
      </Panel>
      {isReporting ? (
        <ReportDialog
          assets={answer?.report.items.map(({ asset }) => asset) ?? []}
          onClose={() => setReporting(false)}
          onDone={refresh}
        />
      ) : null}
    </div>
  );
}

interface LastReportProps {
  readonly report: GetCustodyBalancesAnswer;
  /** Exchange time. */
  readonly nowMs: number;
}

function LastReport({ report, nowMs }: LastReportProps): ReactElement {
  const { asOf, actor, items } = report;
  if (asOf === null) return <Notice kind="empty">No balances reported yet.</Notice>;
  return (
    <div className={layout.form}>
      <Figures label="Last report" shape="line">
        <Figure name="As of">{utcTime(asOf)}</Figure>
        <Figure name="Age">{spanText(nowMs - asOf)}</Figure>
        <Figure name="Reported by">{actor}</Figure>
      </Figures>
      <DataTable
        label="Balances by asset"
        columns={COLUMNS}
        rows={items}
        rowKey={({ asset }) => asset}
        empty={<Notice kind="empty">Nothing owed and nothing reported.</Notice>}
      />
      <p className={layout.dim}>
        Owed and in flight are as of the report. Missing is what custody lacks even after everything
        in flight has left.
      </p>
    </div>
  );
}

const COLUMNS: readonly Column<Row>[] = [
  { id: "asset", header: "Asset", cell: ({ asset }) => asset },
  {
    id: "owed",
    header: "Owed",
    align: "right",
    cell: ({ liability }) => groupDecimal(liability),
  },
  {
    id: "flight",
    header: "In flight",
    align: "right",
    cell: ({ inFlight }) => groupDecimal(inFlight),
  },
  {
    id: "reported",
    header: "Reported",
    align: "right",
    cell: ({ reported }) => (reported === null ? "not reported" : groupDecimal(reported)),
  },
  { id: "difference", header: "Difference", align: "right", cell: differenceCell },
  {
    id: "missing",
    header: "Missing",
    align: "right",
    cell: ({ shortage }) => (shortage === null ? "–" : groupDecimal(shortage)),
  },
];

/** Coloured only where money is missing. */
function differenceCell({ difference, shortage }: Row): ReactElement | string {
  if (difference === null) return "–";
  const text = `${signOf(difference) > 0 ? "+" : ""}${groupDecimal(difference)}`;
  return signOf(shortage ?? "0") > 0 ? <Badge tone="bad">{text}</Badge> : text;
}
