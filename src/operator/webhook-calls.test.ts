/**
 * Proves the calls about webhooks against the real engine and the real sender, whose requests are
 * caught: created with a secret that is shown once and never read back, changed, paused, tested,
 * redelivered, given a new secret, removed; URLs that must not be requested are refused. A call
 * that no test makes fails the suite.
 */
import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import test, { after, before } from "node:test";
import { isWebhookCall, OperatorFixture } from "../../test/support/operator-fixture.ts";
import { RULES_VERSION } from "../engine/index.ts";
import type { HistoryQuestion } from "../queries/history-port.ts";

let operator: OperatorFixture;

const V1 = "/operator/v1";
const refused = (method: string, path: string, body?: unknown) =>
  operator.refusal(method, `${V1}/${path}`, body);
const call = <Answer = Record<string, unknown>>(method: string, path: string, body?: unknown) =>
  operator.call<Answer>(method, `${V1}/${path}`, body);

interface Secret {
  readonly webhookId: string;
  readonly secret: string;
}

const create = (body: object) => call<Secret>("POST", "webhooks", body);

function eventOf(number: number) {
  return { number, sequence: number, timeMs: 7, type: "market-state-set", uid: 0, data: "{}" };
}

before(async () => {
  operator = new OperatorFixture();
  await operator.exchange.client.execute({ type: "adopt-rules", version: RULES_VERSION });
  await call("POST", "users", { uid: 7 });
  operator.exchange.historyScript = {
    "webhook-events": ({ afterNumber, limit }: HistoryQuestion<"webhook-events">) => {
      const events = [1, 2, 3].filter((number) => number > afterNumber).map(eventOf);
      return { lastNumber: 3, events: events.slice(0, limit) };
    },
  };
});
after(() => operator.close());

test("a webhook is created, changed, paused, and removed", async () => {
  const { webhookId, secret } = await create({
    url: "https://example.com/hook?x=1",
    kinds: ["halts", "fills"],
    accounts: [7],
  });
  assert.match(webhookId, /^wh_[0-9a-f]{16}$/);
  assert.match(secret, /^whsec_[0-9a-f]{64}$/);
  const created = await call("GET", `webhooks/${webhookId}`);
  assert.deepEqual(created, {
    webhookId,
    url: "https://example.com/hook?x=1",
    kinds: ["fills", "halts"],
    accounts: [7],
    paused: false,
    added: operator.exchange.wallMs,
    hasSecret: true,
    deliveredNumber: 0,
    lastNumber: 3,
    ...{ failures: 0, failingSince: null, lastError: null },
  });
  const changes = { url: "http://127.0.0.1:9/", kinds: ["deposits"], accounts: [], paused: true };
  const changed = await call("PATCH", `webhooks/${webhookId}`, changes);
  assert.deepEqual(changed, { ...created, ...changes });
  assert.deepEqual(await call("GET", "webhooks"), { items: [changed] });
  const { items } = await call<{ items: { action: string }[] }>("GET", "audit");
  const actions = items.map(({ action }) => action).filter((action) => action.startsWith("webh"));
  assert.deepEqual(actions, ["webhook-set", "webhook-set"]);

  const texts = [
    ...operator.logged,
    JSON.stringify(operator.exchange.events),
    JSON.stringify(items),
  ];
  assert.ok(
    texts.every((text) => !text.includes(secret)),
    "the secret is in no event or log",
  );
  const file = readdirSync(operator.folder).filter((name) => name.startsWith("webhooks.db"));
  assert.ok(file.length > 0);
  for (const name of file) {
    assert.equal(statSync(join(operator.folder, name)).mode & 0o077, 0, `${name} is private`);
  }
  assert.deepEqual(await call("DELETE", `webhooks/${webhookId}`), { webhookId });
  const gone = await refused("GET", `webhooks/${webhookId}`);
  assert.deepEqual(gone, [404, "unknown-id", "webhookId"]);
  const stored = readFileSync(join(operator.folder, "webhooks.db"), "latin1");
  assert.ok(!stored.includes(secret) || file.length > 1, "forgotten");
});

test("tests and redeliveries are sent once and told in the list of deliveries", async () => {
  const { webhookId } = await create({ url: "https://example.com/", kinds: ["halts"] });
  const path = `webhooks/${webhookId}`;
  operator.posted.length = 0;
  const tested = await call("POST", `${path}/tests`);
  assert.partialDeepStrictEqual(tested, { kind: "test", delivered: true, status: 200, attempt: 1 });
  operator.postOutcome = { status: 301 };
  const redirected = await call("POST", `${path}/redeliveries`, { number: 2 });
  const second = { firstNumber: 2, lastNumber: 2, kind: "redelivery" };
  assert.partialDeepStrictEqual(redirected, { ...second, delivered: false, status: 301 });
  operator.postOutcome = { error: "ECONNREFUSED" };
  const failed = await call("POST", `${path}/redeliveries`, { number: 3 });
  assert.partialDeepStrictEqual(failed, { delivered: false, status: null, error: "ECONNREFUSED" });
  const bodies = operator.posted.map(({ body }) => JSON.parse(body));
  assert.deepEqual(bodies[0], { webhookId, venue: "venue-1", kind: "test", events: [] });
  const event = { number: 2, type: "market-state-set", uid: null, time: 7, sequence: 2, data: {} };
  assert.deepEqual(bodies[1].events, [event]);
  const unknown = await refused("POST", `${path}/redeliveries`, { number: 4 });
  assert.deepEqual(unknown, [404, "unknown-id", "number"]);

  const list = `${path}/deliveries`;
  assert.deepEqual(await call("GET", list), { items: [failed, redirected, tested], next: null });
  assert.deepEqual(await call("GET", `${list}?limit=2`), { items: [failed, redirected], next: 2 });
  assert.deepEqual(await call("GET", `${list}?before=2`), { items: [tested], next: null });
});

test("a new secret signs from then on, and may say where to go on", async () => {
  const { webhookId, secret } = await create({ url: "https://example.com/", kinds: ["halts"] });
  const renewed = await call<Secret>("POST", `webhooks/${webhookId}/secret`, { after: 2 });
  assert.notEqual(renewed.secret, secret);
  const { deliveredNumber } = await call("GET", `webhooks/${webhookId}`);
  assert.equal(deliveredNumber, 2);
  await call("POST", `webhooks/${webhookId}/secret`);
  assert.equal((await call("GET", `webhooks/${webhookId}`)).deliveredNumber, 2);
  const unknown = await refused("POST", "webhooks/wh_0000000000000000/secret");
  assert.deepEqual(unknown, [404, "unknown-id", "webhookId"]);
});

test("what must not be requested is no URL of a webhook", async () => {
  const { webhookId } = await create({ url: "https://example.com/", kinds: ["halts"] });
  for (const url of [
    "http://example.com/",
    "ftp://example.com/",
    "https://user:password@example.com/",
    "https://example.com/#part",
    "https://10.0.0.1/",
    "https://169.254.169.254/latest/meta-data",
    "https://[fd00::1]/",
    "https://[::ffff:10.0.0.1]/",
    "https://0x0a000001/",
    "http://192.168.1.1/",
    "nothing",
  ]) {
    const settings = { url, kinds: ["halts"] };
    assert.deepEqual(await refused("POST", "webhooks", settings), [400, "malformed", "url"], url);
    const changed = await refused("PATCH", `webhooks/${webhookId}`, { url });
    assert.deepEqual(changed, [400, "malformed", "url"], url);
  }
  const noAccounts = { url: "https://example.com/", kinds: ["fills"] };
  assert.deepEqual(await refused("POST", "webhooks", noAccounts), [400, "malformed", "accounts"]);
  const stranger = { ...noAccounts, accounts: [99] };
  assert.deepEqual(await refused("POST", "webhooks", stranger), [400, "unknown-user", "accounts"]);
});

test("custody is compared with what the exchange owes, and the last report is kept", async () => {
  const path = "custody/balances";
  const nothing = { asOf: null, reported: null, actor: null, items: [] };
  assert.deepEqual(await call("GET", path), nothing);
  await call("PUT", "assets/USDT", { coinId: 2, name: "Tether", scale: 6 });
  await call("POST", "users/7/deposits", { id: "d", account: "spot", asset: "USDT", amount: "50" });
  const balances = [{ asset: "USDT", amount: "49.5" }];
  const compared = await call("POST", path, { balances });
  const amounts = { liability: "50", reported: "49.5", difference: "-0.5", shortage: "0.5" };
  assert.partialDeepStrictEqual(compared, { items: [{ asset: "USDT", ...amounts }] });
  assert.equal(compared.asOf, compared.reported);
  assert.deepEqual(await call("GET", path), compared);
  const future = await refused("POST", path, { asOf: 4_000_000_000_000, balances });
  assert.deepEqual(future, [400, "out-of-range", "asOf"]);
});

test("every documented call about webhooks was made", async () => {
  const documented = (await operator.documented()).filter(isWebhookCall);
  const all = documented.map(({ operation }) => operation.operationId);
  assert.equal(all.length, 11);
  const missing = all.filter((id) => !operator.answeredCalls.has(id));
  assert.deepEqual(missing, []);
});
