/** Typed calls over the engine port. */
import { invariant, type Rejection } from "../domain/index.ts";
import {
  type Command,
  type CommandOf,
  type CommandType,
  encodeCommand,
  type UserChange,
} from "./commands.ts";
import type { Answer, CommandAnswers, EnginePort, Submission, Unavailable } from "./engine-port.ts";
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

  constructor(port: EnginePort) {
    this.#port = port;
  }

  async execute<Type extends CommandType>(
    command: CommandOf<Type>,
  ): Promise<Reply<CommandAnswers[Type]>> {
    const [answer] = await this.#port.submit([commandSubmission(command as Command)]);
    return toReply(answer);
  }

  /** Executes once per request of the user: a repeated request returns the first answer. */
  async executeOnce<Type extends UserChange["type"]>(
    requestId: string,
    command: CommandOf<Type>,
  ): Promise<Reply<CommandAnswers[Type]>> {
    const once = { type: "do-once", requestId, command: command as UserChange } as const;
    return (await this.execute<"do-once">(once)) as Reply<CommandAnswers[Type]>;
  }

  /**
   * Commands of one kind, in order and in the same batch; each is accepted or refused on its own.
   */
  async executeAll<Type extends CommandType>(
    commands: readonly CommandOf<Type>[],
  ): Promise<readonly Reply<CommandAnswers[Type]>[]> {
    if (commands.length === 0) return [];
    const batch = commands.map((command) => commandSubmission(command as Command));
    const answers = await this.#port.submit(batch);
    return answers.map((answer) => toReply<CommandAnswers[Type]>(answer));
  }

  async query<Type extends EngineQueryType>(
    query: Extract<EngineQuery, { readonly type: Type }>,
  ): Promise<Reply<QueryAnswers[Type]>> {
    const [answer] = await this.#port.submit([{ kind: "query", query }]);
    return toReply(answer);
  }
}

function commandSubmission(command: Command): Submission {
  return { kind: "command", bytes: encodeCommand(command) };
}

function toReply<Value>(answer: Answer | Unavailable | undefined): Reply<Value> {
  invariant(answer !== undefined, "every submission is answered");
  if ("unavailable" in answer) return { ok: false, unavailable: answer.unavailable };
  const { result, sequence, timestampMs } = answer;
  return result.ok
    ? { ok: true, value: result.value as Value, sequence, timestampMs }
    : { ...result, sequence, timestampMs };
}
