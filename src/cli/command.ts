/** Declares commands, so that each has a description, examples and `--json`. */
import { type Command, InvalidArgumentError, Option } from "commander";

export interface OutputFlags {
  readonly json?: true;
}

interface CommandText {
  readonly description: string;
  /** Complete command lines, at least one. */
  readonly examples: readonly [string, ...string[]];
}

/** Adds a command. Its modules are loaded only when it runs. */
export function addCommand(
  parent: Command,
  nameAndArguments: string,
  { description, examples }: CommandText,
): Command {
  const lines = examples.map((example) => `  $ ${example}`);
  return parent
    .command(nameAndArguments)
    .description(description)
    .option("--json", "print one JSON document instead of text")
    .addHelpText("after", `\nExamples:\n${lines.join("\n")}`);
}

/** Adds a group: a name with commands under it. */
export function addGroup(
  parent: Command,
  name: string,
  { description, examples: [example] }: CommandText,
): Command {
  return parent
    .command(name)
    .description(description)
    .helpCommand(false)
    .addHelpText("after", `\nExample:\n  $ ${example}`);
}

/** The data folder option, for every command that works on stored data. */
const DATA_FOLDER_DEFAULT = "data";

/** An empty environment variable counts as unset. */
export function dataFolderOption(): Option {
  return new Option("--data-dir <folder>", "data folder of the exchange")
    .default(DATA_FOLDER_DEFAULT)
    .env("RIALTO_DATA_DIR")
    .argParser((text) => (text === "" ? DATA_FOLDER_DEFAULT : text));
}

type Given<Fields> = { readonly [Name in keyof Fields]?: Exclude<Fields[Name], undefined> };

/** Only the options that were given; the others are not sent. */
export function given<Fields extends object>(fields: Fields): Given<Fields> {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as Given<Fields>;
}

/** Prints a command's result: the document with `--json`, otherwise the text. */
export function print(flags: OutputFlags, document: object, text: string): void {
  console.log(flags.json ? JSON.stringify(document, null, 2) : text);
}

export function parseSequence(text: string): number {
  return wholeNumber(text, 0, "A sequence is a whole number, 0 or more.");
}

export function parseUid(text: string): number {
  return wholeNumber(text, 1, "A uid is a whole number, 1 or more.");
}

export function parseCount(text: string): number {
  return wholeNumber(text, 0, "Use a whole number, 0 or more.");
}

function wholeNumber(text: string, minimum: number, refusal: string): number {
  const value = Number(text);
  if (/^\d{1,16}$/.test(text) && Number.isSafeInteger(value) && value >= minimum) return value;
  throw new InvalidArgumentError(refusal);
}

/** Parses the value of a switch: `on` or `off`. */
export function parseSwitch(text: string): boolean {
  if (text === "on" || text === "off") return text === "on";
  throw new InvalidArgumentError("Use on or off.");
}

/** Parses `read,spot` as a list, ignoring blanks around entries. */
export function parseList(text: string): string[] {
  const entries = text.split(",").map((entry) => entry.trim());
  return entries.filter((entry) => entry !== "");
}

const UNITS_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000 };
const DURATION_MAX_MS = 24 * 3_600_000;

/** `10s`, `5m` or `2h`, in milliseconds. */
export function parseDuration(text: string): number {
  const [, count = "", unit = ""] = /^(\d{1,5})([smh])$/.exec(text) ?? [];
  const ms = Number(count) * (UNITS_MS[unit] ?? 0);
  if (ms >= 1_000 && ms <= DURATION_MAX_MS) return ms;
  throw new InvalidArgumentError("Use a whole number of s, m or h, from 1s to 24h.");
}
