#!/usr/bin/env node
/**
 * The one starter. Plain JavaScript that any Node from 20 on can run, so that a machine with
 * nothing but npm can start the exchange from a clone: it installs what is missing, finds the
 * pinned Node and hands over to it. `test`, `bench`, `build` and `simulate` go to their programmes,
 * everything else to the command line in `src/cli`. Before a start and the tests the pages are built
 * if they are not, or no more what their sources say. In the published package it runs the compiled
 * command line with the Node that runs it.
 *
 * Standard output belongs to the program that is started (its ready line); this file writes to
 * standard error alone.
 */
import { spawn, spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { constants } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = dirname(fileURLToPath(import.meta.url));
/** A clone has the sources; what is published is compiled. */
const IS_CLONE = existsSync(join(ROOT, "src/cli/main.ts"));
const MAIN = IS_CLONE ? "src/cli/main.ts" : "dist/cli/main.js";
const PINNED_NODE = join(ROOT, "node_modules/.bin/node");
const STOP_SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"];
const PROGRESS_INTERVAL_MS = 3_000;
const LAUNCHER_CHECK_INTERVAL_MS = 500;

/**
 * The exchange keeps little that lives long, so a small heap made V8 collect all of it once a
 * second, for 20 to 30 ms each time: with this size, in MB, it waits until there is garbage to find.
 */
const NODE_FLAGS = ["--initial-old-space-size=256"];

/** No compiled code but the runtime: what happens to be installed for the tests stays unused. */
const ENVIRONMENT = { WS_NO_BUFFER_UTIL: "1" };

/** What V8 made of the program the last time; a start takes half as long with it. */
const COMPILE_CACHE = join(ROOT, "node_modules/.cache/rialto");

/** Which script answers a first argument, and whether it needs the development packages too. */
const PROGRAMMES = {
  test: { script: "test/run.ts", development: true },
  bench: { script: "bench/run.ts", development: true },
  build: { script: "build/run.ts", development: true },
  audit: { script: "build/audit.ts", development: true },
  mutate: { script: "test/mutation/run.ts", development: true },
  simulate: { script: "test/simulator/run.ts", development: true },
};

/** What the built pages are made of, and the file that says when they were built. */
const PAGES_SOURCES = ["src/console", "src/client", "src/api", "src/domain", "build", "docs"];
const PAGES_BUILT = join(ROOT, "dist/pages.built");

/** Flags that print a text and start nothing. */
const TEXT_FLAGS = ["--help", "--version"];

await main(process.argv.slice(2));

async function main(args) {
  const isProgramme = IS_CLONE && Object.hasOwn(PROGRAMMES, args[0] ?? "");
  const programme = isProgramme ? PROGRAMMES[args[0]] : null;
  // The pinned Node is among the development packages.
  const development = programme?.development ?? !isNewEnough();
  if (!isInstalled(development)) await install(development);
  const node = findNode();
  if (node === null) fail(missingNodeText());
  if (needsPages(args[0])) await buildPages(node);
  const script = join(ROOT, programme?.script ?? MAIN);
  // The channel lets the program notice that its starter was killed: it sees `disconnect`.
  const stdio = ["inherit", "inherit", "inherit", "ipc"];
  const scriptArgs = programme === null ? args : args.slice(1);
  const end = await runToEnd(node, [...NODE_FLAGS, script, ...scriptArgs], stdio);
  process.exit(end.exitCode);
}

/** A start, also the one of flags alone, the tests and the benchmarks. */
function needsPages(command = "start") {
  if (command.startsWith("--")) return !TEXT_FLAGS.includes(command);
  return ["start", "test", "bench"].includes(command);
}

/** Builds the console and the reference page; an exchange without them says so on its pages. */
async function buildPages(node) {
  if (!IS_CLONE || arePagesBuilt() || !isUnpacked("node_modules/vite")) return;
  say("building the console (needed once, a few seconds)");
  const end = await runToEnd(node, [join(ROOT, "build/pages.ts")], ["ignore", 2, 2]);
  if (end.stopped) fail("stopped before the console was built", end.exitCode || 130);
  if (end.exitCode !== 0) say("the console could not be built; going on without it");
}

function arePagesBuilt() {
  if (!existsSync(PAGES_BUILT)) return false;
  const builtMs = statSync(PAGES_BUILT).mtimeMs;
  return PAGES_SOURCES.every((folder) => newestMs(join(ROOT, folder)) < builtMs);
}

function newestMs(folder) {
  if (!existsSync(folder)) return 0;
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return Math.max(0, ...files.map((file) => statSync(join(file.parentPath, file.name)).mtimeMs));
}

/**
 * Runs a program to its end and passes stop signals on to it. Resolves to its exit code (128 + n
 * when signal n ended it) and whether a stop was asked for.
 *
 * Each signal is passed on once: a terminal sends Ctrl-C to the whole group and npm sends it again,
 * and the listeners stay, so that a repeated signal does not end the starter before the program.
 */
function runToEnd(program, args, stdio) {
  return new Promise((resolve) => {
    const env = { NODE_COMPILE_CACHE: COMPILE_CACHE, ...process.env, ...ENVIRONMENT };
    const child = spawn(program, args, { stdio, env });
    const passedOn = new Set();
    const passOn = (signal) => {
      if (passedOn.has(signal)) return;
      passedOn.add(signal);
      child.kill(signal);
    };
    for (const signal of STOP_SIGNALS) process.on(signal, passOn);
    const watch = watchLauncher(() => passOn("SIGTERM"));
    const finish = (exitCode) => {
      clearInterval(watch);
      for (const signal of STOP_SIGNALS) process.off(signal, passOn);
      resolve({ exitCode, stopped: passedOn.size > 0 });
    };
    child.once("error", (error) => {
      say(`cannot run ${program}: ${error.message}`);
      finish(127);
    });
    child.once("exit", (code, signal) => finish(code ?? 128 + constants.signals[signal]));
  });
}

/**
 * npm cannot pass SIGKILL on. An exchange that outlived its npm would run unseen and keep its data
 * folder locked, so losing the parent counts as being asked to stop.
 */
function watchLauncher(onLost) {
  if (process.env.npm_lifecycle_event === undefined) return undefined;
  const launcher = process.ppid;
  return setInterval(() => {
    if (process.ppid !== launcher) onLost();
  }, LAUNCHER_CHECK_INTERVAL_MS);
}

/**
 * Runs `npm ci` and ends the process with instructions when that does not complete the packages.
 */
async function install(development) {
  say("installing packages with npm ci (needed once, under a minute as a rule)");
  const count = () => wantedPackages(true).filter(([path]) => isUnpacked(path)).length;
  const startedMs = Date.now();
  const seconds = () => Math.round((Date.now() - startedMs) / 1000);
  const progress = setInterval(
    () => say(`installing: ${count()} packages so far, ${seconds()} s`),
    PROGRESS_INTERVAL_MS,
  );
  const end = await runToEnd(...npmCommand(development), ["ignore", 2, 2]);
  clearInterval(progress);
  if (end.stopped) fail("stopped before the packages were installed", end.exitCode || 130);
  if (end.exitCode !== 0) fail(installFailedText(end.exitCode));
  if (!isInstalled(development)) fail(incompleteText(development));
  say(`installed in ${seconds()} s`);
}

/** The npm that runs this script, else the one of the PATH. */
function npmCommand(development) {
  const args = ["ci", "--loglevel=error", ...(development ? ["--include=dev"] : [])];
  args.push(`--prefix=${ROOT}`);
  const running = process.env.npm_execpath ?? "";
  return running.endsWith("npm-cli.js") ? [process.execPath, [running, ...args]] : ["npm", args];
}

/**
 * Whether every package that the lock file asks for is there in that version, and the pinned Node.
 */
function isInstalled(development) {
  const lock = readPackages("package-lock.json");
  // A packed copy has no lock file; whoever installed it answered for its packages.
  if (lock === null) return true;
  if (missingPackages(development).length > 0) return false;
  const offered = lock[`node_modules/node-${process.platform}-${process.arch}`];
  return offered === undefined || existsSync(PINNED_NODE) || isNewEnough();
}

function missingPackages(development) {
  const installed = readPackages("node_modules/.package-lock.json") ?? {};
  const absent = wantedPackages(development).filter(
    ([path, { version }]) => installed[path]?.version !== version || !isUnpacked(path),
  );
  const outdated = Object.entries(readPackages("package-lock.json") ?? {}).filter(
    ([path, wanted]) =>
      wanted.optional && installed[path] && installed[path].version !== wanted.version,
  );
  return [...absent, ...outdated].map(([path]) => path);
}

/**
 * Packages that must be there. Optional ones depend on the platform: npm knows which. A link only
 * repeats the folder that it leads to.
 */
function wantedPackages(development) {
  return Object.entries(readPackages("package-lock.json") ?? {}).filter(
    ([path, { dev, devOptional, link, optional }]) =>
      path !== "" && !optional && !devOptional && !link && (development || !dev),
  );
}

function isUnpacked(path) {
  return existsSync(join(ROOT, path, "package.json"));
}

function readPackages(path) {
  if (!existsSync(join(ROOT, path))) return null;
  return readJson(path).packages ?? {};
}

function readJson(path) {
  return JSON.parse(readFileSync(join(ROOT, path), "utf8"));
}

/** A clone's pinned Node where it runs on this machine, else the running one if new enough. */
function findNode() {
  const isThere = IS_CLONE && existsSync(PINNED_NODE);
  if (isThere && spawnSync(PINNED_NODE, ["--version"]).status === 0) return PINNED_NODE;
  return isNewEnough() ? process.execPath : null;
}

function isNewEnough() {
  return majorOf(process.versions.node) >= minimumMajor();
}

function minimumMajor() {
  return majorOf(readJson("package.json").engines.node);
}

function majorOf(version) {
  return Number(/\d+/.exec(version)[0]);
}

function missingNodeText() {
  const text = `Rialto needs Node ${minimumMajor()} or newer; this is ${process.versions.node}`;
  if (!IS_CLONE) return `${text}.`;
  return (
    `${text}, and npm has ` +
    `no copy that runs here (${process.platform} ${process.arch}).\n` +
    `Install Node ${minimumMajor()} from https://nodejs.org or with a version manager ` +
    "(.nvmrc names the tested version), then run the command again."
  );
}

function installFailedText(exitCode) {
  return (
    `npm ci failed with exit code ${exitCode}; its message stands above.\n` +
    "Without a network connection: connect this machine, point npm at a registry that it " +
    "can reach (npm config set registry <address>), or copy node_modules from a machine of " +
    "the same kind.\n" +
    "If npm speaks of the lock file: restore package.json and package-lock.json from git."
  );
}

function incompleteText(development) {
  const names = missingPackages(development).map((path) => path.replace(/^node_modules\//, ""));
  if (names.length === 0) return missingNodeText();
  return (
    `npm ci left ${names.length} packages out, among them ${names.slice(0, 3).join(", ")}.\n` +
    "Look for `omit` in the npm configuration (npm config get omit) and run the command again."
  );
}

function say(text) {
  process.stderr.write(`rialto: ${text.replaceAll("\n", "\nrialto: ")}\n`);
}

function fail(text, exitCode = 1) {
  say(text);
  process.exit(exitCode);
}
