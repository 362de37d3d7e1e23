/**
 * Proves the guarantees for API keys: whatever the crash, a key works once it was returned and is
 * dead once its revocation was answered (calls interrupted at random, then a restart on the same
 * folder); concurrent changes lose nothing; secrets are returned once and appear nowhere else; a
 * search finds them by any beginning, however many there are.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import test, { after, before } from "node:test";
import { OperatorFixture } from "../../test/support/operator-fixture.ts";
import { scaled, seededRandom } from "../../test/support/random.ts";

const random = seededRandom("operator api keys");
const REQUEST = { label: "bot", permissions: ["read"], passphrase: "canary7passphrase" };

interface Created {
  readonly apiKey: string;
  readonly secret: string;
}

let operator: OperatorFixture;
let uid = 0;
before(async () => {
  operator = new OperatorFixture();
  uid = (await operator.call<{ uid: number }>("POST", "/operator/v1/users", {})).uid;
});
after(() => operator.close());

const keysPath = () => `/operator/v1/users/${uid}/api-keys`;
const create = () => operator.call<Created>("POST", keysPath(), REQUEST);

const CRASH_POINTS = ["none", "before the command", "after the command"] as const;

/** The process crashes during one command and is then restarted. */
async function sendAndCrash(
  point: (typeof CRASH_POINTS)[number],
  method: string,
  path: string,
): Promise<unknown> {
  const crash = () => {
    throw new Error(`the process ends ${point}`);
  };
  if (point === "before the command") operator.exchange.beforeCommand = crash;
  if (point === "after the command") operator.exchange.afterCommand = crash;
  const payload = method === "POST" ? JSON.stringify(REQUEST) : undefined;
  const answer = await operator.send(method, path, payload);
  operator.exchange.beforeCommand = () => undefined;
  operator.exchange.afterCommand = () => undefined;
  assert.equal(answer.status, point === "none" ? 200 : 500);
  if (point !== "none") await operator.restart();
  return point === "none" ? answer.body : null;
}

test("a crash at any command leaves answered keys alive and revoked ones dead", async () => {
  const alive = new Map<string, string>();
  const dead = new Set<string>();
  for (let round = 0; round < scaled(80); round++) {
    const point = random.pick(CRASH_POINTS);
    if (alive.size === 0 || random.chance(0.6)) {
      const created = (await sendAndCrash(point, "POST", keysPath())) as Created | null;
      if (created !== null) alive.set(created.apiKey, created.secret);
    } else {
      const apiKey = random.pick([...alive.keys()]);
      const revoked = await sendAndCrash(point, "DELETE", `/operator/v1/api-keys/${apiKey}`);
      // Without an answer, either outcome is correct: a look-up shows which, and it must not
      // change.
      if (revoked !== null || operator.keys.directory.find(apiKey) === null) {
        alive.delete(apiKey);
        dead.add(apiKey);
      }
    }
    const { directory } = operator.keys;
    for (const [key, secret] of alive) {
      assert.equal(directory.find(key)?.secret.export().toString("utf8"), secret);
      assert.equal(directory.find(key)?.passphraseMatches(REQUEST.passphrase), true);
    }
    for (const key of dead) assert.equal(directory.find(key), null);
  }
});

test("secrets are on disk before the command, and gone when it is refused", async () => {
  const sizes: number[] = [];
  const rows = () =>
    readFileSync(join(operator.folder, "keys.db"), "latin1").match(/rialto_/g)?.length;
  const before = rows() ?? 0;
  operator.exchange.beforeCommand = (command) => {
    if (command.type !== "set-api-key") return;
    sizes.push(rows() ?? 0);
    assert.equal(
      operator.keys.directory.find(command.apiKey),
      null,
      "no key lives before its command",
    );
  };
  const refusal = await operator.refusal("POST", "/operator/v1/users/99/api-keys", REQUEST);
  assert.deepEqual(refusal, [404, "unknown-user", "uid"]);
  operator.exchange.beforeCommand = () => undefined;
  assert.ok((sizes[0] as number) > before);
  assert.equal(rows() ?? 0, before);
  operator.exchange.engineUnavailable = "overloaded";
  assert.equal((await operator.refusal("POST", keysPath(), REQUEST))[0], 503);
  operator.exchange.engineUnavailable = null;
  assert.equal(rows() ?? 0, before);
});

test("a key that the exchange will not revoke goes on working", async () => {
  const { apiKey } = await create();
  operator.exchange.engineUnavailable = "disk-nearly-full";
  assert.equal((await operator.refusal("DELETE", `/operator/v1/api-keys/${apiKey}`))[0], 503);
  operator.exchange.engineUnavailable = null;
  assert.notEqual(operator.keys.directory.find(apiKey), null);
});

test("a revoked key is dead although its row cannot be removed", async () => {
  const { apiKey } = await create();
  const real = operator.keys.discard.bind(operator.keys);
  operator.keys.discard = async (key) => {
    await real(key);
    throw new Error("disk I/O error");
  };
  await operator.call("DELETE", `/operator/v1/api-keys/${apiKey}`);
  operator.keys.discard = real;
  assert.equal(operator.keys.directory.find(apiKey), null);
  assert.ok(operator.logged.at(-2)?.includes("disk I/O error"));
});

test("changes at the same time lose nothing, and none brings a revoked key back", async () => {
  const { apiKey } = await create();
  const path = `/operator/v1/api-keys/${apiKey}`;
  await Promise.all([
    operator.call("PATCH", path, { label: "changed" }),
    operator.call("PATCH", path, { permissions: ["spot"] }),
    operator.call("PATCH", path, { ipAllowList: ["10.0.0.1"] }),
  ]);
  const settings = await operator.call<Record<string, unknown>>("GET", path);
  assert.deepEqual(
    [settings.label, settings.permissions, settings.ipAllowList],
    ["changed", ["spot"], ["10.0.0.1"]],
  );
  assert.deepEqual(operator.keys.directory.find(apiKey)?.permissions, ["spot"]);
  const [, patched] = await Promise.all([
    operator.send("DELETE", path),
    operator.send("PATCH", path, '{"label":"back"}'),
  ]);
  assert.equal(patched.status, 404);
  assert.equal(operator.keys.directory.find(apiKey), null);
});

test("secrets are told once: not in lists, refusals, logs or files", async () => {
  const told: string[] = [];
  const canaries = ["canary7passphrase", "canary spaced passphrase", operator.folder];
  const token = { authorization: "Bearer canary-token" };
  canaries.push("canary-token");
  for (let i = 0; i < 5; i++) canaries.push((await create()).secret);
  for (const call of await operator.documented()) {
    const path = call.path
      .replace("{uid}", String(uid))
      .replace("{apiKey}", operator.exchange.commands.flatMap(apiKeyOf).at(-1) ?? "")
      .replace(/\{\w+\}/, "USDT")
      .replace(/\{\w+\}/, "1");
    if (call.method === "GET") told.push((await operator.send("GET", path)).text);
    told.push((await operator.send(call.method, path, undefined, token)).text);
    if (call.method === "DELETE") continue;
    const wrong = { ...REQUEST, passphrase: "canary spaced passphrase" };
    told.push((await operator.send(call.method, path, JSON.stringify(wrong))).text);
  }
  const extra = { ...REQUEST, secret: "canary7passphrase" };
  told.push((await operator.send("POST", keysPath(), JSON.stringify(extra))).text);
  operator.exchange.beforeCommand = () => {
    throw new Error("inner failure");
  };
  told.push((await operator.send("POST", keysPath(), JSON.stringify(REQUEST))).text);
  operator.exchange.beforeCommand = () => undefined;
  const masterKey = readFileSync(join(operator.folder, "master.key"), "utf8").slice(2, -1);
  canaries.push(masterKey);
  const store = readFileSync(join(operator.folder, "keys.db"), "latin1");
  const commands = JSON.stringify(operator.exchange.commands);
  assert.ok(told.length > 50 && operator.logged.length > 10);
  for (const text of [...told, ...operator.logged, store, commands]) {
    for (const canary of canaries) assert.equal(text.includes(canary), false, text.slice(0, 300));
  }
});

function apiKeyOf(command: { readonly type: string; readonly apiKey?: string }): string[] {
  return command.type === "set-api-key" && command.apiKey !== undefined ? [command.apiKey] : [];
}

test("a search finds keys by each of their beginnings, however many sort before", async () => {
  const own = new OperatorFixture();
  own.exchange.historyScript = { "orders-by-id": () => [] };
  const user = await own.call<{ uid: number }>("POST", "/operator/v1/users", {});
  const keys: string[] = [];
  for (let count = 0; count < 60; count++) {
    const path = `/operator/v1/users/${user.uid}/api-keys`;
    keys.push((await own.call<Created>("POST", path, REQUEST)).apiKey);
  }
  for (const apiKey of keys) {
    for (const length of [7, 8, 9, apiKey.length]) {
      const text = apiKey.slice(0, length);
      const { items } = await own.call<Found>("GET", `/operator/v1/search/${text}`);
      const ids = items.map(({ id }) => id);
      const due = keys.filter((key) => key.startsWith(text)).sort();
      assert.deepEqual(ids, due.slice(0, 20), text);
    }
  }
  await own.close();
});

interface Found {
  readonly items: readonly { readonly id: string }[];
}
