/** The last report of custody in the state's canonical form; absent where there was none. */
import { CUSTODY_REPORT_FIELDS, record } from "../../protocol/index.ts";
import { section } from "../snapshot-section.ts";

const custodyRow = record(111, "custody-report", CUSTODY_REPORT_FIELDS);

export const CUSTODY = section({
  name: "custody",
  codec: custodyRow,
  optional: true,
  *rowsOf({ custodyReport }) {
    if (custodyReport === null) return;
    yield { type: "custody-report", ...custodyReport, rows: [...custodyReport.rows] } as const;
  },
  restore(state, { type: _, ...report }) {
    state.custodyReport = report;
  },
});
