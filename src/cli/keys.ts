/** `rialto keys`: API keys of users. */
import { randomBytes } from "node:crypto";
import type { Command } from "commander";
import type { RotatedCluster } from "../app/cluster/rotate-keys.ts";
import { isNodeFolder, isSandboxFolder } from "../app/data-folder-manifest.ts";
import type { CreateApiKeyInput, GetApiKeyAnswer } from "../client/index.ts";
import { PERMISSIONS } from "../domain/index.ts";
import { rotateMasterKey } from "../keys/index.ts";
import {
  addCommand,
  addGroup,
  dataFolderOption,
  given,
  type OutputFlags,
  parseList,
  parseUid,
  print,
} from "./command.ts";
import { withLockedFolder } from "./data-folder.ts";
import { CommandFailed } from "./failure.ts";
import { withOperator } from "./operator.ts";
import { addOperatorOptions, type OperatorFlags, REASON } from "./operator-options.ts";
import { addPageOptions, type PageFlags, pageText } from "./pages.ts";
import { postgresOption, postgresUrls } from "./postgres-urls.ts";
import { textFields, textTable, textTime } from "./text-table.ts";
import { parseExpiry } from "./times.ts";

const PERMISSION_LIST = `any of ${PERMISSIONS.join(", ")}`;
const EXAMPLE_KEY = "rialto_0123456789abcdef0123456789abcdef";

const PASSPHRASE_BYTES = 12;

export function addKeyCommands(program: Command): void {
  const keys = addGroup(program, "keys", {
    description: "manage API keys",
    examples: ["rialto keys list"],
  });
  addReads(keys);
  addCreate(keys);
  addUpdate(keys);
  addRotate(keys);
  const revoke = addCommand(keys, "revoke", {
    description: "revoke a key at once: every later request with it is rejected",
    examples: [`rialto keys revoke ${EXAMPLE_KEY}`],
  });
  addOperatorOptions(revoke.argument("<apiKey>", "the key"))
    .option(...REASON)
    .action(revokeKey);
}

function addRotate(keys: Command): void {
  const rotate = addCommand(keys, "rotate [step]", {
    description:
      "put a new master key in the place of the old one: of an exchange that is stopped, or of a " +
      "cluster that runs in the steps add, seal and drop",
    examples: [
      "rialto keys rotate --data-dir /var/lib/rialto",
      "rialto keys rotate add --data-dir /var/lib/rialto",
    ],
  });
  rotate.addOption(dataFolderOption()).addOption(postgresOption()).action(rotateKeys);
}

const PROGRESS = {
  added: "a new master key is added",
  resealed: "all secrets are sealed with it",
  dropped: "the old one is dropped",
} as const;

interface RotateFlags extends OutputFlags {
  readonly dataDir: string;
  readonly postgres?: string;
}

async function rotateKeys(step: string | undefined, flags: RotateFlags): Promise<void> {
  const { dataDir } = flags;
  if (isNodeFolder(dataDir)) {
    await rotateClusterKeys(step, flags);
    return;
  }
  if (step !== undefined) {
    throw new CommandFailed(
      "usage",
      `${dataDir} is not a node's: steps are for a cluster. Leave out "${step}".`,
    );
  }
  if (isSandboxFolder(dataDir)) {
    throw new CommandFailed(
      "sandbox",
      `${dataDir} is a sandbox's: its checkpoints are sealed with the master key it has.`,
    );
  }
  await withLockedFolder(dataDir, async () => {
    const file = process.env.RIALTO_MASTER_KEY_FILE ?? null;
    const rotated = rotateMasterKey(dataDir, file, (done) => {
      if (flags.json !== true) console.error(PROGRESS[done]);
    });
    const { version, apiKeys, path } = rotated;
    const text =
      `${apiKeys} API keys are sealed with version ${version} of the master key. Copy ${path} to ` +
      "where you keep it; backups made before need the old one: keep that with them.";
    print(flags, rotated, text);
  });
}

async function rotateClusterKeys(text: string | undefined, flags: RotateFlags): Promise<void> {
  const { ROTATION_STEPS, rotateInCluster } = await import("../app/cluster/rotate-keys.ts");
  const step = ROTATION_STEPS.find((known) => known === text);
  if (step === undefined) {
    throw new CommandFailed(
      "usage",
      `${flags.dataDir} is a node's: name the step, one of ${ROTATION_STEPS.join(", ")}.`,
      "step",
    );
  }
  if (flags.postgres === undefined) {
    throw new CommandFailed("usage", "Name PostgreSQL, as the node has it.", "postgres");
  }
  const rotated = await rotateInCluster({
    step,
    postgresUrls: postgresUrls(flags.postgres),
    dataFolder: flags.dataDir,
    masterKeyFile: process.env.RIALTO_MASTER_KEY_FILE ?? null,
  });
  print(flags, rotated, clusterRotationText(rotated));
}

function clusterRotationText(rotated: RotatedCluster): string {
  const { apiKeys, away, changed, path, step, version, waiting } = rotated;
  const waits = waiting.length === 0 ? null : waiting.join(", ");
  const lines = {
    add: [
      `Version ${version} of the master key is in ${path}${changed ? "" : " already"}, and seals ` +
        "nothing yet.",
      waits === null
        ? "All nodes that run know it."
        : `Copy the file, with mode 0600, to the nodes that do not know it: ${waits}.`,
      "Then run: rialto keys rotate seal",
    ],
    seal: [
      changed
        ? `${apiKeys} API keys are sealed with version ${version} of the master key.`
        : `All API keys are sealed with version ${version} of the master key already.`,
      ...(waits === null ? [] : [`Not yet in the copies of ${waits}.`]),
      `Copy ${path} to where you keep it, then run on each machine: rialto keys rotate drop`,
    ],
    drop: [
      `${path} has version ${version} alone${changed ? "" : " already"}.`,
      ...(waits === null
        ? []
        : [`Run it on each machine: older ones were last known to ${waits}.`]),
    ],
  }[step];
  if (away.length === 0) return lines.join("\n");
  const files = `Nodes that do not run need that file before they start: ${away.join(", ")}.`;
  return [...lines, files].join("\n");
}

function addReads(keys: Command): void {
  const list = addCommand(keys, "list", {
    description: "list the settings of all keys, or of one user's; secrets are never shown",
    examples: ["rialto keys list", "rialto keys list --user 1001 --json"],
  });
  addPageOptions(addOperatorOptions(list), String)
    .option("--user <uid>", "only keys of this user", parseUid)
    .action(listKeys);
  const show = addCommand(keys, "show", {
    description: "show the settings of a key; secrets are never shown",
    examples: [`rialto keys show ${EXAMPLE_KEY}`],
  });
  addOperatorOptions(show.argument("<apiKey>", "the key")).action(showKey);
}

function addCreate(keys: Command): void {
  const create = addCommand(keys, "create", {
    description: "create a key; its secret is shown only once",
    examples: [
      "rialto keys create 7 --permissions read,spot",
      "rialto keys create 7 --permissions read --allow-ip 10.0.0.0/8 --json > key.json",
    ],
  });
  addOperatorOptions(create.argument("<uid>", "the owner of the key", parseUid))
    .option("--permissions <list>", PERMISSION_LIST, parseList, ["read", "spot", "contract"])
    .option("--passphrase <text>", "passphrase of the key (default: a random one)")
    .option("--label <text>", "display name")
    .option("--allow-ip <list>", "allowed addresses or CIDR ranges", parseList)
    .action(createKey);
}

function addUpdate(keys: Command): void {
  const update = addCommand(keys, "update", {
    description: "change the settings of a key at once; options left out stay unchanged",
    examples: [
      `rialto keys update ${EXAMPLE_KEY} --permissions read`,
      `rialto keys update ${EXAMPLE_KEY} --expires-at 2027-01-01T00:00:00Z`,
    ],
  });
  addOperatorOptions(update.argument("<apiKey>", "the key"))
    .option("--permissions <list>", PERMISSION_LIST, parseList)
    .option("--label <text>", "display name")
    .option("--allow-ip <list>", 'allowed addresses or CIDR ranges; "" allows all', parseList)
    .option("--expires-at <time>", 'time with its zone, or "never"', parseExpiry)
    .action(updateKey);
}

async function listKeys(flags: PageFlags<string> & { readonly user?: number }): Promise<void> {
  const { user: uid, after, limit } = flags;
  const query = given({ after, limit });
  const page = await withOperator(flags, (operator) =>
    uid === undefined ? operator.listApiKeys(query) : operator.listApiKeysOfUser({ uid, ...query }),
  );
  const rows = page.items.map((key) => [
    key.apiKey,
    key.uid,
    key.permissions,
    key.ipAllowList,
    expiryText(key),
    key.label,
  ]);
  const headings = ["key", "uid", "permissions", "addresses", "expires", "label"];
  print(flags, page, pageText(textTable(headings, rows), page));
}

function expiryText({ expiresAt }: GetApiKeyAnswer): string | null {
  return expiresAt === null ? null : textTime(expiresAt);
}

function settingsText(key: GetApiKeyAnswer): string {
  return textFields({ ...key, expiresAt: expiryText(key) });
}

async function showKey(apiKey: string, flags: OperatorFlags): Promise<void> {
  const key = await withOperator(flags, (operator) => operator.getApiKey({ apiKey }));
  print(flags, key, settingsText(key));
}

interface SettingsFlags extends OperatorFlags, Pick<CreateApiKeyInput, "label"> {
  readonly permissions?: CreateApiKeyInput["permissions"];
  readonly allowIp?: readonly string[];
}

async function createKey(
  uid: number,
  flags: SettingsFlags & Pick<CreateApiKeyInput, "permissions"> & { readonly passphrase?: string },
): Promise<void> {
  const passphrase = flags.passphrase ?? randomBytes(PASSPHRASE_BYTES).toString("hex");
  const { permissions, label, allowIp: ipAllowList } = flags;
  const settings = { uid, permissions, passphrase, ...given({ label, ipAllowList }) };
  const created = await withOperator(flags, (operator) => operator.createApiKey(settings));
  const text = `${textFields(created)}\nSave them now: the secret is not shown again.`;
  print(flags, created, text);
}

async function updateKey(
  apiKey: string,
  flags: SettingsFlags & { readonly expiresAt?: number | "never" },
): Promise<void> {
  const { permissions, label, allowIp: ipAllowList } = flags;
  const expiresAt = flags.expiresAt === "never" ? null : flags.expiresAt;
  const changes = given({ permissions, label, ipAllowList, expiresAt });
  if (Object.keys(changes).length === 0) {
    throw new CommandFailed(
      "usage",
      "Nothing to change: give --permissions, --label, --allow-ip or --expires-at.",
    );
  }
  const key = await withOperator(flags, (operator) =>
    operator.updateApiKey({ apiKey, ...changes }),
  );
  print(flags, key, settingsText(key));
}

async function revokeKey(
  apiKey: string,
  flags: OperatorFlags & { readonly reason?: string },
): Promise<void> {
  const revoked = await withOperator(flags, (operator) =>
    operator.revokeApiKey({ apiKey, ...given({ reason: flags.reason }) }),
  );
  print(flags, revoked, `${apiKey} is revoked`);
}
