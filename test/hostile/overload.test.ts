/**
 * Proves that too much at once is told so and never left hanging: far more orders in flight than
 * the exchange can take are each answered, with success or with the family's refusal, nothing
 * acknowledged is missing afterwards, and the exchange goes on at once.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { assertDocumented } from "../support/documented-answers.ts";
import { ExchangeProcess } from "../support/exchange-process.ts";
import { BTCUSDT, listAssets, listMarket, openAccount } from "../support/exchange-setup.ts";
import type { HttpAnswer } from "../support/http-exchange.ts";
import { scaled } from "../support/random.ts";
import { SignedClient } from "../support/signed-client.ts";

const ORDERS = 6000;
const SOCKETS = 600;

test("more orders at once than can be taken", async (t) => {
  const exchange = await ExchangeProcess.start();
  t.after(() => exchange.stop());
  await listAssets(exchange);
  const rules = { ...BTCUSDT, maxOpenOrders: scaled(ORDERS) + 1 };
  await listMarket(exchange, "BTCUSDT", rules);
  const account = await openAccount(exchange, { USDT: "100000000" });
  const client = new SignedClient(exchange.port, account.credentials, SOCKETS);
  t.after(() => client.close());
  const place = (i: number): Promise<HttpAnswer> =>
    client.place({
      symbol: "BTCUSDT",
      side: "buy",
      orderType: "limit",
      force: "normal",
      price: `${20_000 + (i % 100)}`,
      quantity: "0.0001",
      clientOrderId: `flood-${i}`,
    });
  const answers = await Promise.all(Array.from({ length: scaled(ORDERS) }, (_, i) => place(i)));

  let accepted = 0;
  let refused = 0;
  for (const answer of answers) {
    if (answer.status === 200) accepted++;
    else {
      refused++;
      // 503 is the one status above 499 that is an answer and not a failure.
      assert.ok(answer.status === 503 || answer.status === 429, answer.text);
      assert.ok(Number(answer.headers["retry-after"]) >= 1, answer.text);
      if (answer.status === 429) assertDocumented(answer, "v2");
      else assert.equal((answer.body as { code: string }).code, "40015");
    }
  }
  t.diagnostic(`${accepted} accepted, ${refused} told to wait`);
  assert.ok(accepted > 0);
  const { openOrders } = await exchange.operator.call<{ openOrders: number }>(
    "GET",
    "/operator/v1/status",
  );
  assert.equal(openOrders, accepted);
  assert.equal((await place(scaled(ORDERS))).status, 200);
  const { ok, violations } = await exchange.operator.invariants();
  assert.equal(ok, true, violations.join("; "));
});
