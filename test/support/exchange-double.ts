/**
 * An exchange in memory for tests of endpoints: it returns prepared answers, and records queries
 * and commands. Commands pass through the journal's codec, as in the real one.
 */
import { invariant, type Result } from "../../src/domain/index.ts";
import type { Caller, Exchange } from "../../src/gateway/endpoint.ts";
import type { KeyDesk } from "../../src/gateway/key-desk.ts";
import {
  type Command,
  type CommandAnswers,
  type CommandOf,
  type CommandType,
  EngineClient,
  type EngineQuery,
  type EngineQueryType,
  type QueryAnswers,
  type Submission,
  type Unavailable,
} from "../../src/protocol/index.ts";
import type {
  HistoryAnswer,
  HistoryPort,
  HistoryQueryName,
  HistoryQuestion,
  HistoryUnavailable,
} from "../../src/queries/index.ts";
import { portOf } from "./engine-double.ts";

export type EngineScript = {
  readonly [Type in EngineQueryType]?: (
    query: Extract<EngineQuery, { readonly type: Type }>,
  ) => Result<QueryAnswers[Type]> | Unavailable;
} & {
  readonly [Type in CommandType]?: (
    command: CommandOf<Type>,
  ) => Result<CommandAnswers[Type]> | Unavailable;
};

export type HistoryScript = {
  readonly [Name in HistoryQueryName]?: (
    question: HistoryQuestion<Name>,
  ) => HistoryAnswer<Name> | HistoryUnavailable;
};

export interface Asked {
  readonly name: HistoryQueryName;
  readonly question: unknown;
  readonly sequence: number;
}

/** For tests in which no user makes a key. */
export const NO_KEY_DESK: KeyDesk = {
  carryOut: () => Promise.reject(new Error("no key is made here")),
};

export const DOUBLE_SEQUENCE = 41;
export const DOUBLE_TIME_MS = 1_760_000_000_000;

type AnyScript = Readonly<Record<string, ((input: unknown) => unknown) | undefined>>;

export class ExchangeDouble implements Exchange {
  readonly engine: EngineClient;
  readonly history: HistoryPort;
  readonly keyDesk = NO_KEY_DESK;
  readonly commands: Command[] = [];
  /** Of the commands that are to be done once. */
  readonly requestIds: string[] = [];
  readonly queries: EngineQuery[] = [];
  readonly asked: Asked[] = [];

  constructor(engineScript: EngineScript, historyScript: HistoryScript = {}) {
    const script = engineScript as AnyScript;
    this.engine = new EngineClient(portOf((submission) => this.#answer(submission, script)));
    this.history = {
      query: async (name, question, sequence) => {
        this.asked.push({ name, question, sequence });
        const answer = scripted(historyScript as AnyScript, name)(question);
        return isUnavailable(answer) ? answer : { answer: answer as never, sequence };
      },
    };
  }

  /** What is to be done once for a request, or the command itself. */
  #opened(command: Command): Command {
    if (command.type !== "do-once") return command;
    this.requestIds.push(command.requestId);
    return command.command;
  }

  #answer(submission: Submission, script: AnyScript): never {
    let result: unknown;
    if (submission.kind === "query") {
      this.queries.push(submission.query);
      result = scripted(script, submission.query.type)(submission.query);
    } else {
      const command = this.#opened(submission.command);
      this.commands.push(command);
      result = scripted(script, command.type)(command);
    }
    if (isUnavailable(result)) return result as never;
    return { sequence: DOUBLE_SEQUENCE, timestampMs: DOUBLE_TIME_MS, result } as never;
  }
}

function scripted(script: AnyScript, name: string): (input: unknown) => unknown {
  const answer = script[name];
  invariant(answer !== undefined, `the test does not say what to answer to ${name}`);
  return answer;
}

function isUnavailable(answer: unknown): answer is HistoryUnavailable {
  return typeof answer === "object" && answer !== null && "unavailable" in answer;
}

export function callerOf(uid: number): Caller {
  return { uid, apiKey: "rialto_0123456789abcdef0123456789abcdef", permissions: ["spot"] };
}
