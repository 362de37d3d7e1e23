/** The public client's streaming class, pointed at the process under test, and what it is fed. */
import assert from "node:assert/strict";
import ccxt, { type Exchange } from "ccxt";
import type { ExchangeProcess } from "../support/exchange-process.ts";
import type { Credentials } from "../support/signed-client.ts";

export type StreamingWeex = InstanceType<typeof ccxt.pro.weex>;

/** Unmodified but for its addresses; it wants one call before it takes a plain `ws:` address. */
export async function streamingClient(
  exchange: ExchangeProcess,
  kind: "spot" | "swap",
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
  return client;
}

/** Also after a restart, when the ports are others. */
export function pointAt(client: Exchange, exchange: ExchangeProcess): void {
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
 * Watches until the condition holds for what has arrived. Begun before what it waits for is done,
 * it misses nothing: the client resolves with the next message.
 */
export async function watchUntil<Value>(
  watch: () => Promise<Value>,
  condition: (value: Value) => boolean,
): Promise<Value> {
  for (let messages = 0; messages < 1000; messages++) {
    const value = await watch();
    if (condition(value)) return value;
  }
  assert.fail("a thousand messages, and not the one that was waited for");
}
