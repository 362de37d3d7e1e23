/**
 * Proves that the Dockerfile fits the program, without a container: its steps name files that are
 * there and not ignored, its environment and ports are options of the command line, and exactly the
 * files that it copies, started by its own command line, become ready, pass its health check, and
 * end on its stop signal.
 */
import assert from "node:assert/strict";
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { createInterface } from "node:readline";
import test, { type TestContext } from "node:test";
import { createProgram } from "../src/cli/program.ts";
import { freePort } from "./support/free-port.ts";

const ROOT = resolve(import.meta.dirname, "..");

interface Instruction {
  readonly name: string;
  readonly value: string;
}

/** Lines that go on behind a backslash are one. */
function readInstructions(): Instruction[] {
  const text = readFileSync(join(ROOT, "Dockerfile"), "utf8");
  return text
    .replaceAll(/^#.*\n/gm, "")
    .replaceAll(/\\\n\s*/g, "")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => {
      const [name = "", ...words] = line.split(" ");
      return { name, value: words.join(" ") };
    });
}

const INSTRUCTIONS = readInstructions();
/** Without a name the last one, which becomes the image. */
function stageOf(stage: string | null): readonly Instruction[] {
  const isBegin = ({ name, value }: Instruction): boolean =>
    name === "FROM" && (stage === null || value.endsWith(` AS ${stage}`));
  const begin = INSTRUCTIONS.findLastIndex(isBegin);
  assert.ok(begin >= 0, `a stage ${stage}`);
  const rest = INSTRUCTIONS.slice(begin + 1);
  const end = rest.findIndex(({ name }) => name === "FROM");
  return rest.slice(0, end < 0 ? rest.length : end);
}

const IMAGE = stageOf(null);

function settingOf(name: string): string {
  const found = IMAGE.filter((instruction) => instruction.name === name);
  assert.equal(found.length, 1, `${name} stands once`);
  return found[0]?.value as string;
}

/** Of the form that is no shell's: a list. */
function commandOf(name: string): string[] {
  return JSON.parse(settingOf(name).replace(/^[^[]*/, "")) as string[];
}

const ENVIRONMENT = Object.fromEntries(
  settingOf("ENV")
    .split(/\s+/)
    .map((pair) => pair.split("=") as [string, string]),
);

/** What a build gets to see: the last line of .dockerignore that fits decides. */
function isInContext(path: string): boolean {
  const lines = readFileSync(join(ROOT, ".dockerignore"), "utf8").split("\n");
  let isIgnored = false;
  for (const line of lines.filter((entry) => entry !== "" && !entry.startsWith("#"))) {
    const pattern = toRegExp(line.replace(/^!/, ""));
    const fits = [path, ...foldersAbove(path)].some((part) => pattern.test(part));
    if (fits) isIgnored = !line.startsWith("!");
  }
  return !isIgnored;
}

/** A star takes hidden files too, as it does for the builder. */
function toRegExp(pattern: string): RegExp {
  const source = pattern
    .replaceAll(".", "\\.")
    .split("**/")
    .map((part) => part.replaceAll("*", "[^/]*"))
    .join("(.+/)?");
  return new RegExp(`^${source}$`);
}

function foldersAbove(path: string): string[] {
  const folder = dirname(path);
  return folder === "." ? [] : [folder, ...foldersAbove(folder)];
}

function copiedFiles(stage: readonly Instruction[]): string[] {
  const sources = stage
    .filter(({ name, value }) => name === "COPY" && !value.startsWith("--from="))
    .flatMap(({ value }) => value.split(" ").slice(0, -1));
  return sources.flatMap((source) => {
    assert.ok(existsSync(join(ROOT, source)), `${source} is not there`);
    const below = globSync(`${source}/**/*.*`, { cwd: ROOT });
    return below.length === 0 ? [source] : below;
  });
}

test("what is copied is there, and nothing else of the folder gets into a build", () => {
  for (const path of copiedFiles(INSTRUCTIONS).filter((file) => !file.startsWith("src/"))) {
    assert.ok(isInContext(path), `${path} is ignored`);
  }
  for (const path of ["src/cli/main.ts", "src/engine/engine.ts"]) assert.ok(isInContext(path));
  for (const path of [
    "data/master.key",
    ".git/config",
    "node_modules/ws/package.json",
    "test/run.ts",
    "src/cli/affiliate.test.ts",
  ]) {
    assert.ok(!isInContext(path), `${path} gets into the build`);
  }
});

test("its settings are options of the command line, and no rights are left", () => {
  const start = createProgram(false).commands.find((command) => command.name() === "start");
  const options = start?.options ?? [];
  for (const name of Object.keys(ENVIRONMENT)) {
    assert.ok(
      options.some(({ envVar }) => envVar === name),
      name,
    );
  }
  const ports = ["port", "operator-port"].map((name) => {
    return String(options.find((option) => option.name() === name)?.defaultValue);
  });
  assert.deepEqual(settingOf("EXPOSE").split(" "), ports);
  assert.equal(settingOf("VOLUME"), ENVIRONMENT.RIALTO_DATA_DIR);
  assert.equal(settingOf("USER"), "node");
  assert.equal(ENVIRONMENT.RIALTO_PROFILE, "empty");
  // The program has its packages in its files.
  assert.deepEqual(
    IMAGE.filter(({ value }) => /node_modules|npm/.test(value)),
    [],
  );
  const manifest = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  const origins = INSTRUCTIONS.filter(({ name }) => name === "FROM");
  const pinned = readFileSync(join(ROOT, ".nvmrc"), "utf8").trim();
  for (const { value } of origins) {
    assert.match(value, new RegExp(`^node:${pinned}-slim\\b`));
  }
  // The Node of the image is its only one.
  assert.equal(manifest.optionalDependencies, undefined);
  assert.ok(Object.hasOwn(manifest.devDependencies, "pinned-node"));
});

test("the copied files become ready, are healthy, and end on the stop signal", async (context) => {
  const folder = imageFolder(context);
  const files = filesOf(folder);
  const env = {
    ...process.env,
    ...ENVIRONMENT,
    RIALTO_DATA_DIR: join(folder, "data"),
    // All addresses of a container are not those of the machine that tests.
    RIALTO_HOST: "127.0.0.1",
    RIALTO_OPERATOR_HOST: "127.0.0.1",
    RIALTO_PORT: String(await freePort()),
    RIALTO_OPERATOR_PORT: "0",
  };
  const checkHealth = () => run(commandOf("HEALTHCHECK"), folder, env).status;
  assert.equal(checkHealth(), 1);
  const [program, ...args] = [...commandOf("ENTRYPOINT"), ...commandOf("CMD")];
  assert.equal(program, "node");
  const child = spawn(process.execPath, args, {
    cwd: folder,
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  context.after(() => child.kill("SIGKILL"));
  const exited = once(child, "exit");
  const ready = await readyLine(child);
  assert.equal(ready.port, Number(env.RIALTO_PORT));
  assert.equal(checkHealth(), 0);
  const page = await (await fetch(`http://127.0.0.1:${ready.port}/`)).text();
  assert.match(page, /<script type="module"/, "the console is in the image");
  const doctor = run([...commandOf("ENTRYPOINT"), "status"], folder, {
    ...env,
    RIALTO_OPERATOR_PORT: String(ready.operatorPort),
  });
  assert.equal(doctor.status, 0, doctor.stderr);
  child.kill(settingOf("STOPSIGNAL") as NodeJS.Signals);
  assert.deepEqual(await exited, [0, null]);
  assert.equal(checkHealth(), 1);
  // Its root may be read-only.
  assert.deepEqual(filesOf(folder), files);
});

function filesOf(folder: string): readonly string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((path) => !/^(data|node_modules)\//.test(relative(folder, path)))
    .sort();
}

/** The folder of the image: what is copied into it. */
function imageFolder(context: TestContext): string {
  const folder = stageFolder(context, IMAGE);
  assert.ok(IMAGE.some(({ value }) => value === "--from=build /opt/rialto/dist dist"));
  const stage = stageOf("build");
  const building = stageFolder(context, stage);
  symlinkSync(join(ROOT, "node_modules"), join(building, "node_modules"));
  const built = run(stage.at(-1)?.value.split(" ") ?? [], building, process.env);
  assert.equal(built.status, 0, built.stderr);
  cpSync(join(building, "dist"), join(folder, "dist"), { recursive: true });
  return folder;
}

function stageFolder(context: TestContext, stage: readonly Instruction[]): string {
  const folder = mkdtempSync(join(tmpdir(), "rialto-image-"));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  for (const path of copiedFiles(stage).filter(isInContext)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    cpSync(join(ROOT, path), join(folder, path));
  }
  return folder;
}

function run([program, ...args]: readonly string[], cwd: string, env: NodeJS.ProcessEnv) {
  assert.equal(program, "node");
  return spawnSync(process.execPath, args, { cwd, env, encoding: "utf8" });
}

async function readyLine(child: ChildProcess): Promise<{ port: number; operatorPort: number }> {
  assert.ok(child.stdout);
  for await (const line of createInterface({ input: child.stdout })) {
    if (line.startsWith("{")) return JSON.parse(line) as { port: number; operatorPort: number };
  }
  throw new Error("it ended before it was ready");
}
