/**
 * How a command says that it could not do what was asked: a sentence that tells what to do next,
 * with `--json` a document with a code for programs; on standard error either way.
 */
import { CommanderError } from "commander";
import { StartRefused } from "../app/config.ts";
import { DamagedJournal } from "../journal/damage.ts";
import { UnusableSecrets } from "../keys/private-file.ts";

/** EX_DATAERR: the journal is damaged. */
export const EXIT_DAMAGED = 65;
const EXIT_REFUSED = 1;
const DAMAGED = "damaged-journal";

/** What was asked cannot be done. Never a fault of the program. */
export class CommandFailed extends Error {
  override readonly name = "CommandFailed";
  /** A word in kebab case for programs. */
  readonly code: string;
  /** What in the request it is about, where the exchange says so. */
  readonly field: string | null;

  constructor(code: string, message: string, field: string | null = null) {
    super(message);
    this.code = code;
    this.field = field;
  }

  get exitCode(): number {
    return this.code === DAMAGED ? EXIT_DAMAGED : EXIT_REFUSED;
  }
}

interface Failure {
  readonly code: string;
  readonly message: string;
  readonly field: string | null;
  readonly exitCode: number;
}

/** Null when it is none of the expected ones: then the program itself is wrong. */
function toFailure(error: unknown): Failure | null {
  const of = (code: string, exitCode = EXIT_REFUSED, field: string | null = null): Failure => {
    return { code, message: (error as Error).message, field, exitCode };
  };
  if (error instanceof CommandFailed) return of(error.code, error.exitCode, error.field);
  if (error instanceof StartRefused) return of("refused", error.exitCode);
  if (error instanceof DamagedJournal) return of(DAMAGED, EXIT_DAMAGED);
  if (error instanceof UnusableSecrets) return of("unusable-secrets");
  if (isSystemError(error)) return of(error.code.toLowerCase());
  return null;
}

/** What the operating system refused: its message names the call and the file. */
function isSystemError(error: unknown): error is NodeJS.ErrnoException & { code: string } {
  return error instanceof Error && "syscall" in error && "code" in error;
}

/** Tells what went wrong and gives the exit code. Throws what is a fault of the program. */
export function reportFailure(error: unknown, json: boolean): number {
  if (error instanceof CommanderError) return reportUsage(error, json);
  const failure = toFailure(error);
  if (failure === null) throw error;
  if (json) writeDocument(failure);
  else console.error(`rialto: ${failure.message}`);
  return failure.exitCode;
}

/** For people, the text stands there already, and so does any help that was asked for. */
function reportUsage({ code, message, exitCode }: CommanderError, json: boolean): number {
  if (!json || exitCode === 0) return exitCode;
  const wantsCommand = code === "commander.help";
  const text = wantsCommand ? "name one of its commands; --help lists them" : message;
  writeDocument({ code: "usage", message: text.replace(/^error: /, ""), field: null });
  return exitCode;
}

function writeDocument({ code, message, field }: Omit<Failure, "exitCode">): void {
  const error = field === null ? { code, message } : { code, message, field };
  console.error(JSON.stringify({ error }));
}
