/**
 * Proves the findings of a diagnosis: none for a healthy deployment; for each thing that is broken
 * on purpose in a copy of its folder, exactly the check for it, with a next step. A diagnosis
 * creates no file and changes none.
 */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { once } from "node:events";
import {
  chmodSync,
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { after, before } from "node:test";
import { startExchange, type TestExchange } from "../../testing/index.ts";
import type { Check } from "./check.ts";
import { type Diagnosis, diagnose } from "./diagnose.ts";
import { checkExchange, checkOperation, type Probe } from "./exchange-check.ts";
import { checkClock, lookAtJournal } from "./journal-checks.ts";
import { checkNode } from "./machine-checks.ts";

const folders = mkdtempSync(join(tmpdir(), "rialto-diagnosis-"));
const WELL = join(folders, "well");
let exchange: TestExchange;

before(async () => {
  exchange = await startExchange({ dataFolder: WELL, spot: ["BTCUSDT"] });
  await exchange.createUser({ spot: { USDT: "1000" } });
  await exchange.stop();
});
after(async () => {
  await exchange.stop();
  rmSync(folders, { recursive: true, force: true });
});

const NOBODY: Probe = { kind: "nobody", message: "nothing listens there" };

interface Circumstances {
  readonly probe?: Probe;
  readonly masterKeyFile?: string;
  readonly port?: number;
}

function look(dataFolder: string, circumstances: Circumstances = {}): Promise<Diagnosis> {
  return diagnose({
    dataFolder,
    masterKeyFile: circumstances.masterKeyFile ?? null,
    operatorToken: null,
    addresses: [{ host: "127.0.0.1", port: circumstances.port ?? 0, flag: "--port" }],
    operatorUrl: "http://127.0.0.1:8081",
    probe: () => Promise.resolve(circumstances.probe ?? NOBODY),
  });
}

let copies = 0;

function copyOfWell(): string {
  const folder = join(folders, `copy-${++copies}`);
  cpSync(WELL, folder, { recursive: true });
  chmodSync(folder, 0o700);
  return folder;
}

/** The failed checks and warnings, except that no exchange is running. */
function complaints({ checks }: Diagnosis): readonly Check[] {
  return checks.filter(({ name, outcome }) => outcome !== "ok" && name !== "exchange");
}

function fingerprint(folder: string): string {
  const hash = createHash("sha256");
  for (const name of globSync("**/*.*", { cwd: folder }).sort()) {
    hash.update(name).update(readFileSync(join(folder, name)));
  }
  return hash.digest("hex");
}

test("a folder that is well has no complaint, and looking leaves no trace", async () => {
  const before = fingerprint(WELL);
  const diagnosis = await look(WELL);
  assert.deepEqual(complaints(diagnosis), []);
  assert.equal(diagnosis.outcome, "warn");
  assert.match(diagnosis.checks.at(-1)?.next ?? "", /npm start/);
  assert.equal(fingerprint(WELL), before);
});

test("while an exchange runs, its folder is in use and its health counts", async () => {
  const folder = copyOfWell();
  await using running = await startExchange({ dataFolder: folder });
  const operation = { shortages: null, failingWebhooks: [], metrics: "" };
  const health = { sequence: 9, violations: [], historyLag: 0, nearlyFull: false };
  const answered = { ...health, ...operation };
  const port = Number(new URL(running.url).port);
  const well = await look(folder, { port, probe: { kind: "answered", ...answered } });
  assert.equal(well.outcome, "ok", JSON.stringify(complaints(well)));
  const gone = await look(folder);
  assert.equal(gone.outcome, "fail");
  assert.match(
    gone.checks.at(-1)?.finding ?? "",
    /an exchange uses the folder, but nothing listens/,
  );
});

/** How the copy is broken, which check notices, and what it reports. */
const BREAKAGES: readonly (readonly [
  string,
  (folder: string) => void,
  Check["outcome"],
  RegExp,
])[] = [
  ["data-folder", (folder) => chmodSync(folder, 0o755), "warn", /other users can read/],
  [
    "data-folder",
    (folder) => chmodSync(join(folder, "venue.json"), 0o640),
    "warn",
    /other users can read .*venue\.json \(1 paths/,
  ],
  [
    "venue",
    (folder) => writeFileSync(join(folder, "venue.json"), "{"),
    "fail",
    /venue\.json is damaged/,
  ],
  ["venue", (folder) => rmSync(join(folder, "venue.json")), "fail", /venue\.json is missing/],
  [
    "master-key",
    (folder) => rmSync(join(folder, "master.key")),
    "fail",
    /master\.key is gone, but .*keys\.db was sealed with it/,
  ],
  [
    "master-key",
    (folder) => chmodSync(join(folder, "master.key"), 0o644),
    "fail",
    /may be read or written by others/,
  ],
  [
    "operator-token",
    (folder) => writeFileSync(join(folder, "operator.token"), "token\n", { mode: 0o640 }),
    "fail",
    /may be read or written by others/,
  ],
  ["journal", (folder) => damageJournal(folder), "fail", /the header ring has a commit/],
  [
    "journal",
    (folder) => rmSync(join(folder, "journal/header.ring")),
    "warn",
    /header\.ring is missing/,
  ],
  [
    "snapshots",
    (folder) => writeFileSync(newestSnapshot(folder), "no snapshot"),
    "warn",
    /\.snapshot: /,
  ],
  [
    "history",
    (folder) => writeFileSync(historyOf(folder), "no database, but text that is long enough"),
    "warn",
    /is damaged/,
  ],
  [
    "history",
    (folder) => writeFileSync(`${historyOf(folder)}.damaged`, "so it was found", { mode: 0o600 }),
    "warn",
    /is damaged/,
  ],
  [
    "history",
    (folder) => renameSync(historyOf(folder), join(folder, "history-v1.db")),
    "warn",
    /history-v1\.db has another version/,
  ],
  ["history", (folder) => rmSync(historyOf(folder)), "warn", /does not exist; missing/],
];

/** Breaks the last command; the header ring still records its commit. */
function damageJournal(folder: string): void {
  const [path] = globSync(join(folder, "journal/*.segment"));
  const bytes = readFileSync(path as string);
  const end = bytes.findLastIndex((byte) => byte !== 0);
  bytes.writeUInt8(bytes.readUInt8(end) ^ 1, end);
  writeFileSync(path as string, bytes);
}

function newestSnapshot(folder: string): string {
  return globSync(join(folder, "snapshots/*.snapshot")).sort().at(-1) as string;
}

function historyOf(folder: string): string {
  return globSync(join(folder, "history-v*.db"))[0] as string;
}

for (const [name, damage, outcome, finding] of BREAKAGES) {
  test(`${name}: ${finding.source}`, async () => {
    const folder = copyOfWell();
    damage(folder);
    const found = complaints(await look(folder));
    // Snapshots are compared with the end of the journal, so damage there shows in both checks.
    const about = found.filter((check) => check.name === name);
    assert.equal(about.length, 1, JSON.stringify(found));
    assert.equal(about[0]?.outcome, outcome);
    assert.match(about[0]?.finding ?? "", finding);
    assert.ok((about[0]?.next ?? "").length > 10);
    if (finding.source !== "the header ring has a commit") assert.equal(found.length, 1);
  });
}

test("a history that the journal has left behind is filled by the next start", async () => {
  const folder = copyOfWell();
  const history = historyOf(folder);
  await using running = await startExchange({ dataFolder: folder });
  await running.createUser();
  await running.stop();
  cpSync(historyOf(WELL), history);
  const found = complaints(await look(folder));
  assert.deepEqual(
    found.map(({ name }) => name),
    ["history"],
  );
  assert.match(found[0]?.finding ?? "", /is \d+ commands behind/);
});

test("a folder that is not there, no folder, or closed to this user", async () => {
  const absent = await look(join(folders, "absent/below"));
  assert.deepEqual(
    complaints(absent).map(({ outcome }) => outcome),
    ["warn"],
  );
  const file = join(folders, "file");
  writeFileSync(file, "");
  assert.match(complaints(await look(file))[0]?.finding ?? "", /is not a folder/);
  const impossible = complaints(await look("/proc/nothing-here"));
  assert.equal(impossible.length, 1);
});

test("a port that somebody else has, and a master key file that is not there", async (context) => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  context.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const [taken] = complaints(await look(WELL, { port }));
  assert.partialDeepStrictEqual(taken, { name: "port", outcome: "fail" });
  assert.match(taken?.next ?? "", /--port/);
  const masterKeyFile = join(folders, "nowhere.key");
  const [key] = complaints(await look(WELL, { masterKeyFile }));
  assert.match(key?.finding ?? "", /RIALTO_MASTER_KEY_FILE names .* does not exist/);
});

test("the wall clock may be a minute behind what was journaled, but in a sandbox", async () => {
  const journal = await lookAtJournal(WELL);
  const lastMs = Math.max(...(journal?.segments ?? []).map((row) => row.lastTimestampMs ?? 0));
  assert.ok(lastMs > 0);
  for (const [behindMs, isSandbox, outcome] of [
    [0, false, "ok"],
    [60_000, false, "ok"],
    [60_001, false, "fail"],
    [600_000, true, "ok"],
  ] as const) {
    assert.equal(checkClock(journal, isSandbox, lastMs - behindMs).outcome, outcome);
  }
  mkdirSync(join(folders, "new"));
  assert.equal(checkClock(await lookAtJournal(join(folders, "new")), false).outcome, "ok");
});

test("an old Node fails", () => {
  assert.equal(checkNode("22.11.0").outcome, "fail");
  assert.equal(checkNode("24.0.0").outcome, "ok");
});

test("a running exchange's own status", () => {
  const well = { kind: "answered", sequence: 5, violations: [], historyLag: 0, nearlyFull: false };
  const url = "http://127.0.0.1:8081";
  for (const [probe, isHeld, outcome, finding] of [
    [well, true, "ok", /invariants hold/],
    [well, false, "warn", /uses another folder/],
    [{ ...well, violations: ["the ledger"] }, true, "fail", /broken invariants: the ledger/],
    [{ ...well, nearlyFull: true }, true, "fail", /nearly full/],
    [{ ...well, historyLag: 10_001 }, true, "warn", /10001 commands behind/],
    [{ kind: "refused", message: "a wrong token" }, true, "fail", /a wrong token/],
  ] as const) {
    const check = checkExchange(probe as Probe, url, isHeld);
    assert.equal(check.outcome, outcome);
    assert.match(check.finding, finding);
  }
});

test("custody that lacks something fails, a webhook that fails warns", () => {
  const health = { sequence: 5, violations: [], historyLag: 0, nearlyFull: false, metrics: "" };
  const outcomes = (shortages: readonly string[] | null, failingWebhooks: readonly string[]) =>
    checkOperation({ kind: "answered", ...health, shortages, failingWebhooks })
      .filter(({ name }) => name !== "alarms")
      .map(({ name, outcome, finding }) => `${name} ${outcome}: ${finding}`);
  assert.deepEqual(outcomes(null, []), [
    "custody ok: its balances were never reported",
    "webhooks ok: none fails",
  ]);
  assert.deepEqual(outcomes(["0.5 USDT", "1 BTC"], ["wh_1: answered 500"]), [
    "custody fail: lacks 0.5 USDT, 1 BTC",
    "webhooks warn: wh_1: answered 500",
  ]);
  assert.deepEqual(outcomes([], [])[0], "custody ok: holds what the exchange owes");
  assert.deepEqual(checkOperation(NOBODY), []);
});
