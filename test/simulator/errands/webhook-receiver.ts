/**
 * Another machine, to which the exchange sends what its webhooks are to be told. It takes requests
 * as the documentation says, or fails in any way: refuses, is slow, never answers, breaks off. What
 * comes must be signed, in order and meant for it.
 */
import { createHmac } from "node:crypto";
import type { Duplex } from "node:stream";
import { isDeepStrictEqual } from "node:util";
import type { Random } from "../../support/random.ts";
import { Breach, hold } from "../breach.ts";
import type { MachineLife } from "../machine-life.ts";
import type { SimulatedExchange } from "../simulated-exchange.ts";
import { bodyOf, type Posted, readPost, type SentEvent, type WebhookRequest } from "./post.ts";

/** What the receiver knows of a webhook. */
export interface Hook {
  readonly webhookId: string;
  /** Null while nobody knows which signs. */
  secret: string | null;
  /** Null while nobody knows. */
  path: string | null;
  isPaused: boolean | null;
  isRemoved: boolean;
  /** The number of the last event that it took. */
  last: number;
  readonly taken: Map<number, SentEvent>;
  /** Numbers that nobody has compared with the story. */
  fresh: number[];
  /** What somebody asks to be sent out of turn. */
  byHand: { readonly kind: "test" | "redelivery"; readonly number: number } | null;
  failuresInRow: number;
  /** It has not answered well for the last events that came: they come again. */
  isOwed: boolean;
  /** Up to where it was answered that it has taken everything, when nothing has changed since. */
  told: { readonly life: MachineLife; readonly changes: number; readonly last: number } | null;
}

/** A request that was answered, or not. */
export interface Received {
  readonly webhookId: string;
  readonly kind: string;
  readonly firstNumber: number;
  readonly lastNumber: number;
  readonly time: number;
  /** In the life of the machine. */
  readonly atMs: number;
  readonly life: MachineLife;
  readonly changes: number;
  /** Of the answer; null without one. */
  status: number | null;
}

interface Connection {
  readonly stream: Duplex;
  readonly life: MachineLife;
  readonly changes: number;
  readonly openedMs: number;
}

/** A request that came, and what becomes of it. */
interface Meeting {
  readonly connection: Connection;
  readonly received: Received;
  readonly way: Failure | "takes";
}

export const RECEIVER_PORT = 9_000;
const FAILURES_IN_ROW = 2;
const EVENTS_MAX = 100;
const SLOWEST_MS = 4_000;
const WAYS = [
  ...["fails", "fails", "redirects", "breaks", "takes and fails", "takes and breaks"],
  ...["talks garbage", "is slow", "is slow", "hangs"],
] as const;
type Failure = (typeof WAYS)[number];
const CHECK = "webhooks are told each event, signed and in order";

export class Receiver {
  readonly #exchange: SimulatedExchange;
  readonly hooks = new Map<string, Hook>();
  readonly received: Received[] = [];
  /** Settings that were or are being changed. */
  changes = 0;
  underWay = 0;
  isJudging = true;
  /** Of a request to fail, and by which randomness. */
  fails = 0;
  random: Random;
  /** How a webhook fails at a path, whatever is drawn; null where it does not. */
  refuses: (hook: Hook, path: string) => Failure | null = () => null;
  #venue: string | null = null;
  readonly #waiting = new Set<() => void>();

  constructor(exchange: SimulatedExchange, random: Random) {
    this.#exchange = exchange;
    this.random = random;
    const began = exchange.onLife;
    exchange.onLife = () => {
      began();
      this.#listen();
    };
    this.#listen();
  }

  #listen(): void {
    const { life } = this.#exchange;
    life.outside = (port) =>
      port === RECEIVER_PORT ? (stream) => this.#accept(stream, life) : null;
  }

  /** From now on it takes everything, and answers what waits. */
  recover(): void {
    this.fails = 0;
    for (const answer of this.#waiting) answer();
    this.#waiting.clear();
  }

  #accept(stream: Duplex, life: MachineLife): void {
    const { changes } = this;
    const connection = { stream, life, changes, openedMs: this.#exchange.nowMs };
    let bytes = Buffer.alloc(0);
    stream.on("data", (chunk: Buffer) => {
      bytes = Buffer.concat([bytes, chunk]);
      const posted = readPost(bytes);
      if (posted === null || life.isOver) return;
      try {
        this.#take(posted, connection);
      } catch (error) {
        if (!(error instanceof Breach)) throw error;
        life.fail(error);
      }
    });
  }

  #take(posted: Posted, connection: Connection): void {
    const { webhookId } = posted.headers;
    const hook = this.hooks.get(webhookId ?? "");
    // A disk that lied may have lost what was told, and the changes of settings behind it.
    if (!this.isJudging || this.#exchange.hasLied) {
      answer(connection, 200);
      return;
    }
    // Nobody judges what overlaps a change of settings.
    const isJudged = connection.changes === this.changes && this.underWay === 0;
    const secret = hook?.secret ?? null;
    if (!isJudged || hook === undefined || secret === null) {
      const request = bodyOf(posted.text);
      this.#note(request, connection, posted, 503);
      if (hook !== undefined && request.kind === "events") hook.isOwed = true;
      answer(connection, 503);
      return;
    }
    const detail = () => `${webhookId} ${JSON.stringify(posted)}`;
    hold(!hook.isRemoved, "a removed webhook is told nothing", detail);
    this.#checkHead(posted, hook.path, connection, detail);
    const signed = createHmac("sha256", secret).update(`${posted.headers.timestamp}.`);
    const isSigned = `sha256=${signed.update(posted.text).digest("hex")}`;
    hold(posted.headers.signature === isSigned, CHECK, detail);
    const request = bodyOf(posted.text);
    this.#venue ??= request.venue;
    hold(request.webhookId === webhookId && request.venue === this.#venue, CHECK, detail);
    if (request.kind === "events") this.#checkEvents(hook, request, connection, detail);
    else checkByHand(hook, request, detail);
    const received = this.#note(request, connection, posted, null);
    this.#answer(hook, request, { connection, received, way: this.#wayOf(hook, posted.path) });
  }

  #checkHead(
    { headers, method, path }: Posted,
    due: string | null,
    { openedMs }: Connection,
    detail: () => string,
  ): void {
    const isJson = method === "POST" && headers.contentType === "application/json";
    hold(isJson && (due === null || path === due), "a webhook is told at its URL", detail);
    hold(
      headers.timestamp === String(openedMs),
      "a webhook's request says when it was sent",
      detail,
    );
  }

  #checkEvents(
    hook: Hook,
    { events }: WebhookRequest,
    { changes, life }: Connection,
    detail: () => string,
  ): void {
    hold(hook.isPaused !== true, "a paused webhook is told nothing", detail);
    const first = events[0]?.number ?? 0;
    const isInOrder = events.every(({ number }, index) => number === first + index);
    hold(first > 0 && events.length <= EVENTS_MAX && isInOrder, CHECK, detail);
    const what = () => `${hook.last} ${JSON.stringify(hook.told?.last)} ${detail()}`;
    hold(first <= hook.last + 1, CHECK, what);
    const { told } = hook;
    const isKnown = told?.life === life && told.changes === changes;
    hold(!isKnown || first === told.last + 1, "what was taken does not come again", what);
  }

  #note(
    { events, kind, webhookId }: WebhookRequest,
    { changes, life }: Connection,
    { headers }: Posted,
    status: number | null,
  ): Received {
    const received: Received = {
      ...{ webhookId, kind, life, changes, status, time: Number(headers.timestamp) },
      atMs: life.time.nowMs,
      ...{ firstNumber: events[0]?.number ?? 0, lastNumber: events.at(-1)?.number ?? 0 },
    };
    this.received.push(received);
    return received;
  }

  #wayOf(hook: Hook, path: string): Failure | "takes" {
    const { random } = this;
    const refused = this.refuses(hook, path);
    if (refused !== null) return refused;
    const mayFail = hook.failuresInRow < FAILURES_IN_ROW;
    return mayFail && random.chance(this.fails) ? random.pick(WAYS) : "takes";
  }

  #answer(hook: Hook, request: WebhookRequest, { connection, received, way }: Meeting): void {
    const { changes, life } = connection;
    const { random } = this;
    const isTaken = way === "is slow" || way.startsWith("takes");
    if (isTaken) for (const event of request.events) this.#keep(hook, event);
    const isGood = way === "takes" || way === "is slow";
    hook.failuresInRow = isGood ? 0 : hook.failuresInRow + 1;
    if (request.kind === "events") hook.isOwed = true;
    const say = (status: number): void => {
      if (life.isOver || connection.stream.destroyed) return;
      received.status = status;
      answer(connection, status);
      const { lastNumber: last } = received;
      if (!isGood || request.kind !== "events") return;
      hook.isOwed = false;
      hook.told = { life, changes, last };
    };
    if (way === "takes") say(random.pick([200, 202, 204]));
    else if (way === "fails" || way === "takes and fails") say(random.pick([500, 503, 404]));
    else if (way === "redirects") say(302);
    else if (way === "talks garbage") connection.stream.end("\x00\x01 hello\r\n\r\n");
    else if (way === "breaks" || way === "takes and breaks") connection.stream.destroy();
    else
      this.#later(life, isGood ? random.integer(1, SLOWEST_MS) : null, () =>
        say(isGood ? 200 : 500),
      );
  }

  /** Null is never, unless it recovers before. */
  #later(life: MachineLife, delayMs: number | null, run: () => void): void {
    const once = (): void => {
      if (this.#waiting.delete(once)) run();
    };
    this.#waiting.add(once);
    if (delayMs !== null) life.time.after(delayMs, once);
  }

  #keep(hook: Hook, event: SentEvent): void {
    const known = hook.taken.get(event.number);
    const both = () => JSON.stringify([hook.webhookId, known, event]);
    const isSame = known === undefined || isDeepStrictEqual(known, event);
    hold(isSame, "what a webhook is told again is the same", both);
    if (known === undefined) hook.fresh.push(event.number);
    hook.taken.set(event.number, event);
    hook.last = Math.max(hook.last, event.number);
  }
}

function checkByHand(hook: Hook, { events, kind }: WebhookRequest, detail: () => string): void {
  const { byHand } = hook;
  const due = byHand?.kind === "redelivery" ? [byHand.number] : [];
  const isAsked = byHand?.kind === kind && isDeepStrictEqual(due, events.map(numberOf));
  hold(isAsked, "a webhook is sent by hand what was asked for", detail);
}

function numberOf({ number }: SentEvent): number {
  return number;
}

function answer({ stream }: Connection, status: number): void {
  stream.end(`HTTP/1.1 ${status} Said\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`);
}
