/**
 * Proves that the units of systemd and the compose files, for one machine and for each of three,
 * fit the program: their commands, options and variables are those of the command line, their
 * paths agree, nothing is given away that the program does not need; systemd-analyze, where it is,
 * accepts the units.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { createProgram } from "../../src/cli/program.ts";
import { ROOT } from "../support/root.ts";
import { lacking } from "../support/tools.ts";

const UNITS = join(ROOT, "deploy/systemd");
/** The service of the exchange in each file. */
const COMPOSE_FILES = { "compose.yml": "rialto", "compose.cluster.yml": "node" } as const;
type ComposeFile = keyof typeof COMPOSE_FILES;
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

/** What has no flag, because others would see it in the list of processes. */
const NOT_OPTIONS = ["RIALTO_MASTER_KEY_FILE", "RIALTO_OPERATOR_TOKEN"];

function assertVariables(names: readonly string[]): void {
  const start = createProgram(false).commands.find((command) => command.name() === "start");
  const known = [...(start?.options.map(({ envVar }) => envVar) ?? []), ...NOT_OPTIONS];
  for (const name of names) assert.ok(known.includes(name), `no variable ${name}`);
}

test("the units run commands that there are, in folders that they may use", () => {
  for (const name of readdirSync(UNITS).filter((file) => file.endsWith(".service"))) {
    const [line = ""] = settings(name, "ExecStart");
    assert.ok(line.startsWith(`${PROGRAM} `), line);
    assertKnown(line.split(" ").slice(1));
    const shut = ["NoNewPrivileges=yes", "ProtectSystem=strict", "UMask=0077", "LimitCORE=0"];
    for (const setting of [...shut, "CapabilityBoundingSet=", "User=rialto"]) {
      assert.ok(unit(name).split("\n").includes(setting), `${name} has ${setting}`);
    }
  }
  for (const name of ["rialto.service", "rialto-node.service"]) {
    const variables = settings(name, "Environment").join(" ").split(" ");
    const ours = variables.filter((pair) => pair.startsWith("RIALTO_"));
    assertVariables(ours.map((pair) => pair.split("=")[0] ?? ""));
    assert.ok(ours.includes("RIALTO_DATA_DIR=/var/lib/rialto"));
    assert.deepEqual(settings(name, "StateDirectory"), ["rialto"]);
    assert.deepEqual(settings(name, "RestartPreventExitStatus"), ["78"]);
    // What a person enters elsewhere is told at the top.
    const head = unit(name).split("[Unit]")[0] ?? "";
    assertVariables([...head.matchAll(/RIALTO_\w+/g)].map(([variable]) => variable));
  }
  for (const name of ["rialto-backup.service", "rialto-shipping.service"]) {
    const [writable = ""] = settings(name, "ReadWritePaths");
    const [mounts = ""] = settings(name, "RequiresMountsFor");
    const [, , target = "", , source = ""] = settings(name, "ExecStart").join().split(" ");
    assert.ok(target.startsWith(`${mounts}/`));
    assert.deepEqual(writable.split(" "), [mounts, source]);
  }
  assert.deepEqual(settings("rialto-shipping.service", "Conflicts"), ["rialto-backup.timer"]);
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

function composeFile(file: ComposeFile): string {
  return readFileSync(join(ROOT, "deploy", file), "utf8");
}

/** The lines of a service, without their indent. */
function service(file: ComposeFile, name: string): readonly string[] {
  const lines = new RegExp(`^  ${name}:\\n((?:    .*\\n)+)`, "m");
  const block = lines.exec(composeFile(file))?.[1] ?? "";
  return block.split("\n").map((line) => line.slice(4));
}

for (const [file, exchange] of Object.entries(COMPOSE_FILES) as [ComposeFile, string][]) {
  test(`${file} runs the image of the Dockerfile, with as few rights`, () => {
    for (const name of [exchange, "backup"]) {
      const lines = service(file, name);
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
    const backup = service(file, "backup");
    assert.ok(backup.includes(`depends_on: { ${exchange}: { condition: service_healthy } }`));
    assertKnown((/^command: \[(.*)\]$/m.exec(backup.join("\n"))?.[1] ?? "").split(", "));
    assert.ok(backup.includes("network_mode: none"));
    const text = composeFile(file);
    const names = [...text.matchAll(/^ {6}(RIALTO_\w+):/gm)].map(([, name = ""]) => name);
    assert.ok(names.length > 0);
    assertVariables(names);
  });
}

test("Compose accepts the files", { skip: lacking("docker-compose") }, () => {
  for (const file of Object.keys(COMPOSE_FILES) as ComposeFile[]) {
    const required = [...composeFile(file).matchAll(/\$\{(\w+):\?\}/g)].map(([, name]) => name);
    const check = (names: readonly (string | undefined)[]) => {
      const given = Object.fromEntries(names.map((name) => [name, "/given"]));
      const env = { PATH: process.env.PATH, ...given };
      const args = ["-f", join(ROOT, "deploy", file), "config", "--quiet"];
      return spawnSync("docker-compose", args, { encoding: "utf8", env });
    };
    const { status, stderr } = check(required);
    assert.equal(status, 0, stderr);
    for (const left of required) {
      const refused = check(required.filter((name) => name !== left));
      assert.match(refused.stderr, new RegExp(`${left}`), `${file} without ${left}`);
      assert.notEqual(refused.status, 0);
    }
  }
});

test("nobody elsewhere reaches the operator API", () => {
  const alone = service("compose.yml", "rialto");
  assert.ok(alone.includes('ports: ["127.0.0.1:8080:8080", "127.0.0.1:8081:8081"]'));
  const node = service("compose.cluster.yml", "node");
  assert.ok(node.includes("network_mode: host"));
  assert.ok(node.includes("  RIALTO_OPERATOR_HOST: 127.0.0.1"));
});

test("the Dockerfile has what the compose files count on", () => {
  assert.match(DOCKERFILE, /^VOLUME \/data$/m);
  // A new volume takes the owner of the folder that it covers.
  assert.match(DOCKERFILE, / mkdir \/data \/backup && chown node:node \/data \/backup /);
  // What `service_healthy` waits for.
  assert.match(DOCKERFILE, /^HEALTHCHECK /m);
  assert.match(DOCKERFILE, /^EXPOSE 8080 8081$/m);
});

test("a node has what all nodes share, and the name that is its own", () => {
  const environment = composeFile("compose.cluster.yml");
  for (const name of ["NODE", "ADVERTISE", "CLUSTER_LISTEN", "POSTGRES", "OPERATOR_TOKEN"]) {
    assert.ok(environment.includes(`RIALTO_${name}: \${RIALTO_${name}:?}\n`), name);
  }
  // An empty one is refused before a container starts.
  assert.ok(environment.includes(`volumes: ["data:/data", "\${RIALTO_KEYS:?}:/keys"]\n`));
  assert.ok(environment.includes("RIALTO_MASTER_KEY_FILE: /keys/master.key\n"));
  assert.deepEqual(settings("rialto-node.service", "EnvironmentFile"), ["/etc/rialto/node"]);
});
