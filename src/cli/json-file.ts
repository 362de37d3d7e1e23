/** A JSON object that a command is given: in a file, on standard input, or as an argument. */
import { existsSync, readFileSync } from "node:fs";
import { CommandFailed } from "./failure.ts";

/** Means standard input where a file is expected. */
const STANDARD_INPUT = "-";

type Source = { readonly file: string } | { readonly text: string };

/** `what` the object has to be, for the message. Throws `CommandFailed`. */
export function readJsonObject(source: Source, what: string): Readonly<Record<string, unknown>> {
  const name = "file" in source ? source.file : "the argument";
  try {
    const value: unknown = JSON.parse("file" in source ? textOf(source.file) : source.text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return { ...value };
  } catch (error) {
    if (error instanceof CommandFailed) throw error;
    // Reported below, like JSON that is not an object.
  }
  throw new CommandFailed("usage", `${name} is not a JSON object with ${what}`);
}

function textOf(file: string): string {
  if (file !== STANDARD_INPUT && !existsSync(file)) {
    throw new CommandFailed("usage", `There is no file ${file}.`);
  }
  return readFileSync(file === STANDARD_INPUT ? process.stdin.fd : file, "utf8");
}
