/**
 * Calls of all kinds, by keys with one permission or two, or by nobody: each may be made, counts
 * and is told of as it is published. Nothing happens, because the query cannot be read, which is
 * found only when everything else is known.
 */
import type { Duplex } from "node:stream";
import { isDeepStrictEqual } from "node:util";
import { ERRORS } from "../../../src/api/errors.ts";
import { PERMISSIONS } from "../../../src/domain/index.ts";
import { type InlineRequest, readRaw, requestText, statusOf } from "../../support/inline-http.ts";
import { PUBLISHED_CALLS, type PublishedCall } from "../../support/published-calls.ts";
import type { Random } from "../../support/random.ts";
import type { Credentials } from "../../support/signed-client.ts";
import { hold } from "../breach.ts";
import { PublishedLimits } from "../published-limits.ts";
import type { SimulatedExchange } from "../simulated-exchange.ts";
import type { Scene, Stage } from "./stage.ts";

const CALLS_MAX = 48;
const BURSTS = 2;
/** Of the calls that take so little that it would be more, only some are sent. */
const BURST_MAX = 70;
/** Around the time in which there is room for another one, and around a second. */
const PAUSES_MS = [1, 19, 20, 99, 100, 101, 999, 1_000];
const UNREADABLE = "?%";
const FULL_PATH = "/api/v3/account/";

interface Key extends Credentials {
  readonly uid: number;
  readonly permissions: readonly string[];
}

interface Told {
  readonly status: number;
  readonly code: unknown;
  readonly used: number | null;
  readonly orders: number | null;
  readonly waitS: number | null;
}

export const publishedCalls: Scene = async (stage) => {
  const { exchange, random } = stage;
  if (exchange.limits?.isBusy === true) return;
  const user = (await stage.operate("POST", "users", {})) as { readonly uid: number } | null;
  if (user === null) return;
  const keys: Key[] = [];
  for (const many of [1, 1, 2]) {
    const permissions = random.shuffle([...PERMISSIONS]).slice(0, many);
    const terms = { label: "published", permissions, passphrase: "passphrase" };
    const key = await stage.operate("POST", `users/${user.uid}/api-keys`, terms);
    if (key !== null) keys.push({ ...(key as Credentials), uid: user.uid, permissions });
  }
  if (keys.length === 0) return;
  const caller = new Caller(stage, keys);
  for (const call of random.shuffle([...PUBLISHED_CALLS]).slice(0, CALLS_MAX)) {
    await caller.ask(call);
  }
  for (let count = 0; count < BURSTS; count++) await caller.burst();
};

class Caller {
  readonly #exchange: SimulatedExchange;
  readonly #random: Random;
  readonly #keys: readonly Key[];
  readonly #addresses: readonly string[];
  readonly #limits: PublishedLimits | null;

  constructor({ exchange, random }: Stage, keys: readonly Key[]) {
    this.#exchange = exchange;
    this.#random = random;
    this.#keys = keys;
    this.#addresses = [exchange.newAddress(), exchange.newAddress()];
    // A new user and new addresses have taken nothing.
    this.#limits = exchange.limits === null ? null : new PublishedLimits();
  }

  /** Whether it was admitted. */
  async ask(call: PublishedCall, key = this.#random.pick([...this.#keys])): Promise<boolean> {
    const exchange = this.#exchange;
    const { anyOf } = call;
    const address = this.#random.pick([...this.#addresses]);
    const request = this.#requestOf(call, key, address);
    const { nowMs } = exchange.life.time;
    const told = await exchange.life.until(sendRaw(exchange, request));
    if (told === null) return false;
    const isDenied = anyOf !== null && !anyOf.some((one) => key.permissions.includes(one));
    const stranger = { address, uid: null };
    const known = anyOf === null || isDenied ? stranger : { address, uid: key.uid };
    const limits = this.#limits;
    // An address that has to wait is not asked who it is.
    const addressWaitMs = limits?.waitMs(call, stranger, nowMs) ?? 0;
    const seen = addressWaitMs > 0 ? stranger : known;
    const waitMs = limits?.waitMs(call, seen, nowMs) ?? 0;
    // What a key may not do takes nothing.
    if (waitMs === 0 && !isDenied) limits?.take(call, known, nowMs);
    const due = waitMs > 0 ? "rate-limited" : isDenied ? "permission-denied" : "malformed-query";
    const { code, status } = errorOf(call, due);
    const isDue = told.status === status && String(told.code) === String(code);
    const { method, path } = request;
    const who = () => `${method} ${path} by ${key.permissions} from ${address} at ${nowMs}`;
    const detail = () => `${who()}: ${told.status} ${told.code} instead of ${due}`;
    hold(isDue, "calls are made by whom they are published for, as often as that", detail);
    const heads = {
      used: limits?.used(call, seen, nowMs) ?? 0,
      orders: call.isOrder ? (limits?.orders(seen, nowMs) ?? 0) : null,
      waitS: waitMs === 0 ? null : Math.ceil(waitMs / 1_000),
    };
    const { orders, used, waitS } = told;
    const isTold = isDeepStrictEqual({ used, orders, waitS }, heads);
    const both = () => `${who()}: ${JSON.stringify([told, heads])}`;
    hold(isTold, "what is used up, and how long to wait, is told", both);
    return waitMs === 0;
  }

  #requestOf({ anyOf, method, path }: PublishedCall, key: Key, address: string): InlineRequest {
    const spelled = path === FULL_PATH && this.#random.chance(0.5) ? path.slice(0, -1) : path;
    const target = `${spelled}${UNREADABLE}`;
    const body = method === "POST" || method === "PUT" ? "{}" : null;
    const request =
      anyOf === null
        ? { method, path: target, headers: {} }
        : this.#exchange.signedAs(key, method, target, body);
    return { ...request, headers: { ...request.headers, "X-Forwarded-For": address } };
  }

  /** Until there is nothing left for it, or somewhat beyond. */
  async burst(): Promise<void> {
    const random = this.#random;
    const may = ({ anyOf }: PublishedCall, { permissions }: Key) =>
      anyOf === null || permissions.some((one) => anyOf.includes(one));
    const calls = PUBLISHED_CALLS.filter((call) => this.#keys.some((key) => may(call, key)));
    const call = random.pick(calls);
    const keys = this.#keys.filter((key) => may(call, key));
    for (let count = 0, refused = 0; count < BURST_MAX && refused < 3; count++) {
      if (!(await this.ask(call, random.pick(keys)))) refused++;
      if (random.chance(refused > 0 ? 0.5 : 0.03)) {
        await this.#exchange.pass(random.pick(PAUSES_MS));
      }
      if (this.#limits === null && count > 2) return;
    }
  }
}

function numberIn(head: string, name: string): number | null {
  const found = new RegExp(`\\r\\n${name}: *(\\d+)`, "i").exec(head)?.[1];
  return found === undefined ? null : Number(found);
}

function errorOf({ path }: PublishedCall, reason: keyof typeof ERRORS) {
  const { capi, v2, v3 } = ERRORS[reason];
  if (path.startsWith("/capi/")) return capi;
  return path.includes("/v2/") ? v2 : v3;
}

/** With its head; null when the connection broke. */
async function sendRaw(exchange: SimulatedExchange, request: InlineRequest): Promise<Told | null> {
  const connection = exchange.connect();
  connection.write(requestText(request), "latin1");
  const bytes = await received(connection);
  connection.destroy();
  exchange.requests++;
  exchange.checkRunning();
  const raw = readRaw(bytes);
  if (raw === null) return null;
  const { code } = JSON.parse(raw.text) as { readonly code?: unknown };
  const of = (name: string) => numberIn(raw.head, name);
  const [used, orders] = [of("x-used-weight-10s"), of("x-order-count-1s")];
  const told = { status: statusOf(raw), code, used, orders, waitS: of("retry-after") };
  exchange.trace(`${request.method} ${request.path}`, told);
  return told;
}

function received(connection: Duplex): Promise<Buffer> {
  return new Promise((resolve) => {
    let bytes = Buffer.alloc(0);
    connection.on("data", (chunk: Buffer) => {
      bytes = Buffer.concat([bytes, chunk]);
      if (readRaw(bytes) !== null) resolve(bytes);
    });
    connection.once("close", () => resolve(bytes));
  });
}
