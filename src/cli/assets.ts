/** `rialto assets`: what balances are counted in, over the operator plane. */
import type { Command } from "commander";
import { addCommand, addGroup, parseCount, print } from "./command.ts";
import type { Page } from "./operator-plane.ts";
import { addPageOptions, type PageFlags, pageQuery, pageText } from "./pages.ts";
import { addPlaneOptions, openPlane, type PlaneFlags } from "./plane-options.ts";
import { textFields, textTable } from "./text-table.ts";

interface Asset {
  readonly asset: string;
  readonly coinId: number;
  readonly name: string;
  readonly scale: number;
}

export function addAssetCommands(program: Command): void {
  const assets = addGroup(program, "assets", {
    description: "what balances are counted in",
    examples: ["rialto assets list"],
  });
  const list = addCommand(assets, "list", {
    description: "all assets, in order of name",
    examples: ["rialto assets list"],
  });
  addPageOptions(addPlaneOptions(list), String).action(listAssets);
  const put = addCommand(assets, "put", {
    description: "list an asset or change it; its scale is fixed once it was used",
    examples: ['rialto assets put ETH --coin-id 3 --name "Ether"'],
  });
  addPlaneOptions(put.argument("<asset>", "such as ETH"))
    .requiredOption("--coin-id <number>", "its number on the interface", parseCount)
    .requiredOption("--name <text>", "its name for people")
    .option("--scale <digits>", "decimals that are kept", parseCount, 8)
    .action(putAsset);
}

async function listAssets(flags: PageFlags): Promise<void> {
  const page = await openPlane(flags).get<Page<Asset>>(`assets?${pageQuery(flags)}`);
  const rows = page.items.map(({ asset, coinId, name, scale }) => [asset, coinId, name, scale]);
  print(flags, page, pageText(textTable(["asset", "coin id", "name", "scale"], rows), page));
}

async function putAsset(asset: string, flags: PlaneFlags & Omit<Asset, "asset">): Promise<void> {
  const { coinId, name, scale } = flags;
  const path = `assets/${encodeURIComponent(asset)}`;
  const listed = await openPlane(flags).call<Asset>("PUT", path, { coinId, name, scale });
  print(flags, listed, textFields({ ...listed }));
}
