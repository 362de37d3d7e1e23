/** `rialto clock`: the time of a sandbox. */
import { type Command, InvalidArgumentError } from "commander";
import type { GetClockAnswer, SetClockInput } from "../client/index.ts";
import { addCommand, addGroup, print } from "./command.ts";
import { withOperator } from "./operator.ts";
import { addOperatorOptions, type OperatorFlags } from "./operator-options.ts";
import { textFields, textTime } from "./text-table.ts";

const UNIT_MS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};
/** A date, or a moment with its zone: without one the same text is another time elsewhere. */
const MOMENT = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2}))?$/;

export function addClockCommands(program: Command): void {
  const clock = addGroup(program, "clock", {
    description: "show, advance, stop and set the time of a sandbox",
    examples: ["rialto clock show"],
  });
  const show = addCommand(clock, "show", {
    description: "show exchange time, how far it is ahead of the wall clock, and its speed",
    examples: ["rialto clock show"],
  });
  addOperatorOptions(show).action(showClock);
  const advance = addCommand(clock, "advance", {
    description: "advance exchange time; everything due in between happens first",
    examples: ["rialto clock advance 8h", "rialto clock advance 1500ms --json"],
  });
  addOperatorOptions(
    advance.argument("<duration>", "a whole number of ms, s, m, h or d, such as 8h", parseDuration),
  ).action(advanceClock);
  const freeze = addCommand(clock, "freeze", {
    description: "stop exchange time; `clock speed 1` lets it run again",
    examples: ["rialto clock freeze"],
  });
  addOperatorOptions(freeze).action(freezeClock);
  const speed = addCommand(clock, "speed", {
    description: "let exchange time run faster or slower than the wall clock",
    examples: ["rialto clock speed 60", "rialto clock speed 1"],
  });
  addOperatorOptions(
    speed.argument("<times>", "0.1 to 10000; 1 is the wall clock's speed", parseSpeed),
  ).action(setSpeed);
  const follow = addCommand(clock, "follow-market", {
    description: "exchange time is that of the last message of a replayed market",
    examples: ["rialto clock follow-market"],
  });
  addOperatorOptions(follow).action(followMarket);
  const set = addCommand(clock, "set", {
    description: "set exchange time forward; everything due in between happens first",
    examples: ["rialto clock set 2030-01-01T08:00Z", "rialto clock set 1893484800000"],
  });
  addOperatorOptions(
    set.argument("<time>", "2030-01-01, 2030-01-01T08:00Z or milliseconds since 1970", parseTime),
  ).action(setTime);
}

export function parseDuration(text: string): number {
  const [, count = "", unit = ""] = /^(\d{1,12})(ms|s|m|h|d)$/.exec(text) ?? [];
  const ms = Number(count) * (UNIT_MS[unit] ?? Number.NaN);
  if (Number.isSafeInteger(ms)) return ms;
  throw new InvalidArgumentError("Use a whole number of ms, s, m, h or d, such as 8h.");
}

function parseSpeed(text: string): number {
  const speed = Number(text);
  if (/^\d{1,5}(\.\d{1,6})?$/.test(text) && speed >= 0.1 && speed <= 10_000) return speed;
  throw new InvalidArgumentError("Use a number from 0.1 to 10000.");
}

function parseTime(text: string): number {
  const ms = /^\d{1,15}$/.test(text) ? Number(text) : MOMENT.test(text) ? Date.parse(text) : null;
  if (ms !== null && Number.isSafeInteger(ms)) return ms;
  throw new InvalidArgumentError(
    "Use a date, a time with its zone such as 2030-01-01T08:00Z, or milliseconds since 1970.",
  );
}

async function showClock(flags: OperatorFlags): Promise<void> {
  const clock = await withOperator(flags, (operator) => operator.getClock());
  print(flags, clock, clockText(clock));
}

async function advanceClock(ms: number, flags: OperatorFlags): Promise<void> {
  const clock = await withOperator(flags, (operator) => operator.advanceClock({ ms }));
  print(flags, clock, clockText(clock));
}

function freezeClock(flags: OperatorFlags): Promise<void> {
  return setClock({ freeze: true }, flags);
}

function followMarket(flags: OperatorFlags): Promise<void> {
  return setClock({ run: "follow-market" }, flags);
}

function setSpeed(speed: number, flags: OperatorFlags): Promise<void> {
  return setClock({ speed }, flags);
}

function setTime(setMs: number, flags: OperatorFlags): Promise<void> {
  return setClock({ setMs }, flags);
}

async function setClock(setting: SetClockInput, flags: OperatorFlags): Promise<void> {
  const clock = await withOperator(flags, (operator) => operator.setClock(setting));
  print(flags, clock, clockText(clock));
}

function clockText({ time, offsetMs, speed, run }: GetClockAnswer): string {
  const fields = { time: textTime(time), "ahead by": `${offsetMs} ms` };
  const stopped = run === null ? "frozen" : "follows the market";
  return textFields({ ...fields, speed: speed === 0 ? stopped : speed });
}
