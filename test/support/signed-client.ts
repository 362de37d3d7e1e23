/**
 * A client of both families with a signing of its own, written from the specification's text:
 * base64(HMAC-SHA256(secret, timestamp + METHOD + path[?query] + body)) over the bytes as sent.
 */
import { createHmac } from "node:crypto";
import { type HttpAnswer, HttpConnection, type HttpRequest } from "./http-exchange.ts";

export interface Credentials {
  readonly apiKey: string;
  readonly secret: string;
  readonly passphrase: string;
}

export type Query = Readonly<Record<string, string | number | boolean>>;
export type SignedHeaders = Record<
  "ACCESS-KEY" | "ACCESS-SIGN" | "ACCESS-TIMESTAMP" | "ACCESS-PASSPHRASE",
  string
>;

export interface UnsignedRequest {
  readonly method: string;
  /** With the query, as it goes on the wire. */
  readonly path: string;
  readonly body?: string | Uint8Array | null;
}

export function signedHeaders(
  credentials: Credentials,
  request: UnsignedRequest,
  timestamp: string = String(Date.now()),
): SignedHeaders {
  const hmac = createHmac("sha256", credentials.secret);
  hmac.update(timestamp + request.method + request.path);
  if (request.body !== undefined && request.body !== null) hmac.update(request.body);
  return {
    "ACCESS-KEY": credentials.apiKey,
    "ACCESS-SIGN": hmac.digest("base64"),
    "ACCESS-TIMESTAMP": timestamp,
    "ACCESS-PASSPHRASE": credentials.passphrase,
  };
}

export function pathWithQuery(path: string, query: Query = {}): string {
  const pairs = Object.entries(query).map(
    ([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`,
  );
  return pairs.length === 0 ? path : `${path}?${pairs.join("&")}`;
}

/** An answer that a helper did not expect; carries the whole text. */
class UnexpectedAnswer extends Error {
  override readonly name = "UnexpectedAnswer";
  readonly answer: HttpAnswer;

  constructor(what: string, answer: HttpAnswer) {
    super(`${what} was answered ${answer.status}: ${answer.text.slice(0, 500)}`);
    this.answer = answer;
  }
}

export interface PlaceOrderBody {
  readonly symbol: string;
  readonly side: string;
  readonly orderType: string;
  readonly force: string;
  readonly price?: string;
  readonly quantity: string;
  readonly clientOrderId: string;
}

export interface CancelResult {
  readonly order_id: string;
  readonly client_oid: string | null;
  readonly symbol: string;
  readonly result: boolean;
  readonly err_code: string | null;
  readonly err_msg: string | null;
}

export interface AssetRow {
  readonly coinId: number;
  readonly coinName: string;
  readonly available: string;
  readonly frozen: string;
  readonly equity: string;
}

export class SignedClient {
  readonly credentials: Credentials;
  readonly #connection: HttpConnection;

  constructor(port: number, credentials: Credentials, sockets = 8) {
    this.credentials = credentials;
    this.#connection = new HttpConnection(port, sockets);
  }

  close(): void {
    this.#connection.close();
  }

  raw(request: HttpRequest): Promise<HttpAnswer> {
    return this.#connection.send(request);
  }

  /** Signs and sends; a body gets `Content-Type: application/json`. */
  send(request: UnsignedRequest): Promise<HttpAnswer> {
    const headers: Record<string, string> = { ...signedHeaders(this.credentials, request) };
    if (request.body !== undefined && request.body !== null) {
      headers["Content-Type"] = "application/json";
      headers.locale = "en-US";
    }
    return this.#connection.send({ ...request, headers });
  }

  get(path: string, query: Query = {}): Promise<HttpAnswer> {
    return this.send({ method: "GET", path: pathWithQuery(path, query) });
  }

  post(path: string, body: unknown): Promise<HttpAnswer> {
    return this.send({ method: "POST", path, body: JSON.stringify(body) });
  }

  put(path: string, body: unknown): Promise<HttpAnswer> {
    return this.send({ method: "PUT", path, body: JSON.stringify(body) });
  }

  delete(path: string, query: Query = {}): Promise<HttpAnswer> {
    return this.send({ method: "DELETE", path: pathWithQuery(path, query) });
  }

  place(body: PlaceOrderBody): Promise<HttpAnswer> {
    return this.post("/api/v2/trade/orders", body);
  }

  cancel(body: { symbol: string; orderId?: string; clientOid?: string }): Promise<HttpAnswer> {
    return this.post("/api/v2/trade/cancel-order", body);
  }

  /** Places an order that must be accepted; gives its id. */
  async placed(body: PlaceOrderBody): Promise<number> {
    return dataOf<{ orderId: number }>(await this.place(body), "Place Order").orderId;
  }

  async cancelled(body: {
    symbol: string;
    orderId?: string;
    clientOid?: string;
  }): Promise<CancelResult> {
    return dataOf<CancelResult>(await this.cancel(body), "Cancel Order");
  }

  async assets(): Promise<Map<string, AssetRow>> {
    const rows = dataOf<AssetRow[]>(await this.get("/api/v2/account/assets"), "Get Account Assets");
    return new Map(rows.map((row) => [row.coinName, row]));
  }

  async ticker(symbol: string): Promise<Record<string, string | number>> {
    const path = pathWithQuery("/api/v2/market/ticker", { symbol });
    return dataOf(await this.raw({ method: "GET", path }), "Get Single Ticker");
  }

  /** The bare body of a v3 read that must succeed. */
  async v3<Answer>(path: string, query: Query = {}): Promise<Answer> {
    const answer = await this.get(path, query);
    if (answer.status !== 200) throw new UnexpectedAnswer(`GET ${path}`, answer);
    return answer.body as Answer;
  }
}

/** `data` of a v2 success envelope. */
export function dataOf<Data>(answer: HttpAnswer, what: string): Data {
  const envelope = answer.body as { code?: unknown; data?: unknown } | undefined;
  if (answer.status !== 200 || envelope?.code !== "00000") throw new UnexpectedAnswer(what, answer);
  return envelope.data as Data;
}
