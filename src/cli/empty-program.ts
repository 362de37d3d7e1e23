/** The program without its commands: its name, its texts and how it reports errors. */
import { Command } from "commander";
import { VERSION } from "../app/version.ts";

/** With `json`, the caller reports command line errors. */
export function emptyProgram(json: boolean): Command {
  const program = new Command("rialto")
    .description("Run and operate a complete exchange")
    .version(VERSION)
    .showHelpAfterError("rialto: run the command with --help to see what it takes")
    .configureOutput({ outputError: (text, write) => write(withPrefix(text)) })
    .addHelpText("after", "\nExamples:\n  $ rialto start\n  $ rialto help users list")
    .helpCommand(false)
    .exitOverride();
  if (json) program.configureOutput({ writeErr: () => undefined });
  return program;
}

/** Every message has the prefix of the program; a suggestion stays on its line. */
function withPrefix(text: string): string {
  return text.replace(/^error: /, "rialto: ").replace("\n(", " (");
}
