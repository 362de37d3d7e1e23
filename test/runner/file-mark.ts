/** Lines in which a process that runs several test files says where it is. */

const LINE_MARK = "rialto-test-file ";

export interface FileMark {
  readonly file: string;
  /** What it took; null at its start. */
  readonly end: { readonly durationMs: number; readonly processorSeconds: number } | null;
}

export function fileMark(mark: FileMark): string {
  return `${LINE_MARK}${JSON.stringify(mark)}`;
}

/** Null for any other line. */
export function parseFileMark(line: string): FileMark | null {
  return line.startsWith(LINE_MARK) ? (JSON.parse(line.slice(LINE_MARK.length)) as FileMark) : null;
}
