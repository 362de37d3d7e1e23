/**
 * Goal: what a sandbox's scenarios bring about is what the rules of contracts say. Method: each is
 * played on the real engine, from a user's position on; the commands that it made are then carried
 * out on the engine and on the reference exchange, which must agree on every event and balance.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { RULES_VERSION } from "../../../src/engine/index.ts";
import { NODE_PLATFORM } from "../../../src/platform/index.ts";
import type { Command } from "../../../src/protocol/index.ts";
import { House } from "../../../src/sandbox/index.ts";
import { DirectExchange } from "../../support/direct-exchange.ts";
import { BTC_CONTRACT } from "../../support/listings.ts";
import { Random } from "../../support/random.ts";
import { ContractModelRun } from "./contract-model-run.ts";

const ACTOR = "operator";
const SYMBOL = "BTCUSDT";
const [ALICE, BOB] = [7, 8] as const;

/** Every command with exchange time. */
class Recording {
  readonly exchange = new DirectExchange();
  readonly commands: { readonly command: Command; readonly atMs: number }[] = [];
  #aheadMs = 0;

  constructor() {
    this.exchange.beforeCommand = (command) => {
      const atMs = this.exchange.wallMs + this.#aheadMs;
      this.commands.push({ command, atMs });
      if (command.type === "set-clock") this.#aheadMs += (command.toMs ?? atMs) - atMs;
    };
  }

  async do(command: Command): Promise<void> {
    // So that what is sampled between two commands is something.
    this.exchange.wallMs += 300;
    const reply = await this.exchange.client.execute(command as never);
    assert.ok((reply as { ok: boolean }).ok, JSON.stringify([command, reply]));
  }
}

async function record(cash: string, quantity: string): Promise<Recording> {
  const recording = new Recording();
  const asset = { type: "set-asset", actor: ACTOR, scale: 8 } as const;
  await recording.do({ type: "adopt-rules", version: RULES_VERSION });
  await recording.do({ ...asset, asset: "BTC", coinId: 1, name: "Bitcoin" });
  await recording.do({ ...asset, asset: "USDT", coinId: 2, name: "Tether" });
  const rules = { ...BTC_CONTRACT, indexStaleMs: 0 };
  await recording.do({ type: "set-contract-market", actor: ACTOR, ...rules });
  const index = { price: "60000", force: true };
  await recording.do({ type: "set-index-price", actor: ACTOR, symbol: SYMBOL, ...index });
  for (const [uid, amount] of [
    [ALICE, cash],
    [BOB, "100000000"],
  ] as const) {
    const user = { actor: ACTOR, uid, inviteCode: `CODE${uid}`, invitedWith: null, kyc: true };
    await recording.do({ type: "register-user", ...user });
    const funds = { actor: ACTOR, requestId: "in", uid, wallet: "contract", asset: "USDT", amount };
    await recording.do({ type: "deposit-funds", ...funds } as Command);
  }
  for (const [uid, side, positionSide] of [
    [BOB, "SELL", "SHORT"],
    [ALICE, "BUY", "LONG"],
  ] as const) {
    await recording.do({
      type: "place-contract-order",
      ...{ uid, symbol: SYMBOL, side, positionSide, orderType: "LIMIT", timeInForce: "GTC" },
      ...{ price: "60000", quantity, clientOrderId: "opens" },
      ...{ tpTriggerPrice: null, slTriggerPrice: null },
      ...{ tpWorkingType: "CONTRACT_PRICE", slWorkingType: "CONTRACT_PRICE" },
    } as Command);
  }
  return recording;
}

const PLAYED = [
  { scenario: "liquidate", reaches: "liquidation-finished", cash: "5000", quantity: "1" },
  {
    scenario: "partial-liquidation",
    reaches: "liquidation-finished",
    cash: "150000",
    quantity: "40",
  },
  { scenario: "adl", reaches: "liquidation-finished", cash: "20000", quantity: "2" },
  { scenario: "funding-spike", reaches: "funding: a given rate", cash: "20000", quantity: "1" },
  { scenario: "flash-crash", reaches: "contract-trade", cash: "20000", quantity: "1" },
  { scenario: "delist", reaches: "contract-market-state-set", cash: "20000", quantity: "1" },
] as const;

for (const { scenario, reaches, cash, quantity } of PLAYED) {
  test(`${scenario} is by the rules of the reference exchange`, async () => {
    const recording = await record(cash, quantity);
    const makers = { hold: async () => undefined, release: () => undefined };
    const engine = recording.exchange.client;
    const house = new House({ engine, platform: NODE_PLATFORM, makers });
    const terms = { uid: ALICE, symbol: SYMBOL, product: null, actor: ACTOR };
    const triggered = await house.trigger({ scenario, ...terms });
    assert.ok(triggered.ok, JSON.stringify(triggered));
    // Time passes behind the last one.
    recording.exchange.wallMs += 2_000;
    await recording.do({ type: "cancel-all-contract-orders", uid: BOB, symbol: null });
    // The reference exchange has no affiliates, who are all that this is about.
    const commands = recording.commands.filter(({ command }) => {
      return command.type !== "set-house-account";
    });
    let played = 0;
    const script = {
      nowMs: 0,
      next(): Command {
        const { command, atMs } = commands[played++] as (typeof commands)[number];
        this.nowMs = atMs;
        return command;
      },
    };
    const run = new ContractModelRun(new Random(7), script);
    run.run(commands.length);
    assert.ok((run.reached.get(reaches) ?? 0) > 0, `${reaches} was not reached`);
  });
}
