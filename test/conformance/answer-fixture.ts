/**
 * An exchange with one account that has rows in every list: it trades on spot and on contracts, has
 * a position of either margin type, resting, ended and conditional orders, moved money, and is an
 * affiliate with an invitee, a sub-affiliate and paid commissions.
 */
import assert from "node:assert/strict";
import {
  makeAffiliate,
  openInvitee,
  passFullHour,
  registerInvitee,
} from "../support/affiliate-setup.ts";
import { listStandardContracts, passFundingSlot } from "../support/contract-setup.ts";
import { BUY_LONG, done, place, SELL_SHORT } from "../support/contract-trading.ts";
import { ExchangeProcess } from "../support/exchange-process.ts";
import { type Account, issueKey, listStandardMarkets } from "../support/exchange-setup.ts";
import { SignedClient } from "../support/signed-client.ts";

export const SPOT_SYMBOL = "BTCUSDT";
export const CONTRACT_SYMBOL = "BTCUSDT";
const FUNDS = { spot: { USDT: "1000000", BTC: "10" }, contract: { USDT: "1000000" } };

export class AnswerFixture {
  readonly exchange: ExchangeProcess;
  readonly caller: Account;
  filledSpotOrder = "";
  isolatedPositionId = 0;
  commissionId = 0;
  /** UTC, of the exchange's clock. */
  today = "";
  #invitee = 0;
  #numbers = 0;

  private constructor(exchange: ExchangeProcess, caller: Account) {
    this.exchange = exchange;
    this.caller = caller;
  }

  static async open(): Promise<AnswerFixture> {
    const exchange = await ExchangeProcess.start({ process: "shared" });
    await passFullHour(exchange);
    await listStandardMarkets(exchange);
    await listStandardContracts(exchange);
    const uid = (await exchange.operator.call<{ uid: number }>("POST", "/operator/v1/users", {}))
      .uid;
    const permissions = ["read", "spot", "contract", "affiliate", "withdraw", "keys"] as const;
    const credentials = await issueKey(exchange, uid, permissions, ["127.0.0.1"]);
    const client = new SignedClient(exchange.port, credentials);
    const fixture = new AnswerFixture(exchange, { uid, credentials, client });
    await fixture.#happen();
    return fixture;
  }

  /** A client order id that is new. */
  get #id(): string {
    this.#numbers++;
    return `answer-${this.#numbers}`;
  }

  /** A key that the caller made. */
  async apiKey(): Promise<string> {
    const terms = { permissions: ["read"], passphrase: "answered-2" };
    const { body } = await this.caller.client.post("/api/v3/apiKey", terms);
    return (body as { apiKey: string }).apiKey;
  }

  v2Order(): Record<string, string> {
    const terms = { side: "buy", orderType: "limit", force: "normal", price: "40000" };
    return { ...terms, quantity: "0.01", clientOrderId: this.#id };
  }

  v3Order(): Record<string, string> {
    const terms = { side: "BUY", type: "LIMIT", timeInForce: "GTC", price: "40000" };
    return { symbol: SPOT_SYMBOL, ...terms, quantity: "0.01", newClientOrderId: this.#id };
  }

  /** One that rests; its id. */
  async spotOrder(): Promise<string> {
    const answer = await this.#must("/api/v3/order", this.v3Order());
    return String((answer as { orderId: unknown }).orderId);
  }

  contractOrderBody(): Record<string, string> {
    const terms = { ...BUY_LONG, type: "LIMIT", timeInForce: "GTC", price: "59000" };
    return { symbol: CONTRACT_SYMBOL, ...terms, quantity: "0.01", newClientOrderId: this.#id };
  }

  async contractOrder(): Promise<string> {
    const answer = await this.#must("/capi/v3/order", this.contractOrderBody());
    return String((answer as { orderId: unknown }).orderId);
  }

  async cancelContractOrders(): Promise<void> {
    await this.caller.client.delete("/capi/v3/allOpenOrders", { symbol: CONTRACT_SYMBOL });
  }

  algoOrderBody(): Record<string, string> {
    const terms = { side: "SELL", positionSide: "LONG", type: "STOP_MARKET" };
    const trigger = { triggerPrice: "50000", clientAlgoId: this.#id };
    return { symbol: CONTRACT_SYMBOL, ...terms, quantity: "0.01", ...trigger };
  }

  async algoOrder(): Promise<string> {
    const answer = await this.#must("/capi/v3/algoOrder", this.algoOrderBody());
    return String((answer as { orderId: unknown }).orderId);
  }

  exitBody(): Record<string, string> {
    const terms = { planType: "STOP_LOSS", triggerPrice: "50000", positionSide: "LONG" };
    return { symbol: CONTRACT_SYMBOL, ...terms, quantity: "0.01", clientAlgoId: this.#id };
  }

  async exitOrder(): Promise<string> {
    const [answer] = (await this.#must("/capi/v3/placeTpSlOrder", this.exitBody())) as object[];
    return String((answer as { orderId: unknown }).orderId);
  }

  transfer(amount: string): Record<string, string> {
    const wallets = { fromType: "SPOT", toType: "CONTRACT" };
    return { clientTransferId: this.#id, ...wallets, coinName: "USDT", amount };
  }

  payment(): Record<string, unknown> {
    const wallets = { fromAccountType: "SPOT", toAccountType: "SPOT" };
    return { toUserId: this.#invitee, coin: "USDT", amount: "1.5", ...wallets };
  }

  /** An address of the book, new or not. */
  async address(address = "TExampleAddress"): Promise<number> {
    const entry = { asset: "USDT", network: "TRC20", address };
    const answer = await this.#must("/api/v3/withdrawal/address", entry);
    return (answer as { addressId: number }).addressId;
  }

  async withdrawal(): Promise<number> {
    const terms = { addressId: await this.address(), amount: "10" };
    const answer = await this.#must("/api/v3/withdrawal", {
      ...terms,
      clientWithdrawalId: this.#id,
    });
    return (answer as { withdrawalId: number }).withdrawalId;
  }

  async #must(path: string, sent: object): Promise<unknown> {
    const answer = await this.caller.client.post(path, sent);
    assert.equal(answer.status, 200, answer.text);
    return answer.body;
  }

  async #openWithdrawals({ operator }: ExchangeProcess): Promise<void> {
    const rules = { minAmount: "1", addressHoldMs: 0, keyHoldMs: 0 };
    await operator.call("PUT", "/operator/v1/withdrawal-rules/USDT", rules);
    const path = "/operator/v1/deposit-rules/USDT/TRC20";
    await operator.call("PUT", path, { confirmations: 1 });
    const seen = { network: "TRC20", transactionId: "0x1", asset: "USDT", amount: "5" };
    const report = { ...seen, uid: this.caller.uid, confirmations: 1 };
    await operator.call("POST", "/operator/v1/deposit-reports", report);
  }

  async #happen(): Promise<void> {
    const { exchange, caller } = this;
    await this.#openWithdrawals(exchange);
    for (const [account, asset, amount] of [
      ["spot", "USDT", "1000000"],
      ["spot", "BTC", "10"],
      ["contract", "USDT", "1000000"],
    ]) {
      const deposit = { id: this.#id, account, asset, amount };
      const path = `/operator/v1/users/${caller.uid}/deposits`;
      await exchange.operator.call("POST", path, deposit);
    }
    await makeAffiliate(exchange, caller.uid);
    const below = await registerInvitee(exchange, caller.uid);
    await makeAffiliate(exchange, below, { spotRate: "0.1", futuresRate: "0.1" }, caller.uid);
    const invitee = await openInvitee(exchange, caller.uid, FUNDS);
    const further = await openInvitee(exchange, below, FUNDS);
    this.#invitee = invitee.uid;
    await this.#tradeSpot(invitee, further);
    await this.#tradeContracts(invitee);
    await this.#must("/api/v3/account/transfer", this.transfer("1"));
    await this.#must("/api/v3/rebate/affiliate/internalWithdrawal", this.payment());
    await passFundingSlot(exchange, caller, CONTRACT_SYMBOL);
    const commissions = await caller.client.v3<{
      channelCommissionInfoItems: { commissionId: number }[];
    }>("/api/v3/rebate/affiliate/getAffiliateCommission");
    this.commissionId = Number(commissions.channelCommissionInfoItems[0]?.commissionId);
    const { serverTime } = await caller.client.v3<{ serverTime: number }>("/api/v3/time");
    this.today = new Date(serverTime).toISOString().slice(0, 10);
  }

  /** The caller and both invitees buy from one another; something rests on both sides. */
  async #tradeSpot(invitee: Account, further: Account): Promise<void> {
    const order = (side: string, price: string, quantity: string): object => {
      const terms = { symbol: SPOT_SYMBOL, type: "LIMIT", timeInForce: "GTC", side };
      return { ...terms, price, quantity, newClientOrderId: this.#id };
    };
    const { client } = this.caller;
    await invitee.client.post("/api/v3/order", order("SELL", "50000", "3"));
    const filled = await client.post("/api/v3/order", order("BUY", "50000", "1"));
    this.filledSpotOrder = String((filled.body as { orderId: unknown }).orderId);
    await further.client.post("/api/v3/order", order("BUY", "50000", "1"));
    const ended = await this.spotOrder();
    await client.delete("/api/v3/order", { orderId: ended });
    await this.spotOrder();
  }

  async #tradeContracts(invitee: Account): Promise<void> {
    const { caller } = this;
    await place(invitee, SELL_SHORT, "1", "60000");
    await place(caller, BUY_LONG, "0.5", "60000");
    await this.contractOrder();
    await done(caller, "account/marginType", { symbol: "ETHUSDT", marginType: "ISOLATED" });
    await place(invitee, SELL_SHORT, "2", "3000", { symbol: "ETHUSDT" });
    await place(caller, BUY_LONG, "1", "3000", { symbol: "ETHUSDT" });
    const algo = await this.algoOrder();
    await caller.client.delete("/capi/v3/algoOrder", { orderId: algo });
    const positions = await caller.client.v3<{ id: number; symbol: string }[]>(
      "/capi/v3/account/position/allPosition",
    );
    this.isolatedPositionId = positions.find(({ symbol }) => symbol === "ETHUSDT")?.id ?? 0;
  }
}
