/** The result of verifying a statement. */
import type { ReactElement } from "react";
import { groupDecimal } from "../../decimals/format.ts";
import type { Judgement } from "./judge-statement.ts";
import styles from "./statements.module.css";

const SIGNS = { good: "✓", open: "?", bad: "✗" } as const;

export interface VerdictProps {
  /** The file's name. */
  readonly name: string;
  readonly judgement: Judgement;
}

export function Verdict({ name, judgement }: VerdictProps): ReactElement {
  const { kind, title, lines, totals } = judgement;
  return (
    <div className={styles.verdict} data-kind={kind} role="status">
      <h3>
        <span aria-hidden="true">{SIGNS[kind]}</span> {title}
      </h3>
      <p className={styles.file}>{name}</p>
      <ul>
        {lines.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
      {totals.length === 0 ? null : <Totals totals={totals} />}
    </div>
  );
}

const SUMS = [
  { id: "earned", header: "Earned" },
  { id: "reversed", header: "Reversed" },
  { id: "paid", header: "Paid" },
  { id: "payable", header: "Closing payable" },
] as const;

function Totals({ totals }: Pick<Judgement, "totals">): ReactElement {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table is scrolled by keyboard as well
    <section className={styles.totals} aria-label="Totals of the statement" tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">Coin</th>
            {SUMS.map(({ id, header }) => (
              <th key={id} scope="col">
                {header}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {totals.map((total) => (
            <tr key={total.asset}>
              <th scope="row">{total.asset}</th>
              {SUMS.map(({ id }) => (
                <td key={id}>{groupDecimal(total[id])}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
