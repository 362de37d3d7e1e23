/**
 * Proves the packages as their users have them: built, packed and unpacked into a project that has
 * nothing else, the client runs with plain Node and needs no other package; it is typed for Node
 * and for browsers, at a small price; on an old Node the rest says so; the kit starts the compiled
 * program; the examples compile and work against a real exchange, the market maker over a kill and
 * a restart as well; and a real browser trades and listens with it.
 */
import assert from "node:assert/strict";
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { cpSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import test, { before } from "node:test";
import chromium from "@sparticuz/chromium";
import { chromium as playwright } from "playwright-core";
import { RialtoClient } from "../../src/client/index.ts";
import { browserMissing } from "../support/browser.ts";
import {
  type ClientFixture,
  clientOf,
  openClientFixture,
  type Party,
} from "../support/client-fixture.ts";
import { ExchangeProcess } from "../support/exchange-process.ts";
import { HOST_NODE } from "../support/host-node.ts";
import { compile, modulesFrom, openProject, type Project } from "../support/packed-client.ts";
import { ROOT } from "../support/root.ts";
import { TcpProxy } from "../support/tcp-proxy.ts";

const symbol = "BTCUSDT";
/** All modules of the client as they are, with comments; a bundler halves it. */
const CLIENT_BYTES_MAX = 194_000;
const SERVER_PACKAGE_BYTES_MAX = 14_000_000;
const CLIENT_PACKAGE_BYTES_MAX = 2_000_000;
/** What the compiler makes of the libraries of Node or browsers, and a little for ours. */
const INSTANTIATIONS_MAX = 60_000;
const EXAMPLES = ["place-and-cancel.ts", "affiliate-report.ts", "market-maker.ts"];
const WAIT_MS = 60_000;

let project: Project;
before(async () => {
  project = await openProject();
  for (const name of EXAMPLES) cpSync(join(ROOT, "examples", name), join(project.folder, name));
});

/** An example on its way: plain Node, as the reference page says. */
class Example {
  readonly ended: Promise<number | null>;
  readonly #child: ChildProcess;
  output = "";

  constructor(
    name: string,
    baseUrl: string,
    { credentials }: Pick<Party, "credentials">,
    args: readonly string[] = [],
  ) {
    this.#child = spawn(process.execPath, [name, ...args], {
      cwd: project.folder,
      env: {
        ...process.env,
        RIALTO_URL: baseUrl,
        RIALTO_KEY: credentials.apiKey,
        RIALTO_SECRET: credentials.secret,
        RIALTO_PASSPHRASE: credentials.passphrase,
      },
    });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.on("data", (bytes: Buffer) => {
        this.output += bytes.toString();
      });
    }
    this.ended = new Promise((resolve) => this.#child.once("close", resolve));
  }

  stop(signal: NodeJS.Signals): Promise<number | null> {
    this.#child.kill(signal);
    return this.ended;
  }
}

/** Asks again until it holds. */
async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  const endMs = performance.now() + WAIT_MS;
  while (!(await holds())) {
    if (performance.now() > endMs) assert.fail(`${what} did not come`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

test("what is packed is compiled, small and without sources", () => {
  const { packageFolder, server, client } = project;
  const manifest = JSON.parse(readFileSync(join(packageFolder, "package.json"), "utf8"));
  assert.equal(manifest.name, "rialto");
  assert.equal(manifest.private, undefined);
  assert.equal(manifest.optionalDependencies, undefined);
  const foreign = Object.keys(manifest.dependencies).filter((name) => /\bnode\b/.test(name));
  assert.deepEqual(foreign, [], "no Node comes along");
  const unwanted = /\.test\.|(?<!\.d)\.tsx?$|^(src|test|bench|build|data|examples)\//;
  for (const { files } of [server, client]) {
    assert.deepEqual(
      files.filter((file) => unwanted.test(file)),
      [],
    );
  }
  const needed = [
    "bill-of-materials.cdx.json",
    "cli/main.js",
    "testing/index.js",
    "console/index.html",
    "docs/signing.html",
  ];
  const licenses = readFileSync(join(packageFolder, "dist/cli/LICENSES.txt"), "utf8");
  for (const name of Object.keys(manifest.dependencies)) {
    assert.match(licenses, new RegExp(`^${name} \\d`, "m"), `the licence of ${name}`);
  }
  for (const file of ["rialto.mjs", "docs/reference/sdk.md"].concat(
    needed.map((name) => `dist/${name}`),
  )) {
    assert.ok(server.files.includes(file), file);
  }
  console.log(`# ${server.bytes} and ${client.bytes} bytes`);
  assert.ok(server.bytes < SERVER_PACKAGE_BYTES_MAX, `${server.bytes} bytes`);
  assert.ok(client.bytes < CLIENT_PACKAGE_BYTES_MAX, `${client.bytes} bytes`);
});

test("the client needs no other package", () => {
  for (const entry of ["rialto/dist/client/index.js", "rialto-client/client/index.js"]) {
    const { inside, outside } = modulesFrom(join(project.folder, "node_modules", entry));
    assert.deepEqual(outside, []);
    const bytes = [...inside].reduce((sum, file) => sum + statSync(file).size, 0);
    assert.ok(bytes < CLIENT_BYTES_MAX, `${bytes} bytes`);
    console.log(`# ${inside.size} modules, ${bytes} bytes`);
  }
});

test(`on Node ${HOST_NODE.version}, with which npm runs, what needs a newer one says so`, () => {
  const { path, version } = HOST_NODE;
  const isOld = Number.parseInt(version, 10) < 24;
  const load = (name: string) => {
    const code = `import(${JSON.stringify(name)}).then(
      (all) => console.log(Object.keys(all).length > 0),
      (error) => console.log(error.name, error.message),
    )`;
    return spawnSync(path, ["-e", code], { cwd: project.folder, encoding: "utf8" }).stdout.trim();
  };
  assert.equal(load("rialto/client"), "true");
  assert.equal(load("rialto-client"), "true");
  const tooOld = `needs Node 24 or newer; this is ${version}.`;
  assert.equal(load("rialto/testing"), isOld ? `Error rialto/testing ${tooOld}` : "true");
  if (!isOld) return;
  const starter = join(project.packageFolder, "rialto.mjs");
  const { status, stderr } = spawnSync(path, [starter, "--version"], { encoding: "utf8" });
  assert.deepEqual([status, stderr], [1, `rialto: Rialto ${tooOld}\n`]);
});

test("it is typed for Node and for browsers", async () => {
  const { folder } = project;
  const wrong = `import { RialtoClient } from "rialto/client";
    const { spot } = new RialtoClient();
    // @ts-expect-error: no such side
    await spot.placeOrder({ symbol: "", side: "HOLD", type: "LIMIT", quantity: "1" });
    // @ts-expect-error: amounts are text
    await spot.placeOrder({ symbol: "", side: "BUY", type: "LIMIT", quantity: 1 });
    // @ts-expect-error: a symbol is needed
    await spot.depth({});
    const { lastUpdateId, bids } = await spot.depth({ symbol: "", limit: 15 });
    export const [price]: readonly string[] = [...(bids[0] ?? []), lastUpdateId.toFixed()];`;
  writeFileSync(join(folder, "wrong.ts"), wrong);
  const nodeTypes = join(ROOT, "node_modules/@types");
  await compile(project, { types: ["node"], typeRoots: [nodeTypes] }, [...EXAMPLES, "wrong.ts"]);
  const browser = { types: [], lib: ["es2024", "esnext", "dom", "dom.asynciterable"] };
  const instantiations = await compile(project, browser, ["wrong.ts"]);
  assert.ok(instantiations < INSTANTIATIONS_MAX, `${instantiations} instantiations`);
  console.log(`# ${instantiations} instantiations`);
  writeFileSync(join(folder, "alone.ts"), wrong.replace("rialto/client", "rialto-client"));
  await compile(project, browser, ["alone.ts"]);
});

test("the kit starts the compiled program, which has its packages in its files", () => {
  const { folder } = project;
  const script = `
    import { startExchange, startExchanges } from "rialto/testing";
    await using exchange = await startExchange({ spot: ["BTCUSDT"] });
    const { uid } = await exchange.createUser({ spot: { USDT: "1" } });
    const script = await fetch(exchange.url + "/docs/theme.js");
    const page = await text(exchange.url + "/");
    const [asset] = page.split('src="')[1].split('"');
    const { length } = await text(exchange.url + asset);
    const [one, other] = await startExchanges(2);
    const { serverTime } = await (await other.client()).spot.serverTime();
    await Promise.all([one.stop(), other.stop()]);
    async function text(url) {
      return (await fetch(url)).text();
    }
    const works = uid > 0 && script.ok && length > 1_000 && serverTime > 0;
    console.log(works ? "works" : "does not");`;
  const args = ["--input-type=module", "--eval", script];
  const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: folder, encoding: "utf8" });
  assert.deepEqual([stdout, stderr], ["works\n", ""]);
});

test("the reference page has the examples as they are", () => {
  const page = readFileSync(join(ROOT, "docs/reference/sdk.md"), "utf8");
  for (const name of EXAMPLES) {
    const source = readFileSync(join(ROOT, "examples", name), "utf8");
    assert.ok(page.includes(`\`\`\`ts\n${source}\`\`\`\n`), `examples/${name} is in the page`);
  }
});

test("the examples work", async (t) => {
  const fixture = await openClientFixture();
  t.after(() => fixture.exchange.stop());
  const { exchange, affiliate, alice } = fixture;
  await openMarket(fixture);
  const placing = new Example("place-and-cancel.ts", exchange.baseUrl, alice);
  assert.equal(await placing.ended, 0, placing.output);
  assert.match(placing.output, /order \d+: NEW, 0\.0001 at 58\d+.*\norder \d+: CANCELED\n/);

  const poor = { ...alice, credentials: { ...alice.credentials, passphrase: "wrong" } };
  const refused = new Example("place-and-cancel.ts", exchange.baseUrl, poor);
  assert.equal(await refused.ended, 1);
  assert.match(refused.output, /rejected with -1049/);

  const report = new Example("affiliate-report.ts", exchange.baseUrl, affiliate);
  assert.equal(await report.ended, 0, report.output);
  assert.match(report.output, /BTCUSDT \d+: [\d.]+ \w+\n(.*\n)*commission \d+: [\d.]+ × 0\.3 = /);
  assert.match(report.output, /earned, [\d.]+ pending; verified\n/);
});

test("an order is placed and cancelled on every market of the demo, cheap ones too", async (t) => {
  const exchange = await ExchangeProcess.start({ profile: "demo" });
  t.after(() => exchange.stop());
  const [credentials] = exchange.demo;
  assert.ok(credentials !== undefined);
  const { spot } = new RialtoClient({ baseUrl: exchange.baseUrl });
  const { symbols } = await spot.exchangeInfo({});
  assert.equal(symbols.length, 4);
  for (const { symbol, minNotional, minTradeAmount, stepSize } of symbols) {
    const [best] = (await spot.depth({ symbol })).bids;
    assert.ok(best !== undefined);
    const worth = Number(best[0]) * Number(minTradeAmount);
    assert.ok(worth < Number(minNotional), `the least of ${symbol} is worth ${worth}: too much`);
    const placing = new Example("place-and-cancel.ts", exchange.baseUrl, { credentials }, [symbol]);
    assert.equal(await placing.ended, 0, `${symbol}: ${placing.output}`);
    const [, quantity, price] = /order \d+: NEW, (.*) at (.*)\n/.exec(placing.output) ?? [];
    const stepsAbove = (Number(quantity) - Number(minNotional) / Number(price)) / Number(stepSize);
    assert.ok(stepsAbove < 1, `${placing.output}is not the least`);
    assert.match(placing.output, /order \d+: CANCELED\n/);
  }
});

/** Bob's quotes, far apart, and a trade that there are commissions of. */
async function openMarket({ exchange, alice, bob }: ClientFixture): Promise<void> {
  const { spot } = clientOf(exchange, bob);
  const limit = { symbol, type: "LIMIT", quantity: "5" } as const;
  await spot.placeOrder({ ...limit, side: "SELL", price: "60600" });
  await spot.placeOrder({ ...limit, side: "BUY", price: "59400" });
  const order = { symbol, side: "BUY", type: "MARKET", quantity: "0.1" } as const;
  await clientOf(exchange, alice).spot.placeOrder(order);
}

/** Whether the maker has one order on each side, inside of Bob's. */
async function quotesBoth({ spot }: RialtoClient): Promise<boolean> {
  const open = await spot.openOrders({ symbol });
  const sides = open.map(({ side }) => side).toSorted();
  return sides.join() === "BUY,SELL" && open.every(({ price }) => Number(price) % 59_400 < 1_200);
}

test("the market maker quotes, fills, survives a kill, and leaves nothing behind", async (t) => {
  const fixture = await openClientFixture();
  t.after(() => fixture.exchange.stop());
  const { exchange, alice, bob } = fixture;
  await openMarket(fixture);
  const proxy = await TcpProxy.open(exchange.port);
  t.after(() => proxy.close());
  const maker = clientOf(proxy, alice, { attempts: 20 });
  const taker = clientOf(proxy, bob, { attempts: 20 });
  const example = new Example("market-maker.ts", proxy.baseUrl, alice);
  t.after(() => example.stop("SIGKILL"));
  const order = { symbol, type: "MARKET", quantity: "0.01" } as const;

  await until("two quotes", () => quotesBoth(maker));
  const before = Number((await maker.spot.openOrders({ symbol }))[0]?.price);
  await taker.spot.placeOrder({ ...order, side: "BUY" });
  await until("a fill", async () => example.output.includes("SELL 0.01"));
  await until("new quotes", async () => {
    const [open] = await maker.spot.openOrders({ symbol });
    return (await quotesBoth(maker)) && Number(open?.price) !== before;
  });

  await exchange.kill("SIGKILL");
  await exchange.restart();
  proxy.target = exchange.port;
  await until("quotes after the restart", () => quotesBoth(maker));
  await until("a fill after the restart", async () => {
    await taker.spot.placeOrder({ ...order, side: "SELL" });
    await new Promise((resolve) => setTimeout(resolve, 200));
    return /BUY [\d.]+ for/.test(example.output);
  });
  assert.equal(await example.stop("SIGINT"), 0, example.output);
  assert.match(example.output, /all quotes cancelled\n$/);
  assert.deepEqual(await maker.spot.openOrders({ symbol }), []);
});

/** What the page of the next test does; it gives what it has seen. */
async function inBrowser(credentials: Party["credentials"]): Promise<object> {
  // A name that only the page knows: the compiler must not look for it.
  const path: string = "/client/client/index.js";
  const { RialtoClient: Client } = (await import(
    path
  )) as typeof import("../../src/client/index.ts");
  const client = new Client({ credentials });
  const market = client.streams.spot();
  const account = client.streams.spotAccount();
  const book = market.orderBook("BTCUSDT", 15);
  const orders = account.orders();
  await Promise.all([book.ready, orders.ready]);
  const order = { symbol: "BTCUSDT", side: "BUY", type: "LIMIT", quantity: "0.1" } as const;
  const placed = await client.spot.placeOrder({ ...order, price: "59500" });
  for await (const told of orders) if (told.orderId === placed.orderId) break;
  for await (const { bids } of book) if (bids[0]?.[0] === "59500") break;
  const verified = await book.verify();
  await client.spot.cancelOpenOrders({ symbol: "BTCUSDT" });
  market.close();
  account.close();
  return { verified, states: [market.state.name, account.state.name] };
}

test("a real browser trades and listens with it", {
  skip: browserMissing() ?? false,
}, async (t) => {
  const fixture = await openClientFixture();
  t.after(() => fixture.exchange.stop());
  await openMarket(fixture);
  const { baseUrl } = fixture.exchange;
  const executablePath = process.env.RIALTO_TEST_BROWSER ?? (await chromium.executablePath());
  const browser = await playwright.launch({ executablePath, args: ["--no-sandbox"] });
  t.after(() => browser.close());
  const page = await browser.newPage();
  const dist = join(project.packageFolder, "dist");
  const { inside } = modulesFrom(join(dist, "client/index.js"));
  const served = new Map([...inside].map((file) => [`/client/${relative(dist, file)}`, file]));
  const asked: string[] = [];
  await page.route("**/*", async (route) => {
    const { pathname } = new URL(route.request().url());
    const file = served.get(pathname);
    if (file === undefined) {
      await route.continue();
      return;
    }
    asked.push(pathname);
    const body = readFileSync(file, "utf8");
    await route.fulfill({ contentType: "text/javascript", body });
  });
  const faults: string[] = [];
  page.on("pageerror", ({ message }) => faults.push(message));
  // Any page that the exchange serves, so that calls and streams are of the page's own origin.
  await page.goto(`${baseUrl}/api/v3/ping`);
  const seen = await page.evaluate(inBrowser, fixture.alice.credentials);
  assert.deepEqual(seen, { verified: true, states: ["closed", "closed"] });
  assert.deepEqual(faults, []);
  assert.equal(asked.length, served.size);
});
