/** `rialto assets`: the assets that balances are held in. */
import type { Command } from "commander";
import type { SetAssetInput } from "../client/index.ts";
import { addCommand, addGroup, given, parseCount, print } from "./command.ts";
import { withOperator } from "./operator.ts";
import { addOperatorOptions, type OperatorFlags } from "./operator-options.ts";
import { addPageOptions, type PageFlags, pageText } from "./pages.ts";
import { textFields, textTable } from "./text-table.ts";

export function addAssetCommands(program: Command): void {
  const assets = addGroup(program, "assets", {
    description: "list and change assets",
    examples: ["rialto assets list"],
  });
  const list = addCommand(assets, "list", {
    description: "list all assets by name",
    examples: ["rialto assets list"],
  });
  addPageOptions(addOperatorOptions(list), String).action(listAssets);
  const put = addCommand(assets, "put", {
    description: "add an asset or change it; its scale is fixed once it has been used",
    examples: ['rialto assets put ETH --coin-id 3 --name "Ether"'],
  });
  addOperatorOptions(put.argument("<asset>", "such as ETH"))
    .requiredOption("--coin-id <number>", "its number in the API", parseCount)
    .requiredOption("--name <text>", "display name")
    .option("--scale <digits>", "number of decimals", parseCount, 8)
    .action(putAsset);
}

async function listAssets(flags: PageFlags<string>): Promise<void> {
  const { after, limit } = flags;
  const page = await withOperator(flags, (operator) =>
    operator.listAssets(given({ after, limit })),
  );
  const rows = page.items.map(({ asset, coinId, name, scale }) => [asset, coinId, name, scale]);
  print(flags, page, pageText(textTable(["asset", "coin id", "name", "scale"], rows), page));
}

async function putAsset(
  asset: string,
  flags: OperatorFlags & Omit<SetAssetInput, "asset">,
): Promise<void> {
  const { coinId, name, scale } = flags;
  const listed = await withOperator(flags, (operator) =>
    operator.setAsset({ asset, coinId, name, scale }),
  );
  print(flags, listed, textFields(listed));
}
