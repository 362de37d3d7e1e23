/**
 * The way back from a cluster to one machine: a data folder of its own, from that of a node. It is
 * a backup that is restored at once, so every byte is checked, and the state is known.
 */
import { copyFileSync, existsSync, rmSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { MemberRows, type Membership } from "../../journal/index.ts";
import { NODE_PLATFORM } from "../../platform/index.ts";
import { backUp } from "../backup/back-up.ts";
import { type RestoreResult, restore } from "../backup/restore.ts";
import { StartRefused } from "../config.ts";
import { isNodeFolder, venueIdOf } from "../data-folder-manifest.ts";
import { LIVE_MS } from "./membership-watch.ts";

export interface ClusterExport {
  /** Of a node, which may run. */
  readonly dataFolder: string;
  /** New, or empty. */
  readonly target: string;
  /** Of PostgreSQL, which may be gone; null where nobody knows. */
  readonly postgresUrls: readonly string[] | null;
}

export interface ExportedVenue extends Omit<RestoreResult, "needsMasterKey"> {
  /**
   * Null when it has all that was acknowledged and the cluster is over, so that it is the same
   * venue. Otherwise why it is a venue of its own.
   */
  readonly newVenueBecause: string | null;
  /** Whether the folder has the master key; else a start needs the file that the nodes have. */
  readonly hasMasterKey: boolean;
}

const MASTER_KEY = "master.key";

/** Throws `StartRefused`, and what a backup and a restore throw. */
export async function exportCluster(options: ClusterExport): Promise<ExportedVenue> {
  const { dataFolder, postgresUrls, target } = options;
  if (!isNodeFolder(dataFolder)) {
    throw new StartRefused(
      `${dataFolder} is not the folder of a node: name that with --data-dir. An exchange on one ` +
        "machine is copied with `rialto backup`.",
    );
  }
  const membership = await membershipOf(postgresUrls, venueIdOf(dataFolder));
  const copy = join(dirname(resolve(target)), `.${basename(resolve(target))}.export`);
  let newVenueBecause: string | null = null;
  try {
    await backUp({ dataFolder, target: copy, check: "all", isRecorded: false });
    const isSameVenue = (sequence: number): boolean => {
      newVenueBecause = notTheEnd(membership, sequence);
      return newVenueBecause === null;
    };
    const restored = await restore({
      source: copy,
      dataFolder: target,
      limit: null,
      fromTheBeginning: false,
      isSameVenue,
    });
    const masterKey = join(dataFolder, MASTER_KEY);
    const hasMasterKey = existsSync(masterKey);
    if (hasMasterKey) copyFileSync(masterKey, join(target, MASTER_KEY));
    const { sequence, stateHash, venueId } = restored;
    return { sequence, stateHash, venueId, newVenueBecause, hasMasterKey };
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

/** Null when PostgreSQL does not answer, or its log is another venue's. */
async function membershipOf(
  urls: readonly string[] | null,
  venueId: string | null,
): Promise<Membership | null> {
  if (urls === null) return null;
  const rows = new MemberRows({ ...NODE_PLATFORM, urls, venueId, log: () => undefined });
  try {
    return await rows.read();
  } catch {
    return null;
  } finally {
    await rows.close();
  }
}

/** Why what ends with this command may not be all of a venue that is over. */
function notTheEnd(membership: Membership | null, sequence: number): string | null {
  if (membership === null) return "PostgreSQL does not say where the log ends";
  const running = membership.members.filter(({ silentMs }) => silentMs < LIVE_MS);
  if (running.length > 0) {
    const names = running.map(({ name }) => name).join(", ");
    return `the cluster goes on: ${names} ${running.length === 1 ? "runs" : "run"}`;
  }
  if (sequence === membership.sequence) return null;
  return `the log goes on to sequence ${membership.sequence}`;
}
