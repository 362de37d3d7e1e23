/**
 * Builds the program alone, as it is published, for the tests that start it: `dist/cli`,
 * which finds documents and pages where the package has them.
 */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { bundleProgram, compileProgram } from "./program.ts";

const DIST = join(import.meta.dirname, "../dist");
const CODE = join(DIST, "tested-code");
const PROGRAM = join(DIST, "cli");

rmSync(PROGRAM, { recursive: true, force: true });
compileProgram(CODE);
await bundleProgram(CODE, PROGRAM);
rmSync(CODE, { recursive: true });
