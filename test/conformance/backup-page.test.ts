/**
 * Proves that docs/operating/backup-and-repair.md works as it is printed: its blocks are run with
 * the folders of a test in place of the page's and only the plainest tools in the path. An exchange
 * is backed up beside its traffic, once and then all the time; it is killed and its data folder is
 * gone; what comes back from the backup has its state, its open orders and its API keys.
 */
import assert from "node:assert/strict";
import { execFile, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import test from "node:test";
import { promisify } from "node:util";
import { ExchangeProcess, temporaryFolder } from "../support/exchange-process.ts";
import { BTCUSDT, listMarket, openAccount } from "../support/exchange-setup.ts";
import { PROGRAM } from "../support/program.ts";
import { ROOT } from "../support/root.ts";
import { SignedClient } from "../support/signed-client.ts";
import { lacking } from "../support/tools.ts";

const PAGE = readFileSync(join(ROOT, "docs/operating/backup-and-repair.md"), "utf8");
const TOOLS = ["bash", "cp", "date", "mkdir"];
const run = promisify(execFile);

/** Every block, in order, without the indent of a list. */
function blocks(): string[] {
  const found = [...PAGE.matchAll(/^( *)```bash\n([\s\S]*?)^ *```/gm)];
  return found.map(([, indent = "", text = ""]) =>
    text.replaceAll(new RegExp(`^${indent}`, "gm"), ""),
  );
}

/** A machine of its own: folders, and a path with little in it. */
class Machine {
  readonly root = temporaryFolder();
  readonly data = join(this.root, "var/lib/rialto");
  readonly #path = join(this.root, "bin");

  constructor() {
    for (const folder of ["var/lib", "backup", "bin"]) {
      mkdirSync(join(this.root, folder), { recursive: true });
    }
    for (const tool of TOOLS) symlinkSync(placeOf(tool), join(this.#path, tool));
    const main = PROGRAM;
    const npx = `#!${placeOf("bash")}\nshift\nexec "${process.execPath}" "${main}" "$@"\n`;
    writeFileSync(join(this.#path, "npx"), npx);
    chmodSync(join(this.#path, "npx"), 0o755);
  }

  async run(block: string): Promise<string> {
    const script = block.replaceAll(/(?<=[ =])\/(var\/lib|backup|safe)\//g, `${this.root}/$1/`);
    assert.ok(!/[ =]\/(var|backup|safe)/.test(script));
    const env = { PATH: this.#path, RIALTO_PORT: "0", RIALTO_OPERATOR_PORT: "0" };
    const { stdout } = await run("bash", ["-euo", "pipefail", "-c", script], { env });
    return stdout;
  }
}

function placeOf(tool: string): string {
  const found = spawnSync("bash", ["-c", `type -P ${tool}`], { encoding: "utf8" }).stdout.trim();
  assert.ok(found.startsWith("/"), tool);
  return found;
}

/** Goes on until the backup has this command, then stops in good order. */
async function backUpUntil(machine: Machine, sequence: number): Promise<void> {
  const target = join(machine.root, "backup/rialto");
  const flags = ["--data-dir", machine.data, "--every", "1s", "--json"];
  const child = spawn(process.execPath, [PROGRAM, "backup", target, ...flags]);
  const closed = once(child, "close");
  for await (const line of createInterface({ input: child.stdout })) {
    if ((JSON.parse(line) as { sequence: number }).sequence >= sequence) break;
  }
  child.kill("SIGTERM");
  assert.deepEqual(await closed, [0, null]);
}

test("every block works as printed", { skip: lacking(...TOOLS) }, async (context) => {
  const [keepKey, backUp, restore, earlier, verify, rebuild, ...others] = blocks() as string[];
  assert.deepEqual(others, []);
  const machine = new Machine();
  const exchange = await ExchangeProcess.start({}, machine.data);
  context.after(() => exchange.stop());
  await listMarket(exchange, "BTCUSDT", BTCUSDT);
  const account = await openAccount(exchange, { USDT: "1000" });
  await machine.run(keepKey as string);
  assert.match(await machine.run(backUp as string), /^backed up to .*verified: every command/);
  await exchange.operator.call("POST", "/operator/v1/snapshots");
  const orderId = await account.client.placed({
    symbol: "BTCUSDT",
    side: "buy",
    orderType: "limit",
    force: "normal",
    price: "50000",
    quantity: "0.001",
    clientOrderId: "not-lost",
  });
  const { sequence, stateHash } = await exchange.operator.invariants();
  await backUpUntil(machine, sequence);
  await exchange.kill("SIGKILL");
  rmSync(machine.data, { recursive: true });
  const told = await machine.run(restore as string);
  assert.match(told, new RegExp(`state hash ${stateHash}`));
  assert.match(told, /no exchange uses the folder/);
  await machine.run(earlier as string);
  await machine.run(verify as string);
  await machine.run(rebuild as string);
  await exchange.restart();
  assert.doesNotMatch(exchange.output, /others could look|cannot sign/);
  const client = new SignedClient(exchange.port, account.credentials);
  const [order] =
    await client.v3<{ orderId: number; clientOrderId: string }[]>("/api/v3/openOrders");
  assert.deepEqual([order?.orderId, order?.clientOrderId], [orderId, "not-lost"]);
  assert.equal((await client.assets()).get("USDT")?.frozen, "50");
});
