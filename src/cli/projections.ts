/**
 * `rialto projections rebuild`: fills the history store anew from the journal, while nothing runs.
 */
import type { Command } from "commander";
import { rebuildHistory } from "../app/history.ts";
import { dataFolderOption, withLockedFolder } from "./data-folder.ts";

export function addProjectionCommands(program: Command): void {
  const projections = program.command("projections").description("the history store");
  projections
    .command("rebuild")
    .description("discard the history store and fill it anew from the journal")
    .addOption(dataFolderOption())
    .action(rebuild);
}

async function rebuild({ dataDir }: { readonly dataDir: string }): Promise<void> {
  await withLockedFolder(dataDir, async () => {
    const sequence = await rebuildHistory(dataDir);
    console.log(`The history store holds everything up to sequence ${sequence}.`);
  });
}
