/**
 * Goal: a gateway in another thread accepts no key that was answered as revoked, and no settings
 * that were answered as changed, while it goes on accepting the keys that live.
 * Method: real threads look at all keys without a pause, against what the operator was told: main
 * memory says of each key whether it is dead, or the oldest settings that may still be seen. Keys
 * are created, changed and revoked at random meanwhile; threads come late and stand still at times.
 * At the end each thread must have exactly the keys of the directory.
 */
import assert from "node:assert/strict";
import { createSecretKey } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { MessageChannel, Worker } from "node:worker_threads";
import {
  CHANGING,
  DEAD,
  type ReplicaFindings,
  type ReplicaOrder,
  type ReplicaStart,
} from "../../test/support/key-replica-messages.ts";
import { scaled, seededRandom } from "../../test/support/random.ts";
import { openKeyReplica } from "./key-replica.ts";
import { KeyVault } from "./key-vault.ts";

const random = seededRandom("key replicas");
const PASSPHRASE = "passphrase-1";
const KEYS_MAX = 400;

/** A vault in a folder of its own, in a process with other work: ports keep none alive. */
function openVault(t: TestContext): KeyVault {
  const work = setInterval(() => undefined, 1_000);
  const folder = mkdtempSync(join(tmpdir(), "rialto-keys-"));
  const vault = KeyVault.open(folder, null);
  t.after(() => {
    clearInterval(work);
    vault.close();
    rmSync(folder, { recursive: true });
  });
  return vault;
}

function settingsOf(apiKey: string, version: number) {
  const permissions = version % 2 === 0 ? (["read"] as const) : (["read", "spot"] as const);
  return { apiKey, uid: 7, permissions, ipAllowList: [], expiresAtMs: version };
}

class ReplicaThread {
  readonly #worker: Worker;
  readonly findings: Promise<ReplicaFindings>;

  constructor(vault: KeyVault, states: SharedArrayBuffer, known: readonly string[]) {
    const { port1, port2 } = new MessageChannel();
    const workerData: ReplicaStart = { port: port2, states, known, seed: random.integer(0, 1e9) };
    const entry = new URL("../../test/support/key-replica-thread.ts", import.meta.url);
    this.#worker = new Worker(entry, { workerData, transferList: [port2] });
    this.findings = new Promise((resolve, reject) => {
      this.#worker.once("message", resolve);
      this.#worker.once("error", reject);
    });
    vault.directory.addReplica(port1);
  }

  order(order: ReplicaOrder): void {
    this.#worker.postMessage(order);
  }

  async end(): Promise<void> {
    await this.#worker.terminate();
  }
}

test("what was answered is in force in every thread", async (t) => {
  const vault = openVault(t);
  const memory = new SharedArrayBuffer(4 * KEYS_MAX);
  const states = new Int32Array(memory);
  const keys: string[] = [];
  const alive = new Set<number>();
  const threads: ReplicaThread[] = [];
  let changes = 0;
  for (let step = 0; step < Math.min(scaled(400), 4 * KEYS_MAX); step++) {
    if (step % 50 === 10 && threads.length < 3) {
      const thread = new ReplicaThread(vault, memory, keys);
      threads.push(thread);
      t.after(() => thread.end());
    }
    if (alive.size < 3 || (keys.length < KEYS_MAX && random.chance(0.4))) {
      const index = keys.length;
      const drawn = await vault.create(7, PASSPHRASE);
      assert.ok(drawn.ok);
      const { apiKey, secret } = drawn.value;
      keys.push(apiKey);
      for (const thread of threads) thread.order({ type: "look", apiKey, secret });
      await vault.activate(settingsOf(apiKey, 1));
      Atomics.store(states, index, 1);
      alive.add(index);
    } else {
      const index = random.pick([...alive]);
      const apiKey = keys[index] as string;
      const version = vault.directory.find(apiKey)?.expiresAtMs ?? 0;
      if (random.chance(0.6)) {
        await vault.activate(settingsOf(apiKey, version + 1));
        Atomics.store(states, index, version + 1);
      } else {
        Atomics.store(states, index, CHANGING);
        await vault.discard(apiKey);
        Atomics.store(states, index, DEAD);
        alive.delete(index);
      }
    }
    changes++;
  }
  for (const thread of threads) thread.order({ type: "end" });
  for (const thread of threads) {
    const { wrong, looks, keys: found } = await thread.findings;
    assert.deepEqual(wrong, []);
    assert.ok(looks > 100);
    const expected = [...alive].map((index) => {
      const apiKey = keys[index] as string;
      const key = vault.directory.find(apiKey);
      const secret = key?.secret.export().toString("utf8");
      return [apiKey, { ...settingsOf(apiKey, key?.expiresAtMs ?? 0), secret }];
    });
    assert.deepEqual(new Map(found), new Map(expected as never));
    console.log(`# key replicas: ${changes} changes, ${looks} looks at all keys`);
  }
});

test("an exchange of one thread waits for nobody, and a thread that ended neither", async (t) => {
  const vault = openVault(t);
  await vault.directory.published();
  const { port1, port2 } = new MessageChannel();
  vault.directory.addReplica(port1);
  let isPublished = false;
  const published = vault.directory.published().then(() => {
    isPublished = true;
  });
  for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve));
  assert.equal(isPublished, false, "nobody has read the keys");
  port2.close();
  await published;
});

test("thousands of keys arrive before a replica opens, and passphrases are checked", async (t) => {
  const vault = openVault(t);
  const drawn = await vault.create(7, PASSPHRASE);
  assert.ok(drawn.ok);
  const { apiKey } = drawn.value;
  await vault.activate(settingsOf(apiKey, 1));
  const others = Array.from({ length: 2_500 }, (_, i) => `rialto_${i}`);
  for (const other of others) {
    const secret = createSecretKey(Buffer.from(other));
    const passphraseKey = { version: 1, passphraseKey: secret };
    const passphraseDigest = Buffer.alloc(32);
    const secrets = { apiKey: other, uid: 8, secret, passphraseDigest, passphraseKey };
    vault.directory.set(secrets, { ...settingsOf(other, 1), uid: 8 });
  }
  const { port1, port2 } = new MessageChannel();
  t.after(() => port1.close());
  vault.directory.addReplica(port1);
  const replica = await openKeyReplica(port2);
  assert.equal(replica.size, 2_501);
  for (const other of others) {
    assert.equal(replica.find(other)?.secret.export().toString("utf8"), other);
  }
  const key = replica.find(apiKey);
  assert.equal(key?.passphraseMatches(PASSPHRASE), true);
  assert.equal(key?.passphraseMatches("passphrase-2"), false);
  assert.equal(replica.find(apiKey), key, "the same object until it changes");
  await vault.activate(settingsOf(apiKey, 2));
  assert.notEqual(replica.find(apiKey), key);
  assert.deepEqual(replica.find(apiKey)?.permissions, ["read"]);
});
