/**
 * Proves that requests of one connection are carried out in the order in which they came: random
 * sequences of reads, steps and others against what the rules allow, a real socket where a request
 * without a body follows one with a body, and that what counts as one step is one.
 */
import assert from "node:assert/strict";
import { connect, Socket } from "node:net";
import test from "node:test";
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
import { type Sharing, type Turn, takeTurn, WAITING_MAX } from "./connection-order.ts";
import { InputShape } from "./input-shape.ts";
import { ONE_STEP_READS, ONE_STEP_ROUTES } from "./one-step-routes.ts";

const random = seededRandom("gateway/connection-order");
const KINDS: readonly Sharing[] = ["reads", "steps", "nothing"];

interface Request {
  readonly sharing: Sharing;
  turn: Turn | null;
  isHandedOver: boolean;
  isAnswered: boolean;
}

function keep(request: Request): (turn: Turn) => void {
  return (turn) => {
    request.turn = turn;
  };
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
        const expected = before.every((earlier) => earlier.turn && mayFollow(earlier, request));
        assert.equal(request.turn !== null, expected, JSON.stringify(requests));
      }
    };
    for (let step = 0; step < 60; step++) {
      const running = requests.filter(({ turn, isAnswered }) => turn !== null && !isAnswered);
      const what = random.integer(0, 2);
      if (what === 0 || running.length === 0) {
        const request: Request = {
          sharing: random.pick(KINDS),
          turn: null,
          isHandedOver: false,
          isAnswered: false,
        };
        requests.push(request);
        assert.ok(takeTurn(socket, request.sharing, keep(request)));
      } else {
        const request = random.pick(running);
        if (what === 1) {
          request.isHandedOver = true;
          request.turn?.handedOver();
        } else {
          request.isAnswered = true;
          request.turn?.answered();
        }
      }
      check();
    }
  }
});

test("what is refused at once lets the next begin, however many there are", () => {
  const socket = new Socket();
  const first: Turn[] = [];
  takeTurn(socket, "nothing", (turn) => first.push(turn));
  const begun: number[] = [];
  for (let i = 0; i < WAITING_MAX; i++) {
    assert.ok(
      takeTurn(socket, "nothing", (turn) => {
        begun.push(i);
        turn.answered();
      }),
    );
  }
  assert.equal(
    takeTurn(socket, "nothing", () => assert.fail("begun")),
    false,
  );
  assert.deepEqual(begun, []);
  first[0]?.answered();
  assert.deepEqual(begun, [...Array(WAITING_MAX).keys()]);
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
    const value = Object.assign([], { orderId: 7, clientOrderId: "c", symbol: "BTCUSDT" });
    for (const result of [
      { ok: true, value } as const,
      { ok: false, reason: "order-not-found", field: null, detail: null } as const,
    ]) {
      let batches = 0;
      const port: EnginePort = {
        submit: async (batch) => {
          batches++;
          return batch.map(() => ({ sequence: 1, timestampMs: 1, result }) as never);
        },
      };
      const history = { query: () => assert.fail(`${id} asks the history`) };
      const caller = { uid: 1, apiKey: "key", permissions: [] };
      const parameters = { query: query.value as never, body: body.value as never };
      const request = { caller, signature: "signed", ...parameters };
      const answer = endpoint.handle(request, { engine: new EngineClient(port), history });
      assert.equal(batches, 1, `${id} at once`);
      await answer;
      assert.equal(batches, 1, id);
    }
  }
});
