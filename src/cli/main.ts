/** The command line: one file per command. */
import { Command } from "commander";
import { StartRefused } from "../app/config.ts";
import { VERSION } from "../app/version.ts";
import { addAffiliateCommands } from "./affiliate.ts";
import { addJournalCommands } from "./journal.ts";
import { addProjectionCommands } from "./projections.ts";
import { addStartCommand } from "./start.ts";

const program = new Command("rialto")
  .description("A complete exchange that anyone can run")
  .version(VERSION)
  .showHelpAfterError("Run the command with --help to see what it takes.");
addStartCommand(program);
addJournalCommands(program);
addProjectionCommands(program);
addAffiliateCommands(program);
try {
  await program.parseAsync();
} catch (error) {
  if (!(error instanceof StartRefused)) throw error;
  console.error(`rialto: ${error.message}`);
  process.exit(error.exitCode);
}
