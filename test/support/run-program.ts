/** Runs the command line to its end, while this process goes on. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { PROGRAM } from "./program.ts";

export interface ProgramRun {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export async function runProgram(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  program = PROGRAM,
): Promise<ProgramRun> {
  const child = spawn(process.execPath, [program, ...args], {
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (chunk: Buffer) => {
    stdout += chunk.toString("utf8");
  });
  child.stderr.on("data", (chunk: Buffer) => {
    stderr += chunk.toString("utf8");
  });
  const [status] = (await once(child, "close")) as [number | null];
  return { status, stdout, stderr };
}
