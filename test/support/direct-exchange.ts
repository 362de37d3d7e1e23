/**
 * The real engine behind its port, without journal, threads or store, for tests of the layers in
 * front of it. History is kept as the list of events, and answers two of the operators' queries;
 * the test supplies the answers to others.
 */
import { createHash } from "node:crypto";
import { formatDecimal, invariant, type Wallet } from "../../src/domain/index.ts";
import { Engine } from "../../src/engine/index.ts";
import {
  type Answer,
  ByteWriter,
  type Command,
  decodeRequest,
  EngineClient,
  type EnginePort,
  type Event,
  type FundsCommandType,
  readEvents,
  type Submission,
  type Unavailable,
} from "../../src/protocol/index.ts";
import type {
  AuditEntry,
  HistoryPort,
  HistoryQuestion,
  HistoryUnavailable,
  OperatorMovement,
} from "../../src/queries/index.ts";
import { encodeAnswers } from "./engine-double.ts";
import type { HistoryScript } from "./exchange-double.ts";
import { HASH_KEY } from "./hash-key.ts";

interface Happened {
  readonly event: Event;
  readonly sequence: number;
  readonly timeMs: number;
}

function sha256(parts: readonly Uint8Array[]): string {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part);
  return hash.digest("hex");
}

export class DirectExchange implements EnginePort {
  readonly client = new EngineClient(this);
  readonly history: HistoryPort;
  /** Accepted and refused ones alike. */
  readonly commands: Command[] = [];
  /** Refuses everything, or all history queries, until it is set to null again. */
  engineUnavailable: Unavailable["unavailable"] | null = null;
  historyUnavailable: HistoryUnavailable["unavailable"] | null = null;
  /** Answers of the history that do not come from the events. */
  historyScript: HistoryScript = {};
  /** Run before and after a command is applied; what they throw, the caller of `submit` gets. */
  beforeCommand: (command: Command) => void = () => undefined;
  afterCommand: (command: Command) => void = () => undefined;
  /** Told the events of each command that changed something. */
  onEvents: (chunk: Uint8Array) => void = () => undefined;
  wallMs = 1_760_000_000_000;
  readonly #engine = Engine.create(sha256, HASH_KEY);
  readonly #happened: Happened[] = [];
  #sequence = 0;

  constructor() {
    this.history = {
      query: async (name, question) => {
        if (this.historyUnavailable !== null) return { unavailable: this.historyUnavailable };
        const scripted = this.historyScript[name] as ((asked: unknown) => never) | undefined;
        if (scripted !== undefined) return { answer: scripted(question), sequence: 0 };
        const { limit } = question as { limit: number };
        const rows =
          name === "audit"
            ? this.#audit(question as HistoryQuestion<"audit">)
            : this.#movements(question as MovementsQuestion);
        return { answer: rows.slice(0, limit) as never, sequence: 0 };
      },
    };
  }

  submit(request: Uint8Array, answered: (answer: Uint8Array) => void): void {
    const submissions = decodeRequest(request);
    const answers = submissions.map((submission) => this.#answer(submission));
    const bytes = encodeAnswers(submissions, answers);
    // An answer never comes in the same turn, as it never does from a journaled exchange.
    setImmediate(() => answered(bytes));
  }

  #answer(submission: Submission): Answer | Unavailable {
    if (this.engineUnavailable !== null) return { unavailable: this.engineUnavailable };
    const timestampMs = this.wallMs + this.#engine.clockOffsetMs;
    if (submission.kind === "query") {
      const result = this.#engine.query(submission.query, timestampMs);
      return { sequence: this.#sequence, timestampMs, result };
    }
    const { command } = submission;
    this.beforeCommand(command);
    this.commands.push(command);
    const writer = new ByteWriter();
    const result = this.#engine.apply(command, this.#sequence + 1, timestampMs, writer);
    if (writer.length > 0) this.#sequence++;
    if (writer.length > 0) this.onEvents(writer.toBytes());
    for (const event of readEvents(writer.toBytes())) {
      this.#happened.push({ event, sequence: this.#sequence, timeMs: timestampMs });
    }
    this.afterCommand(command);
    return { sequence: this.#sequence, timestampMs, result };
  }

  /** Lets go of what happened, in a test that lasts long and asks for none of it. */
  forget(): void {
    this.commands.length = 0;
    this.#happened.length = 0;
  }

  /** What happened up to now, oldest first. */
  get events(): readonly Event[] {
    return this.#happened.map(({ event }) => event);
  }

  #audit({ afterAuditId, beforeAuditId }: HistoryQuestion<"audit">): AuditEntry[] {
    const acted = this.#happened.filter(({ event }) => "actor" in event && event.actor !== "");
    const entries = acted
      .map(({ event, sequence, timeMs }, index) => ({
        auditId: index + 1,
        sequence,
        timeMs,
        actor: (event as { actor: string }).actor,
        action: event.type,
        subject: "",
        details: JSON.stringify(event, (_, value) =>
          typeof value === "bigint" ? String(value) : value,
        ),
      }))
      .filter(({ auditId }) => auditId > afterAuditId);
    if (beforeAuditId === null) return entries;
    return entries.filter(({ auditId }) => auditId < beforeAuditId).reverse();
  }

  #movements({ command, uid, asset, afterMovementId }: MovementsQuestion): OperatorMovement[] {
    return this.#happened
      .map((happened, index) => toMovement(happened, index + 1))
      .filter((row) => row !== null)
      .filter((row) => row.command === command && row.uid === uid)
      .filter((row) => asset === null || row.asset === asset)
      .filter((row) => row.movementId > afterMovementId)
      .map(({ command: _, ...row }) => row);
  }
}

interface MovementsQuestion {
  readonly command: FundsCommandType;
  readonly uid: number;
  readonly asset: string | null;
  readonly afterMovementId: number;
}

/** Assets of these tests have this scale. */
const SCALE = 8;

function toMovement(
  { event, timeMs }: Happened,
  movementId: number,
): (OperatorMovement & { readonly command: FundsCommandType }) | null {
  if (event.type === "insurance-moved") {
    const deposit = event.deltaMinor > 0n;
    return {
      command: deposit ? "deposit-insurance" : "withdraw-insurance",
      movementId,
      requestId: event.requestId,
      uid: 0,
      asset: event.asset,
      amount: formatDecimal(deposit ? event.deltaMinor : -event.deltaMinor, SCALE),
      from: null,
      to: null,
      timeMs,
    };
  }
  if (event.type !== "funds-moved") return null;
  const { requestId, uid, asset, from, to } = event;
  const amount = formatDecimal(event.amountMinor, SCALE);
  const command = fundsCommand(from, to);
  return { command, movementId, requestId, uid, asset, amount, from, to, timeMs };
}

function fundsCommand(from: Wallet | null, to: Wallet | null): FundsCommandType {
  invariant(from !== null || to !== null, "a movement has a side");
  if (from === null) return "deposit-funds";
  return to === null ? "withdraw-funds" : "transfer-funds";
}
