/**
 * Goal: `rialto.mjs` hands over arguments, output, signals and exit codes unchanged, ends the
 * program whichever process is told to stop, and installs exactly when something is missing.
 * Method: a copy of the starter beside a tiny command line in a temporary folder, started directly
 * and through the real npm; for installing, a pretended npm that records its calls.
 */
import assert from "node:assert/strict";
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { createInterface } from "node:readline";
import test, { type TestContext } from "node:test";

const ROOT = resolve(import.meta.dirname, "..");
/** Where the fixture program writes what it was told. */
const TOLD = "src/cli/told.txt";

/** Serves until it is told to stop, then drains for a moment; or ends as its argument says. */
const PROGRAM = `
import { appendFileSync } from "node:fs";
const [command, argument] = process.argv.slice(2);
const told = (what) => appendFileSync(import.meta.dirname + "/told.txt", what + "\\n");
if (command === "exit") process.exit(Number(argument));
if (command === "die") process.kill(process.pid, argument);
const drain = (why) => {
  told(why);
  setTimeout(() => { told("drained"); process.exit(0); }, 300);
};
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, drain);
process.on("disconnect", () => drain("disconnect"));
setInterval(() => {}, 1000);
console.log(JSON.stringify({ event: "ready", pid: process.pid, starter: process.ppid, command }));
`;

/** Stands in for npm: records the call and leaves the packages that the test prepared. */
const PRETENDED_NPM = `
import { appendFileSync, cpSync, existsSync, rmSync } from "node:fs";
const root = import.meta.dirname;
appendFileSync(root + "/npm-calls.txt", process.argv.slice(2).join(" ") + "\\n");
console.log("npm talks on standard output");
if (existsSync(root + "/offline")) process.exit(7);
rmSync(root + "/node_modules", { recursive: true, force: true });
cpSync(root + "/registry", root + "/node_modules", { recursive: true });
`;

interface Ready {
  readonly pid: number;
  readonly starter: number;
}

class Workspace {
  readonly folder: string;

  /** `place`: where in its temporary folder the program lies. */
  constructor(context: TestContext, place = ".") {
    const temporary = mkdtempSync(join(tmpdir(), "rialto-starter-"));
    context.after(() => rmSync(temporary, { recursive: true, force: true }));
    this.folder = join(temporary, place);
    mkdirSync(this.folder, { recursive: true });
    copyFileSync(join(ROOT, "rialto.mjs"), this.path("rialto.mjs"));
    const { engines, scripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
    this.write(
      "package.json",
      JSON.stringify({ name: "fixture", type: "module", engines, scripts }),
    );
    this.write("src/cli/main.ts", PROGRAM);
    this.write("test/run.ts", 'console.log("tests ran");');
    this.write("npm-cli.js", PRETENDED_NPM);
    this.#writePackages("package-lock.json", []);
  }

  path(name: string): string {
    return join(this.folder, name);
  }

  write(name: string, text: string): void {
    mkdirSync(dirname(this.path(name)), { recursive: true });
    writeFileSync(this.path(name), text);
  }

  lines(name: string): string[] {
    if (!existsSync(this.path(name))) return [];
    return readFileSync(this.path(name), "utf8").trimEnd().split("\n");
  }

  /** What the lock file asks for: one package of each kind. */
  lock(version: string): void {
    this.#writePackages("package-lock.json", [
      ["served", { version }],
      ["tested", { version, dev: true }],
      ["elsewhere", { version, optional: true, os: ["plan9"] }],
    ]);
  }

  /** What the next pretended `npm ci` leaves behind. */
  offer(version: string, names: readonly string[]): void {
    rmSync(this.path("registry"), { recursive: true, force: true });
    for (const name of names) this.write(`registry/${name}/package.json`, "{}");
    this.#writePackages(
      "registry/.package-lock.json",
      names.map((name) => [name, { version }]),
    );
  }

  #writePackages(file: string, packages: readonly (readonly [string, object])[]): void {
    const entries = packages.map(([name, about]) => [`node_modules/${name}`, about]);
    this.write(file, JSON.stringify({ packages: Object.fromEntries([["", {}], ...entries]) }));
  }

  /** Runs the starter to its end with the pretended npm. */
  run(...args: string[]) {
    return spawnSync(process.execPath, [this.path("rialto.mjs"), ...args], {
      encoding: "utf8",
      env: { ...process.env, npm_execpath: this.path("npm-cli.js") },
    });
  }

  /** Starts the serving program and waits for its ready line. */
  async serve(context: TestContext, launcher: "starter" | "npm") {
    const [program, args] =
      launcher === "npm" ? ["npm", ["start"]] : [process.execPath, ["rialto.mjs", "start"]];
    const child = spawn(program, args, {
      cwd: this.folder,
      detached: true,
      stdio: ["ignore", "pipe", "inherit"],
    });
    const ready = await readReady(child);
    context.after(() => endLeftovers([child.pid ?? 0, ready.starter, ready.pid]));
    return { child, ready, exit: once(child, "exit") };
  }

  async drained(): Promise<string[]> {
    for (let attempt = 0; attempt < 1_000; attempt++) {
      if (this.lines(TOLD).includes("drained")) return this.lines(TOLD);
      await sleep();
    }
    throw new Error(`the program was not told to stop: ${this.lines(TOLD)}`);
  }
}

async function readReady(child: ChildProcess): Promise<Ready> {
  assert.ok(child.stdout);
  for await (const line of createInterface({ input: child.stdout })) {
    if (line.startsWith("{")) return JSON.parse(line) as Ready;
  }
  throw new Error("the program ended before its ready line");
}

function endLeftovers(pids: readonly number[]): void {
  for (const pid of pids) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It has ended, as it should.
    }
  }
}

function sleep(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 20));
}

test("exit codes, and signals as 128 + n, are the program's own", (context) => {
  const workspace = new Workspace(context);
  assert.equal(workspace.run("exit", "0").status, 0);
  assert.equal(workspace.run("exit", "7").status, 7);
  assert.equal(workspace.run("die", "SIGKILL").status, 137);
  assert.equal(workspace.run("die", "SIGABRT").status, 134);
});

test("flags alone, and none at all, reach the program as they are", (context) => {
  const workspace = new Workspace(context);
  workspace.write("src/cli/main.ts", "console.log(JSON.stringify(process.argv.slice(2)));");
  // With the console's builder at hand: a text is printed without it, a start has it built first.
  workspace.write("node_modules/vite/package.json", "{}");
  workspace.write("build/pages.ts", 'console.error("the console was built");');
  const texts = [["--help"], ["-h"], ["--version"], ["-V"], ["--version", "--json"]];
  const starts = [[], ["--profile", "empty"], ["--port=0"], ["--sandbox"], ["--unknown"]];
  for (const args of [...texts, ...starts]) {
    const { status, stdout, stderr } = workspace.run(...args);
    assert.deepEqual([status, stdout], [0, `${JSON.stringify(args)}\n`], stderr);
    assert.equal(stderr.includes("the console was built"), starts.includes(args), stderr);
  }
});

test("as a package it runs what was compiled, with the Node that runs it", (context) => {
  const workspace = new Workspace(context, "node_modules/rialto");
  rmSync(workspace.path("src"), { recursive: true });
  rmSync(workspace.path("package-lock.json"));
  const text = 'console.log(process.execPath, process.argv.slice(2).join(" "))';
  workspace.write("dist/cli/main.js", text);
  // Another project's Node beside it, and the programmes of a clone, mean nothing to it.
  workspace.write("node_modules/.bin/node", "#!/bin/sh\necho a foreign Node\n");
  chmodSync(workspace.path("node_modules/.bin/node"), 0o755);
  const { status, stdout, stderr } = workspace.run("test", "7");
  assert.deepEqual([status, stdout, stderr], [0, `${process.execPath} test 7\n`, ""]);
});

test("a package says in one sentence that the Node is too old", (context) => {
  const workspace = new Workspace(context, "node_modules/rialto");
  rmSync(workspace.path("src"), { recursive: true });
  rmSync(workspace.path("package-lock.json"));
  const manifest = JSON.parse(readFileSync(workspace.path("package.json"), "utf8"));
  workspace.write("package.json", JSON.stringify({ ...manifest, engines: { node: ">=999" } }));
  const { status, stdout, stderr } = workspace.run("start");
  const sentence = `rialto: Rialto needs Node 999 or newer; this is ${process.versions.node}.\n`;
  assert.deepEqual([status, stdout, stderr], [1, "", sentence]);
});

test("standard output carries the program's lines alone", (context) => {
  const workspace = new Workspace(context);
  workspace.lock("1.0.0");
  workspace.offer("1.0.0", ["served", "tested"]);
  const { stdout, stderr } = workspace.run("test");
  assert.equal(stdout, "tests ran\n");
  assert.match(stderr, /rialto: installing/);
  assert.match(stderr, /npm talks on standard output/);
});

for (const launcher of ["starter", "npm"] as const) {
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    test(`${signal} to the ${launcher} drains the program and ends with 0`, async (context) => {
      const workspace = new Workspace(context);
      const { child, exit } = await workspace.serve(context, launcher);
      child.kill(signal);
      assert.deepEqual(await exit, [0, null]);
      assert.deepEqual(workspace.lines(TOLD), [signal, "drained"]);
    });
  }

  test(`Ctrl-C reaches every process under ${launcher}; it still drains`, async (context) => {
    const workspace = new Workspace(context);
    const { child, exit } = await workspace.serve(context, launcher);
    process.kill(-(child.pid ?? Number.NaN), "SIGINT");
    assert.deepEqual(await exit, [0, null]);
    assert.equal(workspace.lines(TOLD).includes("drained"), true);
  });

  test(`a killed ${launcher} does not leave the program behind`, async (context) => {
    const workspace = new Workspace(context);
    const { child, exit } = await workspace.serve(context, launcher);
    child.kill("SIGKILL");
    assert.deepEqual(await exit, [null, "SIGKILL"]);
    const told = await workspace.drained();
    assert.equal(told[0], launcher === "npm" ? "SIGTERM" : "disconnect");
  });
}

test("under npm the starter and the program may be told to stop, too", async (context) => {
  for (const told of ["starter", "pid"] as const) {
    const workspace = new Workspace(context);
    const { ready, exit } = await workspace.serve(context, "npm");
    process.kill(ready[told], "SIGTERM");
    assert.deepEqual(await exit, [0, null]);
    assert.deepEqual(workspace.lines(TOLD), ["SIGTERM", "drained"]);
  }
});

test("a signal that comes twice is passed on once", async (context) => {
  const workspace = new Workspace(context);
  const { child, exit } = await workspace.serve(context, "starter");
  child.kill("SIGTERM");
  await sleep();
  child.kill("SIGTERM");
  assert.deepEqual(await exit, [0, null]);
  assert.deepEqual(workspace.lines(TOLD), ["SIGTERM", "drained"]);
});

test("missing packages are installed once", (context) => {
  const workspace = new Workspace(context);
  workspace.lock("1.0.0");
  workspace.offer("1.0.0", ["served", "tested"]);
  for (const args of [["exit", "0"], ["exit", "0"], ["test"]]) {
    assert.equal(workspace.run(...args).status, 0);
  }
  assert.equal(workspace.lines("npm-calls.txt").length, 1);
});

test("another version in the lock file installs again, and so does a lost package", (context) => {
  const workspace = new Workspace(context);
  for (const version of ["1.0.0", "1.0.1"]) {
    workspace.lock(version);
    workspace.offer(version, ["served", "tested"]);
    assert.equal(workspace.run("exit", "0").status, 0);
  }
  assert.equal(workspace.lines("npm-calls.txt").length, 2);
  rmSync(workspace.path("node_modules/served"), { recursive: true });
  assert.equal(workspace.run("exit", "0").status, 0);
  assert.equal(workspace.lines("npm-calls.txt").length, 3);
});

test("a production install serves as it is; the tests ask for the rest", (context) => {
  const workspace = new Workspace(context);
  workspace.lock("1.0.0");
  workspace.offer("1.0.0", ["served"]);
  assert.equal(workspace.run("exit", "0").status, 0);
  assert.equal(workspace.run("exit", "0").status, 0);
  assert.equal(workspace.lines("npm-calls.txt").length, 1);
  workspace.offer("1.0.0", ["served", "tested"]);
  assert.equal(workspace.run("test").status, 0);
  assert.equal(workspace.lines("npm-calls.txt").length, 2);
  assert.match(workspace.lines("npm-calls.txt")[1] ?? "", /--include=dev/);
});

test("when npm fails or leaves packages out, the starter says so and stops", (context) => {
  const workspace = new Workspace(context);
  workspace.lock("1.0.0");
  workspace.offer("1.0.0", []);
  const incomplete = workspace.run("exit", "0");
  assert.equal(incomplete.status, 1);
  assert.match(incomplete.stderr, /left 1 packages out, among them served/);
  assert.equal(workspace.lines("npm-calls.txt").length, 1);
  appendFileSync(workspace.path("offline"), "");
  const offline = workspace.run("exit", "0");
  assert.equal(offline.status, 1);
  assert.match(offline.stderr, /npm ci failed with exit code 7[\s\S]*network/);
});
