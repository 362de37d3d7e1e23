/**
 * The command line that tests start. A run of everything tests the program as it is published, a
 * few files that start in a third of the time; a run of some files its sources.
 */
import { join } from "node:path";
import { ROOT } from "./root.ts";

export const PROGRAM = process.env.RIALTO_TEST_PROGRAM ?? join(ROOT, "src/cli/main.ts");
