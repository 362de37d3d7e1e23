/**
 * Proves that docs/reference/cli.md matches the program's own help: after its introduction, the
 * page is the `--help` of every command, word for word. After a change of a command,
 *
 * RIALTO_WRITE_REFERENCE=1 npm test -- test/conformance/cli-reference.test.ts
 *
 * rewrites that part of the page.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import type { Command } from "commander";
import { createProgram } from "../../src/cli/program.ts";
import { PROGRAM } from "../support/program.ts";

const ROOT = join(import.meta.dirname, "../..");
const PAGE = join(ROOT, "docs/reference/cli.md");
/** Below it everything is written by this test. */
const MARK = "<!-- What follows is the --help of every command. -->\n";
const COLUMNS = 80;

function helpOf(command: Command): string {
  let text = "";
  command.configureOutput({
    writeOut: (part) => (text += part),
    getOutHelpWidth: () => COLUMNS,
    getOutHasColors: () => false,
  });
  command.outputHelp();
  return text;
}

/** Commands by their full names, in order; groups stand before what is in them. */
function commandsOf(parent: Command, path: readonly string[]): (readonly [string, Command])[] {
  return parent.commands.flatMap((child) => {
    const names = [...path, child.name()];
    return [[names.join(" "), child] as const, ...commandsOf(child, names)];
  });
}

const COMMANDS = commandsOf(createProgram(false), ["rialto"]);

function referenceText(): string {
  const sections = COMMANDS.map(([name, command]) => {
    const depth = name.split(" ").length === 2 ? "##" : "###";
    return `${depth} ${name}\n\n\`\`\`text\n${helpOf(command).trimEnd()}\n\`\`\`\n`;
  });
  return sections.join("\n");
}

const page = readFileSync(PAGE, "utf8");
const [introduction, reference] = page.split(MARK);

if (process.env.RIALTO_WRITE_REFERENCE === "1") {
  writeFileSync(PAGE, `${introduction}${MARK}\n${referenceText()}`);
} else {
  test("the page has the help of every command, word for word", () => {
    assert.ok(COMMANDS.length > 35);
    assert.equal(reference, `\n${referenceText()}`);
  });
}

test("the program itself prints it so", () => {
  for (const name of ["rialto start", "rialto users", "rialto journal replay"]) {
    const [, ...words] = name.split(" ");
    const { status, stdout } = spawnSync(process.execPath, [PROGRAM, ...words, "--help"], {
      encoding: "utf8",
    });
    assert.equal(status, 0);
    assert.ok(reference?.includes(`# ${name}\n\n\`\`\`text\n${stdout.trimEnd()}\n\`\`\`\n`), name);
  }
});

test("the introduction names every group", () => {
  for (const { 0: name } of COMMANDS.filter(([full]) => full.split(" ").length === 2)) {
    assert.ok(introduction?.includes(`\`${name}`), `${name} is missing in the introduction`);
  }
});
