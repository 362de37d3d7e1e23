/** `rialto sandbox`: books, prices and funding rates on demand. */
import { Argument, type Command, InvalidArgumentError, Option } from "commander";
import type {
  GetBookAnswer,
  GetFundingRateAnswer,
  GetLiquidityAnswer,
  MovePriceAnswer,
} from "../client/index.ts";
import { parseDuration } from "./clock.ts";
import { addCommand, given, parseCount, parseUid, print } from "./command.ts";
import { CommandFailed } from "./failure.ts";
import { withOperator } from "./operator.ts";
import { addOperatorOptions, type OperatorFlags } from "./operator-options.ts";
import { textTable, textTime } from "./text-table.ts";

/** A move takes at most four minutes. */
const MOVE_TIMEOUT_MS = 300_000;

const PRODUCTS = ["spot", "contract"] as const;
type Product = (typeof PRODUCTS)[number];
const PATHS = ["jump", "linear", "random-walk"] as const;

const SCENARIOS = [
  ...(["liquidate", "partial-liquidation", "adl", "funding-spike"] as const),
  ...(["flash-crash", "halt", "index-stale", "delist"] as const),
];
type Scenario = (typeof SCENARIOS)[number];

const MODELS = ["tight", "thin", "one-sided", "vanishes-on-take", "last-look-never"] as const;
type Model = (typeof MODELS)[number];

type Levels = string[][];

interface ProductFlags extends OperatorFlags {
  readonly product?: Product;
}

interface TriggerFlags extends ProductFlags {
  readonly uid?: number;
}

interface LiquidityFlags extends ProductFlags {
  readonly depth?: string;
  readonly spread?: string;
  readonly side?: "bids" | "asks";
}

interface BookFlags extends ProductFlags {
  readonly bids?: Levels;
  readonly asks?: Levels;
  readonly clear?: true;
}

interface PriceFlags extends ProductFlags {
  readonly mark?: true;
  readonly in?: number;
  readonly path?: (typeof PATHS)[number];
  readonly volatility?: number;
  readonly seed?: number;
}

/** In the group of the sandbox. */
export function addMarketOnDemandCommands(sandbox: Command): void {
  const book = addCommand(sandbox, "book", {
    description: "show, make or clear the house's book of a market",
    examples: [
      "rialto sandbox book BTCUSDT --bids 59990@1,59980@2 --asks 60010@1",
      "rialto sandbox book BTCUSDT",
      "rialto sandbox book BTCUSDT --clear",
    ],
  });
  addOperatorOptions(addMarket(book))
    .option("--bids <levels>", "bids as price@quantity, separated by commas", parseLevels)
    .option("--asks <levels>", "asks in the same form", parseLevels)
    .option("--clear", "cancel the house's orders")
    .action(showBook);
  const price = addCommand(sandbox, "price", {
    description: "move the price of a market, at once or over time",
    examples: [
      "rialto sandbox price BTCUSDT 60000",
      "rialto sandbox price BTCUSDT 54000 --in 10s",
      "rialto sandbox price BTCUSDT 66000 --in 1m --path random-walk --volatility 0.02 --seed 7",
      "rialto sandbox price BTCUSDT 45000 --mark",
    ],
  });
  addOperatorOptions(addMarket(price).argument("<price>", "decimal price; with --mark, or none"))
    .option("--mark", "pin the contract's mark price instead; none unpins it")
    .option("--in <duration>", "exchange time that the move takes, such as 10s", parseDuration)
    .addOption(new Option("--path <path>", "path of the price").choices(PATHS))
    .option("--volatility <fraction>", "volatility of a random walk, such as 0.02", parseFraction)
    .option("--seed <number>", "seed of a random walk", parseCount)
    .action(movePrice);
  const liquidity = addCommand(sandbox, "liquidity", {
    description: "show or set the liquidity model of a market",
    examples: [
      "rialto sandbox liquidity BTCUSDT thin --spread 0.01 --depth 300",
      "rialto sandbox liquidity BTCUSDT vanishes-on-take",
    ],
  });
  addOperatorOptions(addMarket(liquidity))
    .addArgument(new Argument("[model]", "how the house quotes").choices(MODELS))
    .option("--depth <amount>", "value of each level, in the quote asset")
    .option("--spread <fraction>", "best bid to best ask, as a fraction such as 0.01")
    .addOption(new Option("--side <side>", "side of a one-sided book").choices(["bids", "asks"]))
    .action(setLiquidity);
  const funding = addCommand(sandbox, "funding", {
    description: "show or set a contract's next funding rate",
    examples: ["rialto sandbox funding BTCUSDT 0.0075", "rialto sandbox funding BTCUSDT none"],
  });
  addOperatorOptions(
    funding
      .argument("<symbol>", "such as BTCUSDT")
      .argument("[rate]", "a fraction from -1 to 1, or none to remove it"),
  ).action(fundingRate);
}

/** In the group of the sandbox. */
export function addTriggerCommand(sandbox: Command): void {
  const trigger = addCommand(sandbox, "trigger", {
    description: "run a scenario, such as a liquidation or a crash, and show what was done",
    examples: [
      "rialto sandbox trigger liquidate --uid 100001",
      "rialto sandbox trigger flash-crash BTCUSDT",
    ],
  });
  addOperatorOptions(
    trigger
      .addArgument(new Argument("<scenario>", "the scenario").choices(SCENARIOS))
      .argument("[symbol]", "such as BTCUSDT (default: the user's position)"),
  )
    .option("--uid <uid>", "the user whose position it affects", parseUid)
    .addOption(new Option("--product <product>", "market, if the symbol is both").choices(PRODUCTS))
    .action(triggerScenario);
}

async function triggerScenario(
  scenario: Scenario,
  symbol: string | undefined,
  flags: TriggerFlags,
): Promise<void> {
  const { product, uid } = flags;
  const triggered = await withOperator(
    flags,
    (operator) => operator.triggerScenario({ scenario, ...given({ symbol, uid, product }) }),
    MOVE_TIMEOUT_MS,
  );
  print(flags, triggered, triggered.did.join("\n"));
}

function addMarket(command: Command): Command {
  return command
    .argument("<symbol>", "such as BTCUSDT")
    .addOption(
      new Option("--product <product>", "market (default: spot if listed)").choices(PRODUCTS),
    );
}

/** `59990@1,59980@2`; nothing for no level. */
function parseLevels(text: string): Levels {
  if (text === "") return [];
  return text.split(",").map((level) => {
    const [price = "", quantity = "", more] = level.trim().split("@");
    if (price !== "" && quantity !== "" && more === undefined) return [price, quantity];
    throw new InvalidArgumentError("Use price@quantity, separated by commas: 59990@1,59980@2.");
  });
}

function parseFraction(text: string): number {
  const value = Number(text);
  if (/^\d+(\.\d+)?$/.test(text) && value <= 1) return value;
  throw new InvalidArgumentError("Use a fraction from 0 to 1, such as 0.02.");
}

async function showBook(symbol: string, flags: BookFlags): Promise<void> {
  const { bids, asks, clear, product } = flags;
  const makes = bids !== undefined || asks !== undefined;
  if (makes && clear) throw new CommandFailed("usage", "Use --clear or levels, not both.");
  const market = { symbol, ...given({ product }) };
  const book = await withOperator(flags, (operator) => {
    if (clear) return operator.clearBook(market);
    if (!makes) return operator.getBook(market);
    return operator.makeBook({ ...market, bids: bids ?? [], asks: asks ?? [] });
  });
  print(flags, book, bookText(book));
}

function bookText({ asks, bids, lastPrice, product, symbol }: GetBookAnswer): string {
  const title = `${symbol} (${product}), last price ${lastPrice}`;
  if (asks.length + bids.length === 0) return `${title}\nthe house has no orders`;
  const rows = [
    ...[...asks].reverse().map(([price, quantity]) => ["ask", price, quantity]),
    ...bids.map(([price, quantity]) => ["bid", price, quantity]),
  ];
  return `${title}\n${textTable(["side", "price", "quantity"], rows)}`;
}

async function movePrice(symbol: string, price: string, flags: PriceFlags): Promise<void> {
  const { mark, in: inMs, path, product, volatility, seed } = flags;
  const goal = mark ? { mark: price === "none" ? null : price } : { to: price };
  const options = given({ product: mark ? undefined : product, inMs, path, volatility, seed });
  const moved = await withOperator(
    flags,
    (operator) => operator.movePrice({ symbol, ...options, ...goal }),
    MOVE_TIMEOUT_MS,
  );
  print(flags, moved, movedText(moved));
}

function movedText({ markPrice, price, product, seed, steps, symbol }: MovePriceAnswer): string {
  const walk = seed === null ? "" : `, seed ${seed}`;
  const mark = markPrice === null ? "" : `, mark ${markPrice}`;
  return `${symbol} (${product}) is at ${price}${mark}, after ${steps} steps${walk}`;
}

async function setLiquidity(
  symbol: string,
  model: Model | undefined,
  flags: LiquidityFlags,
): Promise<void> {
  const { depth, product, side, spread } = flags;
  const market = { symbol, ...given({ product }) };
  const liquidity = await withOperator(flags, (operator) =>
    model === undefined
      ? operator.getLiquidity(market)
      : operator.setLiquidity({ ...market, model, ...given({ depth, spread, side }) }),
  );
  print(flags, liquidity, liquidityText(liquidity));
}

function liquidityText({ model, ...terms }: GetLiquidityAnswer): string {
  const { depth, product, side, spread, symbol } = terms;
  if (model === null) return `the house quotes ${symbol} (${product}) without a model`;
  const where = side === null ? "" : `, ${side} only`;
  const figures = `depth ${depth} per level, spread ${spread}${where}`;
  return `the house quotes ${symbol} (${product}) by ${model}: ${figures}`;
}

async function fundingRate(
  symbol: string,
  rate: string | undefined,
  flags: OperatorFlags,
): Promise<void> {
  const funding = await withOperator(flags, (operator) =>
    rate === undefined
      ? operator.getFundingRate({ symbol })
      : operator.setFundingRate({ symbol, rate: rate === "none" ? null : rate }),
  );
  print(flags, funding, fundingText(funding));
}

function fundingText({ fundingTime, lastRate, rate, symbol }: GetFundingRateAnswer): string {
  const next = `next funding rate of ${symbol}: ${rate} at ${textTime(fundingTime)}`;
  return `${next}; last ${lastRate}`;
}
