/** Saves a history of the account as a CSV file. */
import { type FormEvent, type ReactElement, useState } from "react";
import { Button } from "../components/button.tsx";
import { FailureNotice } from "../components/failure-notice.tsx";
import { Choice, Field } from "../components/field.tsx";
import { type Message, useMutation } from "../data/mutation.ts";
import { saveFile } from "../data/save-file.ts";
import { dayEndMs, dayStartMs, daysUntil, utcDay } from "../data/utc.ts";
import { useSession } from "../session/session.tsx";
import { EXPORTS, type ExportName, ROWS_MAX } from "./account-history.ts";
import styles from "./account-page.module.css";
import { toCsv } from "./csv.ts";

const DAYS_DEFAULT = 30;
/** As far as every history reaches in one request. */
const DAYS_MAX = 90;
const DAY_MS = 86_400_000;

const OPTIONS = Object.entries(EXPORTS).map(([value, { text }]) => ({
  value: value as ExportName,
  text,
}));

export function ExportForm(): ReactElement {
  const { client, uid } = useSession();
  const today = utcDay(Date.now());
  const [what, setWhat] = useState<ExportName>("contract-trades");
  const [from, setFrom] = useState(() => daysUntil(today, DAYS_DEFAULT)[0] ?? today);
  const [to, setTo] = useState(today);
  const { busy, error, run } = useMutation();
  const problem = rangeProblem(from, to);
  const save = async (): Promise<Message> => {
    const range = { startTime: dayStartMs(from), endTime: dayEndMs(to) };
    const { rows, isCut } = await EXPORTS[what].fetch(client, range);
    if (rows.length === 0) return { text: "Nothing in this range", tone: "plain" };
    const name = `${what}-${uid ?? "account"}-${from}-${to}.csv`;
    saveFile(name, new Blob([toCsv(rows)], { type: "text/csv" }));
    const saved = `${rows.length.toLocaleString("en")} rows saved as ${name}`;
    const rest = `. There are more than ${ROWS_MAX.toLocaleString("en")}: choose fewer days`;
    return { text: isCut ? saved + rest : saved, tone: isCut ? "plain" : "good" };
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    void run(save);
  };
  return (
    <form className={styles.form} onSubmit={submit} aria-label="Export">
      <div className={styles.fields}>
        <Choice label="What" showLabel value={what} options={OPTIONS} onValue={setWhat} />
        <Field label="From" type="date" required value={from} onText={setFrom} error={problem} />
        <Field label="To" type="date" required value={to} onText={setTo} />
        <Button type="submit" tone="accent" busy={busy} disabled={problem !== null}>
          Save CSV
        </Button>
      </div>
      <p className={styles.hint}>Whole UTC days, with every field of the API.</p>
      {error === null ? null : <FailureNotice what="the export" error={error} />}
    </form>
  );
}

function rangeProblem(from: string, to: string): string | null {
  if (from === "" || to === "") return "Choose both days.";
  if (from > to) return "Must not be after the end date.";
  const days = (dayStartMs(to) - dayStartMs(from)) / DAY_MS + 1;
  return days > DAYS_MAX ? `At most ${DAYS_MAX} days.` : null;
}
