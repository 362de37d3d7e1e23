/**
 * Proves that requests of one connection are carried out in the order in which they came: random
 * sequences of reads, steps and others against what the rules allow, a real socket where a request
 * without a body follows one with a body, and that what counts as one step is one.
 */
import assert from "node:assert/strict";
import { connect, Socket } from "node:net";
import test from "node:test";
import { portOf } from "../../../test/support/engine-double.ts";
import { NO_KEY_DESK } from "../../../test/support/exchange-double.ts";
import {
  ORDER,
  placeOrderRequest,
  type RequestToSign,
  serve,
  signedHeaders,
} from "../../../test/support/gateway.ts";
import { scaled, seededRandom } from "../../../test/support/random.ts";
import { examplesOf } from "../../api/reference/examples.ts";
import { ROUTES } from "../../api/routes.ts";
import { EngineClient, type EnginePort } from "../../protocol/index.ts";
import { ENDPOINTS } from "../endpoints.ts";
import { OrderedRequest, type Sharing, WAITING_MAX } from "./connection-order.ts";
import { InputShape } from "./input-shape.ts";
import { ONE_STEP_READS, ONE_STEP_ROUTES } from "./one-step-routes.ts";

const random = seededRandom("gateway/connection-order");
const KINDS: readonly Sharing[] = ["reads", "steps", "nothing"];

class Request extends OrderedRequest {
  hasBegun = false;
  isHandedOver = false;
  isAnswered = false;

  begin(): void {
    assert.ok(!this.hasBegun, "begun once");
    this.hasBegun = true;
  }
}

/** Whether `later` may have begun, given one that was sent before it. */
function mayFollow(earlier: Request, later: Request): boolean {
  if (earlier.isAnswered) return true;
  return earlier.isHandedOver && later.sharing === earlier.sharing && later.sharing !== "nothing";
}

test("each begins when those before it allow it, and no later", () => {
  for (let round = 0; round < scaled(300); round++) {
    const socket = new Socket();
    const requests: Request[] = [];
    const check = (): void => {
      for (const [index, request] of requests.entries()) {
        const before = requests.slice(0, index);
        const expected = before.every((earlier) => earlier.hasBegun && mayFollow(earlier, request));
        assert.equal(request.hasBegun, expected, JSON.stringify(requests));
      }
    };
    for (let step = 0; step < 60; step++) {
      const running = requests.filter(({ hasBegun, isAnswered }) => hasBegun && !isAnswered);
      const what = random.integer(0, 2);
      if (what === 0 || running.length === 0) {
        const request = new Request(random.pick(KINDS));
        requests.push(request);
        assert.ok(request.takeTurn(socket));
      } else {
        const request = random.pick(running);
        if (what === 1) {
          request.isHandedOver = true;
          request.handedOver();
        } else {
          request.isAnswered = true;
          request.answered();
        }
      }
      check();
    }
  }
});

test("what is refused at once lets the next begin, however many there are", () => {
  const socket = new Socket();
  const first = new Request("nothing");
  first.takeTurn(socket);
  const begun: Request[] = [];
  class Refused extends Request {
    override begin(): void {
      super.begin();
      begun.push(this);
      this.answered();
    }
  }
  const waiting = Array.from({ length: WAITING_MAX }, () => new Refused("nothing"));
  for (const request of waiting) assert.ok(request.takeTurn(socket));
  const tooMany = new Refused("nothing");
  assert.equal(tooMany.takeTurn(socket), false);
  // What has no turn ends nobody else's.
  tooMany.answered();
  assert.deepEqual(begun, []);
  first.answered();
  assert.ok(begun.length === WAITING_MAX && begun.every((request, i) => request === waiting[i]));
  assert.equal(tooMany.hasBegun, false);
});

function bytesOf(request: RequestToSign): string {
  const { method, url, body = "" } = request;
  const length = body.length === 0 ? {} : { "Content-Length": String(body.length) };
  const headers = Object.entries({ Host: "x", ...length, ...signedHeaders(request) });
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${url} HTTP/1.1\r\n${lines.join("")}\r\n${body}`;
}

test("a request without a body does not overtake one with a body", async (t) => {
  const gateway = await serve(t);
  const order = { ...ORDER, symbol: "BTCUSDT" };
  const cancel = { method: "DELETE", url: "/api/v3/order?symbol=BTCUSDT&orderId=7" } as const;
  const look = { method: "GET", url: "/api/v3/order?symbol=BTCUSDT&orderId=7" } as const;
  const sent = [placeOrderRequest(order), cancel, placeOrderRequest(order), look, cancel];
  const socket = connect(gateway.port, "127.0.0.1");
  let received = "";
  socket.on("data", (chunk) => {
    received += chunk.toString("latin1");
  });
  socket.write(sent.map(bytesOf).join(""));
  while ((received.match(/HTTP\/1\.1 /g)?.length ?? 0) < sent.length) {
    await new Promise((resolve) => socket.once("data", resolve));
  }
  socket.destroy();
  assert.deepEqual(
    gateway.engine.asked.map(({ type }) => type),
    [
      "place-spot-order",
      "cancel-spot-order",
      "place-spot-order",
      "spot-order",
      "cancel-spot-order",
    ],
  );
});

/** What the engine says of an order, and of a countdown, with every field of any of them. */
const ORDER_VALUE = {
  ...{ orderId: 7, clientOrderId: "c", symbol: "BTCUSDT", createdMs: 1, updatedMs: 1 },
  bookVersion: 1,
  ...{ price: "1", quantity: "1", filledQuantity: "0", status: "NEW", keptPriority: true },
} as const;
const COUNTDOWN_VALUE = { countdownMs: 1_000, firesAtMs: 1, isHeld: false };

test("what counts as one step enters the engine at once and only once", async () => {
  for (const id of [...ONE_STEP_ROUTES, ...ONE_STEP_READS]) {
    const endpoint = ENDPOINTS.find(({ route }) => route.id === id);
    assert.ok(endpoint !== undefined && ROUTES.includes(endpoint.route), id);
    const { route } = endpoint;
    const example = examplesOf(route).find(({ status }) => status === 200);
    assert.ok(example !== undefined, id);
    const texts = new Map(Object.entries(example.query ?? {}));
    const query = new InputShape(route.query).readQuery(texts as never);
    const body = new InputShape(route.body).readBody((example.body ?? {}) as never);
    assert.ok(query.ok && body.ok, id);
    const value = Object.assign([], ORDER_VALUE, COUNTDOWN_VALUE);
    for (const result of [
      { ok: true, value } as const,
      { ok: false, reason: "order-not-found", field: null, detail: null } as const,
    ]) {
      let batches = 0;
      const answering = portOf(() => ({ sequence: 1, timestampMs: 1, result }));
      const port: EnginePort = {
        submit(request, answered) {
          batches++;
          answering.submit(request, answered);
        },
      };
      const history = { query: () => assert.fail(`${id} asks the history`) };
      const caller = { uid: 1, apiKey: "key", permissions: [] };
      const parameters = { query: query.value as never, body: body.value as never };
      const request = { caller, signature: "signed", ...parameters };
      const answer = endpoint.handle(request, {
        engine: new EngineClient(port),
        history,
        keyDesk: NO_KEY_DESK,
      });
      assert.equal(batches, 1, `${id} at once`);
      await answer;
      assert.equal(batches, 1, id);
    }
  }
});
