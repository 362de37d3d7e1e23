/**
 * Goal: a thread that fails ends the process with its name and reason, and nothing that was
 * acknowledged is lost. Method: a module that is loaded into every thread throws in one of them
 * while orders are placed on several connections; after the next start, each acknowledged order is
 * there.
 */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { ExchangeProcess, temporaryFolder } from "../support/exchange-process.ts";
import { type Account, listStandardMarkets, openAccount } from "../support/exchange-setup.ts";
import { SignedClient } from "../support/signed-client.ts";

const CONNECTIONS = 4;
const ORDERS_BEFORE = 40;
const REASON = "planted failure";

/** Throws in the thread of this name as soon as the file is there. */
function plantedFailure(thread: string, file: string): string {
  const source = `
    import { existsSync } from "node:fs";
    import { threadName } from "node:worker_threads";
    if (threadName === ${JSON.stringify(thread)}) {
      setInterval(() => {
        if (existsSync(${JSON.stringify(file)})) throw new Error(${JSON.stringify(REASON)});
      }, 5).unref();
    }`;
  return `--import=data:text/javascript,${encodeURIComponent(source)}`;
}

/** Places orders until the connection breaks; calls back with each that was acknowledged. */
async function placeUntilBroken(
  client: SignedClient,
  prefix: string,
  acknowledged: (clientOrderId: string) => void,
): Promise<void> {
  for (let i = 0; ; i++) {
    const clientOrderId = `${prefix}-${i}`;
    const order = { symbol: "BTCUSDT", side: "buy", orderType: "limit", force: "normal" };
    const terms = { price: "20000", quantity: "0.0001", clientOrderId };
    const placed = await client.place({ ...order, ...terms }).catch(() => null);
    if (placed === null || placed.status === 504) return;
    assert.equal(placed.status, 200, placed.text);
    acknowledged(clientOrderId);
  }
}

async function openOrderIds({ client }: { readonly client: SignedClient }): Promise<Set<string>> {
  const open = await client.v3<readonly { readonly clientOrderId: string }[]>(
    "/api/v3/openOrders",
    { symbol: "BTCUSDT" },
  );
  return new Set(open.map(({ clientOrderId }) => clientOrderId));
}

for (const thread of ["gateway-1", "journal", "history-writer"]) {
  test(`the failure of ${thread} ends the process and loses nothing`, async (t) => {
    const folder = temporaryFolder();
    const file = join(folder, "fail-now");
    const exchange = await ExchangeProcess.start({
      flags: ["--gateways", "2"],
      env: { NODE_OPTIONS: plantedFailure(thread, file) },
    });
    t.after(() => exchange.stop());
    await listStandardMarkets(exchange);
    const account: Account = await openAccount(exchange, { USDT: "1000000" });
    const acknowledged: string[] = [];
    const clients = Array.from({ length: CONNECTIONS }, () => {
      return new SignedClient(exchange.port, account.credentials, 1);
    });
    await Promise.all(
      clients.map((client, i) =>
        placeUntilBroken(client, String(i), (clientOrderId) => {
          acknowledged.push(clientOrderId);
          if (acknowledged.length === ORDERS_BEFORE) writeFileSync(file, "");
        }),
      ),
    );
    const { code, output } = await exchange.kill("SIGTERM");
    assert.equal(code, 70, output);
    assert.match(output, new RegExp(`${thread}.*: .*${REASON}`));
    assert.ok(acknowledged.length >= ORDERS_BEFORE);

    await exchange.restart({ flags: ["--gateways", "2"] });
    const client = new SignedClient(exchange.port, account.credentials);
    const open = await openOrderIds({ client });
    assert.deepEqual(
      acknowledged.filter((id) => !open.has(id)),
      [],
    );
    assert.ok((await exchange.operator.invariants()).ok);
    for (const one of [...clients, client]) one.close();
  });
}
