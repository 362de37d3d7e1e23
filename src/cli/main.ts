/** The entry point of the command line: runs a command and reports its failure. */

import { emptyProgram } from "./empty-program.ts";
import { reportFailure } from "./failure.ts";
import { addStartCommand } from "./start.ts";

// The reader may close the pipe early: `rialto journal inspect | head`.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
  process.exit(0);
});

const given = process.argv.slice(2);
const json = given.includes("--json");
try {
  await run();
} catch (error) {
  // Handles opened before the failure may keep the process alive.
  process.exit(reportFailure(error, json));
}

/** A start needs no other command, and tests start many exchanges. */
async function run(): Promise<void> {
  const [first, second = "-"] = given;
  if (first === "start" && second.startsWith("-")) {
    const program = emptyProgram(json);
    addStartCommand(program);
    await program.parseAsync(given, { from: "user" });
    return;
  }
  const { createProgram, namedCommand } = await import("./program.ts");
  const program = createProgram(json);
  await program.parseAsync([...namedCommand(program, given)], { from: "user" });
}
