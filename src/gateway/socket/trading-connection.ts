/**
 * One socket: its session, its messages in order, and its answers, which leave in one write a turn.
 *
 * A message passes the checks of an HTTP request in the same order. Nothing of it is signed: the
 * logon was, and the connection carries it on.
 */
import type { Duplex } from "node:stream";
import type { RawData, WebSocket } from "ws";
import type { Family } from "../../api/calls.ts";
import { ERRORS, type Refusal, refuse } from "../../api/errors.ts";
import { SESSION_METHODS } from "../../api/socket-calls.ts";
import type { RequestHit } from "../../faults/index.ts";
import {
  type Authenticator,
  checkPermission,
  PUBLIC_CALLER,
} from "../authentication/authenticator.ts";
import type { Caller, EndpointRequest, Exchange, Outcome } from "../endpoint.ts";
import type { Clock, GatewayMetrics } from "../http/ports.ts";
import type { RateLimits, RouteLimits } from "../http/rate-limit.ts";
import { RETRY_AFTER_SECONDS } from "../http/reply.ts";
import { answerText, type Message, readMessage, refusalText } from "./envelope.ts";
import { readLogon } from "./logon.ts";
import { IN_FLIGHT_MAX, MessageOrder, type Ordered } from "./message-order.ts";
import type { Method } from "./methods.ts";
import { textFrames } from "./text-frames.ts";
import type { UsedLogons } from "./used-logons.ts";

const RETRY_AFTER_MS = RETRY_AFTER_SECONDS * 1_000;
/** Answers come within milliseconds, and then there is room again. */
const IN_FLIGHT_RETRY_MS = 100;
/** A client that has left more than this unread is cut off. */
const UNREAD_BYTES_MAX = 1024 * 1024;
/** Of a method that there is not, in its refusal. */
const NAME_SHOWN = 40;
/** Pings without any sign of life. */
const PINGS_MISSED_MAX = 2;
/** What answers to messages look like before their method is known. */
const FAMILY: Family = "v3";
const NO_PARAMETERS = Object.freeze({});

/** Close codes of RFC 6455. */
const CLOSE_CODES = { stopping: 1001, binary: 1003, "key-ended": 1008 } as const;

const CLOSE_REASONS = {
  stopping: "the exchange is stopping",
  binary: "messages are text",
  "key-ended": "the API key has ended",
} as const;

const LOG_ON = "log on with session.logon";
const SESSION: ReadonlySet<string> = new Set(SESSION_METHODS);

export type SocketEnd = keyof typeof CLOSE_CODES | "too-slow" | "no-pong";

export interface SocketMetrics extends Pick<GatewayMetrics, "answered"> {
  socketOpened(): void;
  socketClosed(): void;
  socketRefused(reason: string): void;
  /** The exchange closed a connection. */
  socketEnded(cause: SocketEnd): void;
}

/** What all connections share. */
export interface ConnectionPorts {
  readonly exchange: Exchange;
  readonly authenticator: Authenticator;
  readonly methods: ReadonlyMap<string, Method>;
  readonly limits: RateLimits;
  readonly logonLimits: RouteLimits;
  readonly usedLogons: UsedLogons;
  readonly clock: Clock;
  readonly metrics: SocketMetrics;
  /** Calls `flush` once the present turn of the event loop has produced its answers. */
  readonly flushLater: (connection: TradingConnection) => void;
  readonly onFatal: (error: unknown) => void;
}

export interface ConnectionOptions {
  readonly client: WebSocket;
  /** What the frames are written to. */
  readonly socket: Duplex;
  readonly address: string;
  /** Random, so that no other connection of this or another process has it. */
  readonly id: string;
  readonly ports: ConnectionPorts;
}

type SessionMethod = (typeof SESSION_METHODS)[number];

export interface Request extends Ordered, Message {
  /** Null for the methods of the session. */
  readonly known: Method | null;
  /** Set when it begins. */
  startedMs: number;
  /** In a sandbox: what the message met, and the code with which it was refused. */
  hit: RequestHit | null;
  code: string | number | null;
}

export interface Session {
  readonly apiKey: string;
  readonly authorizedSinceMs: number;
}

export class TradingConnection {
  readonly #options: ConnectionOptions;
  readonly #ports: ConnectionPorts;
  readonly #order: MessageOrder<Request>;
  readonly #connectedSinceMs: number;
  #session: Session | null = null;
  #answers: string[] = [];
  #messages = 0;
  #pingsMissed = 0;
  #isOpen = true;
  #isStopping = false;

  constructor(options: ConnectionOptions) {
    const { client, ports } = options;
    this.#options = options;
    this.#ports = ports;
    this.#connectedSinceMs = ports.clock.exchangeMs();
    this.#order = new MessageOrder((request) => this.#begin(request));
    client.on("message", (data, isBinary) => this.#receive(data, isBinary));
    client.on("ping", () => this.#heard());
    client.on("pong", () => this.#heard());
    // A broken frame or socket: `ws` closes it, with the code of the mistake.
    client.on("error", () => this.close());
  }

  /** The client has gone: what waits is not carried out. */
  close(): void {
    this.#isOpen = false;
    this.#answers = [];
  }

  /** Checks the session's key, and asks the client for a sign of life. */
  beat(): void {
    if (this.#pingsMissed >= PINGS_MISSED_MAX) {
      this.#cut("no-pong");
      return;
    }
    this.#pingsMissed++;
    this.#options.client.ping();
  }

  /** Ends the connection if its key has ended since the last message. */
  checkKey(): void {
    if (this.#session !== null && this.#caller(this.#session) === null) this.end("key-ended");
  }

  /** Ends the connection as soon as what has begun is answered; new messages are refused. */
  stop(): void {
    this.#isStopping = true;
    if (this.#order.inFlight === 0) this.end("stopping");
  }

  end(cause: keyof typeof CLOSE_CODES): void {
    if (!this.#isOpen) return;
    const { client } = this.#options;
    this.flush();
    this.close();
    this.#ports.metrics.socketEnded(cause);
    client.close(CLOSE_CODES[cause], CLOSE_REASONS[cause]);
  }

  /** Writes the answers since the last call at once. */
  flush(): void {
    const { client, socket } = this.#options;
    // Behind the close of either side there are no more frames.
    if (this.#answers.length === 0 || client.readyState !== client.OPEN) return;
    if (socket.writableLength > UNREAD_BYTES_MAX) {
      this.#cut("too-slow");
      return;
    }
    const answers = this.#answers;
    this.#answers = [];
    socket.write(textFrames(answers));
  }

  #cut(cause: "too-slow" | "no-pong"): void {
    if (!this.#isOpen) return;
    this.close();
    this.#ports.metrics.socketEnded(cause);
    this.#options.client.terminate();
  }

  #heard(): void {
    this.#pingsMissed = 0;
    // Pongs are written too.
    if (this.#options.socket.writableLength > UNREAD_BYTES_MAX) this.#cut("too-slow");
  }

  #receive(data: RawData, isBinary: boolean): void {
    if (!this.#isOpen) return;
    if (isBinary) {
      this.end("binary");
      return;
    }
    this.#pingsMissed = 0;
    const message = readMessage(data as Buffer);
    if ("refusal" in message) {
      this.#refuseUnread(message.id, message.refusal);
      return;
    }
    const { id, method, params } = message;
    const known = this.#ports.methods.get(method) ?? null;
    const isOfSession = known === null && SESSION.has(method);
    if (known === null && !isOfSession) {
      this.#refuseUnread(id, refuse("unknown-method", "method", method.slice(0, NAME_SHOWN)));
      return;
    }
    const sharing = known === null ? "local" : known.sharing;
    const begun = { startedMs: 0, hit: null, code: null };
    if (this.#order.take({ id, method, params, known, sharing, ...begun })) return;
    const detail = `at most ${IN_FLIGHT_MAX} unanswered messages of a connection`;
    const family = known?.endpoint.route.family ?? FAMILY;
    const refusal = refuse("rate-limited", null, detail);
    this.#send(refusalText(id, family, refusal, IN_FLIGHT_RETRY_MS));
  }

  /** Of a message that names no method that there is; its address pays for it. */
  #refuseUnread(id: string, refusal: Refusal): void {
    const { clock, limits } = this.#ports;
    const waitMs = limits.takeFailure(this.#options.address, clock.monotonicMs());
    const answered = waitMs > 0 ? refuse("rate-limited") : refusal;
    this.#send(refusalText(id, FAMILY, answered, waitMs));
  }

  #begin(request: Request): void {
    if (!this.#isOpen) return;
    request.startedMs = this.#ports.clock.monotonicMs();
    try {
      if (this.#isStopping) this.refuse(request, refuse("stopping"));
      else this.carryOut(request);
    } catch (error) {
      this.#ports.onFatal(error);
    }
  }

  protected carryOut(request: Request): void {
    if (request.known === null) this.#beginSession(request);
    else this.#beginCall(request, request.known);
  }

  /** Ends the connection without a word. */
  protected drop(): void {
    this.close();
    this.#options.client.terminate();
  }

  protected get session(): Session | null {
    return this.#session;
  }

  #beginCall(request: Request, method: Method): void {
    const { exchange, limits, onFatal } = this.#ports;
    const caller = this.#admit(request, method);
    if (caller === null) return;
    const read = method.params.readParams(request.params);
    if (!read.ok) {
      this.refuse(request, read);
      return;
    }
    const { endpoint } = method;
    const isBody = endpoint.route.body !== undefined;
    const admitted: EndpointRequest<object, object> = {
      caller,
      signature: this.#signature(),
      query: isBody ? NO_PARAMETERS : read.value,
      body: isBody ? read.value : NO_PARAMETERS,
    };
    const outcome = endpoint.handle(admitted as never, exchange);
    limits.entered?.();
    if (!(outcome instanceof Promise)) this.#answer(request, method, outcome);
    else outcome.then((answer) => this.#answer(request, method, answer), onFatal);
  }

  /** The caller; null when the message was refused, or the connection has ended. */
  #admit(request: Request, { endpoint, limits }: Method): Caller | null {
    const { address } = this.#options;
    const { access } = endpoint.route;
    const { startedMs } = request;
    const waitMs = limits.takeAddress(address, startedMs);
    if (waitMs > 0) return this.#limit(request, waitMs);
    if (access === null) return PUBLIC_CALLER;
    const session = this.#session;
    if (session === null) return this.#fail(request, refuse("missing-access-key", null, LOG_ON));
    const caller = this.#caller(session);
    if (caller === null) {
      this.end("key-ended");
      return null;
    }
    const denied = checkPermission(caller, access);
    if (denied !== null) return this.#fail(request, denied);
    const userWaitMs = limits.takeUser(address, caller.uid, startedMs);
    return userWaitMs > 0 ? this.#limit(request, userWaitMs) : caller;
  }

  #caller({ apiKey }: Session): Caller | null {
    return this.#ports.authenticator.current(apiKey, this.#options.address);
  }

  /**
   * In place of a request's signature, from which ids are derived that the caller does not choose.
   * The number of the message in its connection, and a connection that nobody can have again: no
   * two messages have the same, after a restart either. Base64 has no colon, so it is never the
   * signature of a request over HTTP.
   */
  #signature(): string {
    this.#messages++;
    return `${this.#options.id}:${this.#messages}`;
  }

  #beginSession(request: Request): void {
    switch (request.method as SessionMethod) {
      case "session.logon":
        this.#logon(request);
        return;
      case "session.status":
        this.#answerSession(request);
        return;
    }
  }

  /** A later logon replaces the key of the connection; a refused one changes nothing. */
  #logon(request: Request): void {
    const { authenticator, clock, logonLimits, usedLogons } = this.#ports;
    const { address } = this.#options;
    const logon = readLogon(authenticator, request.params, address);
    if (!logon.ok) {
      this.#fail(request, logon);
      return;
    }
    const { caller, signature, timestampMs } = logon.value;
    const waitMs = logonLimits.takeUser(address, caller.uid, request.startedMs);
    if (waitMs > 0) {
      this.#limit(request, waitMs);
      return;
    }
    const [wallMs, exchangeMs] = [clock.wallMs(), clock.exchangeMs()];
    const taken = usedLogons.take(signature, timestampMs, wallMs, exchangeMs);
    if (taken === "full") this.refuse(request, refuse("overloaded"));
    else if (taken === "used") {
      this.#fail(request, refuse("bad-signature", "signature", "sign a later timestamp"));
    } else {
      this.#session = { apiKey: caller.apiKey, authorizedSinceMs: clock.exchangeMs() };
      this.#answerSession(request);
    }
  }

  #answerSession(request: Request): void {
    const session = this.#session;
    const caller = session === null ? null : this.#caller(session);
    const status = {
      apiKey: caller?.apiKey ?? null,
      permissions: caller?.permissions ?? [],
      connectedSince: this.#connectedSinceMs,
      authorizedSince: session?.authorizedSinceMs ?? null,
    };
    if (session !== null && caller === null) this.end("key-ended");
    else this.done(request, 200, answerText(request.id, JSON.stringify(status)));
  }

  #answer(request: Request, { endpoint }: Method, outcome: Outcome<unknown>): void {
    try {
      if (outcome.ok) {
        const json = endpoint.stringify(outcome.value as never);
        this.done(request, 200, answerText(request.id, json));
      } else if ("unavailable" in outcome) this.refuse(request, refuse(outcome.unavailable));
      else this.refuse(request, outcome);
    } catch (error) {
      this.#ports.onFatal(error);
    }
  }

  /** Failures have a pool per address; beyond it the answer is only to wait. */
  #fail(request: Request, refusal: Refusal): null {
    const waitMs = this.#ports.limits.takeFailure(this.#options.address, request.startedMs);
    if (waitMs > 0) return this.#limit(request, waitMs);
    this.refuse(request, refusal);
    return null;
  }

  #limit(request: Request, waitMs: number): null {
    this.refuse(request, refuse("rate-limited"), waitMs);
    return null;
  }

  protected refuse(request: Request, refusal: Refusal, waitMs = 0): void {
    const family = request.known?.endpoint.route.family ?? FAMILY;
    const { status } = ERRORS[refusal.reason][family];
    const retryMs = status === 503 ? RETRY_AFTER_MS : waitMs;
    this.done(request, status, refusalText(request.id, family, refusal, retryMs));
  }

  protected done(request: Request, status: number, text: string): void {
    const { clock, metrics } = this.#ports;
    this.#send(text);
    metrics.answered(request.method, status, clock.monotonicMs() - request.startedMs);
    this.#order.left();
    if (this.#isStopping && this.#order.inFlight === 0) this.end("stopping");
  }

  #send(text: string): void {
    if (!this.#isOpen) return;
    this.#answers.push(text);
    if (this.#answers.length === 1) this.#ports.flushLater(this);
  }
}
