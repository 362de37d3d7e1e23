/**
 * Proves that a cluster gets a new master key while it trades, and that no crash costs a key: each
 * step of `rialto keys rotate` is killed with `kill -9` in the middle and at random moments, and
 * taken again, while a client on every node signs requests of which none may fail. A step that the
 * nodes are not ready for is refused with the names of those that are not. Afterwards the old
 * master key opens nothing in PostgreSQL or in a node's copy, nor do its sealed bytes lie there.
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import test from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { findMasterKeys, type MasterKeyRing } from "../../src/keys/index.ts";
import { ClusterNodes } from "../support/cluster-nodes.ts";
import { StartRefused, temporaryFolder } from "../support/exchange-process.ts";
import { issueKey, listStandardMarkets, registerUser } from "../support/exchange-setup.ts";
import { PostgresCluster } from "../support/postgres-cluster.ts";
import { postgresMissing } from "../support/postgres-programs.ts";
import { PROGRAM } from "../support/program.ts";
import { isLongRun, scaled, seededRandom } from "../support/random.ts";
import { type ProgramRun, runProgram } from "../support/run-program.ts";
import { type Credentials, SignedClient } from "../support/signed-client.ts";
import { waitUntil } from "../support/wait-until.ts";

const random = seededRandom("cluster rotation");
const NAMES = ["n1", "n2", "n3"] as const;
type Name = (typeof NAMES)[number];
type Step = "add" | "seal" | "drop";
/** Of the long run. */
const ROTATIONS = isLongRun() ? scaled(1, 5) : 0;

test("a new master key, node by node", { skip: postgresMissing() }, async (t) => {
  const postgres = await PostgresCluster.start();
  t.after(() => postgres.stop());
  const fixture = new Fixture(postgres);
  t.after(() => fixture.cluster.stop());
  await fixture.begin();
  await t.test("a step that the nodes are not ready for is refused", () => refusals(fixture));
  await t.test("each step is killed in its middle, and taken again", () => killedInside(fixture));
  await t.test("the next leader goes on; the last one, which was away, needs the new file", () =>
    leaderThatWasAway(fixture),
  );
  for (let rotation = 1; rotation <= ROTATIONS; rotation++) {
    await t.test(`each step is killed at random, rotation ${rotation}`, () =>
      killedAtRandom(fixture),
    );
  }
  await t.test("an old master key opens nothing", () => oldOpensNothing(fixture));
  const { signed } = await fixture.end();
  t.diagnostic(`${signed} signed requests on three nodes, none failed`);
});

/** Three nodes, each with a file of its own for the master key, and a client on each. */
class Fixture {
  readonly cluster: ClusterNodes;
  readonly postgres: PostgresCluster;
  /** The master keys that were, and what they had sealed. */
  readonly older: string[] = [];
  readonly sealedBefore: Buffer[] = [];
  readonly #files = new Map<Name, string>();
  readonly #keys: Credentials[] = [];
  readonly #paused = new Set<Name>();
  readonly #failures: string[] = [];
  #uid = 0;
  #signed = 0;
  #isOver = false;
  #clients: Promise<unknown> = Promise.resolve();

  constructor(postgres: PostgresCluster) {
    this.postgres = postgres;
    this.cluster = new ClusterNodes(postgres);
    for (const name of NAMES) {
      const file = join(temporaryFolder(), "master.key");
      copyFileSync(this.cluster.env.RIALTO_MASTER_KEY_FILE as string, file);
      this.#files.set(name, file);
    }
  }

  async begin(): Promise<void> {
    const made = await this.cluster.run("cluster", "init");
    assert.equal(made.status, 0, made.stderr);
    await Promise.all(NAMES.map((name) => this.start(name)));
    const leader = this.cluster.node(await this.cluster.leader());
    await listStandardMarkets(leader);
    this.#uid = await registerUser(leader);
    for (let key = 0; key < 3; key++) await this.newKey();
    this.#clients = Promise.all(NAMES.map((name) => this.#sign(name)));
  }

  async start(name: Name): Promise<void> {
    await this.cluster.start(name, undefined, undefined, this.env(name));
    this.#paused.delete(name);
  }

  async stop(name: Name): Promise<void> {
    this.#paused.add(name);
    await this.cluster.node(name).kill("SIGTERM");
  }

  /** Made by whoever leads, with the master key that seals at this moment. */
  async newKey(): Promise<void> {
    const leader = this.cluster.node(await this.cluster.leader());
    this.#keys.push(await issueKey(leader, this.#uid));
  }

  file(name: Name): string {
    return this.#files.get(name) as string;
  }

  env(name: Name): Readonly<Record<string, string>> {
    return { RIALTO_MASTER_KEY_FILE: this.file(name) };
  }

  copy(from: Name, to: Name): void {
    copyFileSync(this.file(from), this.file(to));
  }

  run(name: Name, step: Step): Promise<ProgramRun> {
    return runProgram(this.#args(name, step), { ...this.cluster.env, ...this.env(name) });
  }

  async done(name: Name, step: Step): Promise<Readonly<Record<string, unknown>>> {
    const run = await this.run(name, step);
    assert.equal(run.status, 0, `${step} on ${name}: ${run.stderr}`);
    return JSON.parse(run.stdout);
  }

  async refused(name: Name, step: Step, reason: RegExp): Promise<void> {
    const run = await this.run(name, step);
    assert.equal(run.status, 1, `${step} on ${name}: ${run.stdout}`);
    assert.match(JSON.parse(run.stderr).error.message, reason);
  }

  /** Null when the step was done before. */
  async killed(name: Name, step: Step, afterMs: number): Promise<void> {
    const child = spawn(process.execPath, [PROGRAM, ...this.#args(name, step)], {
      env: { ...process.env, ...this.cluster.env, ...this.env(name) },
      stdio: "ignore",
    });
    const ended = once(child, "close");
    await Promise.race([sleep(afterMs), ended]);
    child.kill("SIGKILL");
    await ended;
  }

  /** The step in a process that kills itself in the middle of it. */
  async killedInside(name: Name, step: Step, progress: string): Promise<void> {
    const module = JSON.stringify(
      join(import.meta.dirname, "../../src/app/cluster/rotate-keys.ts"),
    );
    const options = JSON.stringify({
      step,
      postgresUrls: this.postgres.urls,
      dataFolder: this.cluster.node(name).dataFolder,
      masterKeyFile: this.file(name),
    });
    const script = `
      const { rotateInCluster } = await import(${module});
      const onProgress = (progress) => {
        if (progress === ${JSON.stringify(progress)}) process.kill(process.pid, "SIGKILL");
      };
      await rotateInCluster({ ...${options}, onProgress });`;
    const child = spawn(process.execPath, ["--input-type=module", "-e", script]);
    const [, signal] = await once(child, "close");
    assert.equal(signal, "SIGKILL", `${step} ${progress}`);
  }

  /** Every key signs on every node that runs, with its passphrase and no other. */
  async check(when: string): Promise<void> {
    for (const name of NAMES) {
      if (this.#paused.has(name)) continue;
      const { port } = this.cluster.node(name);
      for (const [index, credentials] of this.#keys.entries()) {
        const client = new SignedClient(port, credentials);
        const answer = await client.get("/api/v3/account/");
        assert.equal(answer.status, 200, `key ${index} on ${name} ${when}: ${answer.text}`);
        client.close();
        const guess = new SignedClient(port, { ...credentials, passphrase: "wrong-passphrase" });
        const refused = await guess.get("/api/v3/account/");
        assert.equal((refused.body as { code: number }).code, -1049, refused.text);
        guess.close();
      }
    }
    this.assertNoneFailed();
  }

  /** What is sealed in PostgreSQL. */
  async rows(): Promise<readonly { readonly version: number; readonly sealed: Buffer }[]> {
    const rows = await this.postgres.primary.query(
      "SELECT master_key_version AS version, sealed_secret AS sealed FROM rialto.api_key",
    );
    return rows as unknown as readonly { version: number; sealed: Buffer }[];
  }

  /** Resolves when the node has told that it has the newest version of this file. */
  async told(name: Name, file: string): Promise<void> {
    const [line = ""] = file.trim().split("\n").toReversed();
    const path = join(temporaryFolder(), "told.key");
    writeFileSync(path, `${line}\n`, { mode: 0o600 });
    const { version, fingerprint } = (findMasterKeys(dirname(path), path) as MasterKeyRing).current;
    await waitUntil(`${name} has told version ${version}`, async () => {
      const sql = "SELECT master_keys ->> $2 AS told FROM rialto.node WHERE name = $1";
      const [row] = await this.postgres.primary.query(sql, [name, `${version}`]);
      return row?.told === fingerprint.toString("hex");
    });
  }

  async remember(): Promise<void> {
    this.older.push(readFileSync(this.file("n1"), "utf8"));
    for (const { sealed } of await this.rows()) this.sealedBefore.push(sealed);
  }

  versions(name: Name): readonly number[] {
    const lines = readFileSync(this.file(name), "utf8").trim().split("\n");
    return lines.map((line) => Number(line.split(" ", 1)[0]));
  }

  assertNoneFailed(): void {
    assert.deepEqual(this.#failures, []);
  }

  async end(): Promise<{ readonly signed: number }> {
    this.#isOver = true;
    await this.#clients;
    this.assertNoneFailed();
    return { signed: this.#signed };
  }

  /** Reads, places and cancels, as a trader does. */
  async #sign(name: Name): Promise<void> {
    for (let step = 0; !this.#isOver; step++) {
      await sleep(100);
      if (this.#paused.has(name)) continue;
      const credentials = this.#keys[step % this.#keys.length] as Credentials;
      const client = new SignedClient(this.cluster.node(name).port, credentials);
      try {
        const answer = await client.get("/api/v3/openOrders?symbol=BTCUSDT");
        if (answer.status === 200) this.#signed++;
        else if (!this.#paused.has(name)) this.#failures.push(`${name}: ${answer.text}`);
      } catch (error) {
        // A node that is stopped ends its connections.
        if (!this.#paused.has(name)) this.#failures.push(`${name}: ${String(error)}`);
      } finally {
        client.close();
      }
    }
  }

  #args(name: Name, step: Step): readonly string[] {
    const { dataFolder } = this.cluster.node(name);
    return ["keys", "rotate", step, "--data-dir", dataFolder, "--json"];
  }
}

async function refusals(fixture: Fixture): Promise<void> {
  await fixture.refused("n1", "seal", /run rialto keys rotate add first/);
  await fixture.killedInside("n1", "add", "added");
  const added = await fixture.done("n1", "add");
  assert.deepEqual([added.changed, added.version, added.waiting], [false, 2, ["n2", "n3"]]);
  assert.deepEqual(fixture.versions("n1"), [1, 2]);
  await fixture.refused("n1", "seal", /n2 and n3 do not know version 2/);
  await fixture.refused("n1", "drop", /seals nothing yet/);
  fixture.copy("n1", "n2");
  await fixture.refused("n1", "seal", /n3 does not know version 2/);
  // As if it had been added on two machines.
  const other = `${readFileSync(fixture.file("n3"), "utf8")}2 ${randomBytes(32).toString("hex")}\n`;
  writeFileSync(fixture.file("n3"), other);
  await fixture.told("n3", other);
  await fixture.refused("n1", "seal", /n3 has another version 2/);
  assert.ok((await fixture.rows()).every(({ version }) => version === 1));
  await fixture.newKey();
  await fixture.check("before anything is sealed");
  fixture.copy("n1", "n3");
  await fixture.told("n3", readFileSync(fixture.file("n3"), "utf8"));
}

async function killedInside(fixture: Fixture): Promise<void> {
  await fixture.remember();
  await fixture.killedInside("n1", "seal", "sealed");
  assert.ok(
    (await fixture.rows()).every(({ version }) => version === 1),
    "as if it had not been",
  );
  await fixture.newKey();
  await fixture.check("after a seal that was killed before its end");
  await fixture.killedInside("n1", "seal", "committed");
  assert.ok((await fixture.rows()).every(({ version }) => version === 2));
  await fixture.newKey();
  await fixture.check("after a seal that was killed once it was committed");
  const sealed = await fixture.done("n1", "seal");
  assert.deepEqual([sealed.changed, sealed.waiting], [false, []]);
  assert.ok((await fixture.rows()).every(({ version }) => version === 2));
  await fixture.killedInside("n1", "drop", "dropped");
  for (const name of NAMES) {
    const dropped = await fixture.done(name, "drop");
    assert.deepEqual([dropped.changed, fixture.versions(name)], [name !== "n1", [2]]);
  }
  await fixture.newKey();
  await fixture.check("after all have dropped");
}

/** It is stopped with the old file, and the others go on to the next version. */
async function leaderThatWasAway(fixture: Fixture): Promise<void> {
  await fixture.remember();
  const away = (await fixture.cluster.leader()) as Name;
  const here = NAMES.filter((name) => name !== away);
  await fixture.stop(away);
  const [first, second] = here as [Name, Name];
  await fixture.newKey();
  const added = await fixture.done(first, "add");
  assert.deepEqual([added.waiting, added.away], [[second], [away]]);
  fixture.copy(first, second);
  const sealed = await fixture.done(first, "seal");
  assert.deepEqual([sealed.changed, sealed.away], [true, [away]]);
  await assert.rejects(
    fixture.start(away),
    (error) =>
      error instanceof StartRefused &&
      error.exit.code === 78 &&
      /is not the master key .*\(version 3\)/s.test(error.exit.output),
  );
  for (const name of here) await fixture.done(name, "drop");
  fixture.copy(first, away);
  // Its copy, which only the old one opens, goes when the step is taken there.
  await fixture.done(away, "drop");
  await fixture.start(away);
  await fixture.newKey();
  await fixture.check("when the node is back");
}

async function killedAtRandom(fixture: Fixture): Promise<void> {
  await fixture.remember();
  const [before = 0] = fixture.versions("n1");
  const steps: readonly (readonly [Step, readonly Name[]])[] = [
    ["add", ["n1"]],
    ["seal", ["n1"]],
    ["drop", NAMES],
  ];
  for (const [step, names] of steps) {
    for (const name of names) {
      await fixture.killed(name, step, random.integer(50, 1500));
      await fixture.newKey();
      await fixture.done(name, step);
      if (step === "add") for (const other of ["n2", "n3"] as const) fixture.copy("n1", other);
      await fixture.check(`after ${step} on ${name}`);
    }
  }
  for (const name of NAMES) assert.deepEqual(fixture.versions(name), [before + 1]);
}

/** Of PostgreSQL the rows and the file of the table, of each node its copy. */
async function oldOpensNothing(fixture: Fixture): Promise<void> {
  const { cluster, older, postgres, sealedBefore } = fixture;
  assert.ok(older.length >= 2 && sealedBefore.length >= 6);
  const newest = fixture.versions("n1");
  assert.deepEqual(newest.length, 1);
  assert.ok(!older.some((text) => text.startsWith(`${newest[0]} `)));
  const rows = await fixture.rows();
  assert.ok(rows.every(({ version }) => version === newest[0]));
  await postgres.primary.query("CHECKPOINT");
  const [table] = await postgres.primary.query(
    "SELECT pg_relation_filepath('rialto.api_key') AS path",
  );
  const places = [join(postgres.primary.dataFolder, String(table?.path))];
  for (const name of NAMES) {
    const path = join(cluster.node(name).dataFolder, "keys.db");
    places.push(path);
    const database = new DatabaseSync(path, { readOnly: true });
    const versions = database
      .prepare("SELECT DISTINCT master_key_version AS v FROM api_keys")
      .all();
    assert.deepEqual(
      versions.map(({ v }) => v),
      newest,
      name,
    );
    const carried = database
      .prepare("SELECT DISTINCT master_key_version AS v FROM passphrase_keys")
      .all();
    assert.deepEqual(
      carried.map(({ v }) => v),
      newest,
      name,
    );
    database.close();
  }
  for (const place of places) {
    const bytes = readFileSync(place);
    assert.ok(
      rows.every(({ sealed }) => bytes.includes(sealed)),
      `${place} has what is sealed now`,
    );
    for (const sealed of sealedBefore) assert.equal(bytes.includes(sealed), false, place);
  }
}
