/**
 * Rows of a recording as a stream, in lists: the file may be larger than memory. A file may be
 * compressed with gzip. A JSON list of lists, as ccxt returns candles, has rows without lines; they
 * count as lines.
 */
import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import { StringDecoder } from "node:string_decoder";
import { createGunzip } from "node:zlib";
import { TapeError } from "./tape-error.ts";

const CHUNK_BYTES = 256 * 1024;
/** Longer than any row: a file without line ends is not held whole. */
const ROW_CHARACTERS_MAX = 64 * 1024;
const GZIP = [0x1f, 0x8b] as const;

export interface Rows {
  /** Of the file on disk, so far. */
  readonly bytesRead: number;
  readonly texts: readonly string[];
  /** Line of the first one, from 1. */
  readonly firstLine: number;
}

/** Throws `TapeError` for a file that is cut off, and the system's for one that is missing. */
export async function* readRows(path: string): AsyncGenerator<Rows> {
  const isZipped = await isGzip(path);
  const file = createReadStream(path, { highWaterMark: CHUNK_BYTES });
  const splitter = new RowSplitter(path);
  let line = 1;
  try {
    for await (const chunk of isZipped ? file.pipe(forwardErrors(file, createGunzip())) : file) {
      const texts = splitter.take(chunk as Buffer);
      if (texts.length === 0) continue;
      yield { texts, firstLine: line, bytesRead: file.bytesRead };
      line += texts.length;
    }
    splitter.end(line);
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    if (!code.startsWith("Z_")) throw error;
    const problem = `the gzip data is damaged or cut off (${(error as Error).message})`;
    throw new TapeError("file", problem, `${path}:${line}`);
  } finally {
    file.destroy();
  }
}

function forwardErrors(
  from: NodeJS.ReadableStream,
  to: ReturnType<typeof createGunzip>,
): ReturnType<typeof createGunzip> {
  from.once("error", (error) => to.destroy(error));
  return to;
}

async function isGzip(path: string): Promise<boolean> {
  const file = await open(path, "r");
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(GZIP.length), 0, GZIP.length, 0);
    return bytesRead === GZIP.length && GZIP.every((byte, i) => buffer[i] === byte);
  } finally {
    await file.close();
  }
}

class RowSplitter {
  readonly #path: string;
  readonly #decoder = new StringDecoder("utf8");
  #rest = "";
  #isJson: boolean | null = null;
  #hasEnded = false;
  #lines = 0;

  constructor(path: string) {
    this.#path = path;
  }

  take(chunk: Buffer): readonly string[] {
    this.#rest += this.#decoder.write(chunk);
    this.#isJson ??= this.#rest.trimStart().startsWith("[");
    const texts = this.#isJson ? this.#takeLists() : this.#takeLines();
    this.#lines += texts.length;
    if (this.#rest.length > ROW_CHARACTERS_MAX) {
      const problem = `a row of more than ${ROW_CHARACTERS_MAX} characters`;
      throw new TapeError("file", problem, `${this.#path}:${this.#lines + 1}`);
    }
    return texts;
  }

  #takeLines(): string[] {
    const texts = this.#rest.split("\n");
    this.#rest = texts.pop() ?? "";
    return texts.map((text) => (text.endsWith("\r") ? text.slice(0, -1) : text));
  }

  /** What is within the inner brackets. */
  #takeLists(): string[] {
    const texts: string[] = [];
    const list = /^[\s,[]*\[([^[\]]*)\]/;
    for (let found = list.exec(this.#rest); found !== null; found = list.exec(this.#rest)) {
      texts.push((found[1] as string).replaceAll(/["\s]/g, ""));
      this.#rest = this.#rest.slice(found[0].length);
    }
    if (/^\s*\]\s*$/.test(this.#rest)) {
      this.#hasEnded = true;
      this.#rest = "";
    }
    return texts;
  }

  /** `line` is where the next row would begin. */
  end(line: number): void {
    if (this.#rest.trim() === "" && (this.#isJson !== true || this.#hasEnded)) return;
    const problem =
      "the last row has no end: the file is cut off, or its last line break is missing";
    throw new TapeError("file", problem, `${this.#path}:${line}`);
  }
}
