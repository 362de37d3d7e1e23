/**
 * The only way into the engine: requests of commands, and of queries about the current state. It
 * carries bytes both ways, so that it crosses threads and machines. An answer is only returned
 * after everything that it depends on is durable.
 *
 *   request   count, then for each submission: 0 and the framed command, or 1 and the query
 *   answer    for each submission its outcome, in their order
 *
 * Commands and their answers are records. Queries and their answers are JSON text: they are many,
 * wide and plain, and none is on the path of an order.
 */
import { invariant, type Rejection, type RejectReason, type Result } from "../domain/index.ts";
import { ByteReader, ByteWriter, MalformedBytes } from "./bytes.ts";
import { answerField, type CommandAnswers } from "./command-answers.ts";
import { type Command, type CommandType, readCommand, writeCommand } from "./commands.ts";
import type { EngineQuery as Query, QueryAnswers } from "./queries.ts";
import { nullable, recurringText, text } from "./record.ts";

export type CommandResult<Type extends CommandType = CommandType> = Result<CommandAnswers[Type]>;

export type Submission =
  | { readonly kind: "command"; readonly command: Command }
  | { readonly kind: "query"; readonly query: Query };

export interface Answer {
  /** The answer reflects every command up to this sequence. */
  readonly sequence: number;
  /** Exchange time of the answer. */
  readonly timestampMs: number;
  readonly result: CommandResult | Result<QueryAnswers[keyof QueryAnswers]>;
}

const UNAVAILABLE = [
  "overloaded",
  "disk-nearly-full",
  "stopping",
  "outcome-unknown",
  "not-leader",
  "rate-limited",
] as const;

/**
 * The submission was not accepted: the queue is full, the disk is nearly full, the process is
 * stopping, another node of the cluster leads, or that one has counted too many orders of the user.
 * Only with `outcome-unknown` it was submitted, and
 * its answer was lost on the way.
 */
export interface Unavailable {
  readonly unavailable: (typeof UNAVAILABLE)[number];
}

export interface EnginePort {
  /**
   * Takes a request, which must not change any more, and calls `answered` once. A failure to make
   * a batch durable ends the process.
   */
  submit(request: Uint8Array, answered: (answer: Uint8Array) => void): void;
}

const COMMAND = 0;
const QUERY = 1;

const NO_RECORD = new Uint8Array();

const writer = new ByteWriter(64 * 1024);

export function encodeRequest(submissions: readonly Submission[]): Uint8Array<ArrayBuffer> {
  writer.clear();
  writer.uint(submissions.length);
  for (const submission of submissions) {
    if (submission.kind === "command") {
      writer.u8(COMMAND);
      writeCommand(writer, submission.command);
    } else {
      writer.u8(QUERY);
      writer.text(JSON.stringify(submission.query));
    }
  }
  return writer.toBytes();
}

/** How many submissions a request has. */
export function submissionsIn(request: Uint8Array): number {
  return new ByteReader(request).uint();
}

/** Whether a request changes nothing: it consists of queries. */
export function onlyAsks(request: Uint8Array): boolean {
  return decodeRequest(request).every(({ kind }) => kind === "query");
}

/** Reads the submissions of a request one by one. */
export class RequestReader {
  readonly #reader: ByteReader;
  #left: number;
  #record: Uint8Array = NO_RECORD;

  constructor(request: Uint8Array) {
    this.#reader = new ByteReader(request);
    this.#left = this.#reader.uint();
  }

  /** How many submissions were not read yet. */
  get left(): number {
    return this.#left;
  }

  /** The last command as the journal keeps it: a view of the request. */
  get record(): Uint8Array {
    return this.#record;
  }

  /** The next submission; null when it is a query, which `query` then reads. */
  command(): Command | null {
    const kind = this.#reader.u8();
    if (kind === QUERY) return null;
    if (kind !== COMMAND) throw new MalformedBytes(`unknown kind of submission ${kind}`);
    this.#left--;
    this.#record = this.#reader.wholeFrame();
    return readCommand(this.#reader);
  }

  query(): Query {
    this.#left--;
    return JSON.parse(this.#reader.text()) as Query;
  }
}

/** A submission as it stands in a request. */
export interface RequestPart {
  /** A view of it, with its kind. */
  readonly bytes: Uint8Array;
  /** The command as the journal keeps it; null for a query. */
  readonly record: Uint8Array | null;
}

/** The submissions of a request, without reading what they say. */
export function partsOf(request: Uint8Array): readonly RequestPart[] {
  const reader = new ByteReader(request);
  const parts: RequestPart[] = [];
  for (let left = reader.uint(); left > 0; left--) {
    const start = reader.offset;
    const kind = reader.u8();
    let record: Uint8Array | null = null;
    if (kind === COMMAND) {
      record = reader.wholeFrame();
      reader.leaveFrame(reader.enterFrame());
    } else if (kind === QUERY) reader.bytes();
    else throw new MalformedBytes(`unknown kind of submission ${kind}`);
    parts.push({ bytes: request.subarray(start, reader.offset), record });
  }
  return parts;
}

/** A request of this submission alone. */
export function requestOf({ bytes }: RequestPart): Uint8Array {
  const request = new ByteWriter(bytes.length + 1);
  request.uint(1);
  request.raw(bytes);
  return request.view();
}

/** All submissions of a request. */
export function decodeRequest(request: Uint8Array): readonly Submission[] {
  const reader = new RequestReader(request);
  const submissions: Submission[] = [];
  while (reader.left > 0) {
    const command = reader.command();
    submissions.push(
      command === null ? { kind: "query", query: reader.query() } : { kind: "command", command },
    );
  }
  return submissions;
}

const ACCEPTED = 0;
const REFUSED = 1;
/** The reasons of `Unavailable` follow from here. */
const FIRST_UNAVAILABLE = 2;

const optionalText = nullable(text);

/** `command` is null for the answer to a query. */
export function writeAnswer(
  writer: ByteWriter,
  command: Command | null,
  { sequence, timestampMs, result }: Answer,
): void {
  writer.u8(result.ok ? ACCEPTED : REFUSED);
  writer.uint(sequence);
  writer.uint(timestampMs);
  if (!result.ok) writeRejection(writer, result);
  else if (command === null) writer.text(JSON.stringify(result.value));
  else answerField(command).write(writer, result.value as never);
}

export function writeUnavailable(writer: ByteWriter, { unavailable }: Unavailable): void {
  writer.u8(FIRST_UNAVAILABLE + UNAVAILABLE.indexOf(unavailable));
}

/** The answer to a request of which no submission is accepted. */
export function refuseAll(count: number, unavailable: Unavailable["unavailable"]): Uint8Array {
  const answer = new ByteWriter(count);
  for (let i = 0; i < count; i++) writeUnavailable(answer, { unavailable });
  return answer.view();
}

/** Why the first submission was not accepted; null when it was answered. */
export function unavailableIn(answer: Uint8Array): Unavailable["unavailable"] | null {
  const outcome = answer[0] ?? ACCEPTED;
  return outcome < FIRST_UNAVAILABLE ? null : (UNAVAILABLE[outcome - FIRST_UNAVAILABLE] ?? null);
}

function writeRejection(writer: ByteWriter, { reason, field, detail }: Rejection): void {
  writer.text(reason);
  optionalText.write(writer, field);
  optionalText.write(writer, detail);
}

/** The answer to the next submission, which was `command` or, where null, a query. */
export function readAnswer(reader: ByteReader, command: Command | null): Answer | Unavailable {
  const outcome = reader.u8();
  if (outcome >= FIRST_UNAVAILABLE) {
    const unavailable = UNAVAILABLE[outcome - FIRST_UNAVAILABLE];
    invariant(unavailable !== undefined, "an outcome is known");
    return { unavailable };
  }
  const sequence = reader.uint();
  const timestampMs = reader.uint();
  return { sequence, timestampMs, result: readResult(reader, outcome, command) };
}

function readResult(
  reader: ByteReader,
  outcome: number,
  command: Command | null,
): Answer["result"] {
  if (outcome === ACCEPTED) {
    const value = command === null ? JSON.parse(reader.text()) : answerField(command).read(reader);
    return { ok: true, value } as Answer["result"];
  }
  const reason = recurringText.read(reader) as RejectReason;
  const field = optionalText.read(reader);
  const detail = optionalText.read(reader);
  return { ok: false, reason, field, detail };
}

/** All answers to a request. */
export function decodeAnswers(
  submissions: readonly Submission[],
  answer: Uint8Array,
): readonly (Answer | Unavailable)[] {
  const reader = new ByteReader(answer);
  return submissions.map((submission) =>
    readAnswer(reader, submission.kind === "command" ? submission.command : null),
  );
}

/** Submits, and resolves with the answers in the order of the submissions. */
export function submitAll(
  port: EnginePort,
  submissions: readonly Submission[],
): Promise<readonly (Answer | Unavailable)[]> {
  return new Promise((resolve) => {
    port.submit(encodeRequest(submissions), (answer) => {
      resolve(decodeAnswers(submissions, answer));
    });
  });
}
