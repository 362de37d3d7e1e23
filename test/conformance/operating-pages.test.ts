/**
 * Proves that the commands of the operating pages and of the command line's page work as printed,
 * in order, on one empty sandbox exchange; only addresses, folders and the ids that a reader fills
 * in are replaced. A page with a block of commands that no test runs fails.
 */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { startExchange, type TestExchange } from "../../src/testing/index.ts";
import { temporaryFolder } from "../support/exchange-process.ts";
import { PROGRAM } from "../support/program.ts";
import { ROOT } from "../support/root.ts";
import { lacking } from "../support/tools.ts";

const run = promisify(execFile);
const SHELL = { skip: lacking("bash", "curl") };
const CLI = `"${process.execPath}" "${PROGRAM}"`;

/** Blocks that other tests run, or that a machine without Docker, or a test, cannot. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  "README.md": "readme.test.ts; `npm start` and `npm test` are what runs this",
  "docs/operating/backup-and-repair.md": "backup-page.test.ts",
  "docs/operating/cluster.md": "test/cluster/nodes.test.ts, which needs a PostgreSQL of its own",
  "docs/operating/in-a-container.md": "container-file.test.ts, without Docker",
  "docs/operating/webhooks.md": "webhooks-page.test.ts",
  "docs/operating/in-ci.md": "in-ci.test.ts",
  "docs/reference/proof.md": "takes hours; test/simulator/simulation.test.ts",
  "docs/reference/sdk.md": "sdk-package.test.ts",
  "docs/reference/sandbox-replay.md": "sandbox-replay.test.ts",
  "docs/reference/speed.md": "takes half an hour; bench/*.test.ts",
};

const RUNNING = "docs/operating/running-a-venue.md";
const OPERATORS = "docs/operating/operators.md";
const MONEY = "docs/operating/money.md";
const SANDBOX = "docs/reference/sandbox.md";
const STATES = "docs/reference/sandbox-states.md";
const MARKETS = "docs/reference/sandbox-markets.md";

function blocksOf(page: string): readonly string[] {
  const text = readFileSync(join(ROOT, page), "utf8");
  return [...text.matchAll(/```(?:bash|sh|shell)\n([\s\S]*?)```/g)].map(([, block]) => block ?? "");
}

let exchange: TestExchange;
let folder: string;
let inviteCode: string;

before(async () => {
  folder = temporaryFolder();
  exchange = await startExchange();
  ({ inviteCode } = await exchange.createUser({ uid: 8 }));
  await exchange.createUser({ uid: 100 });
  writeFileSync(join(exchange.dataFolder, "operator.token"), exchange.operatorToken, {
    mode: 0o600,
  });
});
after(() => exchange.stop());

/** The lines that blocks print, one after the other in one shell. */
async function runBlocks(...blocks: readonly string[]): Promise<readonly string[]> {
  const script = [`rialto() { ${CLI} "$@"; }`, ...blocks]
    .join("\n")
    .replaceAll("http://127.0.0.1:8081", exchange.operatorUrl)
    .replaceAll("/var/lib/rialto", exchange.dataFolder)
    .replaceAll('"inviteCode":"…"', `"inviteCode":"${inviteCode}"`);
  const env = { ...process.env, RIALTO_DATA_DIR: exchange.dataFolder };
  const { stdout } = await run("bash", ["-eo", "pipefail", "-c", script], { cwd: folder, env });
  return stdout.trim().split("\n");
}

interface Answer {
  readonly error?: { readonly code: string };
}

function assertAccepted(lines: readonly string[]): void {
  for (const line of lines) assert.equal((JSON.parse(line) as Answer).error, undefined, line);
}

test("every page with commands has a test that runs them", () => {
  const pages = [
    "README.md",
    ...globSync("docs/{concepts,operating,reference}/*.md", { cwd: ROOT }),
  ];
  const withCommands = pages.filter((page) => blocksOf(page).length > 0);
  const here = [
    RUNNING,
    OPERATORS,
    MONEY,
    SANDBOX,
    STATES,
    MARKETS,
    "docs/reference/cli.md",
    "docs/reference/operator-api.md",
  ];
  assert.deepEqual(withCommands.sort(), [...Object.keys(ELSEWHERE), ...here].sort());
});

test("running a venue: markets, users, contracts, affiliates", SHELL, async () => {
  const [start, spot = "", contract = "", affiliates = "", commissions = "", ...more] =
    blocksOf(RUNNING);
  assert.match(start ?? "", /npm start -- --profile empty/);
  assert.deepEqual(more, []);
  const lines = await runBlocks(spot, contract, affiliates);
  assert.equal(lines.length, 14);
  assertAccepted(lines);
  // Nobody has traded here: the example's commissions are not there, and that alone is wrong.
  const [operator = ""] = spot.split("\n\n");
  const answers = (await runBlocks(operator, commissions)).map(
    (line) => JSON.parse(line) as Answer,
  );
  const codes = answers.map(({ error }) => error?.code ?? "ok");
  const absent = Array.from({ length: 3 }, () => "unknown-commission");
  assert.deepEqual(codes, ["ok", ...absent, "ok", "ok"]);
});

test("money in and out: a withdrawal through its states, as printed", SHELL, async () => {
  const lines = await runBlocks(...blocksOf(MONEY));
  const page = readFileSync(join(ROOT, MONEY), "utf8");
  const [, printed = ""] = /```text\n([\s\S]*?)```/.exec(page) ?? [];
  const expected = maskedLines(printed.trim().split("\n"));
  assert.ok(expected.length > 10);
  assert.deepEqual(maskedLines(lines).slice(-expected.length), expected);
});

/** Times and what differs from run to run, made alike. */
function maskedLines(lines: readonly string[]): string[] {
  return lines.map((line) =>
    line
      .replaceAll(/\d{4}-\d\d-\d\d[T ][\d:.]+Z?/g, "TIME")
      .replaceAll(/cli:\S+/g, "cli:NAME")
      .replaceAll(/ {2,}/g, "  "),
  );
}

test("the command line and the clock of a sandbox", SHELL, async () => {
  const [operator = ""] = (blocksOf(RUNNING)[1] ?? "").split("\n\n");
  assertAccepted(await runBlocks(operator, ...blocksOf("docs/reference/operator-api.md")));
  const [symbol] = await runBlocks(...blocksOf("docs/reference/cli.md"));
  assert.match(symbol ?? "", /^symbol +BTCUSDT$/);
});

test("the page about operators: added, changed, given a new token, removed", SHELL, async () => {
  const text = (await runBlocks(...blocksOf(OPERATORS))).join("\n");
  assert.match(text, /^name +ann\ntoken +ann\.support\.[0-9a-f]{64}\n/);
  assert.match(text, /nightly +viewer +2099-01-01/);
  assert.match(text, /role +risk/);
  assert.match(text, /token +ann\.risk\.[0-9a-f]{64}\n/);
  assert.match(text, /nightly is removed\n/);
  assert.match(text, /withdrawals +USDT +10000\n/);
});

test("the page about faults: a rule is set, listed and removed", SHELL, async () => {
  const lines = await runBlocks(...blocksOf(SANDBOX));
  assert.ok(
    lines.some((line) => line.includes("outage")),
    lines.join("\n"),
  );
  assert.deepEqual(await exchange.faults.list(), []);
});

test("the page about states: kept, gone back to, saved", SHELL, async () => {
  const [operator = ""] = (blocksOf(RUNNING)[1] ?? "").split("\n\n");
  const [checkpoints = "", file = ""] = blocksOf(STATES);
  assertAccepted(await runBlocks(operator, checkpoints));
  // sandbox-forks.test.ts starts an exchange from such a file.
  const [save = "", start] = file.split("\n");
  assert.match(start ?? "", /^rialto start --sandbox --from state\.rialto /);
  assert.match((await runBlocks(save)).join(), /^saved in state\.rialto/);
});

test("the page about markets: a book, prices, a rate, and nothing left", SHELL, async () => {
  const lines = await runBlocks(...blocksOf(MARKETS));
  const text = lines.join("\n");
  assert.match(text, /ask +60010 +0\.5\nbid +59990 +1\n/);
  assert.match(text, /is at 60500, mark [\d.]+, after 5 steps, seed 7/);
  assert.match(text, /next funding rate of BTCUSDT: -0\.0125/);
  assert.match(text, /mark 45000/);
  assert.match(text, /by thin: depth 300 per level, spread 0\.01\n/);
  assert.match(text, /the house has no orders\nBTCUSDT \(spot\) fell from 60500 to 54450 /);
  assert.match(text, /BTCUSDT \(contract\) is halted: it accepts no orders and no cancels$/);
});
