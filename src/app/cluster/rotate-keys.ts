/**
 * A new master key for a cluster, in three steps that a person takes: it is *added* to the file on
 * one machine, from where it is copied to the others; when all nodes have it, all secrets in
 * PostgreSQL are *sealed* with it; then each machine *drops* the old one. Each step can be taken
 * again, and a crash leaves it whole or not begun.
 */
import {
  lockDataFolder,
  MemberRows,
  type Membership,
  type SeenMember,
  sealKeysAnew,
} from "../../journal/index.ts";
import {
  addMasterKey,
  dropOlderMasterKeys,
  findMasterKeys,
  type MasterKeyRing,
  removeOutdatedCopy,
  resealKeys,
  UnusableSecrets,
} from "../../keys/index.ts";
import { NODE_PLATFORM } from "../../platform/index.ts";
import { StartRefused } from "../config.ts";
import { venueIdOf } from "../data-folder-manifest.ts";

export const ROTATION_STEPS = ["add", "seal", "drop"] as const;
export type RotationStep = (typeof ROTATION_STEPS)[number];

export interface ClusterRotation {
  readonly step: RotationStep;
  readonly postgresUrls: readonly string[];
  /** Of the node on this machine. */
  readonly dataFolder: string;
  readonly masterKeyFile: string | null;
  /** Told in the middle of a step. */
  readonly onProgress?: (progress: "added" | "sealed" | "committed" | "dropped") => void;
}

export interface RotatedCluster {
  readonly step: RotationStep;
  /** The newest master key. */
  readonly version: number;
  readonly path: string;
  /** False when it had been done before. */
  readonly changed: boolean;
  /** API keys that were sealed. */
  readonly apiKeys: number;
  /** Nodes that run and for which the step is still to be taken, or must be before the next. */
  readonly waiting: readonly string[];
  /** Nodes that do not run. */
  readonly away: readonly string[];
}

/** A node that was silent for longer, or was stopped, is not waited for. */
const AWAY_MS = 60_000;
/** Nodes look at their files, and tell what they have, twice a second. */
const ADDED_MS = 2000;
const TOLD_MS = 5000;
const FETCHED_MS = 30_000;
const LOOK_MS = 200;

/** Throws `StartRefused` or `UnusableSecrets`, with what to do next. */
export async function rotateInCluster(rotation: ClusterRotation): Promise<RotatedCluster> {
  const { dataFolder, masterKeyFile, postgresUrls: urls, step } = rotation;
  const masterKeys = findMasterKeys(dataFolder, masterKeyFile);
  if (masterKeys === null) throw new UnusableSecrets(`${dataFolder} has no master key yet`);
  const venueId = venueIdOf(dataFolder);
  const session = { ...NODE_PLATFORM, urls, venueId, log: () => undefined };
  const rows = new MemberRows(session);
  try {
    const members = await answered(rows.read());
    const sealing = sealingVersion(members, masterKeys);
    const work = { rotation, masterKeys, members, rows, session, sealing };
    if (step === "add") return await add(work);
    return step === "seal" ? await seal(work) : drop(work);
  } finally {
    await rows.close();
  }
}

async function answered<Value>(asked: Promise<Value>): Promise<Value> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof StartRefused || error instanceof UnusableSecrets) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new StartRefused(
      `PostgreSQL did not do it: ${reason}. Run this again: a step is whole, or was not begun.`,
    );
  }
}

interface Work {
  readonly rotation: ClusterRotation;
  readonly masterKeys: MasterKeyRing;
  readonly members: Membership;
  readonly rows: MemberRows;
  readonly session: ConstructorParameters<typeof MemberRows>[0];
  /** The version that seals before this step. */
  readonly sealing: number;
}

function sealingVersion({ sealing }: Membership, { byVersion, path }: MasterKeyRing): number {
  if (sealing === null) {
    throw new StartRefused("No node of this cluster has run yet: there is nothing to rotate.");
  }
  if (byVersion.has(sealing)) return sealing;
  throw new StartRefused(
    `${path} does not have version ${sealing} of the master key, which seals the API keys: ` +
      "copy the file from a node that has it.",
  );
}

const runs = ({ silentMs }: SeenMember): boolean => silentMs <= AWAY_MS;

function resultOf(
  { rotation, masterKeys, members }: Pick<Work, "rotation" | "masterKeys" | "members">,
  result: Pick<RotatedCluster, "version" | "changed" | "waiting"> & { readonly apiKeys?: number },
): RotatedCluster {
  const away = members.members.filter((member) => !runs(member)).map(({ name }) => name);
  return { step: rotation.step, path: masterKeys.path, apiKeys: 0, away, ...result };
}

async function add(work: Work): Promise<RotatedCluster> {
  const { masterKeys, rotation, rows, sealing } = work;
  const changed = masterKeys.current.version === sealing;
  const after = changed ? addMasterKey(masterKeys.path, NODE_PLATFORM.randomness) : masterKeys;
  rotation.onProgress?.("added");
  const members = await until(rows, ADDED_MS, (seen) => withoutCurrent(seen, after).length === 0);
  const { version } = after.current;
  const waiting = withoutCurrent(members, after).map(({ name }) => name);
  return resultOf({ ...work, members }, { version, changed, waiting });
}

function withoutCurrent({ members }: Membership, masterKeys: MasterKeyRing): SeenMember[] {
  return members.filter(runs).filter((member) => !hasCurrent(member, masterKeys));
}

function hasCurrent({ masterKeys }: SeenMember, { current }: MasterKeyRing): boolean {
  return masterKeys[current.version] === current.fingerprint.toString("hex");
}

async function seal(work: Work): Promise<RotatedCluster> {
  const { masterKeys, rotation, rows, sealing, session } = work;
  const { current, path } = masterKeys;
  const { version } = current;
  const changed = version !== sealing;
  let apiKeys = 0;
  if (changed) {
    await until(rows, TOLD_MS, (members) => refusalOf(members, masterKeys) === null);
    const sealed = sealKeysAnew({
      ...session,
      masterKey: current,
      check: (members) => {
        const refusal = refusalOf(members, masterKeys);
        if (refusal !== null) throw new StartRefused(refusal);
      },
      reseal: (keys) => resealKeys(keys, masterKeys),
      onSealed: () => rotation.onProgress?.("sealed"),
    });
    apiKeys = await answered(sealed);
  } else if (masterKeys.byVersion.size === 1) {
    throw new StartRefused(
      `${path} has version ${version} alone, which seals already: ` +
        "run rialto keys rotate add first.",
    );
  }
  rotation.onProgress?.("committed");
  const members = await until(rows, FETCHED_MS, (seen) => unsealed(seen, version).length === 0);
  return resultOf(
    { ...work, members },
    { version, changed, apiKeys, waiting: unsealed(members, version) },
  );
}

/** Why the nodes are not ready for the newest master key; null when they are. */
function refusalOf(members: Membership, masterKeys: MasterKeyRing): string | null {
  const { current, path } = masterKeys;
  const behind = withoutCurrent(members, masterKeys);
  if (behind.length === 0) return null;
  const { version } = current;
  const [other] = behind.filter((member) => member.masterKeys[version] !== undefined);
  if (other !== undefined) {
    return (
      `${other.name} has another version ${version} of the master key than ${path}: ` +
      "it was added on two machines. Copy the file from this one to the others."
    );
  }
  const names = behind.map(({ name }) => name);
  return (
    `${names.join(" and ")} ${names.length === 1 ? "does" : "do"} not know version ${version} of ` +
    `the master key: copy ${path} there, with mode 0600, and run this again. Nothing was changed.`
  );
}

/** The nodes that run and whose secrets are still sealed with another version. */
function unsealed({ members }: Membership, version: number): readonly string[] {
  return members
    .filter(runs)
    .filter(({ sealing }) => sealing !== version)
    .map(({ name }) => name);
}

function drop(work: Work): RotatedCluster {
  const { masterKeys, members, rotation, sealing } = work;
  const { path } = masterKeys;
  const { version } = masterKeys.current;
  if (version !== sealing) {
    throw new StartRefused(
      `Version ${version} of the master key seals nothing yet: run rialto keys rotate seal ` +
        `first. To give it up, delete its line in ${path} on every machine.`,
    );
  }
  const behind = unsealed(members, version);
  if (behind.length > 0) {
    throw new StartRefused(
      `${behind.join(" and ")} still has secrets that are sealed with an older master key: it ` +
        "fetches them within a second when it reaches PostgreSQL. Run this again then.",
    );
  }
  const changed = masterKeys.byVersion.size > 1;
  if (changed) dropOlderMasterKeys(path);
  removeCopy(rotation);
  rotation.onProgress?.("dropped");
  // This machine's node tells in a moment; the others have files of their own.
  const keeping = members.members.filter(runs).filter(hasOlder(version));
  return resultOf(work, { version, changed, waiting: keeping.map(({ name }) => name) });
}

function hasOlder(version: number): (member: SeenMember) => boolean {
  return ({ masterKeys }) => Object.keys(masterKeys).some((known) => Number(known) < version);
}

/** Of a node that does not run, and would fetch it when it starts. */
function removeCopy({ dataFolder, masterKeyFile }: ClusterRotation): void {
  const lock = lockDataFolder(dataFolder);
  if (!lock.ok) return;
  try {
    const masterKeys = findMasterKeys(dataFolder, masterKeyFile);
    if (masterKeys !== null) removeOutdatedCopy(dataFolder, masterKeys);
  } finally {
    lock.release();
  }
}

/** What the nodes told when it is so, or last within the time. */
async function until(
  rows: MemberRows,
  withinMs: number,
  isSo: (members: Membership) => boolean,
): Promise<Membership> {
  const { clock, scheduler } = NODE_PLATFORM;
  const endMs = clock.monotonicMs() + withinMs;
  for (;;) {
    const members = await answered(rows.read());
    if (isSo(members) || clock.monotonicMs() >= endMs) return members;
    await new Promise<void>((resolve) => {
      scheduler.after(LOOK_MS, resolve);
    });
  }
}
