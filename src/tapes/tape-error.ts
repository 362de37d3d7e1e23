/** What is wrong with a recording: where, in which column, and how. */
export class TapeError extends Error {
  override readonly name = "TapeError";
  readonly field: string;

  constructor(field: string, problem: string, where = "") {
    super(where === "" ? `${field}: ${problem}` : `${where}: ${field}: ${problem}`);
    this.field = field;
  }

  /** The same, with file and line. */
  at(path: string, line: number): TapeError {
    return new TapeError(this.field, this.message.slice(this.field.length + 2), `${path}:${line}`);
  }
}
