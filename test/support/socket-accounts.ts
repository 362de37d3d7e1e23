/** Accounts for tests of the trading WebSocket: with both wallets funded and both products open. */
import { depositContract, listStandardContracts } from "./contract-setup.ts";
import type { ExchangeProcess } from "./exchange-process.ts";
import { type Account, issueKey, listStandardMarkets, openAccount } from "./exchange-setup.ts";
import { SignedClient } from "./signed-client.ts";

export async function listBothProducts(exchange: ExchangeProcess): Promise<void> {
  await listStandardMarkets(exchange);
  await listStandardContracts(exchange);
}

export async function openTrader(exchange: ExchangeProcess): Promise<Account> {
  const { uid } = await openAccount(exchange, { BTC: "100", ETH: "100", USDT: "10000000" });
  await depositContract(exchange, uid, "1000000");
  const credentials = await issueKey(exchange, uid, ["read", "spot", "contract"]);
  return { uid, credentials, client: new SignedClient(exchange.port, credentials) };
}

let ids = 0;

/** A limit order that rests, with an id of its own. */
export function spotOrder(change: object = {}) {
  ids++;
  const limit = { symbol: "BTCUSDT", side: "BUY", type: "LIMIT", price: "20000" };
  return { ...limit, quantity: "0.01", newClientOrderId: `spot-${ids}`, ...change };
}

export function contractOrder(change: object = {}) {
  ids++;
  const limit = { symbol: "BTCUSDT", side: "BUY", positionSide: "LONG", type: "LIMIT" };
  const terms = { timeInForce: "GTC", price: "50000", quantity: "0.01" };
  return { ...limit, ...terms, newClientOrderId: `contract-${ids}`, ...change };
}
