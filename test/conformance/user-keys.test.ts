/**
 * Proves what users can do with keys of their own on a real exchange: a key with the permission
 * `keys` makes others that are in no respect more than itself, which work at once and after a
 * restart, and ends those that it could have made; nobody reaches another user's; a new key holds
 * withdrawals; the audit log says which key did it; and no secret is in it.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { ExchangeProcess } from "../support/exchange-process.ts";
import { issueKey, openAccount, type Permission } from "../support/exchange-setup.ts";
import { type Credentials, SignedClient } from "../support/signed-client.ts";

const PATH = "/api/v3/apiKey";
const PASSPHRASE = "of-the-user-1";
const DAY_MS = 86_400_000;

interface Listed {
  readonly apiKey: string;
  readonly label: string;
  readonly permissions: readonly string[];
  readonly ipAllowList: readonly string[];
  readonly expiresAt: number;
  readonly isThis: boolean;
}

class Keeper {
  readonly client: SignedClient;
  readonly credentials: Credentials;

  constructor(exchange: ExchangeProcess, credentials: Credentials) {
    this.credentials = credentials;
    this.client = new SignedClient(exchange.port, credentials);
  }

  async make(permissions: readonly string[], more: object = {}): Promise<Credentials> {
    const terms = { permissions, passphrase: PASSPHRASE, ...more };
    const { status, body } = await this.client.post(PATH, terms);
    assert.equal(status, 200, JSON.stringify(body));
    return { ...(body as { apiKey: string; secret: string }), passphrase: PASSPHRASE };
  }

  async refused(permissions: readonly string[], more: object = {}): Promise<string> {
    const terms = { permissions, passphrase: PASSPHRASE, ...more };
    const { status, text } = await this.client.post(PATH, terms);
    assert.notEqual(status, 200, text);
    return text;
  }

  list(): Promise<readonly Listed[]> {
    return this.client.v3<Listed[]>("/api/v3/apiKeys");
  }
}

const clients: SignedClient[] = [];
let exchange: ExchangeProcess;
let uid: number;
let present: Keeper;

before(async () => {
  exchange = await ExchangeProcess.start();
  const opened = await openAccount(exchange, { USDT: "1000" });
  clients.push(opened.client);
  uid = opened.uid;
  present = await keeperOf(["read", "spot", "keys"]);
});

after(async () => {
  for (const client of clients) client.close();
  await exchange.stop();
});

const issue = (permissions: readonly Permission[], ranges?: readonly string[]) =>
  issueKey(exchange, uid, permissions, ranges);

function open(credentials: Credentials): Keeper {
  const keeper = new Keeper(exchange, credentials);
  clients.push(keeper.client);
  return keeper;
}

async function keeperOf(
  permissions: readonly Permission[],
  ranges?: readonly string[],
): Promise<Keeper> {
  return open(await issue(permissions, ranges));
}

const clientOf = (credentials: Credentials): SignedClient => open(credentials).client;

test("a new key works at once, and after kill -9", async () => {
  const made = await present.make(["read"], { label: "tax" });
  assert.equal((await clientOf(made).get("/api/v3/account")).status, 200);
  assert.equal((await clientOf(made).post(PATH, {})).status, 403);
  const listed = (await present.list()).find(({ apiKey }) => apiKey === made.apiKey);
  assert.deepEqual(listed, {
    apiKey: made.apiKey,
    label: "tax",
    permissions: ["read"],
    ipAllowList: [],
    expiresAt: 0,
    isThis: false,
  });
  await exchange.kill("SIGKILL");
  await exchange.restart();
  present = open(present.credentials);
  assert.equal((await clientOf(made).get("/api/v3/account")).status, 200);
  assert.equal((await present.client.delete(PATH, { apiKey: made.apiKey })).status, 200);
  assert.equal((await clientOf(made).get("/api/v3/account")).status, 401);
  assert.equal((await present.client.delete(PATH, { apiKey: made.apiKey })).status, 400);
});

test("it has no more than the one that signs", async () => {
  assert.match(await present.refused(["read", "contract"]), /does not have contract/);
  assert.match(await present.refused(["withdraw"]), /permissions/);
  assert.match(await present.refused(["keys"]), /permissions/);
  assert.match(await present.refused([]), /permissions/);
  assert.match(await present.refused(["read"], { passphrase: "short" }), /passphrase/);
  assert.match(await present.refused(["read"], { ipAllowList: ["300.0.0.1"] }), /ipAllowList/);
  assert.match(await present.refused(["read"], { expiresAt: 1 }), /expiresAt/);

  const bound = await keeperOf(["read", "keys"], ["127.0.0.1", "::1"]);
  assert.match(await bound.refused(["read"], { ipAllowList: [] }), /ipAllowList/);
  assert.match(await bound.refused(["read"], { ipAllowList: ["10.0.0.0/8"] }), /ipAllowList/);
  const { apiKey } = await bound.make(["read"]);
  const mine = (await bound.list()).find((key) => key.apiKey === apiKey);
  assert.deepEqual(mine?.ipAllowList, ["127.0.0.1", "::1"]);

  const { serverTime } = await present.client.v3<{ serverTime: number }>("/api/v3/time");
  const path = `/operator/v1/api-keys/${bound.credentials.apiKey}`;
  await exchange.operator.call("PATCH", path, { expiresAt: serverTime + DAY_MS });
  assert.match(await bound.refused(["read"], { expiresAt: 0 }), /expiresAt/);
  const later = serverTime + 2 * DAY_MS;
  assert.match(await bound.refused(["read"], { expiresAt: later }), /expiresAt/);
  const short = await bound.make(["read"]);
  const shortly = (await bound.list()).find((key) => key.apiKey === short.apiKey);
  assert.equal(shortly?.expiresAt, serverTime + DAY_MS);
});

test("it ends neither more than itself, nor a key with keys, nor a stranger's", async () => {
  const trading = await issue(["contract"]);
  const other = await issue(["read", "keys"]);
  const { credentials: stranger, client: theirs } = await openAccount(exchange);
  clients.push(theirs);
  const before = await exchange.operator.stateHash();
  for (const [apiKey, reason] of [
    [trading.apiKey, /does not have contract/],
    [other.apiKey, /only the operator/],
    [present.credentials.apiKey, /only the operator/],
  ] as const) {
    const { status, text } = await present.client.delete(PATH, { apiKey });
    assert.deepEqual([status, reason.test(text)], [400, true], text);
  }
  const none = stranger.apiKey.replace(/[0-9a-f]{8}$/, "00000000");
  const [answer, nothing] = await Promise.all(
    [stranger.apiKey, none].map((apiKey) => present.client.delete(PATH, { apiKey })),
  );
  assert.deepEqual([answer?.status, answer?.text], [400, nothing?.text]);
  assert.equal(await exchange.operator.stateHash(), before);
});

test("without the permission nothing is made, nor after it was taken away", async () => {
  const plain = await keeperOf(["read", "spot"]);
  assert.match(await plain.refused(["read"]), /-1052/);
  assert.equal((await plain.list()).filter(({ isThis }) => isThis).length, 1);
  const path = `/operator/v1/api-keys/${present.credentials.apiKey}`;
  await exchange.operator.call("PATCH", path, { permissions: ["read"] });
  assert.match(await present.refused(["read"]), /-1052/);
});

test("a new key holds withdrawals, and the audit log names the key", async () => {
  const rules = { minAmount: "1", addressHoldMs: 0, keyHoldMs: DAY_MS };
  await exchange.operator.call("PUT", "/operator/v1/withdrawal-rules/USDT", rules);
  const treasurer = await keeperOf(["read", "withdraw", "keys"]);
  await exchange.operator.advanceClock(2 * DAY_MS);
  const target = { asset: "USDT", network: "main", address: "a1" };
  const added = await treasurer.client.post("/api/v3/withdrawal/address", target);
  const { addressId } = added.body as { addressId: number };
  const ask = () => treasurer.client.post("/api/v3/withdrawal", { addressId, amount: "10" });
  assert.equal((await ask()).status, 200);
  const made = await treasurer.make(["read"]);
  const held = await ask();
  assert.deepEqual([held.status, /on hold/.test(held.text)], [400, true], held.text);
  const actor = encodeURIComponent(`key:${treasurer.credentials.apiKey}`);
  const audit = await exchange.operator.call<{ items: readonly object[] }>(
    "GET",
    `/operator/v1/audit?actor=${actor}`,
  );
  const text = JSON.stringify(audit);
  assert.equal(audit.items.length, 1, text);
  assert.match(text, new RegExp(made.apiKey));
  assert.doesNotMatch(text, new RegExp(`${made.secret}|${PASSPHRASE}`));
});
