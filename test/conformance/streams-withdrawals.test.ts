/**
 * Proves that the channels of withdrawals and deposits are the lists over REST: the last row of
 * each id on the stream is the row of the list, to the letter, in every status, also after `kill
 * -9` and a rebuilt connection; a stranger hears nothing, and contracts have no such channels.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { ExchangeProcess } from "../support/exchange-process.ts";
import { type Account, issueKey, openAccount } from "../support/exchange-setup.ts";
import { SignedClient } from "../support/signed-client.ts";
import { StreamClient } from "../support/stream-client.ts";

type Row = Readonly<Record<string, unknown>>;

const CHANNELS = ["withdrawals", "deposits"] as const;
const ID = { withdrawals: "withdrawalId", deposits: "depositId" } as const;

async function open(exchange: ExchangeProcess): Promise<Account> {
  const { uid, client } = await openAccount(exchange, { USDT: "1000" });
  client.close();
  const credentials = await issueKey(exchange, uid, ["read", "withdraw"]);
  return { uid, credentials, client: new SignedClient(exchange.port, credentials) };
}

async function listen(exchange: ExchangeProcess, account: Account): Promise<StreamClient> {
  const stream = await StreamClient.open(exchange.port, "/v3/ws/private", account.credentials);
  assert.deepEqual((await stream.subscribe(...CHANNELS)).result, true);
  return stream;
}

/** What the exchange does for the account, and what the two lists then have. */
async function happen(exchange: ExchangeProcess, { uid, client }: Account, round: number) {
  const { operator } = exchange;
  const request = async (amount: string): Promise<number> => {
    const answer = await client.post("/api/v3/withdrawal", { addressId: 1, amount });
    return (answer.body as { withdrawalId: number }).withdrawalId;
  };
  const ids = [await request("10"), await request("20.5"), await request("30"), await request("7")];
  const [done, failed, rejected, cancelled] = ids;
  await client.delete("/api/v3/withdrawal", { withdrawalId: cancelled ?? 0 });
  for (const [id, states] of [
    [done, ["approved", "sent", "done"]],
    [failed, ["approved", "sent", "failed"]],
    [rejected, ["rejected"]],
  ] as const) {
    for (const state of states) {
      const path = `/operator/v1/withdrawal-requests/${id}`;
      await operator.call("PATCH", path, { id: state, state, note: `tx-${id}` });
    }
  }
  const seen = { network: "main", uid, asset: "USDT", amount: "5" };
  for (const [transaction, reports] of [
    ["a", [0, 1, 3]],
    ["b", [1]],
  ] as const) {
    for (const confirmations of reports) {
      const report = { ...seen, transactionId: `${transaction}${round}`, confirmations };
      await operator.call("POST", "/operator/v1/deposit-reports", report);
    }
  }
  await operator.call("DELETE", `/operator/v1/deposit-reports/${2 * round}`);
}

function lastRows(stream: StreamClient, channel: (typeof CHANNELS)[number]): Row[] {
  const rows = stream.of(channel).flatMap(({ d }) => d as Row[]);
  const byId = new Map(rows.map((row) => [row[ID[channel]] as number, row]));
  return [...byId.values()].sort(
    (one, other) => Number(other[ID[channel]]) - Number(one[ID[channel]]),
  );
}

test("the streams of withdrawals and deposits are the lists", async (t) => {
  const exchange = await ExchangeProcess.start();
  t.after(() => exchange.stop());
  const rules = { minAmount: "1", fee: "0.5", addressHoldMs: 0, keyHoldMs: 0 };
  await exchange.operator.call("PUT", "/operator/v1/withdrawal-rules/USDT", rules);
  const path = "/operator/v1/deposit-rules/USDT/main";
  await exchange.operator.call("PUT", path, { confirmations: 3 });
  let owner = await open(exchange);
  const stranger = await open(exchange);
  await owner.client.post("/api/v3/withdrawal/address", {
    ...{ asset: "USDT", network: "main", address: "a1" },
  });
  for (const round of [1, 2]) {
    const stream = await listen(exchange, owner);
    const other = await listen(exchange, stranger);
    await happen(exchange, owner, round);
    const isTold = () => lastRows(stream, "deposits")[0]?.status === "DROPPED";
    await stream.until(isTold, "the last change");
    for (const channel of CHANNELS) {
      const told = lastRows(stream, channel);
      const listed = await owner.client.v3<Row[]>(`/api/v3/${channel}`, { limit: told.length });
      assert.deepEqual(told, listed);
      assert.equal(told.length, channel === "deposits" ? 2 : 4);
      const versions = stream.of(channel).map(({ v }) => Number(v));
      assert.deepEqual(
        versions,
        versions.map((_, i) => (versions[0] ?? 0) + i),
        "no version is left out",
      );
    }
    assert.deepEqual(other.messages, []);
    await Promise.all([stream.close(), other.close()]);
    if (round === 2) break;
    owner.client.close();
    await exchange.kill("SIGKILL");
    await exchange.restart();
    owner = { ...owner, client: new SignedClient(exchange.port, owner.credentials) };
  }
  const contract = await issueKey(exchange, owner.uid, ["read"]);
  const stream = await StreamClient.open(exchange.port, "/contract/v3/ws/private", contract);
  assert.equal((await stream.subscribe("deposits")).result, false);
  await stream.close();
  for (const { client } of [owner, stranger]) client.close();
});
