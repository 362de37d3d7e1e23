/**
 * Proves that the unmodified public client (npm `ccxt`, class `weex`) trades spot on the real
 * process over a socket: markets, market data, every order kind, cancels, histories, two accounts
 * that trade with each other with balances checked to the last unit, and the client's error
 * classes. The parts stand in the files beside this one; the last part fails when a capability of
 * the client was left untried.
 */
import test from "node:test";
import { ExchangeProcess } from "../support/exchange-process.ts";
import { listStandardMarkets, openAccount } from "../support/exchange-setup.ts";
import { seededRandom } from "../support/random.ts";
import { type CcxtFixture, ccxtClient } from "./ccxt-client.ts";
import { coverageTests } from "./ccxt-coverage.ts";
import { errorTests } from "./ccxt-errors.ts";
import { historyTests } from "./ccxt-histories.ts";
import { marketDataTests } from "./ccxt-market-data.ts";
import { orderTests } from "./ccxt-orders.ts";
import { twoAccountTests } from "./ccxt-two-accounts.ts";

const random = seededRandom("conformance/ccxt");

test("ccxt weex over a socket", async (t) => {
  const exchange = await ExchangeProcess.start({ process: "shared" });
  t.after(() => exchange.stop());
  await listStandardMarkets(exchange);
  const aliceAccount = await openAccount(exchange, { USDT: "1000000", BTC: "10" });
  const bobAccount = await openAccount(exchange, { USDT: "1000000", BTC: "10", ETH: "500" });
  const called = new Set<string>();
  const fixture: CcxtFixture = {
    exchange,
    called,
    anonymous: ccxtClient(exchange, called),
    alice: {
      account: aliceAccount,
      ccxt: ccxtClient(exchange, called, aliceAccount.credentials),
    },
    bob: { account: bobAccount, ccxt: ccxtClient(exchange, called, bobAccount.credentials) },
  };
  await orderTests(t, fixture);
  await marketDataTests(t, fixture);
  await historyTests(t, fixture);
  await twoAccountTests(t, fixture, random);
  await errorTests(t, fixture);
  await coverageTests(t, fixture, "spot");
});
