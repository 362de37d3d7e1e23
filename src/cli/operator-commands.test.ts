/**
 * Proves the commands about a running exchange against a real one: the operator API confirms each
 * change, `--json` prints its response, the audit log has the actor, and failures (nothing listens,
 * wrong port, wrong token, a refusal) say what to do.
 */
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { after, before } from "node:test";
import { freePort } from "../../test/support/free-port.ts";
import { PROGRAM } from "../../test/support/program.ts";
import { startExchange, type TestExchange } from "../testing/index.ts";

const folder = mkdtempSync(join(tmpdir(), "rialto-cli-"));
let exchange: TestExchange;

before(async () => {
  exchange = await startExchange();
});
after(async () => {
  await exchange.stop();
  rmSync(folder, { recursive: true, force: true });
});

interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Asynchronous, because one test answers the command itself. */
function runWith(env: Readonly<Record<string, string>>, args: readonly string[], input = "") {
  return new Promise<Ran>((resolve) => {
    const child = spawn(process.execPath, [PROGRAM, ...args], { env: { ...process.env, ...env } });
    let [stdout, stderr] = ["", ""];
    child.stdout.on("data", (chunk: Buffer) => (stdout += chunk.toString("utf8")));
    child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString("utf8")));
    child.on("close", (code) => resolve({ code, stdout, stderr }));
    child.stdin.end(input);
  });
}

function run(...args: readonly string[]): Promise<Ran> {
  return runWith(
    { RIALTO_OPERATOR_URL: exchange.operatorUrl, RIALTO_OPERATOR_TOKEN: exchange.operatorToken },
    args,
  );
}

async function text(...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await run(...args);
  assert.deepEqual([code, stderr], [0, ""], args.join(" "));
  return stdout;
}

async function json<Answer>(...args: readonly string[]): Promise<Answer> {
  return JSON.parse(await text(...args, "--json")) as Answer;
}

function operatorApi<Answer>(path: string): Promise<Answer> {
  return exchange.operator.call<Answer>("GET", path);
}

test("users are registered, listed in pages, shown and changed", async () => {
  assert.match(await text("users", "create", "--uid", "7", "--kyc", "on"), /^user 7, invite code/);
  const { inviteCode } = await operatorApi<{ inviteCode: string }>("users/7");
  const invitee = await json<{ uid: number }>("users", "create", "--invite-code", inviteCode);
  const user = await operatorApi<{ inviterUid: number }>(`users/${invitee.uid}`);
  assert.equal(user.inviterUid, 7);
  assert.deepEqual(await json("users", "list"), await operatorApi("users"));
  const page = await text("users", "list", "--limit", "1");
  assert.match(page, /^7 +active +yes/m);
  assert.match(page, /There are more: --after 7\n$/);
  assert.doesNotMatch(await text("users", "list", "--after", "7"), /^7 /m);
  await text("users", "update", "7", "--state", "frozen", "--house", "on");
  const changed = await operatorApi<{ state: string; house: boolean; kyc: boolean }>("users/7");
  assert.partialDeepStrictEqual(changed, { state: "frozen", house: true, kyc: true });
  await text("users", "update", "7", "--state", "active", "--kyc", "off");
  const shown = await json<object>("users", "show", "7");
  assert.partialDeepStrictEqual(shown, {
    ...(await operatorApi<object>("users/7")),
    balances: await operatorApi("users/7/balances"),
    feeRates: [],
  });
});

test("funds move once per id, and the id is told where it was drawn", async () => {
  await text("users", "create", "--uid", "8");
  const id = /id (cli-[0-9a-f-]+)/.exec(await text("users", "deposit", "8", "100", "USDT"))?.[1];
  assert.partialDeepStrictEqual(await operatorApi(`users/8/deposits/${id}`), {
    account: "spot",
    amount: "100",
  });
  const withdrawal = ["users", "withdraw", "8", "40", "USDT", "--id", "case-88"];
  assert.deepEqual(await json(...withdrawal), { id: "case-88", balance: "60" });
  assert.deepEqual(await json(...withdrawal), { id: "case-88", balance: "60" });
  const transfer = ["users", "transfer", "8", "10", "USDT", "--from", "spot", "--to", "contract"];
  assert.match(await text(...transfer), /the contract wallet holds 10 now/);
  await text("users", "deposit", "8", "5", "USDT", "--account", "contract");
  const deposit = ["users", "deposit", "8", "1.5", "USDT", "--account", "contract", "--id", "one"];
  assert.deepEqual(await json(...deposit), { id: "one", balance: "16.5" });
  const again = await run("users", "withdraw", "8", "41", "USDT", "--id", "case-88", "--json");
  const { error } = JSON.parse(again.stderr) as { error: object };
  assert.equal(again.code, 1);
  assert.partialDeepStrictEqual(error, { code: "conflict", field: "id" });
});

test("fee rates are set and shown", async () => {
  await text("users", "create", "--uid", "9");
  const set = ["--product", "spot", "--maker", "0.0005", "--taker", "0.0008"];
  assert.match(await text("users", "set-fees", "9", ...set), /^spot +all +0\.0005 +0\.0008$/m);
  assert.deepEqual(await json("users", "fees", "9"), await operatorApi("users/9/fee-rates"));
});

test("keys are created, changed, listed and revoked; a secret is shown once", async () => {
  await text("users", "create", "--uid", "10");
  const ranges = ["--allow-ip", "10.0.0.0/8, 192.0.2.1"];
  const permissions = ["--permissions", "read,spot", "--label", "my bot"];
  const key = await json<{ apiKey: string; secret: string; passphrase: string }>(
    ...["keys", "create", "10", ...permissions, ...ranges],
  );
  assert.match(key.secret, /^[0-9a-f]{64}$/);
  assert.ok(key.passphrase.length > 20, "a drawn passphrase");
  assert.deepEqual(await json("keys", "show", key.apiKey), {
    apiKey: key.apiKey,
    uid: 10,
    label: "my bot",
    permissions: ["read", "spot"],
    ipAllowList: ["10.0.0.0/8", "192.0.2.1"],
    expiresAt: null,
  });
  const expiry = ["--expires-at", "2100-01-01T00:00:00+01:00", "--allow-ip", ""];
  const changed = await json<object>("keys", "update", key.apiKey, ...expiry);
  const expiresAt = Date.parse("2099-12-31T23:00:00Z");
  assert.partialDeepStrictEqual(changed, { expiresAt, ipAllowList: [], label: "my bot" });
  const forEver = await json<object>("keys", "update", key.apiKey, "--expires-at", "never");
  assert.partialDeepStrictEqual(forEver, { expiresAt: null });
  const listed = await text("keys", "list", "--user", "10");
  assert.ok(listed.includes(key.apiKey) && !listed.includes(key.secret));
  assert.equal(await text("keys", "revoke", key.apiKey), `${key.apiKey} is revoked\n`);
  assert.deepEqual(await json("keys", "list"), { items: [], next: null });
});

test("markets are listed from a file or standard input, and take what show prints", async () => {
  const pair = { baseAsset: "ETH", quoteAsset: "USDT" };
  const file = join(folder, "market.json");
  writeFileSync(file, JSON.stringify({ ...pair, tickSize: "0.01", stepSize: "0.001" }));
  const unlisted = await run("markets", "put", "spot", "ETHUSDT", file);
  assert.deepEqual([unlisted.code, unlisted.stdout], [1, ""]);
  assert.match(unlisted.stderr, /^rialto: Unknown asset/);
  await text("assets", "put", "ETH", "--coin-id", "3", "--name", "Ether");
  assert.match(await text("assets", "list"), /^ETH +3 +Ether +8$/m);
  await text("markets", "put", "spot", "ETHUSDT", file);
  const shown = await text("markets", "show", "spot", "ETHUSDT", "--json");
  assert.deepEqual(JSON.parse(shown), await operatorApi("markets/spot/ETHUSDT"));
  writeFileSync(file, shown.replace('"minNotional": "0"', '"minNotional": "5"'));
  const put = await json<object>("markets", "put", "spot", "ETHUSDT", file);
  assert.partialDeepStrictEqual(put, { minNotional: "5", tickSize: "0.01" });
  const tiers = [{ maxNotional: "1000", maintenanceMarginRate: "0.01", maxLeverage: 10 }];
  const rules = JSON.stringify({ ...pair, tickSize: "0.1", stepSize: "0.1", tiers });
  const args = ["markets", "put", "contract", "ETHUSDT", "-"];
  const env = {
    RIALTO_OPERATOR_URL: exchange.operatorUrl,
    RIALTO_OPERATOR_TOKEN: exchange.operatorToken,
  };
  assert.equal((await runWith(env, args, rules)).code, 0);
  assert.match(await text("markets", "state", "contract", "ETHUSDT", "halted"), /is halted/);
  const list = await text("markets", "list");
  assert.match(list, /^ETHUSDT +spot +trading/m);
  assert.match(list, /^ETHUSDT +contract +halted/m);
  const other = await run("markets", "put", "spot", "BTCUSDT", file);
  assert.match(other.stderr, /holds the rules of ETHUSDT, not of BTCUSDT/);
  writeFileSync(file, "[]");
  assert.match((await run("markets", "put", "spot", "BTCUSDT", file)).stderr, /not a JSON object/);
});

test("fault rules are set, listed with their hits, and removed", async () => {
  const lost = { match: { route: "GET /api/v3/time" }, when: { next: 1 } };
  const rule = JSON.stringify({ ...lost, seed: 5, fault: { kind: "answer", status: 429 } });
  const faults = ["sandbox", "faults"] as const;
  const set = await text(...faults, "set", "limit", rule);
  assert.match(set, /^limit +GET \/api\/v3\/time +next 1 +answer: status 429 +5 +0$/m);
  assert.equal((await fetch(`${exchange.url}/api/v3/time`)).status, 429);
  assert.equal((await fetch(`${exchange.url}/api/v3/time`)).status, 200);
  const listed = await json<{ items: readonly object[] }>(...faults, "list");
  assert.deepEqual(listed, await operatorApi("sandbox/faults"));
  // What is listed can be set again, from a file too.
  const file = join(folder, "fault.json");
  writeFileSync(file, JSON.stringify(listed.items[0]));
  assert.partialDeepStrictEqual(await json(...faults, "set", "again", file), { seed: 5, hits: 0 });
  assert.match(await text(...faults, "remove", "limit"), /^limit removed; .* 1 times$/m);
  assert.match(await text(...faults, "clear"), /^1 rules removed$/m);
  assert.equal(await text(...faults, "list"), "no fault rules\n");
  const bad = await run(...faults, "set", "x", '{"fault":{"kind":"boom"}}', "--json");
  const { error } = JSON.parse(bad.stderr) as { error: { code: string; field: string } };
  assert.deepEqual([bad.code, error.code, error.field], [1, "malformed", "fault.kind"]);
  assert.match((await run(...faults, "set", "x", "{")).stderr, /not a JSON object with a fault/);
  assert.match((await run(...faults, "set", "x", "none.json")).stderr, /no file none\.json/);
});

test("status, invariants and the actor in the audit", async () => {
  await text("users", "create", "--uid", "11", "--actor", "alice@desk");
  const { items } = await operatorApi<{ items: { actor: string; subject: string }[] }>(
    "audit?limit=1000",
  );
  assert.ok(items.some(({ actor }) => actor === "alice@desk"));
  assert.ok(items.some(({ actor }) => actor.startsWith("cli")));
  const status = await json<{ users: number; sequence: number }>("status");
  const { users, sequence } = await operatorApi<{ users: number; sequence: number }>("status");
  assert.deepEqual([status.users, status.sequence], [users, sequence]);
  assert.match(await text("status"), new RegExp(`^sequence +${sequence}$`, "m"));
  assert.deepEqual(await json("invariants"), await operatorApi("invariants"));
  assert.match(await text("invariants"), /^all hold, as of sequence \d+$/m);
});

test("what stands in the way is told with what to do", async () => {
  const { operatorToken: token, operatorUrl, dataFolder } = exchange;
  const port = await freePort();
  for (const [args, code, advice] of [
    [
      ["--operator-url", `http://127.0.0.1:${port}`, "--token", token],
      "unreachable",
      /rialto start/,
    ],
    [["--operator-url", exchange.url, "--token", token], "no-operator-plane", /Check the port/],
    [["--operator-url", operatorUrl, "--token", "wrong"], "unauthorized", /rejects the token/],
    [["--operator-url", operatorUrl, "--data-dir", folder], "no-token", /--data-dir/],
  ] as const) {
    const env = { RIALTO_OPERATOR_TOKEN: "", RIALTO_OPERATOR_URL: "" };
    const said = await runWith(env, ["users", "list", ...args]);
    assert.deepEqual([said.code, said.stdout], [1, ""]);
    assert.match(said.stderr, advice);
    const { stderr } = await runWith(env, ["users", "list", ...args, "--json"]);
    const { error } = JSON.parse(stderr) as { error: { code: string } };
    assert.equal(error.code, code);
  }
  assert.ok(dataFolder.length > 0);
});

test("an exchange is found by its data folder, and one that is gone is not", async () => {
  const port = String(await freePort());
  const env = { RIALTO_OPERATOR_URL: "", RIALTO_OPERATOR_PORT: port };
  const token = { RIALTO_OPERATOR_TOKEN: exchange.operatorToken };
  const status = ["status", "--data-dir", exchange.dataFolder];
  const file = join(exchange.dataFolder, "running.json");
  const record = JSON.parse(readFileSync(file, "utf8")) as object;
  assert.deepEqual(record, {
    pid: exchange.pid,
    url: exchange.url,
    operatorUrl: exchange.operatorUrl,
    operatorTokenFile: null,
    urls: exchange.ready.urls,
  });
  assert.equal((await runWith({ ...env, ...token }, status)).code, 0);
  const untold = await runWith({ ...env, RIALTO_OPERATOR_TOKEN: "" }, status);
  assert.match(untold.stderr, /^rialto: .* was given its operator token in RIALTO_OPERATOR_TOKEN/);

  const gone = spawnSync(process.execPath, ["-e", "0"]).pid;
  const other = join(folder, "gone");
  mkdirSync(other);
  writeFileSync(join(other, "running.json"), JSON.stringify({ ...record, pid: gone }));
  const stale = await runWith({ ...env, ...token }, ["status", "--data-dir", other]);
  assert.match(stale.stderr, new RegExp(`Nothing listens on \\S+:${port}\\. .* crashed`));
  writeFileSync(join(other, "running.json"), "{");
  const damaged = await runWith({ ...env, ...token }, ["status", "--data-dir", other]);
  assert.match(
    damaged.stderr,
    /running\.json does not contain an exchange.s addresses\. Remove it/,
  );

  const brief = await startExchange({ dataFolder: join(folder, "brief"), env: {} });
  assert.ok(existsSync(join(brief.dataFolder, "running.json")));
  await brief.stop();
  assert.ok(!existsSync(join(brief.dataFolder, "running.json")));
});

test("prices and the clock are shown and set", async () => {
  const contract = { baseAsset: "BTC", quoteAsset: "USDT", tickSize: "0.1", stepSize: "0.001" };
  const tiers = [{ maxNotional: "1000000", maintenanceMarginRate: "0.005", maxLeverage: 100 }];
  const rules = JSON.stringify({ ...contract, tiers });
  const put = ["markets", "put", "contract", "BTCUSDT", "-"];
  const listed = await runWith(
    { RIALTO_OPERATOR_URL: exchange.operatorUrl, RIALTO_OPERATOR_TOKEN: exchange.operatorToken },
    put,
    rules,
  );
  assert.equal(listed.code, 0, listed.stderr);
  assert.match(
    listed.stdout,
    /\n\ntiers\nmaxNotional +maintenanceMarginRate +maxLeverage\n1000000/,
  );
  assert.doesNotMatch(listed.stdout, /[{}]/);
  assert.equal(
    await text("prices", "set-index", "BTCUSDT", "60000"),
    "the index price of BTCUSDT is 60000\n",
  );
  assert.match(await text("prices", "list"), /^BTCUSDT +60000 +\S+Z +no$/m);
  assert.deepEqual(await json("prices", "list"), await operatorApi("index-prices"));
  const pin = ["prices", "pin-mark", "BTCUSDT"];
  assert.match(await text(...pin, "45000"), /mark price of BTCUSDT is 45000, pinned/);
  assert.match(await text("prices", "marks"), /^BTCUSDT +45000 +45000$/m);
  assert.match(await text(...pin, "none"), /not pinned/);
  const before = await json<{ time: number; offsetMs: number }>("clock", "show");
  const later = await json<{ time: number; offsetMs: number }>("clock", "advance", "8h");
  assert.equal(later.offsetMs - before.offsetMs, 8 * 3_600_000);
  assert.match(await text("clock", "show"), /^time +\S+Z\nahead by +\d+ ms\nspeed +1\n$/);
  assert.doesNotMatch(await text("status"), /[{}]/);
});

test("the clock is stopped, sped up and set forward, and wrong times are wrong usage", async () => {
  interface Clock {
    readonly time: number;
    readonly speed: number;
  }
  assert.match(await text("clock", "follow-market"), /^speed +follows the market$/m);
  assert.match(await text("clock", "freeze"), /^speed +frozen$/m);
  const { time, speed } = await json<Clock>("clock", "show");
  assert.equal(speed, 0);
  const laterMs = time + 60_000;
  assert.deepEqual(
    await json<Clock>("clock", "set", `${laterMs}`),
    await operatorApi("sandbox/clock"),
  );
  assert.equal((await json<Clock>("clock", "show")).time, laterMs);
  const day = new Date(laterMs + 86_400_000).toISOString();
  assert.equal((await json<Clock>("clock", "set", day)).time, laterMs + 86_400_000);
  assert.equal((await json<Clock>("clock", "speed", "60")).speed, 60);
  assert.equal((await json<Clock>("clock", "speed", "1")).speed, 1);
  for (const [command, value] of [
    ["set", "2030-01-01T08:00"],
    ["set", "2030-13-01"],
    ["set", "tomorrow"],
    ["speed", "0"],
    ["speed", "fast"],
  ] as const) {
    const wrong = await run("clock", command, value);
    assert.deepEqual([wrong.code, wrong.stdout], [2, ""], `${command} ${value}`);
  }
  const back = await run("clock", "set", "2020-01-01");
  assert.equal(back.code, 1);
  assert.match(back.stderr, /setMs/);
});

test("a change without an answer may have happened, and that is said", async (context) => {
  const silent = createServer((socket) => socket.once("data", () => socket.destroy()));
  silent.listen(0, "127.0.0.1");
  await new Promise((resolve) => silent.once("listening", resolve));
  context.after(() => silent.close());
  const { port } = silent.address() as AddressInfo;
  const to = ["--operator-url", `http://127.0.0.1:${port}`, "--token", "t"];
  const change = await runWith({}, ["users", "deposit", "7", "1", "USDT", ...to]);
  assert.match(change.stderr, /No response from .* Repeat movements of funds with the same --id/);
  const read = await runWith({}, ["users", "list", ...to]);
  assert.match(read.stderr, /No response from/);
  assert.doesNotMatch(read.stderr, /repeat/i);
});
