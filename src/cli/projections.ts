/** `rialto projections rebuild`: rebuilds the history store from the journal. */
import type { Command } from "commander";
import { addCommand, addGroup, dataFolderOption, type OutputFlags, print } from "./command.ts";
import { withLockedFolder } from "./data-folder.ts";

export function addProjectionCommands(program: Command): void {
  const projections = addGroup(program, "projections", {
    description: "manage the history store",
    examples: ["rialto projections rebuild"],
  });
  addCommand(projections, "rebuild", {
    description: "rebuild the history store from the journal; stop the exchange first",
    examples: ["rialto projections rebuild --data-dir /var/lib/rialto"],
  })
    .addOption(dataFolderOption())
    .action(rebuild);
}

async function rebuild(flags: OutputFlags & { readonly dataDir: string }): Promise<void> {
  const { rebuildHistory } = await import("../app/history.ts");
  const { dataDir } = flags;
  await withLockedFolder(dataDir, async () => {
    const sequence = await rebuildHistory(dataDir);
    print(flags, { sequence }, `The history store is complete up to sequence ${sequence}.`);
  });
}
