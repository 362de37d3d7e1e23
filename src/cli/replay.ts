/** `rialto replay`: plays a recorded market into an exchange that runs with `--sandbox`. */
import { stat } from "node:fs/promises";
import { basename } from "node:path";
import { createInterface, type Interface } from "node:readline";
import { type Command, InvalidArgumentError, Option } from "commander";
import { Progress } from "../app/progress.ts";
import { NODE_PLATFORM } from "../platform/index.ts";
import {
  findTapeFiles,
  QUEUE_RULES,
  type QueueRule,
  Replayer,
  type ReplayPacing,
  type ReplaySummary,
  TAPE_FORMATS,
  TapeError,
  type TapeFormat,
} from "../tapes/index.ts";
import { addCommand, print } from "./command.ts";
import { CommandFailed } from "./failure.ts";
import { withOperator } from "./operator.ts";
import { addOperatorOptions, type OperatorFlags } from "./operator-options.ts";
import { OperatorTarget } from "./replay-target.ts";
import { textFields } from "./text-table.ts";

interface ReplayFlags extends OperatorFlags {
  readonly symbol: string;
  readonly format?: TapeFormat;
  readonly queue?: QueueRule;
  readonly speed?: number;
  readonly asFastAsPossible?: true;
  readonly step?: true;
  readonly tapeTime?: true;
  readonly expect?: string;
}

const SPEED_MIN = 0.1;
const SPEED_MAX = 10_000;
/** What the operator API takes. */
const NAME_MAX = 200;

export function addReplayCommand(program: Command): void {
  const replay = addCommand(program, "replay", {
    description: "play a recorded market into an exchange that runs with --sandbox",
    examples: [
      "rialto replay trades.csv --symbol BTCUSDT --as-fast-as-possible",
      "rialto replay book.csv.gz trades.csv.gz --symbol BTCUSDT --queue proportional",
      "rialto replay AAPL_message.csv AAPL_orderbook.csv --symbol AAPLUSDT --speed 60",
    ],
  })
    .argument("<file...>", "recordings in order, also with gzip")
    .requiredOption("--symbol <symbol>", "spot market to replay into, such as BTCUSDT")
    .addOption(
      new Option("--format <format>", "format of the files (default: by the first row)").choices(
        TAPE_FORMATS,
      ),
    )
    .addOption(
      new Option(
        "--queue <rule>",
        "who leaves a level that loses what no trade explains: the last in its queue, or all in " +
          "proportion (default: pessimistic)",
      ).choices(QUEUE_RULES),
    )
    .addOption(
      new Option("--speed <factor>", "so many times as fast as recorded, 0.1 to 10000 (default: 1)")
        .argParser(parseSpeed)
        .conflicts(["asFastAsPossible", "step"]),
    )
    .addOption(
      new Option(
        "--as-fast-as-possible",
        "do not wait; exchange time follows the recording",
      ).conflicts(["step"]),
    )
    .option("--step", "a message for each line of input; a number is so many, `all` the rest")
    .option("--tape-time", "exchange time becomes the recorded time, not only its pace")
    .option(
      "--expect <file>",
      "compare the recorded orders after each message with LOBSTER's order book file",
    );
  addOperatorOptions(replay).action(replayFiles);
}

function parseSpeed(text: string): number {
  const speed = Number(text);
  if (/^\d{1,5}(\.\d{1,3})?$/.test(text) && speed >= SPEED_MIN && speed <= SPEED_MAX) return speed;
  throw new InvalidArgumentError("Use a number from 0.1 to 10000.");
}

async function replayFiles(paths: readonly string[], flags: ReplayFlags): Promise<void> {
  let isInterrupted = false;
  const input = flags.step ? createInterface({ input: process.stdin }) : null;
  const interrupt = (): void => {
    isInterrupted = true;
    input?.close();
  };
  process.once("SIGINT", interrupt);
  try {
    const { isEnded, ...summary } = await run(paths, flags, input, () => isInterrupted);
    print(flags, summary, textOf(summary));
    failWhereDue(summary, isInterrupted);
    if (isEnded) throw new CommandFailed("stopped", `Stopped after ${summary.stoppedAt}.`);
  } catch (error) {
    if (error instanceof TapeError) throw new CommandFailed("bad-tape", error.message, error.field);
    throw error;
  } finally {
    input?.close();
    process.removeListener("SIGINT", interrupt);
  }
}

async function run(
  paths: readonly string[],
  flags: ReplayFlags,
  input: Interface | null,
  isInterrupted: () => boolean,
): Promise<ReplaySummary & { readonly isEnded: boolean }> {
  const { symbol, format = null, expect = null, queue } = flags;
  const files = await findTapeFiles(paths, format);
  if (expect !== null && files.format !== "lobster") {
    const problem = `--expect compares the book of a LOBSTER recording; this is ${files.format}.`;
    throw new CommandFailed("usage", problem);
  }
  if (queue !== undefined && files.format !== "level-2" && files.format !== "book-depth") {
    const problem = `--queue is for recordings by levels; this is ${files.format}.`;
    throw new CommandFailed("usage", problem);
  }
  const read = [...files.paths, ...files.trades];
  const sizes = await Promise.all(read.map(async (path) => (await stat(path)).size));
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  const progress = {
    check: new Progress("Checking the recording", bytes),
    replay: new Progress("Replaying", bytes),
  };
  let percent = 0;
  const name = read.map((path) => basename(path)).join(" ");
  const shown = {
    symbol,
    name: name.replaceAll(/\p{Cc}/gu, "?").slice(0, NAME_MAX),
    progress: () => percent,
  };
  try {
    return await withOperator(flags, async (operator) => {
      const market = await operator.getSpotMarket({ symbol });
      const target = new OperatorTarget(operator, shown);
      const replayer = new Replayer({
        target,
        files,
        market,
        queue: queue ?? "pessimistic",
        pace: paceOf(flags, input),
        tapeTime: flags.tapeTime === true,
        expect,
        platform: NODE_PLATFORM,
        onProgress: (done, isCheck) => {
          (isCheck ? progress.check : progress.replay).report(done);
          if (!isCheck) percent = Math.min(100, Math.floor((done / Math.max(bytes, 1)) * 100));
        },
        isInterrupted,
      });
      const summary = await replayer.run();
      return { ...summary, isEnded: target.isEnded };
    });
  } finally {
    progress.check.end();
    progress.replay.end();
  }
}

function paceOf(
  { speed = 1, asFastAsPossible, json }: ReplayFlags,
  input: Interface | null,
): ReplayPacing {
  if (asFastAsPossible) return { kind: "fast" };
  if (input === null) return { kind: "speed", speed };
  const lines = input[Symbol.asyncIterator]();
  return {
    kind: "step",
    next: async (done) => {
      console.log(
        json ? JSON.stringify({ messages: done }) : `${done} messages; Enter, or a number`,
      );
      for (;;) {
        const { done: isEnd, value = "" } = await lines.next();
        if (isEnd === true) return 0;
        const text = String(value).trim();
        if (text === "") return 1;
        if (text === "all") return Number.POSITIVE_INFINITY;
        if (/^[1-9]\d{0,9}$/.test(text)) return Number(text);
        console.error("rialto: press Enter for one message, or give their number, or all");
      }
    },
  };
}

function textOf(summary: ReplaySummary): string {
  const { firstDifference, impossibleAt, stoppedAt, ...counts } = summary;
  const lines = [
    textFields({
      messages: counts.messages,
      "about unknown orders": counts.unknownOrders,
      "levels left out": counts.crossedLevels,
      "made impossible by fills": counts.impossible,
      "fills of others": counts.testerFills,
      "their quantity": counts.testerQuantity,
      "slippage against the recording": counts.slippage,
    }),
    ...impossibleAt.map((place) => `impossible: ${place}`),
  ];
  if (counts.compared > 0 || firstDifference !== null) {
    lines.push(`${counts.compared} rows of the book compared`);
  }
  if (stoppedAt !== null) lines.push(`stopped after ${stoppedAt}`);
  return lines.join("\n");
}

/** The summary is printed before. */
function failWhereDue({ firstDifference, stoppedAt }: ReplaySummary, isInterrupted: boolean): void {
  if (firstDifference !== null) {
    const { file, row, level, expected, found } = firstDifference;
    const show = (of: readonly string[] | null) => of?.join(" × ") ?? "nothing";
    const problem = `${show(expected)} expected, ${show(found)} in the book`;
    throw new CommandFailed("difference", `${file}:${row}: ${level}: ${problem}`, level);
  }
  if (isInterrupted) throw new CommandFailed("interrupted", `Interrupted after ${stoppedAt}.`);
}
