/**
 * Proves what happens on a full disk: a first start says how much space it needs and leaves no
 * venue behind; while orders are rejected neither server is ready, and both recover once there is
 * space; a snapshot that cannot be written is logged with its reason, and neither that nor a
 * shutdown without one takes the exchange down. The test uses a file system of its own.
 */
import assert from "node:assert/strict";
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { type Config, StartRefused } from "../../src/app/config.ts";
import { startExchange } from "../../src/app/exchange.ts";
import type { RunningExchange } from "../../src/app/running-exchange.ts";
import { type DiskSpace, type FileSystem, NODE_PLATFORM } from "../../src/platform/index.ts";
import { exchangeConfig } from "../support/exchange-config.ts";
import { ExchangeProcess, temporaryFolder } from "../support/exchange-process.ts";

const MEBIBYTE = 1024 * 1024;
const POLLS_MAX = 1_000;

/** The machine's files on a disk whose room the test says. */
class Disk {
  freeBytes: number;
  readonly totalBytes = 1024 * MEBIBYTE;

  constructor(freeMebibytes: number) {
    this.freeBytes = freeMebibytes * MEBIBYTE;
  }

  get files(): FileSystem {
    const space = async (): Promise<DiskSpace> => ({
      freeBytes: this.freeBytes,
      totalBytes: this.totalBytes,
    });
    return { ...NODE_PLATFORM.files, space };
  }
}

function configOf(profile: Config["profile"], dataFolder: string): Config {
  return exchangeConfig(dataFolder, { profile, sandbox: true });
}

function start(config: Config, disk: Disk): Promise<RunningExchange> {
  const onFatal = (error: Error): never => assert.fail(error);
  return startExchange(config, onFatal, { ...NODE_PLATFORM, files: disk.files });
}

for (const [profile, freeMebibytes, needed] of [
  ["empty", 79, "80\\.0 MiB"],
  ["empty", 0, "80\\.0 MiB"],
  ["demo", 127, "128 MiB"],
] as const) {
  test(`a first start of ${profile} with ${freeMebibytes} MiB says what it needs`, async () => {
    const folder = temporaryFolder();
    const config = configOf(profile, folder);
    await assert.rejects(start(config, new Disk(freeMebibytes)), (error) => {
      assert.ok(error instanceof StartRefused);
      assert.match(
        error.message,
        new RegExp(`needs ${needed} \\(orders are refused below 64\\.0 MiB\\)`),
      );
      assert.match(error.message, new RegExp(`${freeMebibytes}(\\.0)? (MiB|bytes) are free`));
      return true;
    });
    assert.ok(!existsSync(join(folder, "journal")) && !existsSync(join(folder, "venue.json")));
  });
}

interface Standing {
  readonly order: number;
  readonly ready: { readonly status: number; readonly body: unknown };
  readonly operatorReady: number;
}

async function standingOf(exchange: RunningExchange): Promise<Standing> {
  const operator = `http://127.0.0.1:${exchange.operatorPort}`;
  const headers = { authorization: `Bearer ${exchange.operatorToken}` };
  // A command as an order is: both are refused in the same place.
  const order = await fetch(`${operator}/operator/v1/users`, { method: "POST", headers });
  const ready = await fetch(`http://127.0.0.1:${exchange.port}/health/ready`);
  const operatorReady = await fetch(`${operator}/health/ready`, { headers });
  return {
    order: order.status,
    ready: { status: ready.status, body: await ready.json() },
    operatorReady: operatorReady.status,
  };
}

async function untilOrdersGet(exchange: RunningExchange, status: number): Promise<Standing> {
  for (let poll = 0; poll < POLLS_MAX; poll++) {
    const standing = await standingOf(exchange);
    if (standing.order === status) return standingOf(exchange);
    await sleep(50);
  }
  return assert.fail(`orders never got ${status}`);
}

test("both servers are ready exactly while orders are taken", async (context) => {
  const disk = new Disk(500);
  const folder = temporaryFolder();
  let exchange = await start(configOf("empty", folder), disk);
  context.after(() => exchange.stop());
  const well = { order: 200, ready: { status: 200, body: { status: "ready" } } };
  const full = { status: 503, body: { status: "not-ready", reason: "disk-nearly-full" } };
  for (let round = 0; round < 2; round++) {
    assert.deepEqual(await standingOf(exchange), { ...well, operatorReady: 200 });
    disk.freeBytes = 63 * MEBIBYTE;
    const found = await untilOrdersGet(exchange, 503);
    assert.deepEqual(found, { order: 503, ready: full, operatorReady: 503 });
    disk.freeBytes = 500 * MEBIBYTE;
    await untilOrdersGet(exchange, 200);
  }
  // Its next start is no first one: people must be able to cancel.
  await exchange.stop();
  disk.freeBytes = 63 * MEBIBYTE;
  exchange = await start(configOf("empty", folder), disk);
  assert.equal((await standingOf(exchange)).ready.status, 503);
});

test("a snapshot that cannot be written is logged with its reason", async (context) => {
  const exchange = await startWithoutSnapshots(context);
  await assert.rejects(exchange.operator.call("POST", "/operator/v1/snapshots"), /disk-failed/);
  const lines = exchange.output.split("\n").filter((line) => line.includes('"level":50'));
  const [entry] = lines.map((line) => JSON.parse(line) as { msg: string; error: Error });
  assert.equal(entry?.msg, "no snapshot was written");
  assert.match(entry?.error.message ?? "", /ENOTDIR|EEXIST/);
  assert.ok(lines.every((line) => !line.includes('"error":{}')));
  await exchange.operator.call("POST", "/operator/v1/users", {});
  const end = await exchange.kill("SIGTERM");
  assert.equal(end.code, 0);
  assert.match(end.output, /ENOTDIR|EEXIST.*no snapshot was written at the end/);
});

/** Where their folder should be is a file. */
async function startWithoutSnapshots(context: TestContext): Promise<ExchangeProcess> {
  const exchange = await ExchangeProcess.start();
  context.after(() => exchange.stop());
  await exchange.operator.call("POST", "/operator/v1/users", {});
  const path = join(exchange.dataFolder, "snapshots");
  rmSync(path, { recursive: true, force: true });
  writeFileSync(path, "");
  return exchange;
}
