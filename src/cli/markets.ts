/** `rialto markets`: spot and contract markets, over the operator plane. */
import { existsSync, readFileSync } from "node:fs";
import { Argument, type Command } from "commander";
import { addCommand, addGroup, print } from "./command.ts";
import { CommandFailed } from "./failure.ts";
import type { OperatorPlane, Page } from "./operator-plane.ts";
import { addPlaneOptions, openPlane, type PlaneFlags } from "./plane-options.ts";
import { textFields, textTable } from "./text-table.ts";

const KINDS = ["spot", "contract"] as const;
type Kind = (typeof KINDS)[number];

type Market = Readonly<Record<string, unknown>> & { readonly symbol: string };

/** Standard input, where a file is expected. */
const STANDARD_INPUT = "-";
const PAGE_LIMIT = 1000;

export function addMarketCommands(program: Command): void {
  const markets = addGroup(program, "markets", {
    description: "spot and contract markets",
    examples: ["rialto markets list"],
  });
  const list = addCommand(markets, "list", {
    description: "all markets of both kinds",
    examples: ["rialto markets list"],
  });
  addPlaneOptions(list).action(listMarkets);
  const show = addCommand(markets, "show", {
    description: "the rules of one market",
    examples: ["rialto markets show spot BTCUSDT --json > BTCUSDT.json"],
  });
  addPlaneOptions(addMarketArguments(show)).action(showMarket);
  const put = addCommand(markets, "put", {
    description: "list a market or change its rules: what `show --json` prints is what it takes",
    examples: [
      "rialto markets put spot BTCUSDT BTCUSDT.json",
      "rialto markets put contract BTCUSDT - < contract.json",
    ],
  });
  addPlaneOptions(addMarketArguments(put).argument("<file>", "JSON; - is standard input")).action(
    putMarket,
  );
  const state = addCommand(markets, "state", {
    description: "let a market trade, take cancels only, or halt it",
    examples: ["rialto markets state spot BTCUSDT cancel-only"],
  });
  const states = new Argument("<state>", "what it does from now on").choices([
    "trading",
    "cancel-only",
    "halted",
  ]);
  addPlaneOptions(addMarketArguments(state).addArgument(states)).action(setState);
}

function addMarketArguments(command: Command): Command {
  return command
    .addArgument(new Argument("<kind>", "of the market").choices(KINDS))
    .argument("<symbol>", "such as BTCUSDT");
}

function pathOf(kind: Kind, symbol: string): string {
  return `markets/${kind}/${encodeURIComponent(symbol)}`;
}

async function allMarkets(plane: OperatorPlane, kind: Kind): Promise<Market[]> {
  const markets: Market[] = [];
  for (let after = ""; ; ) {
    const query = `limit=${PAGE_LIMIT}${after === "" ? "" : `&after=${after}`}`;
    const { items, next } = await plane.get<Page<Market>>(`markets/${kind}?${query}`);
    markets.push(...items);
    if (next === null) return markets;
    after = String(next);
  }
}

async function listMarkets(flags: PlaneFlags): Promise<void> {
  const plane = openPlane(flags);
  const spot = await allMarkets(plane, "spot");
  const contract = await allMarkets(plane, "contract");
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

async function showMarket(kind: Kind, symbol: string, flags: PlaneFlags): Promise<void> {
  const market = await openPlane(flags).get<Market>(pathOf(kind, symbol));
  print(flags, market, textFields(market));
}

async function putMarket(
  kind: Kind,
  symbol: string,
  file: string,
  flags: PlaneFlags,
): Promise<void> {
  const { symbol: named, ...rules } = readRules(file);
  if (named !== undefined && named !== symbol) {
    throw new CommandFailed("usage", `${file} holds the rules of ${named}, not of ${symbol}.`);
  }
  const market = await openPlane(flags).call<Market>("PUT", pathOf(kind, symbol), rules);
  print(flags, market, textFields(market));
}

function readRules(file: string): Readonly<Record<string, unknown>> {
  if (file !== STANDARD_INPUT && !existsSync(file)) {
    throw new CommandFailed("usage", `There is no file ${file}.`);
  }
  const text = readFileSync(file === STANDARD_INPUT ? process.stdin.fd : file, "utf8");
  try {
    const rules: unknown = JSON.parse(text);
    if (typeof rules === "object" && rules !== null && !Array.isArray(rules)) return { ...rules };
  } catch {
    // Told below, like JSON that is no object.
  }
  throw new CommandFailed(
    "usage",
    `${file} is no JSON object with the rules of a market. \`rialto markets show --json\` prints ` +
      "one; docs/operating/running-a-venue.md has examples.",
  );
}

async function setState(
  kind: Kind,
  symbol: string,
  state: string,
  flags: PlaneFlags,
): Promise<void> {
  const market = await openPlane(flags).call<Market>("PATCH", pathOf(kind, symbol), { state });
  print(flags, market, `${symbol} (${kind}) is ${market.state}`);
}
