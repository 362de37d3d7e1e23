/**
 * The ways on which an order can be sent: version 3 over HTTP, the trading WebSocket, and version 2
 * of spot. A request is written in version 3's words, and so is its answer, whatever the way.
 */

import type { Credentials } from "../support/signed-client.ts";
import { logonParams } from "../support/trading-socket.ts";
import type { Product } from "./orders.ts";
import type { Outcome, SimulatedExchange, Wire } from "./simulated-exchange.ts";
import { SimulatedSocket } from "./socket.ts";

export const WAYS = ["http", "socket", "v2"] as const;
export type Way = (typeof WAYS)[number];

export const SOCKET_PATH = "/v3/ws/api";

const METHODS: Readonly<Record<string, string>> = {
  "POST /api/v3/order": "order.place",
  "PUT /api/v3/order": "order.amend",
  "DELETE /api/v3/order": "order.cancel",
  "GET /api/v3/order": "order.status",
  "DELETE /api/v3/openOrders": "openOrders.cancelAll",
  "POST /api/v3/order/cancelAllAfter": "openOrders.cancelAllAfter",
  "POST /capi/v3/order": "contract.order.place",
  "PUT /capi/v3/order": "contract.order.amend",
  "DELETE /capi/v3/order": "contract.order.cancel",
  "GET /capi/v3/order": "contract.order.status",
  "DELETE /capi/v3/allOpenOrders": "contract.openOrders.cancelAll",
  "POST /capi/v3/order/cancelAllAfter": "contract.openOrders.cancelAllAfter",
};

const FORCES: Readonly<Record<string, string>> = {
  GTC: "normal",
  IOC: "ioc",
  FOK: "fok",
  POST_ONLY: "postOnly",
};

export interface EntryRequest {
  readonly method: string;
  readonly path: string;
  readonly body: object | undefined;
}

export class OrderEntry {
  readonly #exchange: SimulatedExchange;
  readonly #credentials: Credentials;
  #socket: SimulatedSocket | null = null;

  constructor(exchange: SimulatedExchange, credentials: Credentials) {
    this.#exchange = exchange;
    this.#credentials = credentials;
  }

  /** Null when nobody knows what became of it. */
  async send(way: Way, request: EntryRequest, wire: Wire = {}): Promise<Outcome> {
    this.#noteOrder(request.body);
    const [path = "", query = ""] = request.path.split("?");
    const method = METHODS[`${request.method} ${path}`];
    const isByAmount = request.body !== undefined && "quoteAmount" in request.body;
    if (way === "socket" && method !== undefined && !isByAmount) {
      return await this.#overSocket(method, {
        ...Object.fromEntries(new URLSearchParams(query)),
        ...request.body,
      });
    }
    if (request.method === "POST" && path === "/api/v3/order") {
      const order = request.body as Record<string, string>;
      // Version 2 buys for an amount, and version 3 a quantity.
      const isBuy = order.type === "MARKET" && order.side === "BUY";
      const isV2 = isBuy ? order.quoteAmount !== undefined : way === "v2";
      if (isV2) return await this.#overV2(order, wire);
    }
    return await this.#overHttp(request, wire);
  }

  /** The command that comes of it says the same. */
  #noteOrder(body: object | undefined): void {
    const order = (body ?? {}) as Readonly<Record<string, unknown>>;
    const id = order.newClientOrderId ?? order.clientAlgoId;
    if (typeof id === "string") this.#exchange.story.asked.add(id, order);
  }

  async #overHttp({ body, method, path }: EntryRequest, wire: Wire): Promise<Outcome> {
    const text = body === undefined ? null : JSON.stringify(body);
    const request = this.#exchange.signedAs(this.#credentials, method, path, text);
    return await this.#exchange.send("public", request, wire);
  }

  /** In one request, of version 2 for spot; the answer has one row for each. */
  async sendTogether(
    product: Product,
    orders: readonly { readonly body: Readonly<Record<string, unknown>> }[],
    wire: Wire = {},
  ): Promise<Outcome> {
    const bodies = orders.map(({ body }) => body as Record<string, string>);
    for (const body of bodies) this.#noteOrder(body);
    const isSpot = product === "spot";
    const path = isSpot ? "/api/v2/trade/batch-orders" : "/capi/v3/batchOrders";
    const orderList = bodies.map((order) => {
      const { symbol: _, ...words } = wordsOfV2(order);
      return words;
    });
    const symbol = `${bodies[0]?.symbol}_SPBL`;
    const body = isSpot ? { symbol, orderList } : { batchOrders: bodies };
    const outcome = await this.#overHttp({ method: "POST", path, body }, wire);
    if (outcome?.status !== 200 || !isSpot) return outcome;
    const { data } = outcome.body as { readonly data: { readonly resultList: unknown } };
    return { status: 200, body: data.resultList };
  }

  async #overV2(order: Record<string, string>, wire: Wire): Promise<Outcome> {
    const body = wordsOfV2(order);
    const outcome = await this.#overHttp(
      { method: "POST", path: "/api/v2/trade/orders", body },
      wire,
    );
    if (outcome?.status !== 200) return outcome;
    return { status: 200, body: (outcome.body as { data: unknown }).data };
  }

  /** One behind the other on the trading WebSocket, without waiting for answers. */
  async sendInARow(requests: readonly EntryRequest[]): Promise<readonly Outcome[]> {
    for (const { body } of requests) this.#noteOrder(body);
    const socket = await this.#logOn();
    if (socket === null) return requests.map(() => null);
    return await Promise.all(
      requests.map(({ body, method, path: target }) => {
        const [path = "", query = ""] = target.split("?");
        const name = METHODS[`${method} ${path}`] ?? "";
        return this.#askSocket(socket, name, {
          ...Object.fromEntries(new URLSearchParams(query)),
          ...body,
        });
      }),
    );
  }

  async #overSocket(method: string, params: object): Promise<Outcome> {
    const socket = await this.#logOn();
    return socket === null ? null : await this.#askSocket(socket, method, params);
  }

  async #askSocket(socket: SimulatedSocket, method: string, params: object): Promise<Outcome> {
    const exchange = this.#exchange;
    exchange.requests++;
    const answer = await socket.ask({ method, params });
    exchange.checkRunning();
    exchange.trace(`socket ${method}`, answer);
    if (answer === null) return null;
    return { status: Number(answer.status), body: answer.result ?? answer.error };
  }

  async #logOn(): Promise<SimulatedSocket | null> {
    if (this.#socket?.isOpen === true) return this.#socket;
    const exchange = this.#exchange;
    const socket = await SimulatedSocket.open(exchange, SOCKET_PATH, {}, () => undefined);
    exchange.checkRunning();
    if (socket === null) return null;
    const params = logonParams(this.#credentials, exchange.signingTime());
    const answer = await socket.ask({ method: "session.logon", params });
    if (answer?.status !== 200) return null;
    this.#socket = socket;
    return socket;
  }
}

function wordsOfV2(order: Record<string, string>) {
  return {
    symbol: `${order.symbol}_SPBL`,
    side: order.side?.toLowerCase(),
    orderType: order.type === "MARKET" ? "market" : "limit",
    force: FORCES[order.timeInForce ?? "GTC"],
    price: order.price,
    quantity: order.quoteAmount ?? order.quantity,
    clientOrderId: order.newClientOrderId,
  };
}
