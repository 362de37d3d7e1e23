/**
 * Who reads a channel of the client, by a loop or a listener, from any moment on and until any
 * other: each hears every event from its own start, the first one also those that came before, and
 * only what waits counts against what may wait.
 */
import { isDeepStrictEqual } from "node:util";
import { RialtoClient, StreamError } from "../../../src/client/index.ts";
import { hold } from "../breach.ts";
import { ClientMachine, inTurns } from "../client/client-machine.ts";
import { BASE_URL } from "../client/client-network.ts";
import {
  type Heard,
  type Keeping,
  NaiveListener,
  NaiveLoop,
  type NaiveReader,
} from "../client/naive-readers.ts";
import type { Readable } from "../client/open-channel.ts";
import { ToldStream } from "../client/told-stream.ts";
import { SYMBOL } from "../markets.ts";
import type { Scene, Stage } from "./stage.ts";

const ACTS = [12, 24] as const;
const SUBSCRIPTIONS_MAX = 2;
const READERS_MAX = 4;
const ROWS_MAX = 500;
const TOLD_MAX = 40_000;
/** By whoever catches up. */
const LEFT = [0, 1, 5];
/** Until what was sent has been heard, and answered. */
const TURNS = 4;
/** In which a client is back. */
const BACK_MS = 1_000;

type Streams = ReturnType<RialtoClient["streams"]["spot"]>;

interface Kind extends Keeping {
  readonly open: (streams: Streams) => Readable<unknown>;
  readonly message: (numbers: readonly number[]) => object;
  readonly numberOf: (event: unknown) => number;
}

const TOLD_OF = { s: SYMBOL, E: 0 };
const KINDS: readonly Kind[] = [
  {
    ...{ most: 10_000, isWhole: true },
    open: (streams) => streams.trades(SYMBOL),
    message: (numbers) => ({ ...TOLD_OF, e: "trade", d: numbers.map((t) => ({ t: `${t}` })) }),
    numberOf: (event) => Number((event as { readonly id: string }).id),
  },
  {
    ...{ most: 1_000, isWhole: false },
    open: (streams) => streams.ticker(SYMBOL),
    message: (numbers) => ({ ...TOLD_OF, e: "ticker", d: numbers.map((n) => ({ n })) }),
    numberOf: (event) => (event as { readonly count: number }).count,
  },
  {
    ...{ most: 1_000, isWhole: false },
    open: (streams) => streams.klines(SYMBOL, "1m"),
    message: (numbers) => {
      return { ...TOLD_OF, e: "kline", p: "LAST_PRICE", d: numbers.map((n) => ({ n, i: "1m" })) };
    },
    numberOf: (event) => (event as { readonly trades: number }).trades,
  },
];

export const streamReaders: Scene = async (stage) => {
  for (const kind of stage.random.shuffle([...KINDS])) await play(stage, kind);
};

async function play(stage: Stage, kind: Kind): Promise<void> {
  const { exchange, random } = stage;
  const machine = new ClientMachine(exchange, random);
  const stream = new ToldStream();
  const { webSocket } = stream;
  const client = new RialtoClient({ baseUrl: BASE_URL, webSocket, runtime: machine });
  const streams = client.streams.spot();
  const channel = new ReadChannel(stage, stream, streams, kind);
  await channel.open();
  for (let left = random.integer(...ACTS); left > 0; left--) {
    await channel.act();
    channel.check();
  }
  streams.close();
  await inTurns(TURNS);
  channel.end();
  client.close();
  const detail = () => `${machine.timers} timers`;
  hold(machine.timers === 0, "a closed client leaves nothing behind", detail);
}

interface Reader {
  readonly name: string;
  readonly heard: Heard[];
  readonly naive: NaiveReader;
  readonly read: (count: number) => void;
  readonly leave: () => void;
}

/** One subscription, and whoever reads it. */
interface Reading {
  readonly subscription: Readable<unknown>;
  readonly readers: Reader[];
  /** What came before anybody read. */
  unread: NaiveLoop | null;
  isClosed: boolean;
}

class ReadChannel {
  readonly #stage: Stage;
  readonly #stream: ToldStream;
  readonly #streams: Streams;
  readonly #kind: Kind;
  readonly #readings: Reading[] = [];
  #told = 0;

  constructor(stage: Stage, stream: ToldStream, streams: Streams, kind: Kind) {
    this.#stage = stage;
    this.#stream = stream;
    this.#streams = streams;
    this.#kind = kind;
  }

  async open(): Promise<void> {
    const subscription = this.#kind.open(this.#streams);
    const unread = new NaiveLoop(this.#kind);
    this.#readings.push({ subscription, readers: [], unread, isClosed: false });
    await this.#stage.do(subscription.ready);
    await inTurns(TURNS);
  }

  async act(): Promise<void> {
    const { random } = this.#stage;
    const reading = random.pick(this.#readings);
    const { readers } = reading;
    const way = random.pick([
      ...["tell", "tell", "tell", "tell", "read", "read", "catch up", "catch up", "catch up"],
      ...["loop", "loop", "listener", "listener", "leave", "open", "close", "cut"],
    ] as const);
    const isFull = readers.length >= READERS_MAX;
    if (way === "tell") this.#tell(this.#someCount());
    else if (way === "loop" && !isFull) this.#loop(reading);
    else if (way === "listener" && !isFull) this.#listen(reading);
    else if (way === "catch up") this.#catchUp();
    else if (way === "open" && this.#readings.length < SUBSCRIPTIONS_MAX) await this.open();
    else if (way === "close") this.#close(reading);
    else if (way === "cut") await this.#cut();
    else if (readers.length > 0) {
      const reader = random.pick(readers);
      if (way === "leave") reader.leave();
      else reader.read(this.#some([1, 3, reader.naive.waiting, reader.naive.waiting + 2]));
    }
    await inTurns(TURNS);
  }

  /** All but a few. */
  #catchUp(): void {
    for (const { naive, read } of this.#all) read(Math.max(0, naive.waiting - this.#some(LEFT)));
  }

  get #all(): readonly Reader[] {
    return this.#readings.flatMap(({ readers }) => readers);
  }

  /** Of all who are due what comes, also when nobody reads yet. */
  get #due(): readonly NaiveReader[] {
    return this.#readings.flatMap(({ readers, unread }) => [
      ...readers.map(({ naive }) => naive),
      ...(unread === null ? [] : [unread]),
    ]);
  }

  #some(counts: readonly number[]): number {
    return this.#stage.random.pick([...counts]);
  }

  /** Often just as many as may wait for whoever is farthest behind, one more or less. */
  #someCount(): number {
    const { random } = this.#stage;
    const { most } = this.#kind;
    const left = most - Math.max(0, ...this.#due.map(({ waiting }) => waiting));
    const edge = Math.max(1, left + random.integer(-1, 1));
    return this.#some([1, random.integer(2, 40), (most * 2) / 5, (most * 3) / 5, edge, edge]);
  }

  #tell(count: number): void {
    const { random } = this.#stage;
    if (this.#told + count > TOLD_MAX) return;
    const numbers = Array.from({ length: count }, (_, index) => this.#told + index + 1);
    this.#told += count;
    for (let from = 0; from < numbers.length; ) {
      const some = numbers.slice(from, from + random.integer(ROWS_MAX / 2, ROWS_MAX));
      from += some.length;
      this.#stream.tell(this.#kind.message(some));
      for (const naive of this.#due) for (const number of some) naive.push(number);
    }
  }

  #loop(reading: Reading): void {
    const naive = reading.unread ?? new NaiveLoop(this.#kind);
    reading.unread = null;
    if (reading.isClosed) naive.end();
    const heard: Heard[] = [];
    const iterator = reading.subscription[Symbol.asyncIterator]();
    const one = async (): Promise<void> => {
      try {
        const { done, value } = await iterator.next();
        heard.push(done === true ? "ended" : this.#kind.numberOf(value));
      } catch (error) {
        heard.push(error instanceof StreamError ? "failed" : Number.NaN);
      }
    };
    reading.readers.push({
      ...{ name: "loop", heard, naive },
      read: (count) => {
        naive.want(count);
        for (let left = count; left > 0; left--) void one();
      },
      leave: () => {
        naive.leave();
        void iterator.return?.();
      },
    });
  }

  #listen(reading: Reading): void {
    const naive = new NaiveListener();
    for (const number of reading.unread?.leave() ?? []) naive.push(number);
    reading.unread = null;
    if (reading.isClosed) naive.end();
    const heard: Heard[] = [];
    const stop = reading.subscription.listen(
      (event) => heard.push(this.#kind.numberOf(event)),
      (error) => heard.push(error === null ? "ended" : "failed"),
    );
    const leave = () => {
      naive.leave();
      stop();
    };
    reading.readers.push({ name: "listener", heard, naive, read: () => undefined, leave });
  }

  #close(reading: Reading): void {
    if (this.#stage.random.chance(0.6)) return;
    reading.subscription.close();
    this.#endOf(reading);
  }

  #endOf(reading: Reading): void {
    reading.isClosed = true;
    reading.unread?.end();
    for (const { naive } of reading.readers) naive.end();
  }

  /** The client comes back, and its readers go on. */
  async #cut(): Promise<void> {
    this.#stream.cut();
    await this.#stage.pass(BACK_MS);
  }

  check(): void {
    for (const { heard, naive, name } of this.#all) {
      const detail = () => `${name}: ${brief(heard)} instead of ${brief(naive.due)}`;
      const check = "every reader of a channel hears all from its start on";
      hold(isDeepStrictEqual(heard, naive.due), check, detail);
      heard.length = 0;
      naive.due.length = 0;
    }
  }

  /** Everything was closed: what waits can still be read. */
  end(): void {
    for (const reading of this.#readings) this.#endOf(reading);
    this.check();
  }
}

function brief(heard: readonly Heard[]): string {
  return `${heard.length}: ${heard.slice(0, 3)} … ${heard.slice(-3)}`;
}
