/** The entry point of the command line: runs a command and reports its failure. */
import { reportFailure } from "./failure.ts";
import { createProgram, namedCommand } from "./program.ts";

// The reader may close the pipe early: `rialto journal inspect | head`.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
  process.exit(0);
});

const given = process.argv.slice(2);
const json = given.includes("--json");
const program = createProgram(json);
try {
  await program.parseAsync([...namedCommand(program, given)], { from: "user" });
} catch (error) {
  // Handles opened before the failure may keep the process alive.
  process.exit(reportFailure(error, json));
}
