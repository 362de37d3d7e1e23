/**
 * Plays requests to a real exchange and keeps what came back. So that the same session gives the
 * same answers at any time and on any machine, the process's wall clock stands still at a fixed
 * moment, exchange time moves by the sandbox's clock alone, and uids are given. What is drawn at
 * random is not kept, such as signing headers, or has another text in its place: invite codes, API
 * keys and secrets.
 */
import assert from "node:assert/strict";
import type { RouteExample } from "../../../src/api/reference/examples.ts";
import type { Route } from "../../../src/api/route.ts";
import { ROUTES } from "../../../src/api/routes.ts";
import { assertDocumented } from "../../support/documented-answers.ts";
import { ExchangeProcess } from "../../support/exchange-process.ts";
import { issueKey, type Permission } from "../../support/exchange-setup.ts";
import { type HttpAnswer, HttpConnection } from "../../support/http-exchange.ts";
import { type Credentials, pathWithQuery, signedHeaders } from "../../support/signed-client.ts";

/** 2026-01-05 09:30:00 UTC. */
export const WALL_MS = 1_767_605_400_000;
/** Runs first in the exchange's process. */
const STOP_CLOCK = `--import=data:text/javascript,Date.now=()=>${WALL_MS}`;

export type Who = "alice" | "bob" | "cora" | "dora";
const UIDS: Readonly<Record<Who, number>> = { alice: 1001, bob: 1002, cora: 1003, dora: 1004 };
const EVERYTHING: readonly Permission[] = [
  "read",
  "spot",
  "contract",
  "affiliate",
  "withdraw",
  "keys",
];
const API_KEY = /rialto_[0-9a-f]{32}/g;
const SECRET = /"secret":"[0-9a-f]{64}"/g;

export interface Sent {
  /** Nobody signs a public call. */
  readonly as?: Who;
  /** Of a key of Alice's that has nothing else, instead of `as`. */
  readonly permission?: Permission;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: Readonly<Record<string, unknown>>;
}

export class Recorder {
  readonly exchange: ExchangeProcess;
  readonly examples = new Map<string, RouteExample[]>();
  readonly #connection: HttpConnection;
  readonly #keys = new Map<string, Credentials>();
  readonly #pinned = new Map<string, string>();
  /** What was first sent with success, by route. */
  readonly #sent = new Map<string, Sent>();

  private constructor(exchange: ExchangeProcess) {
    this.exchange = exchange;
    this.#connection = new HttpConnection(exchange.port, 1);
  }

  static async start(): Promise<Recorder> {
    return new Recorder(await ExchangeProcess.start({ env: { NODE_OPTIONS: STOP_CLOCK } }));
  }

  async stop(): Promise<void> {
    this.#connection.close();
    await this.exchange.stop();
  }

  operate<Answer>(method: string, path: string, body?: object): Promise<Answer> {
    return this.exchange.operator.call<Answer>(method, `/operator/v1/${path}`, body);
  }

  /** Registers a user with a key for everything; `inviteCode` is somebody else's. */
  async register(who: Who, inviteCode?: string): Promise<string> {
    const uid = UIDS[who];
    const body = inviteCode === undefined ? { uid } : { uid, inviteCode };
    const { inviteCode: own } = await this.operate<{ inviteCode: string }>("POST", "users", body);
    this.#keys.set(who, await issueKey(this.exchange, uid, EVERYTHING));
    this.#pinned.set(own, `${who.toUpperCase()}2026`);
    return own;
  }

  /** A second key of Alice's. */
  async issue(permission: Permission): Promise<void> {
    this.#keys.set(permission, await issueKey(this.exchange, UIDS.alice, [permission]));
  }

  /** Exchange time goes on by so much. */
  async pass(ms: number): Promise<void> {
    await this.exchange.operator.advanceClock(ms);
  }

  /** A call that the reference does not show, and that must succeed. */
  async send<Answer>(id: string, sent: Sent): Promise<Answer> {
    const answer = await this.#send(routeOf(id), sent);
    assert.equal(answer.status, 200, `${id}: ${answer.text}`);
    return answer.body as Answer;
  }

  /** A call that succeeds and is kept. */
  async shows<Answer>(id: string, title: string, sent: Sent = {}): Promise<Answer> {
    const answer = await this.#send(routeOf(id), sent);
    assert.equal(answer.status, 200, `${id}, ${title}: ${answer.text}`);
    this.#keep(id, title, sent, answer);
    if (!this.#sent.has(id)) this.#sent.set(id, sent);
    return answer.body as Answer;
  }

  /** The answer to the route's first example, asked again with these parameters beside its own. */
  async again(id: string, more: Readonly<Record<string, unknown>>): Promise<string> {
    const sent = this.#sent.get(id) ?? {};
    const route = routeOf(id);
    const texts = Object.entries(more).map(([name, value]) => [name, String(value)]);
    const query = { ...sent.query, ...Object.fromEntries(texts) };
    const changed = route.body === undefined ? { query } : { body: { ...sent.body, ...more } };
    return (await this.#send(route, { ...sent, ...changed })).text;
  }

  /** A call that is refused with this code, and is kept. */
  async refuses(id: string, title: string, code: string | number, sent: Sent = {}): Promise<void> {
    const answer = await this.#send(routeOf(id), sent);
    assert.notEqual(answer.status, 200, `${id}, ${title}: ${answer.text}`);
    assert.equal((answer.body as { code: unknown }).code, code, `${id}, ${title}: ${answer.text}`);
    this.#keep(id, title, sent, answer);
  }

  async #send(route: Route, sent: Sent): Promise<HttpAnswer> {
    const path = pathWithQuery(route.path, sent.query);
    const body = sent.body === undefined ? null : JSON.stringify(sent.body);
    const request = { method: route.method, path, body };
    const headers: Record<string, string> = {};
    if (body !== null) headers["Content-Type"] = "application/json";
    const key = this.#keys.get(sent.permission ?? sent.as ?? "");
    if (key !== undefined) Object.assign(headers, signedHeaders(key, request, String(WALL_MS)));
    return await this.#connection.send({ ...request, headers });
  }

  #keep(id: string, title: string, { query, body }: Sent, answer: HttpAnswer): void {
    const media = String(answer.headers["content-type"]).split(";", 1)[0] ?? "";
    const isJson = media === "application/json";
    if (isJson) assertDocumented(answer, routeOf(id).family);
    const text = this.#pin(answer.text);
    const example: RouteExample = {
      title,
      ...(query === undefined || Object.keys(query).length === 0
        ? {}
        : { query: JSON.parse(this.#pin(JSON.stringify(query))) }),
      ...(body === undefined ? {} : { body }),
      status: answer.status,
      answer: isJson ? JSON.parse(text) : text,
      ...(isJson ? {} : { media }),
    };
    const kept = this.examples.get(id) ?? [];
    // What succeeded comes first, however the session went.
    kept.splice(example.status === 200 ? kept.filter(succeeded).length : kept.length, 0, example);
    this.examples.set(id, kept);
  }

  /** A text that is the same in every run. */
  #pin(text: string): string {
    let pinned = text.replace(SECRET, `"secret":"${"5ec2e7".padEnd(64, "0")}"`);
    for (const key of pinned.match(API_KEY) ?? []) {
      if (this.#pinned.has(key)) continue;
      const number = [...this.#pinned.keys()].filter((each) => each.startsWith("rialto_")).length;
      this.#pinned.set(key, `rialto_${String(number + 1).padStart(32, "0")}`);
    }
    for (const [drawn, put] of this.#pinned) pinned = pinned.replaceAll(drawn, put);
    return pinned;
  }
}

function succeeded({ status }: RouteExample): boolean {
  return status === 200;
}

function routeOf(id: string): Route {
  const route = ROUTES.find((candidate) => candidate.id === id);
  assert.ok(route !== undefined, `no route has the id ${id}`);
  return route;
}
