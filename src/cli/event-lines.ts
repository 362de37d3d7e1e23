/** Writes events as lines of JSON to standard output, at the pace of the reader. */
import { once } from "node:events";
import { type Event, readEvents } from "../protocol/index.ts";

/** Characters to collect before writing. */
const WRITE_CHARACTERS = 64 * 1024;

export class EventLines {
  readonly #fromSequence: number;
  /** Sequence of the command whose events follow. */
  #sequence = 0;

  /** Skips the events of earlier commands. */
  constructor(fromSequence: number) {
    this.#fromSequence = fromSequence;
  }

  /** Resolves when the reader can accept more. */
  async write(chunk: Uint8Array): Promise<void> {
    let text = "";
    for (const event of readEvents(chunk)) {
      if (event.type === "command-applied") this.#sequence = event.sequence;
      if (this.#sequence < this.#fromSequence) continue;
      text += `${toLine(event)}\n`;
      if (text.length < WRITE_CHARACTERS) continue;
      await writeOut(text);
      text = "";
    }
    if (text !== "") await writeOut(text);
  }
}

async function writeOut(text: string): Promise<void> {
  if (!process.stdout.write(text)) await once(process.stdout, "drain");
}

/** Money is written as text: a bigint of minor units may exceed JSON's safe numbers. */
function toLine(event: Event): string {
  return JSON.stringify(event, (_name, value: unknown) =>
    typeof value === "bigint" ? String(value) : value,
  );
}
