/**
 * PostgreSQL's protocol, version 3, as far as the driver uses it: a start without a password,
 * simple queries, and prepared ones that run at their Sync.
 */
import type { Duplex } from "node:stream";

export type SqlType = "bool" | "int4" | "int8" | "text" | "bytea" | "json";

const OIDS: Readonly<Record<SqlType, number>> = {
  bool: 16,
  bytea: 17,
  int8: 20,
  int4: 23,
  text: 25,
  json: 114,
};

export type SqlValue = string | number | bigint | boolean | Uint8Array | null;

export interface SqlRows {
  readonly fields: readonly (readonly [name: string, type: SqlType])[];
  readonly rows: readonly (readonly SqlValue[])[];
  /** As in `INSERT 0 1`. */
  readonly tag: string;
}

export type SqlReply =
  | { readonly ok: true; readonly result: SqlRows; readonly warning?: string }
  | { readonly ok: false; readonly code: string; readonly message: string };

export interface SqlStatement {
  readonly text: string;
  readonly values: readonly (Buffer | null)[];
}

/** Runs a statement; resolves when it is answered, or never. */
export type RunSql = (statement: SqlStatement) => Promise<SqlReply>;

interface Asked extends SqlStatement {
  /** Whether it was parsed now. */
  readonly isNew: boolean;
}

const STARTUP_BYTES = 8;
const HEADER_BYTES = 5;

export class PostgresWire {
  readonly #stream: Duplex;
  readonly #run: RunSql;
  #received: Buffer = Buffer.alloc(0);
  #hasStarted = false;
  readonly #prepared = new Map<string, string>();
  #parsed: string | null = null;
  #bound: SqlStatement | null = null;
  #turn: Promise<void> = Promise.resolve();

  constructor(stream: Duplex, run: RunSql) {
    this.#stream = stream;
    this.#run = run;
    stream.on("data", (bytes: Buffer) => this.#take(bytes));
  }

  #take(bytes: Buffer): void {
    this.#received = Buffer.concat([this.#received, bytes]);
    if (!this.#hasStarted) this.#start();
    if (!this.#hasStarted) return;
    for (;;) {
      if (this.#received.length < HEADER_BYTES) return;
      const length = this.#received.readUInt32BE(1) + 1;
      if (this.#received.length < length) return;
      const kind = String.fromCharCode(this.#received[0] ?? 0);
      const body = this.#received.subarray(HEADER_BYTES, length);
      this.#received = this.#received.subarray(length);
      this.#message(kind, new Fields(body));
    }
  }

  #start(): void {
    if (this.#received.length < STARTUP_BYTES) return;
    const length = this.#received.readUInt32BE(0);
    if (this.#received.length < length) return;
    this.#received = this.#received.subarray(length);
    this.#hasStarted = true;
    const authenticated = message("R", int32(0));
    this.#stream.write(Buffer.concat([authenticated, message("K", int32(1), int32(1)), READY]));
  }

  #message(kind: string, fields: Fields): void {
    switch (kind) {
      case "Q":
        this.#answer({ text: fields.text(), values: [], isNew: false }, false);
        return;
      case "P":
        this.#parse(fields.text(), fields.text());
        return;
      case "B":
        this.#bound = this.#bind(fields);
        return;
      case "S":
        this.#answer({ ...(this.#bound as SqlStatement), isNew: this.#parsed !== null }, true);
        this.#parsed = null;
        return;
      case "X":
        this.#stream.end();
        return;
      default:
    }
  }

  #parse(name: string, text: string): void {
    this.#prepared.set(name, text);
    this.#parsed = name;
  }

  #bind(fields: Fields): SqlStatement {
    fields.text();
    const name = fields.text();
    const formats = fields.int16();
    for (let at = 0; at < formats; at++) fields.int16();
    const values = Array.from({ length: fields.int16() }, () => fields.value());
    return { text: this.#prepared.get(name) ?? "", values };
  }

  /** One after the other. */
  #answer(asked: Asked, isPrepared: boolean): void {
    this.#turn = this.#turn.then(async () => {
      const reply = await this.#run(asked);
      if (this.#stream.destroyed) return;
      this.#stream.write(Buffer.concat([...replyBytes(reply, asked.isNew, isPrepared), READY]));
    });
  }
}

/** In the order of the protocol. */
class Fields {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  text(): string {
    const end = this.#bytes.indexOf(0, this.#at);
    const text = this.#bytes.toString("utf8", this.#at, end);
    this.#at = end + 1;
    return text;
  }

  int16(): number {
    this.#at += 2;
    return this.#bytes.readInt16BE(this.#at - 2);
  }

  value(): Buffer | null {
    const length = this.#bytes.readInt32BE(this.#at);
    this.#at += 4;
    if (length < 0) return null;
    this.#at += length;
    return Buffer.from(this.#bytes.subarray(this.#at - length, this.#at));
  }
}

function message(kind: string, ...parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  return Buffer.concat([Buffer.from(kind, "latin1"), int32(body.length + 4), body]);
}

const READY = message("Z", Buffer.from("I", "latin1"));

function int16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeInt16BE(value);
  return bytes;
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}

function zeroEnded(text: string): Buffer {
  return Buffer.from(`${text}\0`, "utf8");
}

function replyBytes(reply: SqlReply, isNew: boolean, isPrepared: boolean): Buffer[] {
  const before = [...(isNew ? [message("1")] : []), ...(isPrepared ? [message("2")] : [])];
  if (!reply.ok) return [...before, message("E", ...report("ERROR", reply.code, reply.message))];
  const { result, warning } = reply;
  const { fields, rows, tag } = result;
  const told = warning === undefined ? [] : [message("N", ...report("WARNING", "01000", warning))];
  const described =
    fields.length === 0 ? (isPrepared ? [message("n")] : []) : [description(fields)];
  return [
    ...before,
    ...described,
    ...rows.map((row) => message("D", int16(row.length), ...row.map(column))),
    ...told,
    message("C", zeroEnded(tag)),
  ];
}

function report(severity: string, code: string, text: string): Buffer[] {
  const fields = [`S${severity}`, `V${severity}`, `C${code}`, `M${text}`];
  return [...fields.map(zeroEnded), Buffer.from([0])];
}

function description(fields: SqlRows["fields"]): Buffer {
  const parts = fields.map(([name, type]) =>
    Buffer.concat([
      zeroEnded(name),
      int32(0),
      int16(0),
      int32(OIDS[type]),
      int16(-1),
      int32(-1),
      int16(0),
    ]),
  );
  return message("T", int16(fields.length), ...parts);
}

function column(value: SqlValue): Buffer {
  if (value === null) return int32(-1);
  const text = wordOf(value);
  return Buffer.concat([int32(Buffer.byteLength(text)), Buffer.from(text, "utf8")]);
}

function wordOf(value: Exclude<SqlValue, null>): string {
  if (value instanceof Uint8Array) return `\\x${Buffer.from(value).toString("hex")}`;
  if (typeof value === "boolean") return value ? "t" : "f";
  return String(value);
}
