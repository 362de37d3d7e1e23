/** Typed calls over the engine port. */
import { invariant, type Rejection } from "../domain/index.ts";
import { ByteReader } from "./bytes.ts";
import type { CommandAnswers } from "./command-answers.ts";
import type { Command, CommandOf, CommandType, UserChange } from "./commands.ts";
import {
  type Answer,
  type EnginePort,
  encodeRequest,
  readAnswer,
  type Submission,
  submitAll,
  type Unavailable,
} from "./engine-port.ts";
import type { EngineQuery, EngineQueryType, QueryAnswers } from "./queries.ts";

/** A value with the sequence and exchange time at which it was true. */
export interface Seen<Value> {
  readonly ok: true;
  readonly value: Value;
  readonly sequence: number;
  readonly timestampMs: number;
}

/** A refusal with the exchange time and the sequence at which it was true. */
export type Refused = Rejection & { readonly sequence: number; readonly timestampMs: number };

export type Reply<Value> = Seen<Value> | Refused | (Unavailable & { readonly ok: false });

export class EngineClient {
  readonly #port: EnginePort;
  #sequence = 0;

  constructor(port: EnginePort) {
    this.#port = port;
  }

  /** The highest sequence of its answers: what they show, and what they changed. 0 without one. */
  get sequence(): number {
    return this.#sequence;
  }

  /** An answer beside its own showed that command. */
  saw(sequence: number): void {
    this.#sequence = Math.max(this.#sequence, sequence);
  }

  /** Another one over the same port, for the answers of one request. */
  apart(): EngineClient {
    return new EngineClient(this.#port);
  }

  execute<Type extends CommandType>(
    command: CommandOf<Type>,
  ): Promise<Reply<CommandAnswers[Type]>> {
    return this.#submitOne({ kind: "command", command: command as Command });
  }

  /** Executes once per request of the user: a repeated request returns the first answer. */
  executeOnce<Type extends UserChange["type"]>(
    requestId: string,
    command: CommandOf<Type>,
  ): Promise<Reply<CommandAnswers[Type]>> {
    const once = { type: "do-once", requestId, command: command as UserChange } as const;
    return this.#submitOne({ kind: "command", command: once });
  }

  /**
   * Commands of one kind, in order and in the same batch; each is accepted or refused on its own.
   */
  async executeAll<Type extends CommandType>(
    commands: readonly CommandOf<Type>[],
  ): Promise<readonly Reply<CommandAnswers[Type]>[]> {
    if (commands.length === 0) return [];
    const submissions = commands.map((command): Submission => {
      return { kind: "command", command: command as Command };
    });
    const answers = await submitAll(this.#port, submissions);
    return answers.map((answer) => this.#toReply<CommandAnswers[Type]>(answer));
  }

  /** Commands and queries of any kind, in order and in the same batch; each by itself. */
  async submitAll(submissions: readonly Submission[]): Promise<readonly Reply<unknown>[]> {
    if (submissions.length === 0) return [];
    const answers = await submitAll(this.#port, submissions);
    return answers.map((answer) => this.#toReply<unknown>(answer));
  }

  /** A command and then a query, with nothing in between. */
  async executeAndQuery<Type extends CommandType, Asked extends EngineQueryType>(
    command: CommandOf<Type>,
    query: Extract<EngineQuery, { readonly type: Asked }>,
  ): Promise<readonly [Reply<CommandAnswers[Type]>, Reply<QueryAnswers[Asked]>]> {
    const [executed, asked] = await submitAll(this.#port, [
      { kind: "command", command: command as Command },
      { kind: "query", query },
    ]);
    invariant(executed !== undefined && asked !== undefined, "every submission is answered");
    return [this.#toReply(executed), this.#toReply(asked)];
  }

  query<Type extends EngineQueryType>(
    query: Extract<EngineQuery, { readonly type: Type }>,
  ): Promise<Reply<QueryAnswers[Type]>> {
    return this.#submitOne({ kind: "query", query });
  }

  /** Without a list and a second promise: this is the path of every order. */
  #submitOne<Value>(submission: Submission): Promise<Reply<Value>> {
    return new Promise((resolve) => {
      const command = submission.kind === "command" ? submission.command : null;
      this.#port.submit(encodeRequest([submission]), (answer) => {
        resolve(this.#toReply(readAnswer(new ByteReader(answer), command)));
      });
    });
  }

  #toReply<Value>(answer: Answer | Unavailable): Reply<Value> {
    if ("unavailable" in answer) return { ok: false, unavailable: answer.unavailable };
    const { result, sequence, timestampMs } = answer;
    if (sequence > this.#sequence) this.#sequence = sequence;
    return result.ok
      ? { ok: true, value: result.value as Value, sequence, timestampMs }
      : { ...result, sequence, timestampMs };
  }
}
