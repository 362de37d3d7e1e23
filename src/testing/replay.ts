/** Recorded markets in a test: `rialto replay`, in a process of its own. */
import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { findProgram } from "./program.ts";

export interface ReplayOptions {
  /** The spot market; it has to be listed. */
  readonly symbol: string;
  /** Of the files; found by their first row unless given. */
  readonly format?: "lobster" | "trades" | "agg-trades" | "candles" | "level-2" | "book-depth";
  /**
   * Recordings by levels: who leaves a level that loses what no trade explains; the last in its
   * queue unless given.
   */
  readonly queue?: "pessimistic" | "proportional";
  /** So many times as fast as recorded; as fast as possible unless given. */
  readonly speed?: number;
  /** Exchange time becomes the recorded time, which must not be past. */
  readonly tapeTime?: boolean;
  /** LOBSTER's order book file, with which the recorded orders are compared after each message. */
  readonly expect?: string;
  /** What the test does after so many messages: place an order in the queue, look at the book. */
  readonly at?: Readonly<Record<number, () => unknown>>;
}

export interface ReplaySummary {
  readonly messages: number;
  /** Rows of the order book file that were compared. */
  readonly compared: number;
  /** Where the book is not the recorded one; then the replay rejects. */
  readonly firstDifference: object | null;
  /** Of all users. */
  readonly testerFills: number;
  readonly testerQuantity: string;
  /** In the quote asset, against the last recorded trade; below 0 is better. */
  readonly slippage: string;
  /** Recorded messages that users' fills made impossible; the first have their places. */
  readonly impossible: number;
  readonly impossibleAt: readonly string[];
  /** Messages about orders that are older than the recording. */
  readonly unknownOrders: number;
  /** Levels of the recording on the wrong side of a later price, which were left out. */
  readonly crossedLevels: number;
}

/** The recording is wrong, or the exchange's book is not the expected one. */
export class ReplayFailed extends Error {
  override readonly name = "ReplayFailed";
  /** `bad-tape`, `difference` or a code of the operator API. */
  readonly code: string;

  constructor({ code, message }: { readonly code: string; readonly message: string }) {
    super(message);
    this.code = code;
  }
}

interface Exchange {
  readonly operatorUrl: string;
  readonly operatorToken: string;
}

/** Resolves when all was replayed. Rejects with `ReplayFailed`, or with what a step rejected. */
export async function replay(
  exchange: Exchange,
  files: string | readonly string[],
  options: ReplayOptions,
): Promise<ReplaySummary> {
  const { node, args, compileCache } = findProgram("replay", false);
  const child = spawn(node, [...args, ...[files].flat(), ...flagsOf(options)], {
    env: {
      NODE_COMPILE_CACHE: compileCache,
      PATH: process.env.PATH,
      RIALTO_OPERATOR_URL: exchange.operatorUrl,
      RIALTO_OPERATOR_TOKEN: exchange.operatorToken,
    },
    stdio: ["pipe", "pipe", "pipe"],
  });
  try {
    return await outcomeOf(child, stepsOf(options));
  } finally {
    child.kill("SIGKILL");
  }
}

function flagsOf(options: ReplayOptions): string[] {
  const { symbol, format, queue, speed, tapeTime, expect, at } = options;
  if (at !== undefined && speed !== undefined) {
    throw new TypeError("Use either speed or at: steps do not wait.");
  }
  const pace = at === undefined ? ["--as-fast-as-possible"] : ["--step"];
  return [
    ...["--symbol", symbol, "--json"],
    ...(speed === undefined ? pace : ["--speed", String(speed)]),
    ...(format === undefined ? [] : ["--format", format]),
    ...(queue === undefined ? [] : ["--queue", queue]),
    ...(tapeTime === true ? ["--tape-time"] : []),
    ...(expect === undefined ? [] : ["--expect", expect]),
  ];
}

type Step = readonly [messages: number, run: () => unknown];

function stepsOf({ at = {} }: ReplayOptions): Step[] {
  const steps = Object.entries(at).map(([messages, run]): Step => [Number(messages), run]);
  return steps.sort(([one], [other]) => one - other);
}

async function outcomeOf(child: ChildProcess, steps: Step[]): Promise<ReplaySummary> {
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  // A replay that ended reads no more steps.
  child.stdin?.on("error", () => undefined);
  let errors = "";
  child.stderr?.on("data", (chunk: Buffer) => {
    errors += chunk.toString("utf8");
  });
  let text = "";
  for await (const line of createInterface({ input: child.stdout as NodeJS.ReadableStream })) {
    // A step is one line; the summary has several.
    if (/^\{.*\}$/.test(line)) {
      const { messages } = JSON.parse(line) as { readonly messages: number };
      child.stdin?.write(`${await nextStep(messages, steps)}\n`);
    } else text += line;
  }
  if ((await ended) === 0) return JSON.parse(text) as ReplaySummary;
  const failure = errors.split("\n").find((line) => line.startsWith('{"error"'));
  if (failure === undefined) throw new ReplayFailed({ code: "unexpected", message: errors });
  const { error } = JSON.parse(failure) as {
    readonly error: { readonly code: string; readonly message: string };
  };
  throw new ReplayFailed(error);
}

/** Runs what is due after so many messages, and returns how many follow. */
async function nextStep(messages: number, steps: Step[]): Promise<string> {
  for (let step = steps[0]; step !== undefined && step[0] <= messages; step = steps[0]) {
    steps.shift();
    await step[1]();
  }
  const [next] = steps;
  return next === undefined ? "all" : String(next[0] - messages);
}
