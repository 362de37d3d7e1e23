/**
 * Proves that the units of systemd and the compose file fit the program: their commands, options
 * and variables are those of the command line, their paths agree, nothing is given away that the
 * program does not need; systemd-analyze, where it is, accepts the units.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { createProgram } from "../../src/cli/program.ts";
import { ROOT } from "../support/source-code.ts";
import { lacking } from "../support/tools.ts";

const UNITS = join(ROOT, "deploy/systemd");
const COMPOSE = readFileSync(join(ROOT, "deploy/compose.yml"), "utf8");
const DOCKERFILE = readFileSync(join(ROOT, "Dockerfile"), "utf8");
const PROGRAM = "/opt/rialto/node_modules/.bin/rialto";

function unit(name: string): string {
  return readFileSync(join(UNITS, name), "utf8");
}

function settings(name: string, key: string): readonly string[] {
  return [...unit(name).matchAll(new RegExp(`^${key}=(.*)$`, "gm"))].map(([, value = ""]) => value);
}

/** Every option is known to the command, and every variable to the start. */
function assertKnown(words: readonly string[]): void {
  const { commands } = createProgram(false);
  const [name, ...rest] = words;
  const command = commands.find((candidate) => candidate.name() === name);
  assert.ok(command !== undefined, `no command ${name}`);
  for (const flag of rest.filter((word) => word.startsWith("--"))) {
    assert.ok(
      command.options.some(({ long }) => long === flag),
      `${name} has no ${flag}`,
    );
  }
}

function assertVariables(names: readonly string[]): void {
  const start = createProgram(false).commands.find((command) => command.name() === "start");
  const known = start?.options.map(({ envVar }) => envVar) ?? [];
  for (const name of names) assert.ok(known.includes(name), `no variable ${name}`);
}

test("the units run commands that there are, in folders that they may use", () => {
  for (const name of ["rialto.service", "rialto-backup.service"]) {
    const [line = ""] = settings(name, "ExecStart");
    assert.ok(line.startsWith(`${PROGRAM} `), line);
    assertKnown(line.split(" ").slice(1));
    const shut = ["NoNewPrivileges=yes", "ProtectSystem=strict", "UMask=0077", "LimitCORE=0"];
    for (const setting of [...shut, "CapabilityBoundingSet=", "User=rialto"]) {
      assert.ok(unit(name).split("\n").includes(setting), `${name} has ${setting}`);
    }
  }
  const variables = settings("rialto.service", "Environment").join(" ").split(" ");
  const ours = variables.filter((pair) => pair.startsWith("RIALTO_"));
  assertVariables(ours.map((pair) => pair.split("=")[0] ?? ""));
  assert.ok(ours.includes("RIALTO_DATA_DIR=/var/lib/rialto"));
  assert.deepEqual(settings("rialto.service", "StateDirectory"), ["rialto"]);
  assert.deepEqual(settings("rialto.service", "RestartPreventExitStatus"), ["78"]);
  const [writable = ""] = settings("rialto-backup.service", "ReadWritePaths");
  const [mounts = ""] = settings("rialto-backup.service", "RequiresMountsFor");
  const [, , target = "", , source = ""] = settings("rialto-backup.service", "ExecStart")
    .join()
    .split(" ");
  assert.ok(target.startsWith(`${mounts}/`));
  assert.deepEqual(writable.split(" "), [mounts, source]);
  assert.equal(settings("rialto-backup.timer", "OnUnitInactiveSec").length, 1);
});

test("systemd accepts the units", { skip: lacking("systemd-analyze") }, (t) => {
  const folder = mkdtempSync(join(tmpdir(), "rialto-units-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const names = readdirSync(UNITS);
  // The program is not installed here; whether there is one is all that is asked of it.
  for (const name of names) {
    const text = unit(name).replaceAll(PROGRAM, process.execPath);
    writeFileSync(join(folder, name), text.replaceAll("WorkingDirectory=/opt/rialto\n", ""));
  }
  const paths = names.map((name) => join(folder, name));
  const { status, stderr } = spawnSync("systemd-analyze", ["--man=no", "verify", ...paths]);
  assert.equal(String(stderr), "");
  assert.equal(status, 0);
});

/** The lines of a service, without their indent. */
function service(name: string): readonly string[] {
  const block = new RegExp(`^  ${name}:\\n((?:    .*\\n)+)`, "m").exec(COMPOSE)?.[1] ?? "";
  return block.split("\n").map((line) => line.slice(4));
}

test("the compose file runs the image of the Dockerfile, with as few rights", () => {
  for (const name of ["rialto", "backup"]) {
    const lines = service(name);
    for (const line of [
      "image: rialto",
      'user: "1000:1000"',
      "read_only: true",
      "cap_drop: [ALL]",
      'security_opt: ["no-new-privileges:true"]',
      "restart: always",
    ]) {
      assert.ok(lines.includes(line), `${name}: ${line}`);
    }
    for (const limit of [/^mem_limit: \d+g$/, /^pids_limit: \d+$/]) {
      assert.ok(
        lines.some((line) => limit.test(line)),
        `${name}: ${limit}`,
      );
    }
    assert.ok(lines.some((line) => line.startsWith('volumes: ["data:/data"')));
  }
  assert.match(DOCKERFILE, /^VOLUME \/data$/m);
  // A new volume takes the owner of the folder that it covers.
  assert.match(DOCKERFILE, / mkdir \/data \/backup && chown node:node \/data \/backup /);
  // What `service_healthy` waits for.
  assert.match(DOCKERFILE, /^HEALTHCHECK /m);
  const command = /^command: \[(.*)\]$/m.exec(service("backup").join("\n"))?.[1] ?? "";
  assertKnown(command.split(", "));
  const names = [...COMPOSE.matchAll(/^ {6}(RIALTO_\w+):/gm)].map(([, name = ""]) => name);
  assertVariables(names);
  const [ports = ""] = service("rialto").filter((line) => line.startsWith("ports:"));
  const published = [...ports.matchAll(/"([\d.]+):(\d+):(\d+)"/g)];
  assert.deepEqual(
    published.map(([, host, , port]) => `${host} ${port}`),
    ["127.0.0.1 8080", "127.0.0.1 8081"],
  );
  assert.match(DOCKERFILE, /^EXPOSE 8080 8081$/m);
  assert.ok(service("backup").includes("network_mode: none"));
});
