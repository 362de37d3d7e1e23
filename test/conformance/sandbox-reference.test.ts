/**
 * Proves that the examples of docs/reference/sandbox.md are what the exchange answers: the session
 * is played to a process whose clock stands still. With RIALTO_WRITE_EXAMPLES=1 the page is written
 * anew.
 */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { ExchangeProcess } from "../support/exchange-process.ts";
import { issueKey, listStandardMarkets } from "../support/exchange-setup.ts";
import { type HttpAnswer, HttpConnection, NoAnswer } from "../support/http-exchange.ts";
import { signedHeaders } from "../support/signed-client.ts";

const FILE = join(import.meta.dirname, "../../docs/reference/sandbox.md");
const MARK = "<!-- What follows is recorded from a running exchange. -->\n";
const WRITE = "RIALTO_WRITE_EXAMPLES=1 npm test -- test/conformance/sandbox-reference.test.ts";
/** 2026-01-05 09:30:00 UTC. */
const WALL_MS = 1_767_605_400_000;
/** Runs first in the exchange's process. */
const STOP_CLOCK = `--import=data:text/javascript,Date.now=()=>${WALL_MS}`;
const UID = 1001;
const KEY_SHOWN = "rialto_0123456789abcdef0123456789abcdef";

const ROUTE = "POST /api/v3/order";
const LOST = { match: { uid: UID, route: ROUTE }, when: { next: 1 }, seed: 1 };
const ORDER = {
  ...{ symbol: "BTCUSDT", side: "BUY", type: "LIMIT", timeInForce: "GTC" },
  ...{ price: "60000", quantity: "0.01", newClientOrderId: "bot-1" },
};

/** Plays calls and keeps them as the page shows them. */
class Session {
  readonly #exchange: ExchangeProcess;
  readonly #apiKey: string;
  text = "";

  constructor(exchange: ExchangeProcess, apiKey: string) {
    this.#exchange = exchange;
    this.#apiKey = apiKey;
  }

  async shows(title: string, method: string, path: string, body?: object): Promise<void> {
    const { status, body: answer } = await this.#exchange.operator.send(
      method,
      `/operator/v1/sandbox/${path}`,
      body,
    );
    const sent = body === undefined ? "" : ` ${JSON.stringify(body)}`;
    // How long a request took is another figure each time.
    const answered = JSON.stringify(answer).replaceAll(/"ms":[\d.]+,"fault"/g, '"ms":1.5,"fault"');
    this.show(title, `${method} /operator/v1/sandbox/${path}${sent}\n${status} ${answered}`);
  }

  show(title: string, code: string): void {
    const pinned = code.replaceAll(this.#apiKey, KEY_SHOWN);
    this.text += `\n### ${title}\n\n\`\`\`text\n${pinned}\n\`\`\`\n`;
  }
}

async function playSession(exchange: ExchangeProcess): Promise<string> {
  await listStandardMarkets(exchange);
  await exchange.operator.call("POST", "/operator/v1/users", { uid: UID });
  const deposit = { id: "d", account: "spot", asset: "USDT", amount: "10000" };
  await exchange.operator.call("POST", `/operator/v1/users/${UID}/deposits`, deposit);
  const key = await issueKey(exchange, UID, ["read", "spot"]);
  const connection = new HttpConnection(exchange.port, 1);
  const ask = (method: string, path: string, order?: object): Promise<HttpAnswer> => {
    const body = order === undefined ? null : JSON.stringify(order);
    const request = { method, path, body };
    const signed = signedHeaders(key, request, String(WALL_MS));
    const type = body === null ? {} : { "Content-Type": "application/json" };
    return connection.send({ ...request, headers: { ...signed, ...type } });
  };
  const session = new Session(exchange, key.apiKey);
  const dropped = { ...LOST, fault: { kind: "drop-answer" } };
  await session.shows("Lose the next acknowledgement", "PUT", "faults/lost", dropped);
  await assert.rejects(ask("POST", "/api/v3/order", ORDER), NoAnswer);
  const again = await ask("POST", "/api/v3/order", ORDER);
  session.show(
    "The connection closed; the same order again is the order that there is",
    `${ROUTE} ${JSON.stringify(ORDER)}\n${again.status} ${again.text}`,
  );
  await session.shows("The rule has happened once", "GET", "faults");
  const limit = { match: { route: "GET *" }, when: { next: 1 }, seed: 2 };
  const answer = { ...limit, fault: { kind: "answer", status: 429, retryAfterS: 2 } };
  await session.shows("Limit the next read", "PUT", "faults/limit", answer);
  const limited = await ask("GET", "/api/v3/openOrders");
  session.show("The error of the API", `GET /api/v3/openOrders\n${limited.status} ${limited.text}`);
  await session.shows("What the program asked", "GET", `requests?uid=${UID}`);
  await session.shows("Wait for history and streams", "GET", "quiet");
  const wrong = { fault: { kind: "explode" } };
  await session.shows("A rule that is none", "PUT", "faults/x", wrong);
  await session.shows("Remove a rule", "DELETE", "faults/limit");
  await session.shows("Remove all", "DELETE", "faults");
  connection.close();
  return session.text;
}

test("the examples are what the exchange answers", async (t) => {
  const exchange = await ExchangeProcess.start({ env: { NODE_OPTIONS: STOP_CLOCK } });
  t.after(() => exchange.stop());
  const recorded = await playSession(exchange);
  const page = readFileSync(FILE, "utf8");
  const [introduction, examples] = page.split(MARK);
  if (process.env.RIALTO_WRITE_EXAMPLES === "1") {
    writeFileSync(FILE, `${introduction}${MARK}${recorded}`);
    return;
  }
  assert.equal(examples, recorded, `run ${WRITE}`);
});
