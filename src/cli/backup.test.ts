/**
 * Proves `rialto backup` and `rialto restore` as an operator runs them, beside a running exchange:
 * what they print and exit with, whose files they make, what a damaged backup leaves, and that a
 * restored exchange has the state, the orders and, with the master key put back, the keys.
 */
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import test, { after, before } from "node:test";
import { PROGRAM } from "../../test/support/program.ts";
import { seededRandom } from "../../test/support/random.ts";
import { startExchange, type TestExchange } from "../testing/index.ts";

const random = seededRandom("backup commands");
const folders = mkdtempSync(join(tmpdir(), "rialto-backup-"));
const TARGET = join(folders, "backup");

let exchange: TestExchange;

interface Invariants {
  readonly sequence: number;
  readonly stateHash: string;
}

before(async () => {
  exchange = await startExchange({ spot: ["BTCUSDT"], contracts: ["BTCUSDT"], sandbox: true });
});
after(async () => {
  await exchange.stop();
  rmSync(folders, { recursive: true, force: true });
});

function rialto(...args: readonly string[]) {
  const run = spawnSync(process.execPath, [PROGRAM, ...args], { encoding: "utf8" });
  return { status: run.status, stdout: run.stdout, stderr: run.stderr };
}

function backUp(target = TARGET): Record<string, unknown> {
  const run = rialto("backup", target, "--data-dir", exchange.dataFolder, "--json");
  assert.equal(run.status, 0, run.stderr);
  assert.match(run.stderr, /does not have .*master\.key.*Keep a copy/);
  return JSON.parse(run.stdout);
}

let made = 0;
function newFolder(): string {
  made++;
  return join(folders, `new-${made}`);
}

function invariants(): Promise<Invariants> {
  return exchange.operator.call<Invariants>("GET", "invariants");
}

/** Every file and folder below, with its mode. */
function modesIn(folder: string): readonly (readonly [path: string, mode: number])[] {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
  return ["", ...names].map((name) => [name, statSync(join(folder, name)).mode & 0o777]);
}

function assertPrivate(folder: string): void {
  for (const [path, mode] of modesIn(folder)) {
    const isFolder = statSync(join(folder, path)).isDirectory();
    assert.equal(mode.toString(8), isFolder ? "700" : "600", path);
  }
}

test("a backup of a running exchange has what it acknowledged, and is nobody else's", async () => {
  process.umask(0o022);
  const user = await exchange.createUser({ spot: { USDT: "1000" } });
  const { sequence } = await invariants();
  const document = backUp();
  assert.deepEqual(Object.keys(document), ["target", "sequence", "files", "bytes", "verified"]);
  assert.ok((document.sequence as number) >= sequence);
  assert.equal(document.verified, true);
  assert.equal(document.target, TARGET);
  assertPrivate(TARGET);
  const all = readdirSync(TARGET, { recursive: true, encoding: "utf8" }).join(" ");
  assert.doesNotMatch(all, /master|token|lock|\.tmp|history/);
  const text = readdirSync(TARGET, { recursive: true, encoding: "utf8" })
    .filter((name) => statSync(join(TARGET, name)).isFile())
    .map((name) => readFileSync(join(TARGET, name), "latin1"))
    .join("");
  for (const secret of [user.secret, exchange.operatorToken]) assert.ok(!text.includes(secret));
});

test("a restore to any command has its state; a later backup keeps it", async () => {
  const states: Invariants[] = [];
  for (let uid = 100; uid < 102; uid++) {
    await exchange.createUser({ uid, spot: { USDT: "10" } });
    states.push(await invariants());
    if (uid === 100) await exchange.operator.call("POST", "snapshots");
    backUp();
  }
  for (const { sequence, stateHash } of states) {
    const folder = newFolder();
    const flags = ["--data-dir", folder, "--to-sequence", String(sequence), "--json"];
    const run = rialto("restore", TARGET, ...flags);
    assert.equal(run.status, 0, run.stderr);
    assert.deepEqual(JSON.parse(run.stdout), { sequence, stateHash });
    assert.match(run.stderr, /put the master key back as .*master\.key/);
    assertPrivate(folder);
  }
});

test("a restored exchange is another venue, and goes on once it has its master key", async () => {
  const user = await exchange.createUser({ uid: 200, spot: { USDT: "5000" } });
  const client = await exchange.client(user);
  await client.spot.placeOrder({
    symbol: "BTCUSDT",
    side: "BUY",
    type: "LIMIT",
    quantity: "0.01",
    price: "50000",
    newClientOrderId: "before-the-loss",
  });
  const { stateHash } = await invariants();
  backUp();
  const folder = newFolder();
  assert.equal(rialto("restore", TARGET, "--data-dir", folder, "--verify").status, 0);
  const without = rialto("start", "--data-dir", folder, "--sandbox", "--port", "0");
  assert.equal(without.status, 78);
  assert.match(without.stderr, /master\.key is gone, but .*keys\.db was sealed with it/);
  const venueOf = (path: string) => JSON.parse(readFileSync(join(path, "venue.json"), "utf8"));
  const [old, restored] = [venueOf(exchange.dataFolder), venueOf(folder)];
  assert.notEqual(restored.id, old.id);
  assert.equal(restored.origin.id, old.id);
  copyFileSync(join(exchange.dataFolder, "master.key"), join(folder, "master.key"));
  const replayed = rialto("journal", "replay", "--data-dir", folder, "--json");
  assert.equal(JSON.parse(replayed.stdout).stateHash, stateHash);
  await using again = await startExchange({ dataFolder: folder });
  const { id: venue, origin } = restored;
  const mark = { venue, restoredSequence: origin.sequence };
  const ready = await fetch(new URL("/health/ready", again.url));
  assert.deepEqual(await ready.json(), { status: "ready", ...mark });
  assert.equal(ready.headers.get("x-rialto-venue"), venue);
  assert.deepEqual(await firstMessage(again), { event: "venue", ...mark });
  const there = await fetch(new URL("/health/ready", exchange.url));
  assert.deepEqual(await there.json(), { status: "ready" });
  assert.equal(there.headers.get("x-rialto-venue"), old.id);
  const answerOf = ({ url }: TestExchange) => fetch(new URL("/api/v3/time", url));
  assert.equal((await answerOf(again)).headers.get("x-rialto-venue"), venue);
  assert.equal((await answerOf(exchange)).headers.get("x-rialto-venue"), null);
  const restoredClient = await again.client(user);
  const orders = await restoredClient.spot.openOrders({ symbol: "BTCUSDT" });
  assert.deepEqual(
    orders.map(({ clientOrderId }) => clientOrderId),
    ["before-the-loss"],
  );
});

async function firstMessage({ url }: TestExchange): Promise<unknown> {
  const socket = new WebSocket(`${url.replace("http:", "ws:")}/v3/ws/public`);
  const [message] = (await once(socket, "message")) as [{ readonly data: string }];
  socket.close();
  return JSON.parse(message.data);
}

test("what cannot be restored is refused with 1, and says why", async () => {
  const { sequence } = backUp();
  const full = newFolder();
  mkdirSync(full);
  writeFileSync(join(full, "mine"), "");
  const empty = newFolder();
  const cases: readonly (readonly [RegExp, ...string[]])[] = [
    [/is not empty \(mine\)/, TARGET, "--data-dir", full],
    [new RegExp(`ends with sequence ${sequence}\\.`), TARGET, "--to-sequence", "99999999"],
    [new RegExp(`ends with sequence ${sequence} `), TARGET, "--to-time", "2999-01-01T00:00:00Z"],
    [/has no command at that time/, TARGET, "--to-time", "1000"],
    [/is incomplete/, join(folders, "nowhere")],
  ];
  for (const [message, ...args] of cases) {
    const run = rialto("restore", "--data-dir", empty, "--json", ...args);
    assert.equal(run.status, 1, run.stderr);
    assert.equal(run.stdout, "");
    assert.match(JSON.parse(run.stderr).error.message, message);
  }
  assert.deepEqual(readdirSync(full), ["mine"]);
  assert.ok(!existsSync(empty) || readdirSync(empty).length === 0);
  for (const flags of [
    ["--to-sequence", "0"],
    ["--to-time", "yesterday"],
    ["--every", "0s"],
  ]) {
    const command = flags[0] === "--every" ? "backup" : "restore";
    assert.equal(rialto(command, TARGET, ...flags).status, 2);
  }
});

test("damage of any file is 65, names it and leaves the new folder empty", () => {
  const flip = (path: string): void => {
    const bytes = readFileSync(path);
    const at = random.integer(0, bytes.length - 1);
    bytes.writeUInt8(bytes.readUInt8(at) ^ 0x10, at);
    writeFileSync(path, bytes);
  };
  const shorten = (path: string): void => truncateSync(path, statSync(path).size - 1);
  const remove = (path: string): void => rmSync(path);
  const names = readdirSync(TARGET, { recursive: true, encoding: "utf8" });
  const damages: readonly (readonly [RegExp, (path: string) => void])[] = [
    [/^manifest/, flip],
    [/^manifest/, shorten],
    [/^journal\/.*segment/, remove],
    [/^snapshots\/.*snapshot/, flip],
    [/^keys/, shorten],
  ];
  for (const [pattern, damage] of damages) {
    const name = random.pick(names.filter((candidate) => pattern.test(candidate)));
    const copy = newFolder();
    cpSync(TARGET, copy, { recursive: true });
    damage(join(copy, name));
    const folder = newFolder();
    mkdirSync(folder);
    const run = rialto("restore", copy, "--data-dir", folder, "--to-sequence", "1", "--json");
    assert.equal(run.status, 65, name);
    const { code, message } = JSON.parse(run.stderr).error;
    assert.equal(code, "damaged-backup");
    assert.ok(message.startsWith(join(copy, name)), message);
    assert.deepEqual(readdirSync(folder), []);
  }
});

test("a restore that was killed keeps an exchange off, and the next one begins anew", () => {
  const folder = newFolder();
  mkdirSync(join(folder, "journal"), { recursive: true });
  writeFileSync(join(folder, "journal/0000000000000001.segment"), "half of it");
  writeFileSync(join(folder, "restore.unfinished"), "");
  const started = rialto("start", "--data-dir", folder, "--port", "0", "--operator-port", "0");
  assert.equal(started.status, 78);
  assert.match(started.stderr, /restore into .* did not end/);
  assert.equal(rialto("restore", TARGET, "--data-dir", folder).status, 0);
});

test("another exchange's backup and the data folder itself are no targets", async () => {
  await using other = await startExchange({});
  await other.createUser();
  const refused = rialto("backup", TARGET, "--data-dir", other.dataFolder);
  assert.equal(refused.status, 1);
  assert.match(refused.stderr, /lacks: .*Name another folder/);
  const within = join(exchange.dataFolder, "backup");
  assert.match(rialto("backup", within, "--data-dir", exchange.dataFolder).stderr, /within each/);
  assert.ok(!existsSync(within));
});

test("with --every it goes on: a moment later the backup has what came", async (context) => {
  const target = newFolder();
  const flags = [target, "--data-dir", exchange.dataFolder, "--every", "1s", "--json"];
  const child = spawn(process.execPath, [PROGRAM, "backup", ...flags]);
  context.after(() => child.kill("SIGKILL"));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async () => JSON.parse((await lines.next()).value ?? "null").sequence as number;
  await next();
  await exchange.createUser();
  const { sequence } = await invariants();
  while ((await next()) < sequence);
  child.kill("SIGTERM");
  const [code] = await once(child, "close");
  assert.equal(code, 0);
  const doctor = rialto("doctor", "--data-dir", exchange.dataFolder, "--json");
  const checks = JSON.parse(doctor.stdout).checks as { name: string; finding: string }[];
  assert.match(checks.find(({ name }) => name === "backup")?.finding ?? "", /sequence \d+ in \//);
});
