/** What one account has in contracts, so that another one can try its ids. */
import assert from "node:assert/strict";
import { openContractAccount } from "../support/contract-setup.ts";
import type { ExchangeProcess } from "../support/exchange-process.ts";
import type { Account } from "../support/exchange-setup.ts";

interface ContractIds {
  readonly order: readonly [id: number, clientId: string];
  readonly conditional: readonly [id: number, clientId: string];
  readonly position: readonly [id: number, clientId: string];
}

/** An open order, a conditional order and an isolated position of one account. */
export async function contractIds(exchange: ExchangeProcess, owner: Account): Promise<ContractIds> {
  const maker = await openContractAccount(exchange, "100000");
  const settings = { symbol: "BTCUSDT", marginType: "ISOLATED" };
  const set = await owner.client.post("/capi/v3/account/marginType", settings);
  assert.equal(set.status, 200, set.text);
  const order = async (account: Account, change: object): Promise<number> => {
    const answer = await account.client.post("/capi/v3/order", {
      symbol: "BTCUSDT",
      type: "LIMIT",
      timeInForce: "GTC",
      price: "30000",
      quantity: "0.01",
      ...change,
    });
    assert.equal(answer.status, 200, answer.text);
    return Number((answer.body as { orderId: string }).orderId);
  };
  await order(maker, { side: "SELL", positionSide: "SHORT", newClientOrderId: "maker" });
  const buy = { side: "BUY", positionSide: "LONG" };
  await order(owner, { ...buy, newClientOrderId: "mine-full" });
  const resting = { ...buy, price: "29000", newClientOrderId: "mine-open" };
  const open = await order(owner, resting);
  const stop = await owner.client.post("/capi/v3/placeTpSlOrder", {
    symbol: "BTCUSDT",
    clientAlgoId: "mine-stop",
    planType: "STOP_LOSS",
    triggerPrice: "29000",
    positionSide: "LONG",
  });
  assert.equal(stop.status, 200, stop.text);
  const [{ orderId: algoId }] = stop.body as [{ orderId: number }];
  const path = "/capi/v3/account/position/allPosition";
  const [position] = await owner.client.v3<{ id: number }[]>(path);
  return {
    order: [open, "mine-open"],
    conditional: [algoId, "mine-stop"],
    position: [position?.id ?? 0, "none"],
  };
}
