/** `rialto keys`: API keys of users, over the operator plane. */
import { randomBytes } from "node:crypto";
import { type Command, InvalidArgumentError } from "commander";
import { addCommand, addGroup, parseList, parseUid, print } from "./command.ts";
import { CommandFailed } from "./failure.ts";
import type { Page } from "./operator-plane.ts";
import { addPageOptions, type PageFlags, pageQuery, pageText } from "./pages.ts";
import { addPlaneOptions, openPlane, type PlaneFlags } from "./plane-options.ts";
import { textFields, textTable, textTime } from "./text-table.ts";

interface KeySettings {
  readonly apiKey: string;
  readonly uid: number;
  readonly label: string;
  readonly permissions: readonly string[];
  readonly ipAllowList: readonly string[];
  readonly expiresAt: number | null;
}

interface CreatedKey {
  readonly apiKey: string;
  readonly secret: string;
  readonly passphrase: string;
}

const PASSPHRASE_BYTES = 12;

export function addKeyCommands(program: Command): void {
  const keys = addGroup(program, "keys", {
    description: "API keys of users",
    examples: ["rialto keys list"],
  });
  addReads(keys);
  addCreate(keys);
  addUpdate(keys);
  const revoke = addCommand(keys, "revoke", {
    description: "end a key at once: no request that arrives after the answer is let in with it",
    examples: ["rialto keys revoke weex_0123456789abcdef0123456789abcdef"],
  });
  addPlaneOptions(revoke.argument("<apiKey>", "the key")).action(revokeKey);
}

function addReads(keys: Command): void {
  const list = addCommand(keys, "list", {
    description: "the settings of all keys, or of a user's; never their secrets",
    examples: ["rialto keys list", "rialto keys list --user 1001 --json"],
  });
  addPageOptions(addPlaneOptions(list), String)
    .option("--user <uid>", "of this user alone", parseUid)
    .action(listKeys);
  const show = addCommand(keys, "show", {
    description: "the settings of one key; never its secrets",
    examples: ["rialto keys show weex_0123456789abcdef0123456789abcdef"],
  });
  addPlaneOptions(show.argument("<apiKey>", "the key")).action(showKey);
}

function addCreate(keys: Command): void {
  const create = addCommand(keys, "create", {
    description: "create a key; its secret is printed once and never again",
    examples: [
      "rialto keys create 7 --permissions read,spot",
      "rialto keys create 7 --permissions read --allow-ip 10.0.0.0/8 --json > key.json",
    ],
  });
  addPlaneOptions(create.argument("<uid>", "whose key it is", parseUid))
    .option("--permissions <list>", "of read, spot, contract, affiliate", parseList, [
      "read",
      "spot",
      "contract",
    ])
    .option("--passphrase <text>", "what the client sends with it (default: a drawn one)")
    .option("--label <text>", "a name for people")
    .option("--allow-ip <list>", "addresses or CIDR ranges that may use it", parseList)
    .action(createKey);
}

function addUpdate(keys: Command): void {
  const update = addCommand(keys, "update", {
    description: "change the settings of a key, in force at once; what is not given stays",
    examples: [
      "rialto keys update weex_0123456789abcdef0123456789abcdef --permissions read",
      "rialto keys update weex_0123456789abcdef0123456789abcdef --expires-at 2027-01-01T00:00:00Z",
    ],
  });
  addPlaneOptions(update.argument("<apiKey>", "the key"))
    .option("--permissions <list>", "of read, spot, contract, affiliate", parseList)
    .option("--label <text>", "a name for people")
    .option("--allow-ip <list>", 'addresses or CIDR ranges; "" for all', parseList)
    .option("--expires-at <time>", 'a time with its zone, or "never"', parseExpiry)
    .action(updateKey);
}

function parseExpiry(text: string): number | "never" {
  if (text === "never") return text;
  const zoned = /(Z|[+-]\d\d:\d\d)$/.test(text);
  const timeMs = Date.parse(text);
  if (zoned && Number.isFinite(timeMs)) return timeMs;
  throw new InvalidArgumentError("Give a time with its zone, as 2027-01-01T00:00:00Z, or never.");
}

async function listKeys(flags: PageFlags & { readonly user?: number }): Promise<void> {
  const { user } = flags;
  const path = user === undefined ? "api-keys" : `users/${user}/api-keys`;
  const page = await openPlane(flags).get<Page<KeySettings>>(`${path}?${pageQuery(flags)}`);
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

function expiryText({ expiresAt }: KeySettings): string | null {
  return expiresAt === null ? null : textTime(expiresAt);
}

function settingsText(key: KeySettings): string {
  return textFields({ ...key, expiresAt: expiryText(key) });
}

async function showKey(apiKey: string, flags: PlaneFlags): Promise<void> {
  const key = await openPlane(flags).get<KeySettings>(`api-keys/${encodeURIComponent(apiKey)}`);
  print(flags, key, settingsText(key));
}

interface SettingsFlags extends PlaneFlags {
  readonly permissions?: readonly string[];
  readonly label?: string;
  readonly allowIp?: readonly string[];
}

async function createKey(
  uid: number,
  flags: SettingsFlags & { readonly passphrase?: string },
): Promise<void> {
  const passphrase = flags.passphrase ?? randomBytes(PASSPHRASE_BYTES).toString("hex");
  const { permissions, label, allowIp: ipAllowList } = flags;
  const body = { permissions, passphrase, label, ipAllowList };
  const created = await openPlane(flags).call<CreatedKey>("POST", `users/${uid}/api-keys`, body);
  const text = `${textFields({ ...created })}\nKeep them now: the secret is not shown again.`;
  print(flags, created, text);
}

async function updateKey(
  apiKey: string,
  flags: SettingsFlags & { readonly expiresAt?: number | "never" },
): Promise<void> {
  const { permissions, label, allowIp: ipAllowList } = flags;
  const expiresAt = flags.expiresAt === "never" ? null : flags.expiresAt;
  const changes = { permissions, label, ipAllowList, expiresAt };
  if (Object.values(changes).every((change) => change === undefined)) {
    throw new CommandFailed(
      "usage",
      "Nothing to change: give --permissions, --label, --allow-ip or --expires-at.",
    );
  }
  const path = `api-keys/${encodeURIComponent(apiKey)}`;
  const key = await openPlane(flags).call<KeySettings>("PATCH", path, changes);
  print(flags, key, settingsText(key));
}

async function revokeKey(apiKey: string, flags: PlaneFlags): Promise<void> {
  const path = `api-keys/${encodeURIComponent(apiKey)}`;
  const revoked = await openPlane(flags).call<object>("DELETE", path);
  print(flags, revoked, `${apiKey} is revoked`);
}
