/**
 * Proves the client of the operator API on a real exchange: a venue is set up by it alone, from
 * assets to a key that trades; movements whose answers are lost happen once, what could happen
 * twice is not sent again; refusals say what they are about.
 */
import assert from "node:assert/strict";
import test from "node:test";
import {
  NetworkError,
  OperatorClient,
  type OperatorClientOptions,
  RialtoClient,
  type RialtoError,
} from "../../src/client/index.ts";
import { ExchangeProcess } from "../support/exchange-process.ts";
import { TcpProxy } from "../support/tcp-proxy.ts";

const passphrase = "correct7horse";

function operatorOf(
  exchange: ExchangeProcess,
  change: Partial<OperatorClientOptions> = {},
): OperatorClient {
  const { operatorToken: token } = JSON.parse(exchange.readyLine) as { operatorToken: string };
  const baseUrl = `http://127.0.0.1:${exchange.operatorPort}`;
  return new OperatorClient({ baseUrl, token, actor: "test", ...change });
}

test("a venue is set up by the client alone", async (t) => {
  const exchange = await ExchangeProcess.start({ process: "shared" });
  t.after(() => exchange.stop());
  const operator = operatorOf(exchange);
  await operator.setAsset({ asset: "ETH", coinId: 3, name: "Ether", scale: 8 });
  assert.ok((await operator.listAssets()).items.some(({ asset }) => asset === "ETH"));
  const market = { baseAsset: "ETH", quoteAsset: "USDT", tickSize: "0.01", stepSize: "0.001" };
  await operator.setSpotMarket({ symbol: "ETHUSDT", ...market });
  assert.equal((await operator.getSpotMarket({ symbol: "ETHUSDT" })).tickSize, "0.01");

  const { uid } = await operator.registerUser({ kyc: true });
  assert.equal((await operator.getUser({ uid })).kyc, true);
  assert.equal((await operator.updateUser({ uid, state: "frozen" })).state, "frozen");
  assert.equal((await operator.updateUser({ uid, state: "active" })).state, "active");
  const deposit = { uid, id: "d/1 ?", account: "spot", asset: "USDT", amount: "1000" } as const;
  await operator.makeDeposit({ ...deposit, id: "d/1" });
  // What stands in a path is encoded.
  assert.equal((await operator.getDeposit({ uid, id: "d/1" })).amount, "1000");
  const permissions = ["read", "spot"] as const;
  const key = await operator.createApiKey({ uid, permissions, passphrase, label: "test" });

  const { apiKey, secret } = key;
  const credentials = { apiKey, secret, passphrase };
  const { spot } = new RialtoClient({ baseUrl: exchange.baseUrl, credentials });
  const order = { symbol: "ETHUSDT", side: "BUY", type: "LIMIT", quantity: "0.1" } as const;
  await spot.placeOrder({ ...order, price: "3000" });
  assert.equal((await operator.getBalances({ uid })).spot.length, 3);
  await operator.revokeApiKey({ apiKey });
  await assert.rejects(spot.account(), ({ code }: RialtoError) => code === -1044);

  const { items, next } = await operator.listAudit({ limit: 2 });
  assert.equal(items.length, 2);
  const later = await operator.listAudit({ after: next ?? 0 });
  assert.equal(later.items.at(-1)?.actor, "test");
  assert.equal((await operator.getInvariants()).ok, true);
  await operator.advanceClock({ ms: 3_600_000 });
  assert.ok((await operator.getClock()).offsetMs >= 3_600_000);
});

test("movements happen once; what could happen twice is left to the caller", async (t) => {
  const exchange = await ExchangeProcess.start({ process: "shared" });
  t.after(() => exchange.stop());
  const proxy = await TcpProxy.open(exchange.operatorPort);
  t.after(() => proxy.close());
  const operator = operatorOf(exchange, { baseUrl: proxy.baseUrl });
  const { uid } = await operator.registerUser();
  proxy.answersToLose = 3;
  const deposit = { uid, id: "once", account: "spot", asset: "USDT", amount: "5" } as const;
  assert.equal((await operator.makeDeposit(deposit)).balance, "5");
  assert.equal((await operator.listDeposits({ uid })).items.length, 1);
  proxy.answersToLose = 1;
  await assert.rejects(operator.registerUser(), NetworkError);
  assert.equal((await operator.listUsers()).items.length, 2);
});

test("refusals say what they are about", async (t) => {
  const exchange = await ExchangeProcess.start({ process: "shared" });
  t.after(() => exchange.stop());
  const operator = operatorOf(exchange);
  const facts = ({ family, code, status, field }: RialtoError) => [family, code, status, field];
  const refused = async (call: Promise<unknown>): Promise<unknown> => {
    const error = await call.then(
      () => assert.fail("it was answered"),
      (reason: RialtoError) => reason,
    );
    return facts(error);
  };
  const nobody = await refused(operator.getUser({ uid: 424_242 }));
  assert.deepEqual(nobody, ["operator", "unknown-user", 404, "uid"]);
  const stranger = operatorOf(exchange, { token: "wrong" });
  const unauthorized = await refused(stranger.getStatus());
  assert.deepEqual(unauthorized, ["operator", "unauthorized", 401, "authorization"]);
  const misspelt = { uid: 1, statee: "frozen" } as { uid: number };
  const unknown = await refused(operator.updateUser(misspelt));
  assert.deepEqual(unknown, ["operator", "malformed", 400, "statee"]);
});
