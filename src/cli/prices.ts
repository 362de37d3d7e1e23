/** `rialto prices`: the index and mark prices of contracts. */
import type { Command } from "commander";
import { addCommand, addGroup, given, print } from "./command.ts";
import { withOperator } from "./operator.ts";
import { addOperatorOptions, type OperatorFlags } from "./operator-options.ts";
import { addPageOptions, type PageFlags, pageText } from "./pages.ts";
import { textTable, textTime } from "./text-table.ts";

export function addPriceCommands(program: Command): void {
  const prices = addGroup(program, "prices", {
    description: "show and set index and mark prices of contracts",
    examples: ["rialto prices list"],
  });
  const list = addCommand(prices, "list", {
    description: "list the index prices of all contracts",
    examples: ["rialto prices list"],
  });
  addPageOptions(addOperatorOptions(list), String).action(listIndexPrices);
  const index = addCommand(prices, "set-index", {
    description: "set the index price of a contract; from then on it no longer follows the spot",
    examples: ["rialto prices set-index BTCUSDT 60000"],
  });
  addOperatorOptions(addSymbol(index).argument("<price>", "decimal price"))
    .option("--force", "accept a price far from the last one")
    .action(setIndexPrice);
  const marks = addCommand(prices, "marks", {
    description: "list the mark prices of all contracts and which are pinned; needs --sandbox",
    examples: ["rialto prices marks"],
  });
  addPageOptions(addOperatorOptions(marks), String).action(listMarkPrices);
  const pin = addCommand(prices, "pin-mark", {
    description: "pin the mark price of a contract, or unpin it with none; needs --sandbox",
    examples: ["rialto prices pin-mark BTCUSDT 45000", "rialto prices pin-mark BTCUSDT none"],
  });
  addOperatorOptions(addSymbol(pin).argument("<price>", "decimal price, or none")).action(pinMark);
}

function addSymbol(command: Command): Command {
  return command.argument("<symbol>", "such as BTCUSDT");
}

async function listIndexPrices(flags: PageFlags<string>): Promise<void> {
  const query = given({ after: flags.after, limit: flags.limit });
  const page = await withOperator(flags, (operator) => operator.listIndexPrices(query));
  const rows = page.items.map(({ symbol, price, time, isStale }) => {
    return [symbol, price, time === 0 ? null : textTime(time), isStale ? "yes" : "no"];
  });
  print(flags, page, pageText(textTable(["symbol", "index", "set at", "stale"], rows), page));
}

async function setIndexPrice(
  symbol: string,
  price: string,
  flags: OperatorFlags & { readonly force?: true },
): Promise<void> {
  const { force } = flags;
  const set = await withOperator(flags, (operator) =>
    operator.setIndexPrice({ symbol, price, ...given({ force }) }),
  );
  print(flags, set, `the index price of ${symbol} is ${set.price}`);
}

async function listMarkPrices(flags: PageFlags<string>): Promise<void> {
  const query = given({ after: flags.after, limit: flags.limit });
  const page = await withOperator(flags, (operator) => operator.listMarkPrices(query));
  const rows = page.items.map(({ symbol, markPrice, price }) => [symbol, markPrice, price]);
  print(flags, page, pageText(textTable(["symbol", "mark", "pinned at"], rows), page));
}

async function pinMark(symbol: string, given: string, flags: OperatorFlags): Promise<void> {
  const price = given === "none" ? null : given;
  const pinned = await withOperator(flags, (operator) => operator.pinMarkPrice({ symbol, price }));
  const state = pinned.price === null ? "not pinned" : "pinned";
  print(flags, pinned, `the mark price of ${symbol} is ${pinned.markPrice}, ${state}`);
}
