/** `rialto sandbox`: keeps states of a running sandbox, goes back to them, saves them in files. */
import { existsSync, rmSync } from "node:fs";
import { open, rename } from "node:fs/promises";
import { type Command, InvalidArgumentError } from "commander";
import { Progress } from "../app/progress.ts";
import { addCommand, print } from "./command.ts";
import { CommandFailed } from "./failure.ts";
import { withOperator } from "./operator.ts";
import {
  addOperatorOptions,
  findToken,
  type OperatorFlags,
  operatorUrl,
} from "./operator-options.ts";
import { textTable } from "./text-table.ts";

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
const PRIVATE_FILE_MODE = 0o600;

/** In the group of the sandbox. */
export function addStateCommands(sandbox: Command): void {
  const checkpoint = addCommand(sandbox, "checkpoint", {
    description: "save the current state under a name",
    examples: ["rialto sandbox checkpoint before"],
  }).argument("<name>", "1 to 64 of A-Z a-z 0-9 . _ -", parseName);
  addOperatorOptions(checkpoint).action(keep);
  const list = addCommand(sandbox, "checkpoints", {
    description: "list checkpoints, oldest first",
    examples: ["rialto sandbox checkpoints", "rialto sandbox checkpoints --json"],
  });
  addOperatorOptions(list).action(listAll);
  const restore = addCommand(sandbox, "restore", {
    description: "go back to a checkpoint: state, history, ids, keys and clock",
    examples: ["rialto sandbox restore before"],
  }).argument("<name>", "name of a checkpoint", parseName);
  addOperatorOptions(restore).action(goBack);
  const reset = addCommand(sandbox, "reset", {
    description: "go back to the state right after the start",
    examples: ["rialto sandbox reset"],
  });
  addOperatorOptions(reset).action(goToStart);
  const save = addCommand(sandbox, "save", {
    description: "save the present state in a file, with its commands and its working API keys",
    examples: [
      "rialto sandbox save state.rialto",
      "rialto start --sandbox --from state.rialto --data-dir copy",
    ],
  }).argument("<file>", "a new file, which only you can read");
  addOperatorOptions(save).action(saveState);
}

function parseName(text: string): string {
  if (NAME.test(text)) return text;
  throw new InvalidArgumentError(
    "Use 1 to 64 of A-Z a-z 0-9 . _ -, beginning with a letter or digit.",
  );
}

async function keep(name: string, flags: OperatorFlags): Promise<void> {
  const made = await withOperator(flags, (operator) => operator.makeCheckpoint({ name }));
  print(flags, made, `${name} is the state after command ${made.sequence}`);
}

async function listAll(flags: OperatorFlags): Promise<void> {
  const listed = await withOperator(flags, (operator) => operator.listCheckpoints());
  const rows = listed.items.map(({ name, sequence, stateHash }) => [name, sequence, stateHash]);
  print(flags, listed, textTable(["NAME", "SEQUENCE", "STATE HASH"], rows));
}

async function goBack(name: string, flags: OperatorFlags): Promise<void> {
  const restored = await withOperator(flags, (operator) => operator.restoreCheckpoint({ name }));
  print(flags, restored, `restored ${name}, the state after command ${restored.sequence}`);
}

async function goToStart(flags: OperatorFlags): Promise<void> {
  const reset = await withOperator(flags, (operator) => operator.resetExchange());
  print(flags, reset, `reset to the state after command ${reset.sequence}`);
}

async function saveState(file: string, flags: OperatorFlags): Promise<void> {
  if (existsSync(file)) {
    throw new CommandFailed("exists", `${file} exists: name a new file.`);
  }
  const part = `${file}.part`;
  const interrupted = new AbortController();
  const interrupt = (): void => interrupted.abort(new Error("interrupted"));
  process.once("SIGINT", interrupt);
  try {
    const bytes = await download(flags, part, interrupted.signal);
    await check(part, bytes, interrupted.signal);
    interrupted.signal.throwIfAborted();
    await rename(part, file);
  } catch (error) {
    rmSync(part, { force: true });
    if (interrupted.signal.aborted) throw new CommandFailed("interrupted", "Interrupted.");
    throw error;
  } finally {
    process.removeListener("SIGINT", interrupt);
  }
  print(flags, { file }, `saved in ${file}; it has working API keys`);
}

/** Whether all of it arrived, and as it was sent. */
async function check(path: string, bytes: number, signal: AbortSignal): Promise<void> {
  const { checkState } = await import("../app/states/state-file.ts");
  const progress = new Progress("Checking the state, in bytes", bytes);
  try {
    await checkState(path, { signal, onRead: (done) => progress.report(done) });
  } finally {
    progress.end();
  }
}

/** As it arrives: a state may be larger than memory. Returns its bytes. */
async function download(flags: OperatorFlags, path: string, signal: AbortSignal): Promise<number> {
  const url = operatorUrl(flags);
  const { token } = findToken(flags);
  const headers = { Authorization: `Bearer ${token}` };
  const answer = await fetch(`${url}/operator/v1/sandbox/state`, { headers, signal }).catch(
    (error: unknown) => {
      if (signal.aborted) throw error;
      throw new CommandFailed("unreachable", `Nothing answers on ${url}: is the exchange running?`);
    },
  );
  if (!answer.ok || answer.body === null) {
    const { error } = (await answer.json()) as { error: { code: string; message: string } };
    throw new CommandFailed(error.code, `${error.message}.`);
  }
  const target = await open(path, "w", PRIVATE_FILE_MODE);
  const progress = new Progress("Saving the state, in bytes", null);
  let bytes = 0;
  try {
    for await (const chunk of answer.body) {
      await target.write(chunk);
      bytes += chunk.length;
      progress.report(bytes);
    }
    await target.datasync();
  } finally {
    progress.end();
    await target.close();
  }
  return bytes;
}
