/** Events as lines of JSON on standard output, as fast as their reader takes them. */
import { once } from "node:events";
import { type Event, readEvents } from "../protocol/index.ts";

/** Text that is collected before it is written. */
const WRITE_CHARACTERS = 64 * 1024;

export class EventLines {
  readonly #fromSequence: number;
  /** Of the command whose events follow. */
  #sequence = 0;

  /** Events of earlier commands are passed over. */
  constructor(fromSequence: number) {
    this.#fromSequence = fromSequence;
  }

  /** Resolves when the reader has room for more. */
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

/** Money is a whole number of minor units that JSON's numbers may not hold: it is text. */
function toLine(event: Event): string {
  return JSON.stringify(event, (_name, value: unknown) =>
    typeof value === "bigint" ? String(value) : value,
  );
}
