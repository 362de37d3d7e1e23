/**
 * Proves that docs/operating/backup-and-repair.md works as it is printed: its blocks are run with
 * the folders of a test in place of the page's and only the plainest tools in the path: beside a
 * running exchange that never made a snapshot, after one, and for a restore, which has everything
 * that the exchange had and is nobody else's to read.
 */
import assert from "node:assert/strict";
import { execFile, spawnSync } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { ExchangeProcess, temporaryFolder } from "../support/exchange-process.ts";
import { PROGRAM } from "../support/program.ts";
import { ROOT } from "../support/source-code.ts";
import { lacking } from "../support/tools.ts";

const PAGE = readFileSync(join(ROOT, "docs/operating/backup-and-repair.md"), "utf8");
const TOOLS = ["bash", "cp", "date", "ls", "mkdir", "tail"];
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

  get copies(): string[] {
    return readdirSync(join(this.root, "backup")).sort();
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

test("every block works as printed", { skip: lacking(...TOOLS) }, async (context) => {
  const [keepKey, backUp, restore, verify, rebuild, ...others] = blocks() as string[];
  assert.deepEqual(others, []);
  const machine = new Machine();
  const exchange = await ExchangeProcess.start({}, machine.data);
  context.after(() => exchange.stop());
  await exchange.operator.call("POST", "/operator/v1/users", {});
  assert.ok(!readdirSync(machine.data).includes("snapshots"));
  await machine.run(keepKey as string);
  assert.match(await machine.run(backUp as string), /^whole: \d+ commands [\s\S]*^state hash /m);
  assert.equal(machine.copies.length, 1);
  await exchange.operator.call("POST", "/operator/v1/snapshots");
  await exchange.operator.call("POST", "/operator/v1/users", {});
  const { stateHash } = await exchange.operator.call<{ stateHash: string }>(
    "GET",
    "/operator/v1/invariants",
  );
  // A copy is named by its second.
  await sleep(1_000);
  await machine.run(backUp as string);
  assert.equal(machine.copies.length, 2);
  await exchange.kill("SIGKILL");
  renameSync(machine.data, join(machine.root, "lost"));
  assert.match(await machine.run(restore as string), /nobody holds the folder/);
  await machine.run(verify as string);
  await machine.run(rebuild as string);
  await exchange.restart();
  const restored = await exchange.operator.call<{ stateHash: string }>(
    "GET",
    "/operator/v1/invariants",
  );
  assert.equal(restored.stateHash, stateHash);
  assert.doesNotMatch(exchange.output, /others could look/);
});
