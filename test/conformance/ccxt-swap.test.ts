/**
 * Proves that the unmodified public client (npm `ccxt`, class `weex`) trades contracts on the real
 * process over a socket: every order kind, conditional orders, settings, positions, market data,
 * histories, and the money of a random course of trades to the last unit. Spot markets of the same
 * names are listed beside, so that nothing may depend on a symbol being of one kind alone. The last
 * part fails when a capability of the client was left untried.
 */
import test from "node:test";
import { listStandardContracts, openContractAccount } from "../support/contract-setup.ts";
import { ExchangeProcess } from "../support/exchange-process.ts";
import { listStandardMarkets } from "../support/exchange-setup.ts";
import { seededRandom } from "../support/random.ts";
import { ccxtClient, type Trader } from "./ccxt-client.ts";
import { coverageTests } from "./ccxt-coverage.ts";
import { swapAccountTests } from "./ccxt-swap-account.ts";
import { swapConditionalTests } from "./ccxt-swap-conditional.ts";
import { swapEconomicsTests } from "./ccxt-swap-economics.ts";
import { swapErrorTests } from "./ccxt-swap-errors.ts";
import type { SwapFixture } from "./ccxt-swap-fixture.ts";
import { swapHistoryTests } from "./ccxt-swap-histories.ts";
import { swapMarketDataTests } from "./ccxt-swap-market-data.ts";
import { swapOrderTests } from "./ccxt-swap-orders.ts";

const FUNDS = "1000000";
const random = seededRandom("conformance/ccxt-swap");

test("ccxt weex on contracts over a socket", async (t) => {
  const exchange = await ExchangeProcess.start({ process: "shared" });
  t.after(() => exchange.stop());
  await listStandardMarkets(exchange);
  await listStandardContracts(exchange);
  const called = new Set<string>();
  const trader = async (): Promise<Trader> => {
    const account = await openContractAccount(exchange, FUNDS);
    return { account, ccxt: ccxtClient(exchange, called, account.credentials, "swap") };
  };
  const fixture: SwapFixture = {
    exchange,
    called,
    anonymous: ccxtClient(exchange, called, undefined, "swap"),
    alice: await trader(),
    bob: await trader(),
    carol: await trader(),
    funds: FUNDS,
  };
  await swapOrderTests(t, fixture);
  await swapMarketDataTests(t, fixture);
  await swapHistoryTests(t, fixture);
  await swapAccountTests(t, fixture);
  await swapConditionalTests(t, fixture);
  await swapErrorTests(t, fixture);
  await swapEconomicsTests(t, fixture, random);
  await coverageTests(t, fixture, "contract");
});
