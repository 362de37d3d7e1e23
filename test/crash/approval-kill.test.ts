/**
 * Proves that what waits for a second operator survives `kill -9`: proposals are answered, the
 * process is killed and restarted, the same call answers the same proposal, another operator
 * decides it once, and after further kills the decision is answered as the first time, the money
 * has moved once, and the state is the same to the last bit.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { ExchangeProcess } from "../support/exchange-process.ts";
import { type HttpAnswer, HttpConnection } from "../support/http-exchange.ts";

const V1 = "/operator/v1";
const UID = 901;

test("kill -9 between a proposal and its decision, and after it", async (t) => {
  const exchange = await ExchangeProcess.start();
  t.after(() => exchange.stop());
  const killAndRestart = async (): Promise<void> => {
    const before = await exchange.operator.stateHash();
    await exchange.kill("SIGKILL");
    await exchange.restart();
    assert.equal(await exchange.operator.stateHash(), before);
  };
  await exchange.operator.call("POST", `${V1}/users`, { uid: UID });
  const { token } = await exchange.operator.call<{ token: string }>("POST", `${V1}/operators`, {
    ...{ name: "ann", role: "treasury" },
  });
  const rule = { action: "deposits", asset: "USDT", above: "10" };
  await exchange.operator.call("POST", `${V1}/approval-rules`, rule);
  const asAnn = async (method: string, path: string, body: object): Promise<HttpAnswer> => {
    const connection = new HttpConnection(exchange.operatorPort, 1);
    const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
    const request = { method, path: `${V1}/${path}`, headers, body: JSON.stringify(body) };
    const answer = await connection.send(request);
    connection.close();
    return answer;
  };
  const deposit = (id: string) =>
    asAnn("POST", `users/${UID}/deposits`, { id, account: "spot", asset: "USDT", amount: "11" });
  const available = async (): Promise<string | undefined> => {
    const path = `${V1}/users/${UID}/balances`;
    const { spot } = await exchange.operator.call<{ spot: Record<string, string>[] }>("GET", path);
    return spot.find(({ asset }) => asset === "USDT")?.available;
  };
  const waiting = [await deposit("one"), await deposit("two")];
  for (const [index, { status, headers }] of waiting.entries()) {
    assert.equal(status, 202);
    assert.equal(headers.location, `${V1}/proposals/${index + 1}`);
  }
  await killAndRestart();
  assert.equal((await deposit("one")).text, waiting[0]?.text, "the same proposal");
  assert.equal(await available(), "0");
  const decide = (proposalId: number, decision: string) =>
    exchange.operator.send("PATCH", `${V1}/proposals/${proposalId}`, { decision });
  const own = await asAnn("PATCH", "proposals/1", { decision: "approved" });
  assert.equal(own.status, 409, own.text);
  const answers = [await decide(1, "approved"), await decide(2, "rejected")];
  assert.equal(await available(), "11");
  await exchange.operator.takeSnapshot();
  for (let life = 1; life <= 2; life++) {
    await killAndRestart();
    assert.equal((await decide(1, "approved")).text, answers[0]?.text);
    assert.equal((await decide(2, "rejected")).text, answers[1]?.text);
    assert.equal((await deposit("one")).status, 200, "it is done, and is only answered again");
    assert.equal(await available(), "11");
  }
});
