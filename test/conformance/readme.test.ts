/**
 * Proves that the README's instructions work as printed: its ccxt script and its curl sessions are
 * extracted, pointed at the port of a fresh demo exchange, and run in a folder of their own.
 */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { ExchangeProcess, temporaryFolder } from "../support/exchange-process.ts";
import { PROGRAM } from "../support/program.ts";
import { lacking } from "../support/tools.ts";

const ROOT = join(import.meta.dirname, "../..");
const README = readFileSync(join(ROOT, "README.md"), "utf8");
const run = promisify(execFile);
const SHELL = { skip: lacking("bash", "curl", "openssl") };

let exchange: ExchangeProcess;
/** The folder in which the README's reader stands: the data folder is `data` in it. */
let folder: string;

before(async () => {
  folder = temporaryFolder();
  exchange = await ExchangeProcess.start({ profile: "demo" }, join(folder, "data"));
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
});

after(() => exchange.stop());

test("the ccxt script trades", async () => {
  const script = codeBlock("js", "First trade");
  const path = join(folder, "first-trade.mjs");
  writeFileSync(path, script);
  const { stdout } = await run(process.execPath, [path], { cwd: folder });
  assert.match(stdout, /status: '(open|closed)'/);
  assert.match(stdout, /BTC: \{ free: /);
});

test("the same script goes on with a contract", async () => {
  const script = codeBlock("js", "First trade") + codeBlock("js", "A contract");
  const path = join(folder, "first-contract.mjs");
  writeFileSync(path, script);
  const { stdout } = await run(process.execPath, [path], { cwd: folder });
  assert.match(stdout, /symbol: 'BTC\/USDT:USDT'/);
  assert.match(stdout, /liquidationPrice: \d/);
});

test("the curl session trades", SHELL, async () => {
  const lines = await runShell(codeBlock("bash", "The same with curl"));
  const [ticker, order, assets] = lines.map((line) => JSON.parse(line));
  assert.equal(ticker.data.symbol, "BTCUSDT_SPBL");
  assert.equal(order.code, "00000");
  const bitcoin = assets.data.find((asset: { coinName: string }) => asset.coinName === "BTC");
  assert.ok(Number(bitcoin.available) > 2, "the demo's 2 BTC and what 100 USDT bought");
});

test("the affiliate's session explains a commission and checks a statement", SHELL, async () => {
  const functions = codeBlock("bash", "The same with curl").split("\n\n").slice(0, 2);
  const session = codeBlock("bash", "A commission, explained and verified");
  const cli = `"${process.execPath}" "${PROGRAM}"`;
  const script = [...functions, session.replaceAll("npx rialto", cli)].join("\n");
  const lines = await runShell(script);
  const [page, explanation] = lines.slice(0, 2).map((line) => JSON.parse(line));
  assert.ok(page.total > 0);
  assert.equal(explanation.commissionId, "1");
  assert.ok(explanation.ledgerEntries.length > 0);
  assert.match(lines[2] as string, /^statement\.csv: affiliate 3001, .* entries, all correct$/);
});

/** The lines that a shell session prints. */
async function runShell(script: string): Promise<string[]> {
  const { stdout } = await run("bash", ["-eo", "pipefail", "-c", script], { cwd: folder });
  return stdout.trim().split("\n");
}

/** The first block of a language under a heading, with the port of this test's exchange. */
function codeBlock(language: string, heading: string): string {
  const section = README.slice(README.indexOf(`# ${heading}`));
  const fence = `\`\`\`${language}\n`;
  const start = section.indexOf(fence) + fence.length;
  const end = section.indexOf("```", start);
  return section.slice(start, end).replaceAll("http://127.0.0.1:8080", exchange.baseUrl);
}
