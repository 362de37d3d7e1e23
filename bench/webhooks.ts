/**
 * What webhooks cost orders: none, one that is told the fills of one of eight users, and one that
 * is told those of all, in turns over the same load on one exchange. Requests are counted until
 * the receiver has taken everything. Rates depend on who else needs the processor, the time of the
 * engine's thread, which sends, does not.
 */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout } from "node:timers/promises";
import { runClosedLoop } from "./load.ts";
import { OrderFixture } from "./order-fixture.ts";
import { type BenchRow, median, targetRow } from "./report.ts";
import { scaled } from "./scale.ts";
import { usEach } from "./thread-times.ts";

const ROUNDS = 5;
const ORDERS = scaled(20_000, 500);
const CONNECTIONS = 64;
/** Nothing came for so long: everything has come. Nobody is asked, because answers cost too. */
const IDLE_MS = 1_000;
const NOBODY = "without webhooks";
const ACCOUNTS: Readonly<Record<string, readonly number[]>> = {
  [NOBODY]: [],
  "fills of one of eight users": [1],
  "fills of all users": [1, 2, 3, 4, 5, 6, 7, 8],
};

interface Measured {
  readonly perSecond: number;
  readonly engineUs: number;
}

export async function runWebhookBench(): Promise<readonly BenchRow[]> {
  const receiver = new Receiver();
  const url = await receiver.listen();
  const fixture = await OrderFixture.start(1);
  try {
    const found = new Map<string, Measured[]>(Object.keys(ACCOUNTS).map((name) => [name, []]));
    await measure(fixture, receiver, url, []);
    for (let round = 0; round < ROUNDS; round++) {
      for (const [name, accounts] of Object.entries(ACCOUNTS)) {
        found.get(name)?.push(await measure(fixture, receiver, url, accounts));
      }
    }
    return rowsOf(found);
  } finally {
    await fixture.stop();
    receiver.close();
  }
}

function rowsOf(found: ReadonlyMap<string, readonly Measured[]>): readonly BenchRow[] {
  const medianOf = (name: string, figure: keyof Measured): number =>
    median((found.get(name) ?? []).map((each) => each[figure]));
  const rows = [...found.keys()].map((name) => ({
    name: `orders, ${name}`,
    value: Math.round(medianOf(name, "perSecond")),
    unit: "orders/s",
    note: `engine ${medianOf(name, "engineUs").toFixed(2)} us an order`,
  }));
  const costs = Object.keys(ACCOUNTS).map((name) => {
    return medianOf(name, "engineUs") / medianOf(NOBODY, "engineUs");
  });
  const [, one = Number.NaN, all = Number.NaN] = costs;
  const note = `${ROUNDS} rounds of ${ORDERS} orders; ${all.toFixed(3)} with all users`;
  return [...rows, targetRow("webhooks", one, note)];
}

async function measure(
  fixture: OrderFixture,
  receiver: Receiver,
  url: string,
  accounts: readonly number[],
): Promise<Measured> {
  const webhookId = accounts.length === 0 ? null : await add(fixture, url, accounts);
  const requests = fixture.makeRequests(ORDERS);
  const before = await fixture.figures();
  const { perSecond, refused } = await runClosedLoop(fixture.ready.port, requests, CONNECTIONS);
  if (refused > 0) throw new Error(`${refused} orders were refused`);
  await fixture.settled();
  await receiver.idle();
  const after = await fixture.figures();
  const engineUs = usEach(before.threads, after.threads, ORDERS).get("engine") ?? Number.NaN;
  if (webhookId !== null) {
    if (receiver.taken === 0) throw new Error("the receiver was told nothing");
    await call(fixture, "DELETE", `webhooks/${webhookId}`);
  }
  receiver.taken = 0;
  return { perSecond, engineUs };
}

async function add(fixture: OrderFixture, url: string, accounts: readonly number[]) {
  const body = { url, kinds: ["fills"], accounts };
  const { webhookId } = (await call(fixture, "POST", "webhooks", body)) as { webhookId: string };
  return webhookId;
}

async function call({ ready }: OrderFixture, method: string, path: string, body?: object) {
  const response = await fetch(`http://127.0.0.1:${ready.operatorPort}/operator/v1/${path}`, {
    method,
    headers: {
      authorization: `Bearer ${ready.operatorToken}`,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${path}: ${await response.text()}`);
  return await response.json();
}

/** Takes everything. */
class Receiver {
  taken = 0;
  #lastMs = 0;
  readonly #server: Server = createServer((request, response) => {
    request.resume();
    request.on("end", () => {
      this.taken++;
      this.#lastMs = performance.now();
      response.end();
    });
  });

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`;
  }

  /** The same wait for those who are told nothing. */
  async idle(): Promise<void> {
    await setTimeout(IDLE_MS);
    while (performance.now() - this.#lastMs < IDLE_MS) await setTimeout(IDLE_MS / 10);
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}
