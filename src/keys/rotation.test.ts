/**
 * Proves that the nodes of a cluster keep every key through changes of the master key: random lives
 * of keys on one node, followed on another, with versions that are added, seal and are dropped in
 * between, also while a key is being made, and crashes. Every key has its secret and passphrase on
 * both nodes at all times, everything shared is sealed with one version, and at the end the older
 * ones open nothing.
 */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { scaled, seededRandom } from "../../test/support/random.ts";
import { sealingVersions } from "./key-store.ts";
import { findMasterKeys, KeyVault, type MasterKeyId, type SharedKeys } from "./key-vault.ts";
import type { KeySettings } from "./live-key.ts";
import { type MasterKeyRing, readMasterKeys } from "./master-key.ts";
import { UnusableSecrets } from "./private-file.ts";
import { removeOutdatedCopy, resealKeys } from "./rotation.ts";
import type { SealedKey } from "./sealed-key.ts";

const random = seededRandom("rotation of shared keys");
const STEPS = scaled(120);
const UID = 7;

/** What PostgreSQL has; every answer comes later. */
class Shared implements SharedKeys {
  current: MasterKeyId | null = null;
  rows = new Map<string, SealedKey>();

  async masterKey(own: MasterKeyId): Promise<MasterKeyId> {
    await later();
    this.current ??= own;
    return this.current;
  }

  async putKey(key: SealedKey): Promise<boolean> {
    await later();
    if (key.masterKeyVersion !== this.current?.version) return false;
    this.rows.set(key.apiKey, key);
    return true;
  }

  async removeKey(apiKey: string): Promise<void> {
    await later();
    this.rows.delete(apiKey);
  }

  async keys(): Promise<readonly SealedKey[]> {
    await later();
    return [...this.rows.values()];
  }

  async key(apiKey: string): Promise<SealedKey | null> {
    await later();
    return this.rows.get(apiKey) ?? null;
  }

  seal(masterKeys: MasterKeyRing): void {
    const keys = resealKeys([...this.rows.values()], masterKeys);
    this.rows = new Map(keys.map((key) => [key.apiKey, key]));
    this.current = masterKeys.current;
  }
}

async function later(): Promise<void> {
  for (let turn = random.integer(0, 4); turn > 0; turn--) await Promise.resolve();
}

interface Known {
  readonly secret: string;
  readonly passphrase: string;
}

/** A node with a folder and a file of the master key. */
class Node {
  readonly folder = mkdtempSync(join(tmpdir(), "rialto-rotation-"));
  readonly file = join(this.folder, "node.key");
  vault!: KeyVault;

  write(lines: readonly string[]): void {
    writeFileSync(this.file, `${lines.join("\n")}\n`, { mode: 0o600 });
  }

  /** As a start does, or one after a crash. */
  async open(shared: Shared, keys: ReadonlyMap<string, Known>): Promise<void> {
    this.vault?.close();
    removeOutdatedCopy(this.folder, findMasterKeys(this.folder, this.file) as MasterKeyRing);
    this.vault = KeyVault.open(this.folder, this.file);
    await this.vault.share(shared);
    const filled = this.vault.fill([...keys.keys()].map(settingsOf));
    assert.deepEqual(filled.withoutSecrets, []);
  }

  check(keys: ReadonlyMap<string, Known>): void {
    assert.equal(this.vault.directory.size, keys.size);
    for (const [apiKey, { passphrase, secret }] of keys) {
      const live = this.vault.directory.find(apiKey);
      assert.equal(live?.secret.export().toString("utf8"), secret);
      assert.equal(live?.passphraseMatches(passphrase), true);
      assert.equal(live?.passphraseMatches(`${passphrase}x`), false);
    }
  }
}

function settingsOf(apiKey: string): KeySettings {
  return { apiKey, uid: UID, permissions: ["read"], ipAllowList: [], expiresAtMs: null };
}

const lineOf = (version: number): string => `${version} ${randomBytes(32).toString("hex")}`;

/** Two nodes: keys are made on the first. */
class Cluster {
  readonly shared = new Shared();
  readonly leader = new Node();
  readonly follower = new Node();
  readonly nodes = [this.leader, this.follower] as const;
  readonly keys = new Map<string, Known>();
  lines = [lineOf(1)];
  newest = 1;

  async open(): Promise<void> {
    for (const node of this.nodes) {
      node.write(this.lines);
      await node.open(this.shared, this.keys);
    }
  }

  async create(): Promise<void> {
    const passphrase = `passphrase ${this.keys.size}`;
    const drawn = await this.leader.vault.create(UID, passphrase);
    assert.ok(drawn.ok);
    const { apiKey, secret } = drawn.value;
    await this.leader.vault.activate(settingsOf(apiKey));
    this.keys.set(apiKey, { secret, passphrase });
    await this.follower.vault.follow(apiKey, settingsOf(apiKey));
  }

  async revoke(): Promise<void> {
    if (this.keys.size === 0) return;
    const apiKey = random.pick([...this.keys.keys()]);
    this.keys.delete(apiKey);
    const followed = this.follower.vault.follow(apiKey, null);
    await Promise.all([this.leader.vault.discard(apiKey), followed]);
  }

  add(): void {
    if (this.lines.length >= 4) return;
    this.lines = [...this.lines, lineOf(++this.newest)];
    for (const node of this.nodes) {
      node.write(this.lines);
      assert.equal(node.vault.rereadMasterKeys(), null);
    }
  }

  seal(): void {
    this.shared.seal(readMasterKeys(this.leader.file) as MasterKeyRing);
  }

  /** While a key is being made; the nodes notice before or after it. */
  async sealMeanwhile(): Promise<void> {
    const made = this.create();
    await later();
    this.seal();
    await Promise.all([made, random.chance(0.5) ? this.share() : null]);
  }

  async share(): Promise<void> {
    await Promise.all(this.nodes.map(({ vault }) => vault.share(this.shared)));
  }

  async drop(): Promise<void> {
    if (this.shared.current?.version !== this.newest) return;
    await this.share();
    this.lines = this.lines.slice(-1);
    for (const node of this.nodes) node.write(this.lines);
  }

  check(): void {
    const { current, rows } = this.shared;
    for (const node of this.nodes) node.check(this.keys);
    for (const { masterKeyVersion } of rows.values()) {
      assert.equal(masterKeyVersion, current?.version);
    }
    assert.deepEqual([...rows.keys()].sort(), [...this.keys.keys()].sort());
  }
}

test("random lives of keys while the master key changes", async (t) => {
  const cluster = new Cluster();
  const { newest: first, nodes, shared, keys } = cluster;
  t.after(() => {
    for (const { folder } of nodes) rmSync(folder, { recursive: true });
  });
  await cluster.open();
  const steps: readonly (() => unknown)[] = [
    () => Promise.all([cluster.create(), random.chance(0.5) ? cluster.share() : null]),
    () => cluster.create(),
    () => cluster.revoke(),
    () => cluster.add(),
    () => cluster.sealMeanwhile(),
    () => cluster.drop(),
    () => random.pick(nodes).open(shared, keys),
  ];
  for (let step = 0; step < STEPS; step++) {
    await random.pick(steps)();
    cluster.check();
  }
  await cluster.create();
  cluster.seal();
  await cluster.share();
  const { lines, newest } = cluster;
  assert.ok(newest > first && keys.size > 0);
  for (const node of nodes) {
    node.write(lines.slice(-1));
    assert.equal(node.vault.rereadMasterKeys(), null);
    assert.equal(node.vault.linkKeys.keyOf(newest - 1), null);
    node.vault.close();
    assert.deepEqual(sealingVersions(join(node.folder, "keys.db")), [newest]);
  }
  t.diagnostic(`${newest} versions, ${keys.size} keys at the end`);
});

test("a file that lacks what seals is told, and nothing is given up", async (t) => {
  const shared = new Shared();
  const node = new Node();
  t.after(() => rmSync(node.folder, { recursive: true }));
  const [first, second] = [lineOf(1), lineOf(2)];
  node.write([first]);
  await node.open(shared, new Map());
  node.write([second]);
  assert.match(node.vault.rereadMasterKeys() ?? "", /lacks version 1, which seals the API keys/);
  assert.equal(node.vault.rereadMasterKeys(), null, "told once");
  assert.equal((await node.vault.create(UID, "a passphrase")).ok, true);
  writeFileSync(node.file, "half a li");
  assert.match(node.vault.rereadMasterKeys() ?? "", /line 1 is not one line per version/);
  rmSync(node.file);
  assert.match(node.vault.rereadMasterKeys() ?? "", /is gone: put it back/);
  node.write([first, second]);
  assert.equal(node.vault.rereadMasterKeys(), null);
  // Somebody else's version 2.
  const other = join(node.folder, "other.key");
  writeFileSync(other, `${first}\n${lineOf(2)}\n`, { mode: 0o600 });
  shared.seal(readMasterKeys(other) as MasterKeyRing);
  await assert.rejects(node.vault.share(shared), (error) => {
    return error instanceof UnusableSecrets && /\(version 2\): give every node/.test(error.message);
  });
  node.vault.close();
});
