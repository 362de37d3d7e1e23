/**
 * How a command reports a failure on standard error: a sentence that says what to do next, or with
 * `--json` a document with an error code.
 */
import { CommanderError } from "commander";
import { BackupRefused } from "../app/backup/backup-refused.ts";
import { StartRefused } from "../app/config.ts";
import { DamagedBackup } from "../journal/backup/backup-manifest.ts";
import { DamagedJournal } from "../journal/damage.ts";
import { UnusableSecrets } from "../keys/private-file.ts";

/** EX_DATAERR: the journal, or a backup of it, is damaged. */
export const EXIT_DAMAGED = 65;
const EXIT_REFUSED = 1;
/** The command line itself is wrong: running it again cannot help. */
const EXIT_USAGE = 2;
const DAMAGED = "damaged-journal";
const USAGE = "usage";

/** The command cannot do what was requested. Never a bug. */
export class CommandFailed extends Error {
  override readonly name = "CommandFailed";
  /** In kebab case, for programs. */
  readonly code: string;
  /** The invalid part of the request, if the exchange names it. */
  readonly field: string | null;

  constructor(code: string, message: string, field: string | null = null) {
    super(message);
    this.code = code;
    this.field = field;
  }

  get exitCode(): number {
    if (this.code === USAGE) return EXIT_USAGE;
    return this.code === DAMAGED ? EXIT_DAMAGED : EXIT_REFUSED;
  }
}

interface Failure {
  readonly code: string;
  readonly message: string;
  readonly field: string | null;
  readonly exitCode: number;
}

/** Null for an unexpected error, which is a bug. */
function toFailure(error: unknown): Failure | null {
  const of = (code: string, exitCode = EXIT_REFUSED, field: string | null = null): Failure => {
    return { code, message: (error as Error).message, field, exitCode };
  };
  if (error instanceof CommandFailed) return of(error.code, error.exitCode, error.field);
  if (error instanceof StartRefused) return of("refused", error.exitCode);
  if (error instanceof DamagedJournal) return of(DAMAGED, EXIT_DAMAGED);
  if (error instanceof DamagedBackup) return of("damaged-backup", EXIT_DAMAGED);
  if (error instanceof BackupRefused) return of(error.code);
  if (error instanceof UnusableSecrets) return of("unusable-secrets");
  if (isSystemError(error)) return of(error.code.toLowerCase());
  return null;
}

/** An operating system error: its message names the call and the file. */
function isSystemError(error: unknown): error is NodeJS.ErrnoException & { code: string } {
  return error instanceof Error && "syscall" in error && "code" in error;
}

/** Reports the failure and returns the exit code. Rethrows a bug. */
export function reportFailure(error: unknown, json: boolean): number {
  if (error instanceof CommanderError) return reportUsage(error, json);
  const failure = toFailure(error);
  if (failure === null) throw error;
  if (json) writeDocument(failure);
  else console.error(`rialto: ${failure.message}`);
  return failure.exitCode;
}

/** In text mode, commander has already printed the error or the requested help. */
function reportUsage({ code, message, exitCode }: CommanderError, json: boolean): number {
  if (exitCode === 0) return exitCode;
  if (!json) return EXIT_USAGE;
  const wantsCommand = code === "commander.help";
  const text = wantsCommand ? "name one of its commands; --help lists them" : message;
  writeDocument({ code: USAGE, message: text.replace(/^error: /, ""), field: null });
  return EXIT_USAGE;
}

function writeDocument({ code, message, field }: Omit<Failure, "exitCode">): void {
  const error = field === null ? { code, message } : { code, message, field };
  console.error(JSON.stringify({ error }));
}
