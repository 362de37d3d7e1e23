/** `rialto markets`: spot and contract markets. */
import { Argument, type Command } from "commander";
import type {
  OperatorClient,
  SetContractMarketInput,
  SetSpotMarketInput,
} from "../client/index.ts";
import { addCommand, addGroup, given, print } from "./command.ts";
import { CommandFailed } from "./failure.ts";
import { readJsonObject } from "./json-file.ts";
import { withOperator } from "./operator.ts";
import { addOperatorOptions, type OperatorFlags, REASON } from "./operator-options.ts";
import { textFields, textTable } from "./text-table.ts";

const KINDS = ["spot", "contract"] as const;
type Kind = (typeof KINDS)[number];

const STATES = ["trading", "cancel-only", "halted"] as const;
type State = (typeof STATES)[number];

const PAGE_LIMIT = 1000;

export function addMarketCommands(program: Command): void {
  const markets = addGroup(program, "markets", {
    description: "manage spot and contract markets",
    examples: ["rialto markets list"],
  });
  const list = addCommand(markets, "list", {
    description: "list all spot and contract markets",
    examples: ["rialto markets list"],
  });
  addOperatorOptions(list).action(listMarkets);
  const show = addCommand(markets, "show", {
    description: "show the rules of a market",
    examples: ["rialto markets show spot BTCUSDT --json > BTCUSDT.json"],
  });
  addOperatorOptions(addMarketArguments(show)).action(showMarket);
  const put = addCommand(markets, "put", {
    description: "add a market or change its rules; takes the format of `show --json`",
    examples: [
      "rialto markets put spot BTCUSDT BTCUSDT.json",
      "rialto markets put contract BTCUSDT - < contract.json",
    ],
  });
  addOperatorOptions(
    addMarketArguments(put).argument("<file>", "JSON file; - is standard input"),
  ).action(putMarket);
  const state = addCommand(markets, "state", {
    description: "set the state of a market",
    examples: ["rialto markets state spot BTCUSDT halted --reason upgrade"],
  });
  const states = new Argument("<state>", "the new state").choices(STATES);
  addOperatorOptions(addMarketArguments(state).addArgument(states))
    .option(...REASON)
    .action(setState);
}

function addMarketArguments(command: Command): Command {
  return command
    .addArgument(new Argument("<kind>", "kind of market").choices(KINDS))
    .argument("<symbol>", "such as BTCUSDT");
}

/** All markets of a kind, fetched page by page. */
async function allOf<Market>(
  ask: (query: {
    limit: number;
    after?: string;
  }) => Promise<{ items: Market[]; next: string | null }>,
): Promise<Market[]> {
  const markets: Market[] = [];
  for (let after: string | null = ""; after !== null; ) {
    const page = await ask({ limit: PAGE_LIMIT, ...(after === "" ? {} : { after }) });
    markets.push(...page.items);
    after = page.next;
  }
  return markets;
}

async function listMarkets(flags: OperatorFlags): Promise<void> {
  const { spot, contract } = await withOperator(flags, async (operator) => ({
    spot: await allOf((query) => operator.listSpotMarkets(query)),
    contract: await allOf((query) => operator.listContractMarkets(query)),
  }));
  const rows = [
    ...spot.map((market) => [market, "spot", market.minTradeAmount] as const),
    ...contract.map((market) => [market, "contract", market.minOrderSize] as const),
  ].map(([market, kind, smallest]) => [
    market.symbol,
    kind,
    market.state,
    market.tickSize,
    market.stepSize,
    smallest,
    market.makerFeeRate,
    market.takerFeeRate,
  ]);
  const headings = ["symbol", "kind", "state", "tick", "step", "smallest", "maker", "taker"];
  print(flags, { spot, contract }, textTable(headings, rows));
}

async function showMarket(kind: Kind, symbol: string, flags: OperatorFlags): Promise<void> {
  const market = await withOperator(flags, async (operator) =>
    kind === "spot" ? operator.getSpotMarket({ symbol }) : operator.getContractMarket({ symbol }),
  );
  print(flags, market, textFields({ ...market }));
}

async function putMarket(
  kind: Kind,
  symbol: string,
  file: string,
  flags: OperatorFlags,
): Promise<void> {
  const { symbol: named, ...rules } = readRules(file);
  if (named !== undefined && named !== symbol) {
    throw new CommandFailed("usage", `${file} holds the rules of ${named}, not of ${symbol}.`);
  }
  const market = await withOperator(flags, (operator) => setMarket(operator, kind, symbol, rules));
  print(flags, market, textFields({ ...market }));
}

/** The exchange validates the rules. */
async function setMarket(operator: OperatorClient, kind: Kind, symbol: string, rules: object) {
  return kind === "spot"
    ? operator.setSpotMarket({ ...rules, symbol } as SetSpotMarketInput)
    : operator.setContractMarket({ ...rules, symbol } as SetContractMarketInput);
}

function readRules(file: string): Readonly<Record<string, unknown>> {
  return readJsonObject(
    { file },
    "the rules of a market. `rialto markets show --json` prints one; " +
      "docs/operating/running-a-venue.md has examples.",
  );
}

async function setState(
  kind: Kind,
  symbol: string,
  state: State,
  flags: OperatorFlags & { readonly reason?: string },
): Promise<void> {
  const change = { symbol, state, ...given({ reason: flags.reason }) };
  const market = await withOperator(flags, async (operator) =>
    kind === "spot" ? operator.setSpotMarketState(change) : operator.setContractMarketState(change),
  );
  print(flags, market, `${symbol} (${kind}) is ${market.state}`);
}
