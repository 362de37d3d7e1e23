/** Why a node must end, and what its supervisor does with it. */
import { DamagedJournal } from "../../journal/index.ts";
import { UnusableSecrets } from "../../keys/index.ts";
import { MalformedBytes } from "../../protocol/index.ts";
import { FailedAppend } from "../failed-append.ts";
import { ReplayDivergence } from "../replay.ts";

/** EX_TEMPFAIL: start it again, and it follows. */
export const START_AGAIN = 75;
/** EX_CONFIG: a person must look. */
export const PERSON = 78;

/** The end of a node as it is meant to be; the message is a sentence for people. */
export class NodeEnded extends Error {
  override readonly name = "NodeEnded";
  readonly exitCode: number;

  constructor(message: string, exitCode = START_AGAIN) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** Any other error is a bug, or of the system, and is returned as it is. */
export function asNodeEnded(error: Error): Error {
  if (error instanceof FailedAppend) return endOf(error);
  const needsPerson =
    error instanceof DamagedJournal ||
    error instanceof UnusableSecrets ||
    error instanceof ReplayDivergence ||
    error instanceof MalformedBytes;
  return needsPerson ? new NodeEnded(error.message, PERSON) : error;
}

function endOf({ result }: FailedAppend): NodeEnded {
  switch (result) {
    case "fenced":
      return new NodeEnded("another node leads: start this one again, and it follows.");
    case "unknown":
      return new NodeEnded("no quorum of PostgreSQL confirmed the last commands in time.");
    case "missing":
      return new NodeEnded(
        "the log in PostgreSQL lacks commands that were acknowledged. Look at the log of this " +
          "node and at PostgreSQL before anything else: its data folder has them.",
        PERSON,
      );
  }
}
