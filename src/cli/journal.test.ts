/**
 * Proves `rialto journal replay` with the exchange as the oracle: the state hash is recorded with
 * the sequence after every change, and a replay to that sequence must give the same hash. The
 * command runs beside the exchange, changes no byte of the folder, prints the events of the
 * requested commands and stops before damage.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { after, before } from "node:test";
import { PROGRAM } from "../../test/support/program.ts";
import { startExchange, type TestExchange } from "../testing/index.ts";

interface Invariants {
  readonly sequence: number;
  readonly stateHash: string;
  readonly totals: object;
}

let exchange: TestExchange;
/** By sequence, as the exchange reported them. */
const states = new Map<number, Invariants>();
const copies = mkdtempSync(join(tmpdir(), "rialto-replay-"));

before(async () => {
  exchange = await startExchange({ spot: ["BTCUSDT"], contracts: ["BTCUSDT"] });
  for (let uid = 1; uid <= 4; uid++) {
    await exchange.createUser({ uid, spot: { USDT: `${uid}00.5`, BTC: "1" } });
    await note();
    await exchange.advanceClock(600_000);
    await note();
  }
});
after(async () => {
  await exchange.stop();
  rmSync(copies, { recursive: true, force: true });
});

async function note(): Promise<void> {
  const state = await exchange.operator.call<Invariants>("GET", "invariants");
  states.set(state.sequence, state);
}

function replay(folder: string, ...flags: readonly string[]) {
  const args = [PROGRAM, "journal", "replay", "--data-dir", folder, ...flags];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
  return { status, stdout, stderr };
}

/**
 * Hash of the journal and the files beside it, without the history, which its own thread writes.
 */
function fingerprint(folder: string): string {
  const hash = createHash("sha256");
  for (const name of globSync("{journal/*,*.key,*.token,*.json,keys.db}", { cwd: folder }).sort()) {
    hash.update(name).update(readFileSync(join(folder, name)));
  }
  return hash.digest("hex");
}

test("a replay to any sequence leads to the state that the exchange had there", () => {
  // A copy, because a running exchange updates its header ring after a commit was acknowledged.
  const dataFolder = join(copies, "replayed");
  cpSync(exchange.dataFolder, dataFolder, { recursive: true });
  const before = fingerprint(dataFolder);
  assert.ok(states.size >= 8);
  for (const [sequence, { stateHash, totals }] of states) {
    const { status, stdout, stderr } = replay(dataFolder, "--to", String(sequence), "--json");
    assert.deepEqual([status, stderr], [0, ""]);
    const replayed = JSON.parse(stdout) as Invariants;
    assert.partialDeepStrictEqual(replayed, { sequence, stateHash, totals, violations: [] });
  }
  const [last] = [...states.keys()].slice(-1);
  const text = replay(dataFolder);
  assert.match(text.stdout, new RegExp(`^sequence ${last}, `, "m"));
  assert.match(text.stdout, /^USDT +spot\.available +1002$/m);
  assert.equal(fingerprint(dataFolder), before);
});

test("events are lines of JSON, of the commands that were asked for", () => {
  const [, , first = 0, , last = 0] = [...states.keys()];
  const range = ["--from", String(first), "--to", String(last)];
  const { stdout, stderr } = replay(exchange.dataFolder, "--events", "--json", ...range);
  const events = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as { type: string; sequence?: number });
  const sequences = events
    .filter(({ type }) => type === "command-applied")
    .map(({ sequence }) => sequence);
  const expected = Array.from({ length: last - first + 1 }, (_, i) => first + i);
  assert.deepEqual(sequences, expected);
  assert.ok(events.some(({ type }) => type === "funds-moved"));
  assert.equal((JSON.parse(stderr) as Invariants).stateHash, states.get(last)?.stateHash);
});

test("a replay stops ahead of damage, and says up to where it can go", async () => {
  const folder = join(copies, "damaged");
  cpSync(exchange.dataFolder, folder, { recursive: true });
  const [path] = globSync(join(folder, "journal/*.segment"));
  assert.ok(path !== undefined);
  const sequence = [...states.keys()][3] as number;
  // A digit of the third user's deposit, which comes after the fourth recorded state.
  const bytes = readFileSync(path);
  const place = bytes.indexOf("300.5");
  assert.ok(place > 0);
  bytes.writeUInt8(bytes.readUInt8(place) ^ 1, place);
  writeFileSync(path, bytes);
  const { status, stdout, stderr } = replay(folder);
  assert.deepEqual([status, stdout], [65, ""]);
  const readable = Number(/--to (\d+)\n$/.exec(stderr)?.[1]);
  assert.ok(readable >= sequence, stderr);
  const ahead = replay(folder, "--to", String(sequence), "--json");
  assert.equal((JSON.parse(ahead.stdout) as Invariants).stateHash, states.get(sequence)?.stateHash);
  const beyond = replay(folder, "--to", String(readable + 1), "--json");
  assert.equal(beyond.status, 1);
  assert.match(beyond.stderr, new RegExp(`up to sequence ${readable}`));
});
