/** Makes the log of a cluster in PostgreSQL: of a new venue, or of one from a single machine. */
import { join } from "node:path";
import {
  createQuorumLog,
  lockDataFolder,
  openFileJournal,
  type SealedKeys,
  WRITER_ROLE,
} from "../../journal/index.ts";
import { KeyVault } from "../../keys/index.ts";
import { NODE_PLATFORM } from "../../platform/index.ts";
import { WebhookStore } from "../../webhooks/index.ts";
import { StartRefused } from "../config.ts";
import {
  isSandboxFolder,
  newVenueId,
  openManifest,
  openNodeManifest,
  venueIdOf,
} from "../data-folder-manifest.ts";
import { readBranch } from "../states/branch-file.ts";

export interface ClusterStart {
  readonly postgresUrls: readonly string[];
  /** The data folder of an exchange that does not run; null for a new venue. */
  readonly from: string | null;
  /** Whether the clock of a new venue may be moved; a folder knows for itself. */
  readonly sandbox: boolean;
  /** RIALTO_MASTER_KEY_FILE; null: that of the folder. */
  readonly masterKeyFile: string | null;
}

export interface StartedCluster {
  readonly venue: string;
  /** The last command in the log. */
  readonly sequence: number;
  /** API keys that were copied. */
  readonly keys: number;
  /** The role of PostgreSQL whose members may run nodes; null where its user could not make it. */
  readonly role: string | null;
}

/** Throws `StartRefused`, with what to do next. */
export async function initCluster(start: ClusterStart): Promise<StartedCluster> {
  if (start.from !== null) return await initFrom(start, start.from);
  const venueId = newVenueId(NODE_PLATFORM.randomness);
  const made = await create({ urls: start.postgresUrls, venueId, sandbox: start.sandbox });
  return { venue: venueId, ...made, keys: 0 };
}

async function initFrom(
  { masterKeyFile, postgresUrls: urls }: ClusterStart,
  from: string,
): Promise<StartedCluster> {
  const isSandbox = isSandboxFolder(from);
  if (isSandbox === null) throw new StartRefused(`There is no exchange in ${from}.`);
  const lock = lockDataFolder(from);
  if (!lock.ok) throw new StartRefused(lock.message);
  try {
    const branch = await readBranch(from);
    if (branch.number !== 0) {
      throw new StartRefused(
        `${from} is a sandbox that went back to a checkpoint, which a cluster cannot do. ` +
          "Save its state, start another sandbox --from that, and begin with its folder.",
      );
    }
    const venueId = venueIdOf(from) ?? openManifest(from, isSandbox).id;
    const journalFolder = join(from, "journal");
    const throughSequence = await endOf(journalFolder);
    const webhookStore = new WebhookStore(from);
    const webhooks = webhookStore.all();
    const keys = await secretsIn(from, masterKeyFile, webhooks);
    const fileSystem = NODE_PLATFORM.files;
    const content = { fileSystem, journalFolder, throughSequence, keys, webhooks };
    const made = await create({ urls, venueId, sandbox: isSandbox, content });
    // From now on the log in PostgreSQL goes on, and this folder may only follow it.
    openNodeManifest(from, venueId, isSandbox);
    webhookStore.delete();
    return { venue: venueId, ...made, keys: keys.keys.length - webhooks.length };
  } finally {
    lock.release();
  }
}

/** As a start would find it. */
async function endOf(journalFolder: string): Promise<number> {
  const opening = await openFileJournal({ folder: journalFolder });
  if (!opening.ok) throw new StartRefused(opening.refusal.message, 78);
  const { lastSequence } = opening.journal;
  await opening.journal.close();
  return lastSequence;
}

/** Of API keys and webhooks, sealed. */
async function secretsIn(
  folder: string,
  masterKeyFile: string | null,
  webhooks: ReturnType<WebhookStore["all"]>,
): Promise<SealedKeys> {
  const vault = KeyVault.open(folder, masterKeyFile);
  try {
    for (const { secret, webhookId } of webhooks) await vault.keep(webhookId, secret);
    return vault.sealedAnew();
  } finally {
    vault.close();
  }
}

async function create(
  options: Omit<Parameters<typeof createQuorumLog>[0], "network" | "scheduler">,
): Promise<Pick<StartedCluster, "sequence" | "role">> {
  const created = await createQuorumLog({ ...NODE_PLATFORM, ...options });
  if (created.ok) {
    return { sequence: created.sequence, role: created.hasRole ? WRITER_ROLE : null };
  }
  throw new StartRefused(created.refusal);
}
