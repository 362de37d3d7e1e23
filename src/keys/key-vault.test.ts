/**
 * Proves what API keys are promised: whatever the crash, a key that was answered works and a key
 * that was answered as revoked does not (random lives of keys, cut short at every step, against a
 * plain model); secrets never stand on disk in the clear; changed rows, another master key and
 * files that others may read are refused with a message that tells the way out and never the
 * secret.
 */
import assert from "node:assert/strict";
import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import test, { afterEach, beforeEach } from "node:test";
import { scaled, seededRandom } from "../../test/support/random.ts";
import { type DrawnKey, KeyVault } from "./key-vault.ts";
import type { KeySettings } from "./live-key.ts";
import { UnusableSecrets } from "./private-file.ts";
import { rotateMasterKey } from "./rotation.ts";

const random = seededRandom("key vault");
const PASSPHRASE = "canary-passphrase";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "rialto-keys-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const inFolder = (name: string) => join(folder, name);

function settingsOf(apiKey: string, uid: number): KeySettings {
  return { apiKey, uid, permissions: ["read"], ipAllowList: [], expiresAtMs: null };
}

async function create(vault: KeyVault, uid: number, passphrase = PASSPHRASE): Promise<DrawnKey> {
  const drawn = await vault.create(uid, passphrase);
  assert.ok(drawn.ok);
  return drawn.value;
}

async function createLive(vault: KeyVault, uid: number): Promise<DrawnKey> {
  const key = await create(vault, uid);
  await vault.activate(settingsOf(key.apiKey, uid));
  return key;
}

/** A folder with two keys, of uids 1 and 2, closed. */
async function twoKeys(): Promise<readonly [DrawnKey, DrawnKey]> {
  const vault = KeyVault.open(folder, null);
  const keys = [await createLive(vault, 1), await createLive(vault, 2)] as const;
  vault.close();
  return keys;
}

function assertUnusable(open: () => KeyVault, ...words: readonly string[]): void {
  assert.throws(open, (error) => {
    assert.ok(error instanceof UnusableSecrets, String(error));
    for (const word of words) assert.ok(error.message.includes(word), error.message);
    return true;
  });
}

test("a key has its form, signs with the text that was shown, knows its passphrase", async () => {
  const vault = KeyVault.open(folder, null);
  const { apiKey, secret } = await createLive(vault, 7);
  assert.match(apiKey, /^rialto_[0-9a-f]{32}$/);
  assert.match(secret, /^[0-9a-f]{64}$/);
  const live = vault.directory.find(apiKey);
  assert.equal(live?.uid, 7);
  assert.equal(live?.secret.export().toString("utf8"), secret);
  assert.equal(live?.passphraseMatches(PASSPHRASE), true);
  for (const wrong of ["", "Canary-passphrase", `${PASSPHRASE} `, "x".repeat(64)]) {
    assert.equal(live?.passphraseMatches(wrong), false);
  }
  vault.close();
});

test("the same object is found until the key changes", async () => {
  const vault = KeyVault.open(folder, null);
  const { apiKey } = await createLive(vault, 7);
  const before = vault.directory.find(apiKey);
  assert.equal(vault.directory.find(apiKey), before);
  await vault.activate({ ...settingsOf(apiKey, 7), permissions: ["spot"], expiresAtMs: 5 });
  const after = vault.directory.find(apiKey);
  assert.notEqual(after, before);
  assert.deepEqual([after?.permissions, after?.expiresAtMs], [["spot"], 5]);
  await vault.discard(apiKey);
  assert.equal(vault.directory.find(apiKey), null);
  vault.close();
});

/** The life of keys as the exchange and its operators see it. */
interface Model {
  /** Settings that the exchange holds durably. */
  readonly settings: Map<string, KeySettings>;
  /** Answered as created and not answered as revoked since. */
  readonly answered: Map<string, string>;
  readonly revoked: Set<string>;
}

test("crashes at any step never leave a revoked key alive nor an answered one dead", async () => {
  const model: Model = { settings: new Map(), answered: new Map(), revoked: new Set() };
  let vault = KeyVault.open(folder, null);
  for (let step = 0; step < scaled(300); step++) {
    const crashAfter = random.integer(1, 4);
    if (random.chance(0.6) || model.answered.size === 0) await createOne(vault, model, crashAfter);
    else await revokeOne(vault, model, crashAfter);
    if (crashAfter < 4) {
      vault.close();
      vault = KeyVault.open(folder, null);
      const filled = vault.fill(model.settings.values());
      assert.deepEqual(filled.withoutSecrets, []);
      assert.equal(filled.live, model.settings.size);
    }
    assertPromises(vault, model);
  }
  vault.close();
});

/** Steps: 1 secrets are kept, 2 the command is durable, 3 the key is live, 4 the answer is out. */
async function createOne(vault: KeyVault, model: Model, lastStep: number): Promise<void> {
  const uid = random.integer(1, 5);
  const { apiKey, secret } = await create(vault, uid);
  if (lastStep === 1) return;
  if (random.chance(0.2)) {
    // The exchange refused the command.
    await vault.discard(apiKey);
    return;
  }
  model.settings.set(apiKey, settingsOf(apiKey, uid));
  if (lastStep === 2) return;
  await vault.activate(settingsOf(apiKey, uid));
  if (lastStep === 4) model.answered.set(apiKey, secret);
}

/**
 * Steps: 1 nothing is durable, 2 the command is durable, 3 the secrets are gone, 4 the answer is
 * out.
 */
async function revokeOne(vault: KeyVault, model: Model, lastStep: number): Promise<void> {
  const apiKey = random.pick([...model.answered.keys()]);
  if (lastStep === 1) return;
  model.settings.delete(apiKey);
  model.answered.delete(apiKey);
  if (lastStep === 2) return;
  await vault.discard(apiKey);
  if (lastStep === 4) model.revoked.add(apiKey);
}

function assertPromises(vault: KeyVault, model: Model): void {
  for (const [apiKey, secret] of model.answered) {
    const live = vault.directory.find(apiKey);
    assert.equal(live?.secret.export().toString("utf8"), secret);
    assert.equal(live?.passphraseMatches(PASSPHRASE), true);
  }
  for (const apiKey of model.revoked) assert.equal(vault.directory.find(apiKey), null);
}

test("leftovers of a crash are removed at the start, keys without secrets are told", async () => {
  const [kept, leftover] = await twoKeys();
  const vault = KeyVault.open(folder, null);
  assert.equal(
    vault.directory.find(kept.apiKey),
    null,
    "no key lives before the settings are known",
  );
  const lost = `rialto_${"0".repeat(32)}`;
  const filled = vault.fill([settingsOf(kept.apiKey, 1), settingsOf(lost, 3)]);
  assert.deepEqual(filled, { live: 1, leftoversRemoved: 1, withoutSecrets: [lost] });
  vault.close();
  const rows = new DatabaseSync(inFolder("keys.db")).prepare("SELECT api_key FROM api_keys").all();
  assert.deepEqual(
    rows.map((row) => row.api_key),
    [kept.apiKey],
  );
  assert.notEqual(kept.apiKey, leftover.apiKey);
});

test("neither secrets nor passphrases nor the master key stand in the store", async () => {
  const vault = KeyVault.open(folder, null);
  const secrets: string[] = [];
  for (let i = 0; i < scaled(50); i++) secrets.push((await createLive(vault, 1)).secret);
  const masterKey = readFileSync(inFolder("master.key"), "utf8").split(" ")[1]?.trim() as string;
  const hexTexts = [...secrets, masterKey];
  const canaries = [PASSPHRASE, ...hexTexts].map((text) => Buffer.from(text, "utf8"));
  canaries.push(...hexTexts.map((text) => Buffer.from(text, "hex")));
  const looked: string[] = [];
  for (const name of readdirSync(folder)) {
    if (name === "master.key") continue;
    looked.push(name);
    const bytes = readFileSync(inFolder(name));
    for (const canary of canaries) assert.equal(bytes.includes(canary), false, name);
  }
  assert.ok(looked.includes("keys.db"));
  vault.close();
});

test("a removed secret leaves no trace in the file, not even sealed", async () => {
  const vault = KeyVault.open(folder, null);
  const { apiKey } = await createLive(vault, 1);
  const file = () => readFileSync(inFolder("keys.db"));
  const database = new DatabaseSync(inFolder("keys.db"), { readOnly: true });
  const sealed = database.prepare("SELECT sealed_secret FROM api_keys").get()?.sealed_secret;
  database.close();
  assert.ok(file().includes(sealed as Uint8Array));
  await vault.discard(apiKey);
  assert.equal(file().includes(sealed as Uint8Array), false);
  vault.close();
});

test("the files are readable by their owner alone", async () => {
  await twoKeys();
  for (const name of ["keys.db", "master.key"]) {
    assert.equal(statSync(inFolder(name)).mode & 0o777, 0o600, name);
  }
  chmodSync(inFolder("master.key"), 0o640);
  assertUnusable(() => KeyVault.open(folder, null), "master.key", "0640", "chmod 600");
});

/** Changes rows as somebody with access to the file could. */
function tamper(sql: string, ...values: readonly (string | number | Uint8Array)[]): void {
  const database = new DatabaseSync(inFolder("keys.db"), { enableForeignKeyConstraints: false });
  database.prepare(sql).run(...values);
  database.close();
}

test("a row that was changed from outside is refused and named", async () => {
  const [first, second] = await twoKeys();
  const pristine = readFileSync(inFolder("keys.db"));
  const swapped =
    "UPDATE api_keys SET sealed_secret = (SELECT sealed_secret FROM api_keys WHERE api_key = ?), " +
    "iv = (SELECT iv FROM api_keys WHERE api_key = ?) WHERE api_key = ?";
  const where = "WHERE api_key = ?";
  const changes: readonly (() => void)[] = [
    () => tamper(swapped, second.apiKey, second.apiKey, first.apiKey),
    () => tamper(`UPDATE api_keys SET uid = 2 ${where}`, first.apiKey),
    () => tamper(`UPDATE api_keys SET master_key_version = 9 ${where}`, first.apiKey),
    () => tamper(`UPDATE api_keys SET iv = x'00' ${where}`, first.apiKey),
    () => tamper(`UPDATE api_keys SET iv = zeroblob(12) ${where}`, first.apiKey),
    () => tamper(`UPDATE api_keys SET sealed_secret = x'' ${where}`, first.apiKey),
    () => tamper(`UPDATE api_keys SET sealed_secret = zeroblob(80) ${where}`, first.apiKey),
    () => tamper(`UPDATE api_keys SET passphrase_digest = x'00' ${where}`, first.apiKey),
  ];
  for (const change of changes) {
    change();
    assertUnusable(() => KeyVault.open(folder, null), "keys.db", first.apiKey, "backup");
    writeFileSync(inFolder("keys.db"), pristine);
  }
  KeyVault.open(folder, null).close();
});

test("every flipped bit of a sealed secret is found", async () => {
  const [first] = await twoKeys();
  const database = new DatabaseSync(inFolder("keys.db"));
  const where = "WHERE api_key = ?";
  const row = database.prepare(`SELECT iv, sealed_secret FROM api_keys ${where}`).get(first.apiKey);
  for (const column of ["iv", "sealed_secret"] as const) {
    const original = row?.[column] as Uint8Array;
    const update = database.prepare(`UPDATE api_keys SET ${column} = ? ${where}`);
    for (let byte = 0; byte < original.length; byte++) {
      const flipped = Uint8Array.from(original);
      flipped[byte] = (flipped[byte] as number) ^ (1 << random.integer(0, 7));
      update.run(flipped, first.apiKey);
      assertUnusable(() => KeyVault.open(folder, null), first.apiKey);
    }
    update.run(original, first.apiKey);
  }
  database.close();
  KeyVault.open(folder, null).close();
});

test("the digest of another key's passphrase opens nothing", async () => {
  const vault = KeyVault.open(folder, null);
  const own = await create(vault, 1, "mine");
  const other = await create(vault, 1, "theirs");
  vault.close();
  const copied =
    "UPDATE api_keys SET passphrase_digest = (SELECT passphrase_digest FROM api_keys " +
    "WHERE api_key = ?) WHERE api_key = ?";
  tamper(copied, other.apiKey, own.apiKey);
  const reopened = KeyVault.open(folder, null);
  reopened.fill([settingsOf(own.apiKey, 1), settingsOf(other.apiKey, 1)]);
  assert.equal(reopened.directory.find(own.apiKey)?.passphraseMatches("theirs"), false);
  assert.equal(reopened.directory.find(other.apiKey)?.passphraseMatches("theirs"), true);
  reopened.close();
});

const HEX_KEY = "ab".repeat(32);

test("another master key is refused, a lost one is never replaced by a new one", async () => {
  await twoKeys();
  const own = readFileSync(inFolder("master.key"), "utf8");
  writeFileSync(inFolder("master.key"), `1 ${HEX_KEY}\n`);
  assertUnusable(() => KeyVault.open(folder, null), "master.key", "keys.db", "differs", "Restore");
  writeFileSync(inFolder("master.key"), `2 ${HEX_KEY}\n`);
  assertUnusable(() => KeyVault.open(folder, null), "version 1 is missing");
  rmSync(inFolder("master.key"));
  assertUnusable(() => KeyVault.open(folder, null), "is gone", "RIALTO_MASTER_KEY_FILE");
  assert.deepEqual(readdirSync(folder), ["keys.db"]);
  writeFileSync(inFolder("master.key"), own, { mode: 0o600 });
  KeyVault.open(folder, null).close();
});

test("a new version seals what comes, the old one opens what was while it is needed", async () => {
  const [first, second] = await twoKeys();
  const own = readFileSync(inFolder("master.key"), "utf8");
  writeFileSync(inFolder("master.key"), `${own}2 ${HEX_KEY}\n`);
  const vault = KeyVault.open(folder, null);
  vault.fill([settingsOf(first.apiKey, 1), settingsOf(second.apiKey, 2)]);
  const third = await createLive(vault, 3);
  assert.equal(vault.directory.find(first.apiKey)?.passphraseMatches(PASSPHRASE), true);
  await vault.discard(first.apiKey);
  vault.close();
  writeFileSync(inFolder("master.key"), `2 ${HEX_KEY}\n`);
  assertUnusable(() => KeyVault.open(folder, null), "version 1 is missing");
  tamper("DELETE FROM api_keys WHERE api_key = ?", second.apiKey);
  const reopened = KeyVault.open(folder, null);
  reopened.fill([settingsOf(third.apiKey, 3)]);
  const live = reopened.directory.find(third.apiKey);
  assert.equal(live?.secret.export().toString("utf8"), third.secret);
  reopened.close();
});

test("a given master key file is used, and none of it is copied to the data folder", async () => {
  const keyFile = inFolder("elsewhere.key");
  assertUnusable(() => KeyVault.open(folder, keyFile), keyFile, "umask 077");
  writeFileSync(keyFile, `1 ${HEX_KEY}\n`, { mode: 0o600 });
  const vault = KeyVault.open(folder, keyFile);
  await createLive(vault, 1);
  vault.close();
  assert.deepEqual(readdirSync(folder).sort(), ["elsewhere.key", "keys.db"]);
  KeyVault.open(folder, keyFile).close();
});

test("a damaged master key is refused without being shown", () => {
  const canary = "c0ffee".repeat(10);
  const contents = [
    "",
    "\n",
    canary,
    `1 ${canary}`,
    `0 ${HEX_KEY}`,
    `1  ${HEX_KEY}`,
    `1 ${HEX_KEY.toUpperCase()}`,
    `1 ${HEX_KEY}\n1 ${HEX_KEY}`,
    Array.from({ length: 17 }, (_, index) => `${index + 1} ${HEX_KEY}`).join("\n"),
    "x".repeat(20_000),
  ];
  for (const content of contents) {
    writeFileSync(inFolder("master.key"), content, { mode: 0o600 });
    assert.throws(
      () => KeyVault.open(folder, null),
      (error) =>
        error instanceof UnusableSecrets &&
        error.message.includes("master.key") &&
        !error.message.includes(canary) &&
        !error.message.includes(HEX_KEY),
    );
  }
});

test("a store that is no database is refused", async () => {
  await twoKeys();
  writeFileSync(inFolder("keys.db"), "not a database".repeat(100));
  assertUnusable(() => KeyVault.open(folder, null), "keys.db", "backup");
});

test("a store of a newer release is refused", async () => {
  await twoKeys();
  tamper("PRAGMA user_version = 3");
  assertUnusable(() => KeyVault.open(folder, null), "layout 3", "newer release");
});

test("after rotations every key opens under the newest master key, and only under it", async () => {
  const keys: DrawnKey[] = [];
  for (let round = 1; round <= 4; round++) {
    const vault = KeyVault.open(folder, null);
    keys.push(await createLive(vault, 10 + round));
    if (round === 3) await vault.discard((keys.shift() as DrawnKey).apiKey);
    vault.close();
    const before = readFileSync(inFolder("master.key"), "utf8");
    const { version, apiKeys } = rotateMasterKey(folder, null, () => undefined);
    assert.deepEqual([version, apiKeys], [round + 1, keys.length]);
    const lines = readFileSync(inFolder("master.key"), "utf8").trim().split("\n");
    assert.equal(lines.length, 1);
    assert.ok(!before.includes(lines[0] ?? ""));
    const rotated = KeyVault.open(folder, null);
    const settings = keys.map(({ apiKey }) => settingsOf(apiKey, uidOf(folder, apiKey)));
    assert.equal(rotated.fill(settings).live, keys.length);
    for (const { apiKey, secret } of keys) {
      const live = rotated.directory.find(apiKey);
      assert.equal(live?.secret.export().toString("utf8"), secret);
      assert.equal(live?.passphraseMatches(PASSPHRASE), true);
      assert.equal(live?.passphraseMatches("canary-passphrasf"), false);
    }

    rotated.close();
  }
  const database = new DatabaseSync(inFolder("keys.db"));
  const carried = database.prepare("SELECT count(*) AS rows FROM passphrase_keys").get()?.rows;
  assert.equal(carried, 3, "one for each older master key that a key needs");
  database.close();
  tamper("UPDATE passphrase_keys SET version = version + 10 WHERE version = 2");
  assertUnusable(() => KeyVault.open(folder, null), "passphrase", "backup");
});

function uidOf(dataFolder: string, apiKey: string): number {
  const database = new DatabaseSync(join(dataFolder, "keys.db"));
  const row = database.prepare("SELECT uid FROM api_keys WHERE api_key = ?").get(apiKey);
  database.close();
  return Number(row?.uid);
}
