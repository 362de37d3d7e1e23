/** Order tests, amendments and countdowns, on spot and on contracts. */
import type { Recorder, Sent } from "./recorder.ts";

const SYMBOL = { symbol: "BTCUSDT" } as const;
const MINUTE_MS = 60_000;

type Body = Readonly<Record<string, unknown>>;

const alice = (body: Body): Sent => ({ as: "alice", body });
const reading = { as: "alice" } as const;

export async function playAdditions(recorder: Recorder): Promise<void> {
  await testOrders(recorder);
  await amendSpot(recorder);
  await amendContracts(recorder);
  await countDown(recorder);
}

const BID = { ...SYMBOL, side: "BUY", type: "LIMIT", timeInForce: "GTC" } as const;
const LONG = { ...BID, positionSide: "LONG" } as const;

async function testOrders(recorder: Recorder): Promise<void> {
  const spot = { ...BID, price: "59900", quantity: "0.02" };
  await recorder.shows("v3-test-order", "It would be accepted", alice(spot));
  const large = { ...spot, quantity: "1000" };
  await recorder.refuses("v3-test-order", "The balance does not cover it", -2201, alice(large));
  const older = {
    ...{ symbol: "BTCUSDT_SPBL", side: "buy", orderType: "limit", force: "normal" },
    ...{ price: "59900", quantity: "0.02", clientOrderId: "old/t" },
  };
  await recorder.shows("v2-test-order", "It would be accepted", alice(older));
  const crooked = alice({ ...older, price: "59900.001" });
  await recorder.refuses("v2-test-order", "A price between two ticks", "40020", crooked);
  const contract = { ...LONG, price: "59900", quantity: "0.1", newClientOrderId: "perp/t" };
  await recorder.shows("contract-test-order", "It would be accepted", alice(contract));
  const far = alice({ ...contract, price: "90000" });
  await recorder.refuses("contract-test-order", "Too far from the mark", -3204, far);
}

async function amendSpot(recorder: Recorder): Promise<void> {
  const order = { ...BID, price: "59900", quantity: "0.05", newClientOrderId: "amend/1" };
  const { orderId } = await recorder.send<{ orderId: number }>("v3-place-order", alice(order));
  await recorder.pass(500);
  const id = "v3-amend-order";
  await recorder.shows(id, "Less, in its place", alice({ orderId, quantity: "0.04" }));
  const moved = { origClientOrderId: "amend/1", price: "59910" };
  await recorder.shows(id, "Another price, at the end of the queue", alice(moved));
  const unknown = alice({ orderId: 987654321, quantity: "0.04" });
  await recorder.refuses(id, "No such order", -2200, unknown);
  const older = "v2-amend-order";
  const change = { symbol: "BTCUSDT_SPBL", quantity: "0.03" } as const;
  const less = { ...change, orderId: String(orderId) };
  await recorder.shows(older, "Less, in its place", alice(less));
  const none = alice({ ...change, orderId: "987654321" });
  await recorder.refuses(older, "No such order", "43001", none);
}

async function amendContracts(recorder: Recorder): Promise<void> {
  const order = { ...LONG, price: "59500", quantity: "0.02", newClientOrderId: "amend/2" };
  await recorder.send("contract-place-order", alice(order));
  await recorder.pass(500);
  const id = "contract-amend-order";
  const changed = { origClientOrderId: "amend/2", price: "59600", quantity: "0.03" };
  await recorder.shows(id, "Price and quantity", alice(changed));
  const far = alice({ origClientOrderId: "amend/2", price: "90000" });
  await recorder.refuses(id, "Too far from the mark: it stays as it was", -3204, far);
}

async function countDown(recorder: Recorder): Promise<void> {
  const spot = "v3-cancel-all-after";
  const minute = { countdownMs: MINUTE_MS };
  await recorder.shows(spot, "In a minute, in every market", alice(minute));
  await recorder.refuses(spot, "Too short", -1140, alice({ countdownMs: 10 }));
  await recorder.shows("v3-countdowns", "One is on", reading);
  const stranger = { permission: "affiliate" } as const;
  const title = "A key that may not read this";
  await recorder.refuses("v3-countdowns", title, -1052, stranger);
  const contract = "contract-cancel-all-after";
  await recorder.shows(contract, "In a minute, in one market", alice({ ...SYMBOL, ...minute }));
  await recorder.shows(contract, "Off", alice({ ...SYMBOL, countdownMs: 0 }));
  await recorder.refuses(contract, "Too short", -1140, alice({ countdownMs: 10 }));
  await recorder.shows("contract-countdowns", "None is on", reading);
  await recorder.refuses("contract-countdowns", title, -1052, stranger);
}
