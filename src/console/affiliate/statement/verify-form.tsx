/** Verifies a dropped or chosen statement inside the page. */
import { type DragEvent, type ReactElement, useId, useState } from "react";
import { FailureNotice } from "../../components/failure-notice.tsx";
import { Notice } from "../../components/panel.tsx";
import { useMutation } from "../../data/mutation.ts";
import { useSession } from "../../session/session.tsx";
import { checkStatement } from "./check-statement.ts";
import type { Judgement } from "./judge-statement.ts";
import styles from "./statements.module.css";
import { Verdict } from "./verdict.tsx";

/** A part has at most 50,000 entries of a few hundred bytes. */
const BYTES_MAX = 64 * 1024 * 1024;

interface Checked {
  readonly name: string;
  readonly judgement: Judgement;
}

export function VerifyForm(): ReactElement {
  const { client, uid } = useSession();
  const id = useId();
  const [checked, setChecked] = useState<Checked | null>(null);
  const { busy, error, run } = useMutation();
  const [over, setOver] = useState(false);
  const check = async (file: File | undefined): Promise<void> => {
    if (file === undefined) return;
    setChecked(null);
    await run(async () => {
      if (file.size > BYTES_MAX) throw new Error(`${file.name} is too large for a statement`);
      const { judgement } = await checkStatement(client, await file.text(), uid);
      setChecked({ name: file.name, judgement });
    });
  };
  const drop = (event: DragEvent): void => {
    event.preventDefault();
    setOver(false);
    void check(event.dataTransfer.files[0]);
  };
  return (
    <section className={styles.form} aria-label="Verify a statement">
      <h3>Verify a statement</h3>
      <p className={styles.hint}>
        This page recalculates every hash, commission, balance and total, and compares the closing
        hash with the one the exchange published. The file never leaves your computer.
      </p>
      <label
        htmlFor={id}
        className={styles.drop}
        data-over={over || undefined}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={drop}
      >
        Drop a statement here, or choose a file
        <input
          id={id}
          type="file"
          accept=".json,.csv,application/json,text/csv"
          onChange={(event) => {
            void check(event.target.files?.[0]);
            event.target.value = "";
          }}
        />
      </label>
      {busy ? <Notice kind="loading">Checking…</Notice> : null}
      {error === null ? null : <FailureNotice what="the statement" error={error} />}
      {checked === null ? null : <Verdict {...checked} />}
    </section>
  );
}
