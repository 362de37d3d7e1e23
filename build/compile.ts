/** Runs the compiler on one of the projects of this folder. */
import { execFileSync } from "node:child_process";
import { join } from "node:path";

const COMPILER = join(import.meta.dirname, "../node_modules/.bin/tsc");

export function compile(project: string, ...args: readonly string[]): void {
  const path = join(import.meta.dirname, project);
  execFileSync(COMPILER, ["-p", path, ...args], { stdio: "inherit" });
}
