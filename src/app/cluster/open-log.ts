/** The log in PostgreSQL and the secrets beside it, as a node finds them at its start. */
import { join } from "node:path";
import { type MemberRows, QuorumLog } from "../../journal/index.ts";
import { UnusableSecrets } from "../../keys/index.ts";
import type { Platform } from "../../platform/index.ts";
import { type ClusterConfig, type Config, StartRefused } from "../config.ts";
import type { Core } from "../core.ts";
import { venueIdOf } from "../data-folder-manifest.ts";
import type { Log } from "../log.ts";
import { PERSON, START_AGAIN } from "./node-ended.ts";

/** Throws `StartRefused`. */
export async function openLog(
  { dataFolder, sandbox }: Config,
  { confirm, postgresUrls }: ClusterConfig,
  log: Log,
  { clock, files, network, scheduler }: Platform,
): Promise<QuorumLog> {
  const opening = await QuorumLog.open({
    urls: postgresUrls,
    venueId: venueIdOf(dataFolder),
    folder: join(dataFolder, "journal"),
    fileSystem: files,
    network,
    scheduler,
    clock,
    confirm,
    log: (level, message) => log[level](message),
  });
  if (!opening.ok) {
    // PostgreSQL may be failing over: whoever stays down for that must be started by a person.
    const { kind, message } = opening.refusal;
    throw new StartRefused(message, kind === "unreachable" ? START_AGAIN : PERSON);
  }
  checkSandbox(sandbox, opening.journal);
  return opening.journal;
}

/** A clock that may be moved is a property of the venue, and all of its nodes say so. */
function checkSandbox(sandbox: boolean, journal: QuorumLog): void {
  if (sandbox === journal.sandbox) return;
  throw new StartRefused(
    journal.sandbox
      ? "This cluster is a sandbox: its clock may be ahead of the wall clock. Start all of its " +
          "nodes with --sandbox."
      : "This cluster is no sandbox, so its clock must stay the wall clock: leave out --sandbox.",
  );
}

/** Rejects with `StartRefused` when PostgreSQL does not answer. */
export async function shareKeys({ keys }: Pick<Core, "keys">, rows: MemberRows): Promise<void> {
  try {
    await keys.share(rows);
  } catch (error) {
    if (error instanceof UnusableSecrets) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    const problem = `PostgreSQL does not give the secrets of API keys: ${reason}.`;
    throw new StartRefused(problem, START_AGAIN);
  }
}
