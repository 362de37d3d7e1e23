/** The published client, unmodified; only its base addresses point at the process under test. */
import ccxt, { type weex } from "ccxt";
import type { ExchangeProcess } from "../support/exchange-process.ts";
import type { Account } from "../support/exchange-setup.ts";
import type { Credentials } from "../support/signed-client.ts";

export interface Trader {
  readonly account: Account;
  readonly ccxt: weex;
}

export interface CcxtFixture {
  readonly exchange: ExchangeProcess;
  readonly anonymous: weex;
  readonly alice: Trader;
  readonly bob: Trader;
  /** Names of the unified methods that the tests have called. */
  readonly called: Set<string>;
}

export const BTC = "BTC/USDT";
export const ETH = "ETH/USDT";
export const BTC_SWAP = "BTC/USDT:USDT";
export const ETH_SWAP = "ETH/USDT:USDT";

/** `kind` is the one meant by calls that name no market, such as that for the balance. */
export function ccxtClient(
  exchange: ExchangeProcess,
  called: Set<string>,
  credentials?: Credentials,
  kind: "spot" | "swap" = "spot",
): weex {
  const url = exchange.baseUrl;
  const client = new ccxt.weex({
    ...(credentials === undefined
      ? {}
      : {
          apiKey: credentials.apiKey,
          secret: credentials.secret,
          password: credentials.passphrase,
        }),
    options: { defaultType: kind },
    urls: { api: { public: url, private: url, contract: url, contractPrivate: url } },
    // The client's own pacing would only make the tests slow: limits are the server's to enforce.
    enableRateLimit: false,
    timeout: 20_000,
  });
  return recordingCalls(client, called);
}

/** Notes what a test calls itself; what the client then calls of its own does not count. */
export function recordingCalls<Client extends weex>(client: Client, called: Set<string>): Client {
  return new Proxy(client, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== "function") return value;
      return (...args: unknown[]): unknown => {
        if (typeof name === "string") called.add(name);
        return value.apply(target, args);
      };
    },
  });
}
