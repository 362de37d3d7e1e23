/** Why the journal cannot be trusted: which file, where, from which sequence, and what to do. */

/**
 * `damaged`: bytes that were acknowledged are wrong or missing. `in-doubt`: the last commit is
 * incomplete and it cannot be told whether it was ever acknowledged. `unusable`: the folder cannot
 * be read or written, or PostgreSQL is not as it must be. `unreachable`: no PostgreSQL is the
 * primary at present.
 */
export type RefusalKind = "damaged" | "in-doubt" | "unusable" | "unreachable";

export interface JournalRefusal {
  readonly kind: RefusalKind;
  readonly file: string;
  /** The first unreadable byte of the (uncompressed) file. */
  readonly offset: number | null;
  /** The first sequence that cannot be read. */
  readonly sequence: number | null;
  readonly problem: string;
  readonly advice: string;
  /** The whole refusal in a sentence or two, for a log or a terminal. */
  readonly message: string;
}

/** Thrown when damage is found while reading; it ends the process. */
export class DamagedJournal extends Error {
  override readonly name = "DamagedJournal";
  readonly refusal: JournalRefusal;

  constructor(refusal: JournalRefusal) {
    super(refusal.message);
    this.refusal = refusal;
  }
}

export function refuse(
  kind: RefusalKind,
  place: { readonly file: string; readonly offset?: number; readonly sequence?: number },
  problem: string,
  advice: string,
): JournalRefusal {
  const { file, offset = null, sequence = null } = place;
  const at = offset === null ? "" : `, offset ${offset}`;
  const from = sequence === null ? "" : `, sequence ${sequence}`;
  const message = `${file}${at}${from}: ${problem}. ${advice}`;
  return { kind, file, offset, sequence, problem, advice, message };
}

/** What to do about damage that begins at `sequence`. */
export function repairAdvice(file: string, sequence: number): string {
  return (
    `Restore ${file} from a copy; without one, ` +
    `\`rialto journal repair --drop-after ${sequence - 1}\` shows and drops everything after it`
  );
}
