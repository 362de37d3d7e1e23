/**
 * Goal: a whole exchange survives days of every kind of fault without losing, doubling or changing
 * anything that it acknowledged, and what a simulation finds can be repeated. Method: a few seeds,
 * of which each draws its own acts and faults; one of them twice; a shrinking of schedules whose
 * smallest breach is known; and what a simulation found. `docs/reference/proof.md` says what is
 * checked.
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { scaled, seededRandom } from "../support/random.ts";
import { ROOT } from "../support/root.ts";
import { hasClients } from "./client/clients.ts";
import { commandText, readOptions } from "./command-line.ts";
import { listMarkets } from "./markets.ts";
import { readPlants } from "./plants.ts";
import { stepsOf } from "./schedule.ts";
import { shrink } from "./shrink.ts";
import { SimulatedExchange } from "./simulated-exchange.ts";
import { type SimulationOptions, type SimulationResult, simulate } from "./simulation.ts";
import { SimulationPool } from "./simulation-pool.ts";
import { checkState } from "./state-check.ts";

const random = seededRandom("simulator");
const SEEDS = scaled(3, 20_000);
const SEED_MAX = 1_000_000;

test("no seed finds a breach", async () => {
  for (let count = 0; count < SEEDS; count++) {
    const seed = random.integer(1, SEED_MAX);
    const steps = stepsOf(seed);
    const { breach, requests, restarts } = await simulate({ seed, steps });
    console.log(`# seed ${seed}: ${steps} steps, ${requests} requests, ${restarts} restarts`);
    const step = breach?.step ?? steps;
    assert.equal(breach, null, `${breach?.text}\n${commandText(seed, step)}`);
    assert.ok(requests > 0, `seed ${seed} asked for nothing`);
  }
});

test("a seed repeats to the last byte", async () => {
  const drawn = random.integer(1, SEED_MAX);
  let withClients = drawn;
  while (!hasClients(withClients)) withClients++;
  for (const seed of new Set([drawn, withClients])) {
    const once = await simulate({ seed, steps: 8 });
    assert.deepEqual(await simulate({ seed, steps: 8 }), once);
  }
});

test("a bug of the client is found", async () => {
  const [named] = readPlants(`${join(ROOT, "test/simulator/plants.json")}#c4`);
  const pool = new SimulationPool(named?.plant ?? null);
  const { breach } = await pool.run({ seed: 22, steps: 8 });
  pool.close();
  assert.equal(breach?.check, "a stream waits before it opens again", breach?.text ?? "");
});

test("a disk that takes no snapshot is named, and trading goes on", async () => {
  const folder = mkdtempSync(join(tmpdir(), "rialto-simulation-"));
  const exchange = new SimulatedExchange(folder, { seed: 1, sandbox: true, streamIntervalMs: 100 });
  const snapshot = () =>
    exchange.life.until(exchange.send("operator", exchange.operatorRequest("POST", "snapshots")));
  try {
    await exchange.start();
    await listMarkets(exchange);
    for (const [of, code, reason] of [
      ["write", "EIO", "disk-failed"],
      ["rename", "EIO", "disk-failed"],
      ["write", "ENOSPC", "disk-nearly-full"],
    ] as const) {
      exchange.life.files.arm({ inCalls: 0, fault: { kind: "error", code }, of });
      const refused = await snapshot();
      assert.ok(refused?.status === 503, JSON.stringify(refused));
      assert.match(JSON.stringify(refused.body), new RegExp(`"code":"${reason}"`));
    }
    const [segment = ""] = exchange.files("journal").filter((name) => name.endsWith(".segment"));
    const [path, within] = [join(exchange.dataFolder, segment), 1_000];
    const [was = 0] = exchange.file(segment)?.slice(within) ?? [];
    exchange.disk.patch(path, within, new Uint8Array([was ^ 1]));
    assert.match(JSON.stringify(await snapshot()), /503.*"code":"journal-damaged"/);
    exchange.disk.patch(path, within, new Uint8Array([was]));
    assert.equal((await snapshot())?.status, 200);
    await checkState(exchange);
  } finally {
    await exchange.close();
    rmSync(folder, { recursive: true, force: true });
  }
});

/** Fails when steps 7 and 31 happen, with kills, while t2 takes part. */
function madeUp({ keeps, seed, silent, steps, without }: SimulationOptions) {
  const happens = (step: number): boolean => step <= steps && keeps?.(step) !== false;
  const fails = happens(7) && happens(31) && !without?.has("kill") && !silent?.has("t2");
  const result: SimulationResult = {
    seed,
    breach: fails ? { step: 31, check: "made up", text: "made up" } : null,
    steps,
    requests: 0,
    restarts: 0,
    faults: { kill: 1, restart: 3 },
    traceHash: "",
    actors: ["t1", "t2", "t3"],
    log: [],
  };
  return Promise.resolve(result);
}

test("a schedule shrinks to what the breach needs", async () => {
  const from = { seed: 5, steps: 1000 };
  const shrunk = await shrink(await madeUp(from), from, 300, madeUp);
  assert.deepEqual(shrunk.steps, [7, 31]);
  assert.deepEqual([...shrunk.without], ["restart"]);
  assert.deepEqual([...shrunk.silent], ["t1", "t3"]);
  const { steps: kept, without, silent } = shrunk;
  const command = commandText(5, 31, { kept, without, silent });
  assert.equal(
    command,
    "npm run simulate -- --seed 5 --until 31 --keep 7,31 --without restart --silent t1,t3",
  );
  const read = readOptions(command.split(" ").slice(4));
  assert.deepEqual(read.seeds, [5]);
  assert.deepEqual([read.steps, [...(read.kept ?? [])]], [31, [7, 31]]);
  assert.deepEqual([[...read.without], [...read.silent]], [["restart"], ["t1", "t3"]]);
});

test("a planted bug is found, and nothing without it", async () => {
  const folder = mkdtempSync(join(tmpdir(), "rialto-simulation-"));
  const file = join(folder, "plants.json");
  const written = {
    id: "late",
    what: "an answer names the command before its own",
    file: "src/gateway/http/api-handler.ts",
    original: '"X-Rialto-Sequence", String(sequence)',
    replacement: '"X-Rialto-Sequence", String(sequence - 1)',
  };
  writeFileSync(file, JSON.stringify([written, { ...written, id: "other", original: "none" }]));
  try {
    const command = commandText(1, 10, { plant: `${file}#late` });
    const { plants, seeds, steps } = readOptions(command.split(" ").slice(4));
    assert.deepEqual(
      plants.map(({ name }) => name),
      [`${file}#late`],
    );
    assert.throws(() => readOptions(["--plant", file]), /plant other: .* exactly once/);
    for (const plant of [plants[0]?.plant ?? null, null]) {
      const pool = new SimulationPool(plant);
      const { breach } = await pool.run({ seed: seeds[0] ?? 0, steps: steps ?? 0 });
      pool.close();
      const check = plant === null ? undefined : "an answer names the command that it shows";
      assert.equal(breach?.check, check, breach?.text ?? "no breach");
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test("an option that cannot be read is named", () => {
  assert.throws(() => readOptions(["--steps", "many"]), /--steps: "many"/);
  assert.throws(() => readOptions(["--without", "rain"]), /--without: there is no fault "rain"/);
});
