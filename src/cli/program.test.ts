/**
 * Proves that the command line matches its own declarations: every command has a description,
 * examples that it accepts, and --json; command line errors are reported in words or as a document,
 * with an exit code; and `start` yields to a command named after it.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import test from "node:test";
import type { Command } from "commander";
import { PROGRAM } from "../../test/support/program.ts";
import { VERSION } from "../app/version.ts";
import { dataFolderOption } from "./command.ts";
import { createProgram, namedCommand } from "./program.ts";

function run(...args: readonly string[]) {
  const { RIALTO_OPERATOR_TOKEN: _token, ...env } = process.env;
  const { status, stdout, stderr } = spawnSync(process.execPath, [PROGRAM, ...args], {
    encoding: "utf8",
    env,
  });
  return { status, stdout, stderr };
}

function* commandsBelow(parent: Command): Generator<Command> {
  for (const child of parent.commands) {
    yield child;
    yield* commandsBelow(child);
  }
}

function helpOf(command: Command): string {
  let text = "";
  command.configureOutput({ writeOut: (part) => (text += part) });
  command.outputHelp();
  return text;
}

function examplesOf(command: Command): string[] {
  return [...helpOf(command).matchAll(/^ {2}\$ (.+)$/gm)].map(([, line]) => line as string);
}

/** The words of a line as a shell would pass them, up to a redirection. */
function wordsOf(line: string): string[] {
  const inner = line.replace(/^source <\((.*)\)$/, "$1").replace(/ [<>] .*$/, "");
  return [...inner.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? "");
}

test("every command says what it does, takes --json, and accepts its own examples", async () => {
  const leaves = [...commandsBelow(createProgram(false))].filter(
    ({ commands }) => commands.length === 0,
  );
  assert.ok(leaves.length > 25);
  for (const leaf of leaves) {
    const about = helpOf(leaf);
    assert.ok(leaf.description().length > 10, about);
    assert.ok(
      leaf.options.some(({ long }) => long === "--json"),
      about,
    );
  }
  for (const command of commandsBelow(createProgram(false))) {
    const examples = examplesOf(command);
    assert.ok(examples.length > 0, `${command.name()} has no example`);
    for (const example of examples) await parses(example);
  }
});

/** Parses a line with a program whose commands do nothing. */
async function parses(line: string): Promise<void> {
  const program = createProgram(false);
  let called = 0;
  for (const command of commandsBelow(program)) {
    if (command.commands.length === 0) command.action(() => void called++);
  }
  const [name, ...words] = wordsOf(line);
  assert.equal(name, "rialto", line);
  await program.parseAsync([...namedCommand(program, words)], { from: "user" });
  assert.equal(called, 1, line);
}

test("start gives way to a command behind it, and is what is meant where none is named", () => {
  const program = createProgram(false);
  for (const [given, meant] of [
    [[], ["start"]],
    [
      ["--port", "0"],
      ["start", "--port", "0"],
    ],
    [
      ["start", "--port", "0"],
      ["start", "--port", "0"],
    ],
    [
      ["start", "users", "list"],
      ["users", "list"],
    ],
    [["--help"], ["--help"]],
    [["-V"], ["-V"]],
    [["nothing"], ["nothing"]],
  ] as const) {
    assert.deepEqual(namedCommand(program, given), meant, given.join(" "));
  }
});

test("what is wrong with a command line is told on standard error, in either form", () => {
  for (const [args, problem] of [
    [["userz"], /unknown command 'userz'/],
    [["users", "show"], /missing required argument 'uid'/],
    [["users", "show", "0"], /A uid is a whole number, 1 or more/],
    [["users", "update", "7", "--kyc", "yes"], /Use on or off/],
    [["users", "list", "--limit", "-1"], /Use a whole number, 0 or more/],
    [["journal", "replay", "--to", "1.5"], /A sequence is a whole number/],
    [["status", "--operator-url", "http://localhost:1/x"], /an address without a path/],
    [["status", "--actor", "two words"], /Use 1 to 64 of/],
    [["keys", "update", "x", "--expires-at", "2027-01-01"], /a time with its zone/],
    [["start", "--port", "70000"], /A port is a number/],
    [["start", "--sandbox", "maybe"], /--sandbox is maybe: use 1/],
    [["clock", "advance", "8"], /Use a whole number of ms, s, m, h or d/],
    [["help", "userz"], /unknown command 'userz'/],
    [["start", "--stream-interval", "9"], /from 10 to 10000 milliseconds/],
    [["start", "--stream-interval", "1e3"], /from 10 to 10000 milliseconds/],
    [["journal", "inspect", "--data-dir", "/nowhere"], /There is no exchange in \/nowhere/],
    [["users", "list", "--data-dir", "/nowhere"], /There is no operator token/],
    [["markets", "put", "spot", "X", "/nowhere", "--token", "t"], /There is no file \/nowhere/],
    [["keys", "update", "x", "--token", "t"], /Nothing to change/],
    [["affiliate", "verify", "/nowhere"], /There is no file \/nowhere/],
  ] as const) {
    const { status, stdout, stderr } = run(...args, "--json");
    const { error } = JSON.parse(stderr) as { error: { code: string; message: string } };
    assert.match(error.code, /^[a-z-]+$/);
    assert.match(error.message, problem);
    const exitCode = error.code === "usage" ? 2 : 1;
    assert.deepEqual([status, stdout], [exitCode, ""], args.join(" "));
    const text = run(...args);
    assert.deepEqual([text.status, text.stdout], [exitCode, ""], args.join(" "));
    assert.match(text.stderr, problem);
    for (const line of text.stderr.trimEnd().split("\n")) assert.match(line, /^rialto: /);
  }
});

test("help and the version are no failure; a group without a command is one", () => {
  for (const args of [["--help"], ["users", "--help"], ["users", "list", "--help"]]) {
    const { status, stdout, stderr } = run(...args);
    assert.deepEqual([status, stderr], [0, ""]);
    assert.match(stdout, /^Usage: rialto/);
  }
  assert.deepEqual(run("--version"), { status: 0, stdout: `${VERSION}\n`, stderr: "" });
  for (const [asked, meant] of [
    [["help"], ["--help"]],
    [
      ["help", "users", "list"],
      ["users", "list", "--help"],
    ],
    [
      ["start", "help", "start"],
      ["start", "--help"],
    ],
  ] as const) {
    assert.deepEqual(run(...asked), run(...meant));
  }
  const group = run("users");
  assert.deepEqual([group.status, group.stdout], [2, ""]);
  assert.match(group.stderr, /Usage: rialto users/);
});

test("without a data folder, and with an empty one, it is data", () => {
  const option = dataFolderOption();
  assert.equal(option.defaultValue, "data");
  assert.equal(option.parseArg?.("", undefined), "data");
  assert.equal(option.parseArg?.("elsewhere", undefined), "elsewhere");
});
