/**
 * Proves the packages as npm installs them, on every Node that they claim: into an empty project
 * with all that they depend on, without another Node, small enough, typed, and running; and that a
 * clone with production packages alone serves, as the image does.
 *
 * It installs from the registry and takes minutes: `npm run test:long` runs it.
 */
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import test, { before } from "node:test";
import { temporaryFolder } from "../support/exchange-process.ts";
import { type PackedFile, packAll } from "../support/packed-client.ts";
import { ROOT } from "../support/root.ts";

const INSTALLED_BYTES_MAX = 60_000_000;
const PINNED = process.versions.node;
const OLD_NODES = ["20", "22"];
const NODES = ["24", PINNED];
/** On the pinned Node they are part of every run. */
const DOCUMENT_TESTS = ["readme", "in-ci", "operating-pages", "python", "test-kit"];

const TRADE = `
import { RialtoClient } from "NAME";
const [baseUrl, credentials, socket] = process.argv.slice(2);
const webSocket = socket === "ws" ? (await import("ws")).WebSocket : undefined;
const client = new RialtoClient({ baseUrl, credentials: JSON.parse(credentials), webSocket });
const orders = client.streams.spotAccount().orders();
await orders.ready;
const order = { symbol: "BTCUSDT", side: "BUY", type: "LIMIT", quantity: "0.01", price: "50000" };
const placed = await client.spot.placeOrder(order);
for await (const { orderId } of orders) if (orderId === placed.orderId) break;
console.log("placed and told", placed.orderId);
process.exit(0);
`;

const TEST_OF_A_USER = `
import assert from "node:assert/strict";
import test from "node:test";
import { RialtoClient } from "rialto/client";
import { startExchange } from "rialto/testing";
test("an order rests", async () => {
  await using exchange = await startExchange({ spot: ["BTCUSDT"] });
  const credentials = await exchange.createUser({ spot: { USDT: "1000" } });
  const { spot } = new RialtoClient({ baseUrl: exchange.url, credentials });
  const order = { symbol: "BTCUSDT", side: "BUY", type: "LIMIT" } as const;
  await spot.placeOrder({ ...order, quantity: "0.01", price: "50000" });
  assert.equal((await spot.openOrders({ symbol: "BTCUSDT" })).length, 1);
  for (const page of ["/", "/docs/", "/docs/theme.js"]) {
    assert.equal((await fetch(exchange.url + page)).status, 200, page);
  }
});
`;

let server: PackedFile;
let client: PackedFile;
before(async () => {
  ({ server, client } = await packAll());
});

/** A Node of its own, by a package without scripts; the folder with its binary. */
function installNode(version: string): string {
  if (version === PINNED) return dirname(process.execPath);
  const folder = temporaryFolder();
  writeFileSync(join(folder, "package.json"), "{}");
  const name = `node-${process.platform}-${process.arch}@${version}`;
  run("npm", ["install", "--ignore-scripts", name], folder, process.env);
  return join(folder, "node_modules/.bin");
}

/** Variables with which `node`, and npm, is the one of a folder. */
function environment(bin: string): NodeJS.ProcessEnv {
  const { NODE_TEST_CONTEXT: _runner, npm_lifecycle_event: _npm, ...env } = process.env;
  const others = (env.PATH ?? "").split(":").filter((path) => !path.includes("node_modules"));
  return { ...env, PATH: [bin, ...others].join(":") };
}

function run(program: string, args: readonly string[], cwd: string, env: NodeJS.ProcessEnv) {
  return execFileSync(program, args, { cwd, env, encoding: "utf8", stdio: "pipe" });
}

/** An empty project with the packed files and packages installed by npm. */
function install(env: NodeJS.ProcessEnv, packages: readonly string[]): string {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "package.json"), '{"type":"module","private":true}');
  run("npm", ["install", "--prefer-offline", ...packages], folder, env);
  return folder;
}

function bytesOf(folder: string): number {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
}

for (const version of NODES) {
  test(`on Node ${version}: the server, the kit and the command line`, () => {
    const env = environment(installNode(version));
    const folder = install(env, [server.path]);
    const modules = join(folder, "node_modules");
    assert.ok(!existsSync(join(modules, ".bin/node")), "no other Node in the path of scripts");
    const bytes = bytesOf(modules);
    console.log(`# ${bytes} bytes installed`);
    assert.ok(bytes < INSTALLED_BYTES_MAX, `${bytes} bytes`);
    for (const name of readdirSync(join(ROOT, "node_modules/@types"))) {
      assert.ok(!existsSync(join(modules, "@types", name)), "no development package");
    }

    writeFileSync(join(folder, "user.test.ts"), TEST_OF_A_USER);
    const types = join(ROOT, "node_modules/@types");
    const compilerOptions = {
      ...{ target: "es2024", module: "nodenext", strict: true, noEmit: true },
      ...{ types: ["node"], typeRoots: [types], lib: ["es2024", "esnext.disposable"] },
    };
    const project = JSON.stringify({ compilerOptions, files: ["user.test.ts"] });
    writeFileSync(join(folder, "tsconfig.json"), project);
    execFileSync(join(ROOT, "node_modules/.bin/tsc"), ["-p", folder]);
    assert.match(run("node", ["--test", "user.test.ts"], folder, env), /pass 1\b/);

    assert.match(run("npx", ["rialto", "--version"], folder, env), /^\d+\.\d+\.\d+\n$/);
    const ready = startOnce(["npx", "rialto", "start"], folder, env);
    assert.equal(ready.event, "ready");
  });

  test(`on Node ${version}: npx from an empty folder`, () => {
    const env = environment(installNode(version));
    const starting = ["npx", "--yes", "--package", server.path, "rialto", "start"];
    assert.equal(startOnce(starting, temporaryFolder(), env).event, "ready");
  });

  test(`on Node ${version}: a clone with production packages, as in the image`, () => {
    const env = environment(installNode(version));
    const folder = temporaryFolder();
    const listed = run("git", ["ls-files", "-coz", "--exclude-standard"], ROOT, env);
    for (const path of listed.split("\0").filter((name) => name !== "")) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      cpSync(join(ROOT, path), join(folder, path));
    }
    run("npm", ["ci", "--omit=dev", "--prefer-offline"], folder, env);
    assert.ok(!existsSync(join(folder, "node_modules/.bin/node")), "no other Node");
    assert.equal(startOnce(["node", "rialto.mjs", "start"], folder, env).event, "ready");
  });
}

for (const version of NODES.filter((node) => node !== PINNED)) {
  test(`on Node ${version}: every command of README and documents`, () => {
    const env = environment(installNode(version));
    const tests = DOCUMENT_TESTS.map((name) => join(ROOT, `test/conformance/${name}.test.ts`));
    assert.match(run("node", ["--test", ...tests], ROOT, env), /^\S* fail 0$/m);
  });
}

for (const version of [...OLD_NODES, ...NODES]) {
  test(`on Node ${version}: the client alone, with streams`, async () => {
    const { startExchange } = await import("../../src/testing/index.ts");
    await using exchange = await startExchange({ spot: ["BTCUSDT"] });
    const user = JSON.stringify(await exchange.createUser({ spot: { USDT: "1000" } }));
    const env = environment(installNode(version));
    const folder = install(env, [client.path, "ws"]);
    assert.ok(bytesOf(join(folder, "node_modules/rialto-client")) < 2_000_000);
    writeFileSync(join(folder, "trade.mjs"), TRADE.replace("NAME", "rialto-client"));
    const socket = version === "20" ? "ws" : "global";
    const said = run("node", ["trade.mjs", exchange.url, user, socket], folder, env);
    assert.match(said, /^placed and told \d+\n$/);
  });
}

for (const version of OLD_NODES) {
  test(`on Node ${version}: the server and the kit say that it is too old`, () => {
    const env = environment(installNode(version));
    const folder = install(env, [server.path]);
    const started = spawnSync("npx", ["rialto", "start"], { cwd: folder, env, encoding: "utf8" });
    assert.equal(started.status, 1);
    assert.match(started.stderr, /^rialto: Rialto needs Node 24 or newer; this is [\d.]+\.\n$/m);
    assert.doesNotMatch(started.stderr, /SyntaxError/);
    const code = 'import("rialto/testing").catch((error) => console.log(error.message))';
    const said = run("node", ["-e", code], folder, env);
    assert.match(said, /^rialto\/testing needs Node 24 or newer; this is [\d.]+\.\n$/);
  });
}

/** Starts an exchange, reads its ready line and stops it by a signal to its group. */
function startOnce(command: readonly string[], cwd: string, env: NodeJS.ProcessEnv) {
  const flags = "--profile empty --port 0 --operator-port 0 --data-dir data";
  const script = `
    set -m
    ${command.join(" ")} ${flags} > ready.json 2> log.txt &
    for i in $(seq 600); do grep -q ready ready.json && break; sleep 0.1; done
    kill -TERM -$!
    wait $! || true
    cat ready.json`;
  const said = run("bash", ["-c", script], cwd, env);
  assert.notEqual(said, "", `${run("cat", ["log.txt"], cwd, env)}`);
  return JSON.parse(said.split("\n")[0] as string) as { readonly event: string };
}
