/** Shared by the suites of the v2 streams: markets of both products, traders, orders. */
import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { listStandardContracts, openContractAccount } from "../support/contract-setup.ts";
import { ExchangeProcess } from "../support/exchange-process.ts";
import { type Account, listStandardMarkets, openAccount } from "../support/exchange-setup.ts";

export const FUNDS = { USDT: "100000000", BTC: "100000" };
export const PREFIXES = { spot: "", contract: "/contract" } as const;
export type Product = keyof typeof PREFIXES;
export const PRODUCTS = ["spot", "contract"] as const;
/** As the documentation of each product writes it. */
export const SYMBOLS = { spot: "BTCUSDT_SPBL", contract: "cmt_btcusdt" } as const;
export const PRICES = { spot: 50_000, contract: 60_000 } as const;

export async function startExchange(
  t: TestContext,
  options: Parameters<typeof ExchangeProcess.start>[0] = {},
): Promise<ExchangeProcess> {
  const exchange = await ExchangeProcess.start({ process: "shared", ...options });
  t.after(() => exchange.stop());
  await listStandardMarkets(exchange);
  await listStandardContracts(exchange);
  return exchange;
}

export function openTrader(exchange: ExchangeProcess, product: Product): Promise<Account> {
  return product === "spot"
    ? openAccount(exchange, FUNDS)
    : openContractAccount(exchange, "10000000");
}

let ordersSent = 0;

/** Returns the order's id. */
export async function place(
  { client }: Account,
  product: Product,
  side: "buy" | "sell",
  price: string,
  quantity: string,
): Promise<string> {
  const clientOrderId = `o-${++ordersSent}`;
  if (product === "spot") {
    const terms = { side, orderType: "limit", force: "normal", price, quantity, clientOrderId };
    return String(await client.placed({ symbol: "BTCUSDT_SPBL", ...terms }));
  }
  const answer = await client.post("/capi/v3/order", {
    symbol: "BTCUSDT",
    side: side.toUpperCase(),
    positionSide: side === "buy" ? "LONG" : "SHORT",
    type: "LIMIT",
    timeInForce: "GTC",
    price,
    quantity,
    newClientOrderId: clientOrderId,
  });
  assert.equal(answer.status, 200, answer.text);
  return String((answer.body as { orderId: unknown }).orderId);
}
