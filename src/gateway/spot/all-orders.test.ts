/**
 * Proves that the pages of allOrders are slices of one list, open and ended orders together, newest
 * first. The oracle sorts the whole list and cuts it; the endpoint sees open orders and a window of
 * ended ones.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { answerOf, refusalOf } from "../../../test/support/endpoint-call.ts";
import { ExchangeDouble } from "../../../test/support/exchange-double.ts";
import { scaled, seededRandom } from "../../../test/support/random.ts";
import { ENDED_ORDER, OPEN_ORDER } from "../../../test/support/spot-fixture.ts";
import { accept } from "../../domain/index.ts";
import type { SpotOrderView } from "../../protocol/index.ts";
import type { EndedSpotOrder, TimeRange } from "../../queries/history-port.ts";
import { allOrders } from "./order-reads.ts";

interface Placed {
  readonly orderId: number;
  readonly createdMs: number;
}

const newestFirst = (a: Placed, b: Placed) => b.createdMs - a.createdMs || b.orderId - a.orderId;

function exchangeWith(open: readonly SpotOrderView[], ended: readonly EndedSpotOrder[]) {
  const sorted = ended.toSorted(newestFirst);
  return new ExchangeDouble(
    { "spot-open-orders": () => accept(open) },
    {
      "ended-spot-orders": ({ created, offset, limit }) =>
        sorted.filter((order) => inside(order, created)).slice(offset, offset + limit),
    },
  );
}

function inside({ createdMs }: Placed, { fromMs, toMs }: TimeRange): boolean {
  return createdMs >= (fromMs ?? 0) && createdMs <= (toMs ?? Number.POSITIVE_INFINITY);
}

type Query = Readonly<Record<string, string>>;

async function page(exchange: ExchangeDouble, query: Query) {
  const input = { query: { symbol: "BTCUSDT", ...query } };
  const rows = (await answerOf(allOrders, input, exchange)) as readonly {
    readonly orderId: number;
    readonly status: string;
  }[];
  return rows.map(({ orderId, status }) => [orderId, status]);
}

test("pages are slices of the merged list", async () => {
  const random = seededRandom("v3 allOrders");
  for (let round = 0; round < scaled(300); round++) {
    const open: SpotOrderView[] = [];
    const ended: EndedSpotOrder[] = [];
    let createdMs = 1_000;
    const orders = random.integer(0, 40);
    for (let orderId = 1; orderId <= orders; orderId++) {
      createdMs += random.integer(0, 2);
      if (random.chance(0.3)) open.push({ ...OPEN_ORDER, orderId, createdMs });
      else ended.push({ ...ENDED_ORDER, orderId, createdMs });
    }
    const fromMs = random.chance(0.5) ? random.integer(990, 1_050) : null;
    const toMs = random.chance(0.5) ? random.integer(fromMs ?? 990, 1_060) : null;
    const merged = [...open, ...ended]
      .filter((order) => inside(order, { fromMs, toMs }))
      .sort(newestFirst)
      .map(({ orderId, status }) => [orderId, status]);
    const exchange = exchangeWith(random.shuffle(open), ended);
    const limit = random.integer(1, 12);
    for (let number = 1; number <= 5; number++) {
      const query = {
        limit: String(limit),
        page: String(number),
        ...(fromMs === null ? {} : { startTime: String(fromMs) }),
        ...(toMs === null ? {} : { endTime: String(toMs) }),
      };
      const expected = merged.slice((number - 1) * limit, number * limit);
      assert.deepEqual(await page(exchange, query), expected, JSON.stringify(query));
    }
  }
});

test("of an order that ended in between, the ended row wins", async () => {
  const open = [{ ...OPEN_ORDER, orderId: 5 }];
  const ended = [{ ...ENDED_ORDER, orderId: 5, createdMs: OPEN_ORDER.createdMs }];
  assert.deepEqual(await page(exchangeWith(open, ended), {}), [[5, "FILLED"]]);
});

test("refusals", async () => {
  const exchange = exchangeWith([], []);
  for (const [query, reason, field] of [
    [{ limit: "0" }, "parameter-out-of-range", "limit"],
    [{ limit: "1001" }, "parameter-out-of-range", "limit"],
    [{ page: "0" }, "parameter-out-of-range", "page"],
    [{ page: "102", limit: "1000" }, "parameter-out-of-range", "page"],
    [{ startTime: "2", endTime: "1" }, "start-after-end", "startTime"],
  ] as const) {
    const input = { query: { symbol: "BTCUSDT", ...query } };
    assert.deepEqual(await refusalOf(allOrders, input, exchange), [reason, field]);
  }
  assert.deepEqual(await page(exchange, { page: "101", limit: "1000" }), []);
});
