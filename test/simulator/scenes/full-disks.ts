/**
 * The disk of the journal is full, for a moment or for longer, and has space again: meanwhile only
 * cancels are taken, and then everything is again, also when nothing was written in between.
 */
import { hold } from "../breach.ts";
import type { Hook, Receiver } from "../errands/webhook-receiver.ts";
import { RECEIVER_PORT } from "../errands/webhook-receiver.ts";
import { add, patch, receiverOf, removeNow } from "../errands/webhooks.ts";
import { NOTICED_MS } from "../full-disk.ts";
import { largeOrder, SYMBOL } from "../markets.ts";
import type { Product } from "../orders.ts";
import type { Trader } from "../trader.ts";
import type { Scene, Stage } from "./stage.ts";

/** Zeros are written ahead of the log in pieces as large, when one of them is used up. */
const PIECE_BYTES = 128 * 1024;
/** Of long ones a piece is used up soon. */
const URL_LENGTH = 1_980;
const WRITES = [5, 68, 68, 75] as const;
const ROOMS = [0, PIECE_BYTES, PIECE_BYTES + 2 * URL_LENGTH, 4 * PIECE_BYTES] as const;
const TIMES_MAX = 2;
/** It is looked at once a second, and what was found is told as often. */
const FREED_MS = 2 * NOTICED_MS;
const ORDERS = { spot: "/api/v3/order", contract: "/capi/v3/order" } as const;
const ONE_ORDER = /\?orderId=/;
const CANCELS = {
  spot: [`/api/v3/openOrders?symbol=${SYMBOL}`, "/api/v3/order?orderId=1"],
  contract: [
    `/capi/v3/allOpenOrders?symbol=${SYMBOL}`,
    "/capi/v3/order?orderId=1",
    "/capi/v3/algoOrder?orderId=1",
    "/capi/v3/algoOpenOrders",
  ],
} as const;
const CHECK = "a full disk refuses what needs space, as long as it is full";

export function fullDisks(product: Product): Scene {
  return async (stage) => {
    const { exchange, random, traders } = stage;
    const { disk } = exchange;
    const trader = random.pick([...traders]);
    const desk = { exchange, receiver: receiverOf(exchange, random) };
    const hook = exchange.hasLied ? null : await pausedHook(stage, desk);
    if (hook === null) return;
    for (let times = random.integer(1, TIMES_MAX); times > 0; times--) {
      await stage.place(trader, product, largeOrder(product, random));
      disk.capacityBytes = disk.usedBytes + random.integer(0, random.pick([...ROOMS]));
      await writeMuch(stage, desk, hook);
      if (random.chance(0.6)) {
        await stage.pass(NOTICED_MS * random.integer(1, 3));
        await checkReady(stage, trader, product, false);
        if (random.chance(0.6)) await cancelSome(stage, trader, product);
      }
      disk.capacityBytes = Number.POSITIVE_INFINITY;
      if (random.chance(0.3)) await cancelSome(stage, trader, product);
      await stage.pass(FREED_MS);
      await checkReady(stage, trader, product, true);
    }
    await stage.do(removeNow(desk, hook));
    await stage.look();
  };
}

interface Desk {
  readonly exchange: Stage["exchange"];
  readonly receiver: Receiver;
}

/** It is told nothing. */
async function pausedHook(stage: Stage, desk: Desk): Promise<Hook | null> {
  const settings = { url: urlOf("0"), kinds: ["deposits"], accounts: [] };
  const hook = await stage.do(add(desk, settings));
  if (hook !== null) await stage.do(patch(desk, hook, { paused: true }));
  return hook;
}

async function writeMuch(stage: Stage, desk: Desk, hook: Hook): Promise<void> {
  const { random } = stage;
  for (let writes = random.pick([...WRITES]); writes > 0; writes--) {
    await stage.do(patch(desk, hook, { url: urlOf(String(writes % 10)) }));
  }
}

function urlOf(digit: string): string {
  const begin = `http://127.0.0.1:${RECEIVER_PORT}/`;
  return begin + digit.repeat(URL_LENGTH - begin.length);
}

/** Whatever the account has there, and if it is nothing. */
async function cancelSome(stage: Stage, trader: Trader, product: Product): Promise<void> {
  const path = stage.random.pick(CANCELS[product]);
  const answer = await stage.do(trader.send("DELETE", path));
  const isTaken =
    answer === null ||
    answer.status === 200 ||
    answer.status === 429 ||
    (answer.status === 400 && ONE_ORDER.test(path)) ||
    (answer.status === 400 && (await stage.marketOf(product))?.state === "halted");
  hold(isTaken, "a full disk takes cancels", () => `${path}: ${JSON.stringify(answer)}`);
}

/** As whoever asks for its health is told, and as orders and operators' calls find it. */
async function checkReady(stage: Stage, trader: Trader, product: Product, isReady: boolean) {
  const { exchange, random } = stage;
  const health = { method: "GET", path: "/health/ready", headers: {} };
  const root = exchange.operatorRequest("POST", "users", {});
  const { body } = trader.newOrder(product, largeOrder(product, random));
  const asked = [
    () => exchange.send("public", health),
    () => exchange.send("operator", { ...health, headers: root.headers }),
    () => exchange.send("operator", root),
    () => trader.send("POST", ORDERS[product], body),
  ];
  for (const [index, ask] of asked.entries()) {
    const answer = await stage.do(ask());
    if (answer === null || answer.status === 429) continue;
    const detail = () => `${isReady}, ${index}: ${JSON.stringify(answer)}`;
    hold((answer.status !== 503) === isReady, CHECK, detail);
  }
}
