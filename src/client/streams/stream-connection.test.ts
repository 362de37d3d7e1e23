/**
 * Proves what listeners see when a connection ends, with sockets that open, send and close on
 * request: a book is not live from the end of its connection until the snapshot of the next one, so
 * that nobody trades on a stale book.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { StreamError } from "../errors.ts";
import { type SocketClass, SYSTEM_RUNTIME } from "../runtime.ts";
import { LocalOrderBook } from "./local-order-book.ts";
import { StreamConnection } from "./stream-connection.ts";
import { fromSnapshot, readDepths } from "./stream-events.ts";
import { Subscription } from "./subscription.ts";

interface Request {
  readonly id: string;
  readonly method: string;
  readonly params?: readonly string[];
}

/** Accepts every subscription, but for those that a test refuses. */
class ScriptedSocket extends EventTarget {
  static readonly CONNECTING = 0;
  static readonly OPEN = 1;
  /** Resolves the next one. */
  static next = Promise.withResolvers<ScriptedSocket>();
  /** Channels of which the next subscription is refused for now. */
  static readonly refused = new Set<string>();

  readyState = ScriptedSocket.CONNECTING;
  readonly sent: Request[] = [];

  constructor() {
    super();
    ScriptedSocket.next.resolve(this);
    ScriptedSocket.next = Promise.withResolvers();
  }

  open(): void {
    this.readyState = ScriptedSocket.OPEN;
    this.dispatchEvent(new Event("open"));
  }

  say(message: object): void {
    this.dispatchEvent(new MessageEvent("message", { data: JSON.stringify(message) }));
  }

  send(text: string): void {
    const request = JSON.parse(text) as Request;
    this.sent.push(request);
    const { id, params = [] } = request;
    const isRefused = params.some((channel) => ScriptedSocket.refused.delete(channel));
    const refusal = { id, result: false, msg: "UNAVAILABLE: the exchange is busy, try again" };
    queueMicrotask(() => this.say(isRefused ? refusal : { id, result: true }));
  }

  close(): void {
    this.readyState = 3;
    this.dispatchEvent(Object.assign(new Event("close"), { code: 1006, reason: "" }));
  }
}

const SNAPSHOT = {
  e: "depthSnapshot",
  E: 1,
  s: "BTCUSDT",
  U: 7,
  u: 7,
  l: 15,
  d: "SNAPSHOT",
  b: [["100", "1"]],
  a: [["101", "1"]],
};

const OF_BOOK = { runtime: SYSTEM_RUNTIME, symbol: "BTCUSDT", levels: 15 } as const;

/** In which everything that waits for no timer comes to its end. */
function turns(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function connect(runtime = SYSTEM_RUNTIME): StreamConnection {
  return new StreamConnection({
    socketClass: ScriptedSocket as unknown as SocketClass,
    runtime,
    url: "ws://exchange.test",
    probe: { method: "PONG", everyMs: 60_000 },
    protocols: () => Promise.resolve([]),
    diagnose: () => Promise.resolve(null),
  });
}

test("a book is not live between a restore of the exchange and its snapshot", async (t) => {
  const connection = connect();
  t.after(() => connection.close());
  const opened = ScriptedSocket.next.promise;
  const fetchDepth = () => Promise.reject(new Error("nobody compares"));
  const book = new LocalOrderBook({ ...OF_BOOK, connection, fetchDepth });
  const live = Promise.withResolvers<void>();
  const resumed: boolean[] = [];
  connection.onState((state) => {
    if (state.name === "live") live.resolve();
    resumed.push(state.resumed);
  });
  const socket = await opened;
  socket.open();
  await live.promise;
  socket.say({ ...SNAPSHOT, U: 9, u: 9 });
  assert.equal(book.isLive, true);
  socket.say({ event: "restored" });
  assert.equal(book.isLive, false);
  socket.say(SNAPSHOT);
  assert.equal(book.isLive, true);
  assert.equal(book.version, 7, "ids go back");
  assert.deepEqual(resumed.slice(-2), [false, true], "whoever counts events is told");
});

test("a book is not live while its connection is down", async (t) => {
  const connection = connect();
  t.after(() => connection.close());
  const first = ScriptedSocket.next.promise;
  const fetchDepth = () => Promise.reject(new Error("nobody compares"));
  const book = new LocalOrderBook({ ...OF_BOOK, connection, fetchDepth });
  let interruptions = 0;
  const removed = connection.add("BTCUSDT@trade", {
    message: () => undefined,
    accepted: () => undefined,
    interrupted: () => interruptions++,
    ended: () => undefined,
  });
  t.after(removed);
  let socket = await first;
  for (let ends = 1; ends <= 3; ends++) {
    assert.equal(book.isLive, false, "before the snapshot");
    const { promise: live, resolve } = Promise.withResolvers<void>();
    const stopWaiting = connection.onState(({ name }) => {
      if (name === "live") resolve();
    });
    socket.open();
    await live;
    stopWaiting();
    socket.say(SNAPSHOT);
    assert.equal(book.isLive, true);
    const told: boolean[] = [];
    const stop = book.listen(() => told.push(book.isLive));
    const following = ScriptedSocket.next.promise;
    socket.close();
    socket = await following;
    assert.deepEqual(told, [false], "it was told, once");
    assert.equal(book.isLive, false, "while nobody is there");
    assert.equal(interruptions, ends, "every channel is told");
    assert.equal(connection.state.name, "reconnecting");
    stop();
  }
});

/** Of which only the waits behind refusals end, when they are told to. */
function connectRefused() {
  const waits: (() => void)[] = [];
  const connection = connect({
    ...SYSTEM_RUNTIME,
    after(delayMs, run) {
      if (delayMs === 2_000) waits.push(run);
      return () => undefined;
    },
  });
  return { connection, waits };
}

test("a channel that is accepted late says that events were missed", async (t) => {
  const { connection, waits } = connectRefused();
  t.after(() => connection.close());
  const states: string[] = [];
  connection.onState(({ name, resumed }) => states.push(resumed ? `${name} again` : name));
  ScriptedSocket.refused.add("orders");
  const first = ScriptedSocket.next.promise;
  const accepted: string[] = [];
  for (const channel of ["orders", "fill"]) {
    connection.add(channel, {
      message: () => undefined,
      accepted: () => accepted.push(channel),
      interrupted: () => undefined,
      ended: () => undefined,
    });
  }
  (await first).open();
  await turns();
  assert.deepEqual(accepted, ["fill"]);
  assert.deepEqual(states, ["connecting", "live"]);
  for (const run of waits.splice(0)) run();
  await turns();
  assert.deepEqual(accepted, ["fill", "orders"]);
  assert.deepEqual(states, ["connecting", "live", "live again"]);
  assert.deepEqual(waits, [], "nobody asks once more");
});

test("whoever asks for the state of a channel once more asks until it is sent", async (t) => {
  const { connection, waits } = connectRefused();
  t.after(() => connection.close());
  const first = ScriptedSocket.next.promise;
  const book = { message() {}, accepted() {}, interrupted() {}, ended() {} };
  connection.add("BTCUSDT@depth15", book);
  const socket = await first;
  socket.open();
  await turns();
  const asked = () =>
    socket.sent.filter(({ params }) => params?.includes("BTCUSDT@depth15")).length;
  assert.equal(asked(), 1);
  ScriptedSocket.refused.add("BTCUSDT@depth15");
  const ended = connection.resubscribe("BTCUSDT@depth15");
  await turns();
  assert.deepEqual([asked(), waits.length], [2, 1], "it was refused");
  waits[0]?.();
  await ended;
  assert.deepEqual([asked(), waits.length], [3, 1]);
});

test("the reason is asked for after the wait, so that clocks agree behind it", async () => {
  const steps: string[] = [];
  const failed = new StreamError("enough was seen");
  const connection: StreamConnection = new StreamConnection({
    socketClass: ScriptedSocket as unknown as SocketClass,
    runtime: {
      ...SYSTEM_RUNTIME,
      after(delayMs, run) {
        // Of a handshake; it is never waited for.
        if (delayMs >= 10_000) return () => undefined;
        steps.push("wait");
        queueMicrotask(run);
        return () => undefined;
      },
    },
    url: "ws://exchange.test",
    probe: { method: "PONG", everyMs: 60_000 },
    protocols: async () => {
      steps.push("sign");
      void ScriptedSocket.next.promise.then((socket) => socket.close());
      return [];
    },
    diagnose: async () => {
      steps.push("diagnose");
      return steps.length < 9 ? null : failed;
    },
  });
  const ended = Promise.withResolvers<unknown>();
  connection.add("trade", {
    message: () => undefined,
    accepted: () => undefined,
    interrupted: () => undefined,
    ended: ended.resolve,
  });
  assert.equal(await ended.promise, failed);
  const attempt = ["sign", "wait", "diagnose"];
  assert.deepEqual(steps, [...attempt, ...attempt, ...attempt]);
});

test("a channel that is closed while its connection is being made is unsubscribed", async (t) => {
  const connection = connect();
  t.after(() => connection.close());
  const opened = ScriptedSocket.next.promise;
  const sink = {
    message: () => undefined,
    accepted: () => undefined,
    interrupted: () => undefined,
    ended: () => undefined,
  };
  connection.add("BTCUSDT@ticker", sink);
  const remove = connection.add("BTCUSDT@trade", { ...sink });
  const socket = await opened;
  const send = socket.send.bind(socket);
  socket.send = (text) => {
    send(text);
    if (text.includes("BTCUSDT@trade")) remove();
  };
  socket.open();
  await turns();
  assert.equal(connection.state.name, "live");
  const ofChannel = socket.sent.filter(({ params = [] }) => params.includes("BTCUSDT@trade"));
  const methods = ofChannel.map(({ method }) => method);
  assert.deepEqual(methods, ["SUBSCRIBE", "UNSUBSCRIBE"]);
});

test("a second reader gets the state of a channel before its connection is live", async (t) => {
  const connection = connect();
  t.after(() => connection.close());
  const opened = ScriptedSocket.next.promise;
  const sink = { message() {}, accepted() {}, interrupted() {}, ended() {} };
  const states: string[] = [];
  const accepted = () => {
    states.push(connection.state.name);
    connection.add("BTCUSDT@depth15", { ...sink });
  };
  connection.add("BTCUSDT@depth15", { ...sink, accepted });
  connection.add("BTCUSDT@trade", sink);
  const socket = await opened;
  socket.open();
  await turns();
  assert.deepEqual(states, ["connecting"], "the other channel is not accepted yet");
  const ofChannel = socket.sent.filter(({ params = [] }) => params.includes("BTCUSDT@depth15"));
  assert.equal(ofChannel.length, 2);
});

test("who leaves a channel that was refused leaves no later one of its name", async (t) => {
  const connection = connect();
  t.after(() => connection.close());
  const opened = ScriptedSocket.next.promise;
  const sink = { message() {}, accepted() {}, interrupted() {}, ended() {} };
  connection.add("BTCUSDT@trade", { ...sink });
  const socket = await opened;
  socket.open();
  await turns();
  const said: string[] = [];
  const add = (reader: string) => {
    const accepted = () => said.push(`${reader} accepted`);
    const ended = (error: Error | null) => said.push(`${reader} ended: ${error?.message}`);
    return connection.add("BTCUSDT@orders", { ...sink, accepted, ended });
  };
  const send = socket.send.bind(socket);
  socket.send = (text) => {
    const { id } = JSON.parse(text) as Request;
    queueMicrotask(() => socket.say({ id, result: false, msg: "INVALID_ARGUMENT: no such" }));
  };
  const remove = add("first");
  await turns();
  socket.send = send;
  add("second");
  remove();
  await turns();
  assert.deepEqual(said, [
    "first ended: BTCUSDT@orders: INVALID_ARGUMENT: no such",
    "second accepted",
  ]);
});

test("who joins the readers of a book begins with the whole of it", async (t) => {
  const connection = connect();
  t.after(() => connection.close());
  const options = { connection, channel: "BTCUSDT@depth15", keep: "all" } as const;
  const heard = (name: string[]) => {
    const subscription = new Subscription({ ...options, read: fromSnapshot(readDepths) });
    subscription.listen(({ isSnapshot, lastUpdateId }) => {
      name.push(`${isSnapshot ? "snapshot" : "update"} ${lastUpdateId}`);
    });
  };
  const [first, second]: [string[], string[]] = [[], []];
  const opened = ScriptedSocket.next.promise;
  heard(first);
  const socket = await opened;
  socket.open();
  await turns();
  const update = { ...SNAPSHOT, e: "depth", d: "CHANGED", b: [], a: [["101", "2"]] };
  socket.say(SNAPSHOT);
  heard(second);
  socket.say({ ...update, U: 7, u: 8 });
  await turns();
  socket.say({ ...SNAPSHOT, U: 8, u: 8 });
  socket.say({ ...update, U: 8, u: 9 });
  assert.deepEqual(first, ["snapshot 7", "update 8", "snapshot 8", "update 9"]);
  assert.deepEqual(second, ["snapshot 8", "update 9"]);
});
