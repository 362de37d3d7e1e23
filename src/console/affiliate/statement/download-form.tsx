/** Downloads a statement, part by part, and checks what came. */
import { type FormEvent, type ReactElement, useState } from "react";
import type { AffiliateProfile } from "../../../client/index.ts";
import { Button } from "../../components/button.tsx";
import { FailureNotice } from "../../components/failure-notice.tsx";
import { Choice, Field, Segments } from "../../components/field.tsx";
import { useSession } from "../../session/session.tsx";
import { exchangeToday } from "../exchange-day.ts";
import { daysUntil } from "../utc-days.ts";
import { type CheckedStatement, checkStatement } from "./check-statement.ts";
import styles from "./statements.module.css";
import { Verdict } from "./verdict.tsx";

const DAYS_STANDARD = 7;
const FORMATS = [
  { value: "json", text: "JSON" },
  { value: "csv", text: "CSV" },
] as const;
const MEDIA = { json: "application/json", csv: "text/csv" } as const;

type Format = keyof typeof MEDIA;

interface Asked {
  readonly from: string;
  readonly to: string;
  readonly format: Format;
  readonly part: number;
}

interface Came extends CheckedStatement {
  readonly name: string;
  /** Of which days and form; other ones have other parts. */
  readonly about: string;
}

export function DownloadForm({ profile }: { readonly profile: AffiliateProfile }): ReactElement {
  const { client } = useSession();
  const today = exchangeToday(profile);
  const [asked, setAsked] = useState<Asked>(() => firstQuestion(today));
  const [came, setCame] = useState<Came | null>(null);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<Error | null>(null);
  const about = aboutOf(asked);
  const parts = came?.about === about ? came.parts : 1;
  const download = async (): Promise<void> => {
    setBusy(true);
    setError(null);
    try {
      const text = await client.affiliate.statement(asked);
      const name = fileName(profile.uid, asked);
      saveFile(name, text, MEDIA[asked.format]);
      const checked = await checkStatement(client, text, Number(profile.uid));
      setCame({ ...checked, name, about });
    } catch (reason) {
      setError(reason instanceof Error ? reason : new Error(String(reason)));
    } finally {
      setBusy(false);
    }
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    void download();
  };
  return (
    <form className={styles.form} onSubmit={submit} aria-label="Download a statement">
      <h3>Download a statement</h3>
      <p className={styles.hint}>
        Every commission, release, reversal and settlement of whole UTC days, each hashed together
        with the one before.
      </p>
      <div className={styles.fields}>
        <AskedFields asked={asked} parts={parts} today={today} onAsked={setAsked} />
        <Button type="submit" tone="accent" busy={busy} disabled={asked.from > asked.to}>
          Download
        </Button>
      </div>
      {error === null ? null : <FailureNotice what="The statement" error={error} />}
      {came === null ? null : <Verdict name={came.name} judgement={came.judgement} />}
    </form>
  );
}

interface AskedFieldsProps {
  readonly asked: Asked;
  readonly parts: number;
  readonly today: string;
  readonly onAsked: (asked: Asked) => void;
}

function AskedFields({ asked, parts, today, onAsked }: AskedFieldsProps): ReactElement {
  const { from, to, format, part } = asked;
  const change = (next: Partial<Asked>): void => onAsked({ ...asked, part: 1, ...next });
  return (
    <>
      <Field
        label="From"
        type="date"
        required
        max={today}
        value={from}
        onText={(text) => change({ from: text })}
        error={from > to ? "after the last day" : null}
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

function aboutOf({ from, to, format }: Asked): string {
  return `${from} ${to} ${format}`;
}

function firstQuestion(today: string): Asked {
  const [from = today] = daysUntil(today, DAYS_STANDARD);
  return { from, to: today, format: "json", part: 1 };
}

function partOptions(parts: number) {
  return Array.from({ length: parts }, (_, i) => ({
    value: String(i + 1),
    text: `${i + 1} of ${parts}`,
  }));
}

function fileName(uid: string, { from, to, part, format }: Asked): string {
  const suffix = part === 1 ? "" : `-part-${part}`;
  return `statement-${uid}-${from}-${to}${suffix}.${format}`;
}

function saveFile(name: string, text: string, media: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: media }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  URL.revokeObjectURL(address);
}
