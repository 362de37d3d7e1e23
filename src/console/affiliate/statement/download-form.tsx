/** Downloads a statement, part by part, and checks what came. */
import { type FormEvent, type ReactElement, useState } from "react";
import type { AffiliateProfile } from "../../../client/index.ts";
import { Button } from "../../components/button.tsx";
import { FailureNotice } from "../../components/failure-notice.tsx";
import { Choice, Field, Segments } from "../../components/field.tsx";
import { useMutation } from "../../data/mutation.ts";
import { saveFile } from "../../data/save-file.ts";
import { daysUntil } from "../../data/utc.ts";
import { useSession } from "../../session/session.tsx";
import { exchangeToday } from "../exchange-day.ts";
import { type CheckedStatement, checkStatement } from "./check-statement.ts";
import styles from "./statements.module.css";
import { Verdict } from "./verdict.tsx";

const DAYS_DEFAULT = 7;
const FORMATS = [
  { value: "json", text: "JSON" },
  { value: "csv", text: "CSV" },
] as const;
const MEDIA = { json: "application/json", csv: "text/csv" } as const;

type Format = keyof typeof MEDIA;

interface WantedStatement {
  readonly from: string;
  readonly to: string;
  readonly format: Format;
  readonly part: number;
}

interface DownloadedStatement extends CheckedStatement {
  readonly name: string;
  /** Its days and format, which decide how many parts there are. */
  readonly about: string;
}

export function DownloadForm({ profile }: { readonly profile: AffiliateProfile }): ReactElement {
  const { client } = useSession();
  const today = exchangeToday(profile);
  const [wanted, setWanted] = useState<WantedStatement>(() => firstStatement(today));
  const [downloaded, setDownloaded] = useState<DownloadedStatement | null>(null);
  const { busy, error, run } = useMutation();
  const about = aboutOf(wanted);
  const parts = downloaded?.about === about ? downloaded.parts : 1;
  const download = async (): Promise<void> => {
    const text = await client.affiliate.statement(wanted);
    const name = fileName(profile.uid, wanted);
    saveFile(name, new Blob([text], { type: MEDIA[wanted.format] }));
    const checked = await checkStatement(client, text, Number(profile.uid));
    setDownloaded({ ...checked, name, about });
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    void run(download);
  };
  return (
    <form className={styles.form} onSubmit={submit} aria-label="Download a statement">
      <h3>Download a statement</h3>
      <p className={styles.hint}>
        Every commission, release, reversal and settlement of whole UTC days, as a hash chain.
      </p>
      <div className={styles.fields}>
        <StatementFields wanted={wanted} parts={parts} today={today} onWanted={setWanted} />
        <Button type="submit" tone="accent" busy={busy} disabled={wanted.from > wanted.to}>
          Download
        </Button>
      </div>
      {error === null ? null : <FailureNotice what="the statement" error={error} />}
      {downloaded === null ? null : (
        <Verdict name={downloaded.name} judgement={downloaded.judgement} />
      )}
    </form>
  );
}

interface StatementFieldsProps {
  readonly wanted: WantedStatement;
  readonly parts: number;
  readonly today: string;
  readonly onWanted: (wanted: WantedStatement) => void;
}

function StatementFields({ wanted, parts, today, onWanted }: StatementFieldsProps): ReactElement {
  const { from, to, format, part } = wanted;
  const change = (next: Partial<WantedStatement>): void =>
    onWanted({ ...wanted, part: 1, ...next });
  return (
    <>
      <Field
        label="From"
        type="date"
        required
        max={today}
        value={from}
        onText={(text) => change({ from: text })}
        error={from > to ? "Must not be after the end date." : null}
      />
      <Field
        label="To"
        type="date"
        required
        max={today}
        value={to}
        onText={(text) => change({ to: text })}
      />
      <Segments
        label="Format"
        value={format}
        options={FORMATS}
        onValue={(next) => change({ format: next })}
      />
      {parts === 1 ? null : (
        <Choice
          label="Part"
          value={String(part)}
          options={partOptions(parts)}
          onValue={(next) => change({ part: Number(next) })}
        />
      )}
    </>
  );
}

function aboutOf({ from, to, format }: WantedStatement): string {
  return `${from} ${to} ${format}`;
}

function firstStatement(today: string): WantedStatement {
  const [from = today] = daysUntil(today, DAYS_DEFAULT);
  return { from, to: today, format: "json", part: 1 };
}

function partOptions(parts: number) {
  return Array.from({ length: parts }, (_, i) => ({
    value: String(i + 1),
    text: `${i + 1} of ${parts}`,
  }));
}

function fileName(uid: string, { from, to, part, format }: WantedStatement): string {
  const suffix = part === 1 ? "" : `-part-${part}`;
  return `statement-${uid}-${from}-${to}${suffix}.${format}`;
}
