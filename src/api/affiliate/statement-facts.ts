/** The header of a statement, without schemas: a client's declarations name it. */
export const STATEMENT_FORMATS = ["json", "csv"] as const;

export type StatementFormat = (typeof STATEMENT_FORMATS)[number];

/** Its text is written in pieces, each escaped on its own. */
export interface StatementFacts {
  readonly format: StatementFormat;
  readonly part: number;
  readonly parts: number;
  readonly entries: number;
  readonly complete: boolean;
}
