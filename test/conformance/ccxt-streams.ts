/** The public client's streaming class, pointed at the process under test, and its test data. */
import assert from "node:assert/strict";
import ccxt, { type Balances, type Exchange, type Order, type Position, type Trade } from "ccxt";
import type { ExchangeProcess } from "../support/exchange-process.ts";
import type { Credentials } from "../support/signed-client.ts";
import { recordingCalls } from "./ccxt-client.ts";

export type StreamingWeex = InstanceType<typeof ccxt.pro.weex>;

export type Kind = "spot" | "swap";

/** Two accounts on one kind of market, and the names of the methods that were called on it. */
export interface Traders {
  readonly kind: Kind;
  readonly exchange: ExchangeProcess;
  readonly alice: StreamingWeex;
  readonly bob: StreamingWeex;
  readonly called: ReadonlySet<string>;
}

/** Unmodified but for its addresses; it wants one call before it takes a plain `ws:` address. */
export async function streamingClient(
  exchange: ExchangeProcess,
  kind: Kind,
  called: Set<string>,
  credentials?: Credentials,
): Promise<StreamingWeex> {
  const client = new ccxt.pro.weex({
    ...(credentials === undefined
      ? {}
      : {
          apiKey: credentials.apiKey,
          secret: credentials.secret,
          password: credentials.passphrase,
        }),
    options: { defaultType: kind },
    enableRateLimit: false,
    timeout: 20_000,
  });
  pointAt(client, exchange);
  await client.loadHttpProxyAgent();
  await client.loadMarkets();
  return recordingCalls(client, called);
}

/** Also after a restart, when the ports are others. */
function pointAt(client: Exchange, exchange: ExchangeProcess): void {
  const url = exchange.baseUrl;
  const streams = url.replace("http:", "ws:");
  client.urls.api = {
    public: url,
    private: url,
    contract: url,
    contractPrivate: url,
    ws: { spot: `${streams}/v3/ws`, contract: `${streams}/contract/v3/ws` },
  };
}

/**
 * Watches until the condition holds for what the client keeps. Of messages that arrive together the
 * client resolves a call with the first one alone, so what is kept is looked at before each call.
 */
export async function watchUntil<Value>(
  watch: () => Promise<unknown>,
  kept: () => Value | undefined,
  condition: (value: Value) => boolean,
): Promise<Value> {
  for (let messages = 0; messages < 1000; messages++) {
    const value = kept();
    if (value !== undefined && condition(value)) return value;
    await watch();
  }
  assert.fail("a thousand messages, and not the one that was waited for");
}

export function keptOrders({ orders }: StreamingWeex): readonly Order[] | undefined {
  return orders as unknown as Order[] | undefined;
}

export function keptFills({ myTrades }: StreamingWeex): readonly Trade[] | undefined {
  return myTrades as unknown as Trade[] | undefined;
}

export function keptPositions({ positions }: StreamingWeex): readonly Position[] | undefined {
  return positions as Position[] | undefined;
}

/** That of the account's kind, which is the only one that is watched. */
export function keptBalance({ balance }: StreamingWeex): Balances | undefined {
  return Object.values(balance)[0] as Balances | undefined;
}

/** Bob's order rests, Alice takes a part of it. */
export async function trade(
  { alice, bob }: Pick<Traders, "alice" | "bob">,
  symbol: string,
  price: number,
  rests: number,
  taken: number,
): Promise<void> {
  await bob.createOrder(symbol, "limit", "sell", rests, price);
  await alice.createOrder(symbol, "limit", "buy", taken, price);
}
