/**
 * Proves the completion scripts in the shells themselves: a table of command lines with the words
 * that each shell must offer. The expected words come from the command declarations. The test of a
 * shell is skipped where that shell is missing.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { after } from "node:test";
import { lacking } from "../../test/support/tools.ts";
import { completionScript, type Shell } from "./completion-scripts.ts";
import { createProgram } from "./program.ts";

const program = createProgram(false);
const folder = mkdtempSync(join(tmpdir(), "rialto-completion-"));
after(() => rmSync(folder, { recursive: true, force: true }));

function namesBelow(name: string | null): string[] {
  const parent = name === null ? program : program.commands.find((one) => one.name() === name);
  return (parent?.commands ?? []).map((command) => command.name());
}

/** What was typed, and every word that may follow; the last word may be incomplete. */
const LINES: readonly (readonly [string, readonly string[]])[] = [
  ["rialto ", namesBelow(null)],
  ["rialto jou", ["journal"]],
  ["rialto users ", namesBelow("users")],
  ["rialto users --json sh", ["show"]],
  ["rialto journal re", ["repair", "replay"]],
  ["rialto users deposit 7 1 USDT --account ", ["contract", "spot"]],
  ["rialto users transfer 7 1 USDT --from spot --to c", ["contract"]],
  ["rialto users update 7 --state f", ["frozen"]],
  ["rialto markets show ", ["contract", "spot"]],
  ["rialto markets state --data-dir x spot BTCUSDT ", ["cancel-only", "halted", "trading"]],
  ["rialto completion ", ["bash", "fish", "zsh"]],
  ["rialto users transfer --f", ["--from"]],
  ["rialto keys update rialto_0 --ex", ["--expires-at"]],
];

/** Runs a shell script with the completion script loaded; its output lines are the answers. */
function ask(shell: Shell, questions: (script: string) => string): string[][] {
  const script = join(folder, `completion.${shell}`);
  writeFileSync(script, `${completionScript(program, shell)}\n`);
  const { stdout, stderr, status } = spawnSync(shell, ["-c", questions(script)], {
    encoding: "utf8",
    cwd: folder,
    env: { ...process.env, HOME: folder, XDG_CONFIG_HOME: folder },
  });
  assert.deepEqual([status, stderr], [0, ""]);
  const answers = stdout.trimEnd().split("\n");
  return answers.map((line) => line.split(" ").filter((word) => word !== ""));
}

function check(answers: readonly (readonly string[])[]): void {
  assert.equal(answers.length, LINES.length);
  for (const [index, [line, words]] of LINES.entries()) {
    assert.deepEqual([...(answers[index] ?? [])].sort(), [...words].sort(), line);
  }
}

test("bash completes commands, options and their values", { skip: lacking("bash") }, () => {
  const answers = ask("bash", (script) =>
    [
      `source '${script}'`,
      'offer() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _rialto',
      `echo "\${COMPREPLY[*]}"; }`,
      ...LINES.map(([line]) => `offer ${line}${line.endsWith(" ") ? "''" : ""}`),
    ].join("\n"),
  );
  check(answers);
});

test("fish completes commands, options and their values", { skip: lacking("fish") }, () => {
  const answers = ask("fish", (script) =>
    [
      `source '${script}'`,
      ...LINES.map(
        ([line]) => `echo (complete -C'${line}' | string replace -r '\\t.*' '' | string join ' ')`,
      ),
    ].join("\n"),
  );
  check(answers);
});

test("the script for zsh is that for bash, run by zsh's own means", () => {
  const [first, ...rest] = completionScript(program, "zsh").split("\n");
  assert.equal(first, "autoload -U +X bashcompinit && bashcompinit");
  assert.equal(rest.join("\n"), completionScript(program, "bash"));
});

test("zsh takes the script", { skip: lacking("zsh") }, () => {
  const script = join(folder, "completion.zsh");
  writeFileSync(script, `autoload -U compinit\ncompinit -u\n${completionScript(program, "zsh")}\n`);
  const line = `source '${script}'; print -r -- $_comps[rialto]`;
  const { stdout } = spawnSync("zsh", ["-f", "-c", line], { encoding: "utf8", cwd: folder });
  assert.equal(stdout.trim(), "_bash_complete -F _rialto");
});
