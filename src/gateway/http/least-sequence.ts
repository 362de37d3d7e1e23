/**
 * `X-Rialto-Min-Sequence` of a read: the answer shows everything up to that command, which the
 * caller knows from `X-Rialto-Sequence` of another answer, maybe of another node of a cluster.
 */
import type { IncomingMessage } from "node:http";
import { type Refusal, refuse } from "../../api/errors.ts";
import { type Accepted, accept } from "../../domain/index.ts";
import type { Scheduler } from "../../platform/index.ts";
import type { EngineClient } from "../../protocol/index.ts";
import type { HistoryPort } from "../../queries/history-port.ts";
import type { Exchange } from "../endpoint.ts";
import type { Clock } from "./ports.ts";

const HEADER = "x-rialto-min-sequence";
const SEQUENCE = /^\d{1,15}$/;
/** How long a node that is behind is waited for. */
const WAIT_MS = 2000;
const LOOK_MS = 10;

interface Waiting {
  readonly clock: Pick<Clock, "monotonicMs">;
  readonly scheduler: Scheduler;
}

/** Null where a request names none, or is no read. */
export function leastSequence({
  headers,
  method,
}: IncomingMessage): Accepted<number | null> | Refusal {
  const text = headers[HEADER];
  if (text === undefined || method !== "GET") return accept(null);
  if (typeof text === "string" && SEQUENCE.test(text)) return accept(Number(text));
  return refuse("invalid-parameter", "X-Rialto-Min-Sequence", "a whole number");
}

/** The exchange as of that command or later; null when it is not there in time. */
export async function exchangeAt(
  exchange: Exchange,
  sequence: number,
  { clock, scheduler }: Waiting,
): Promise<Exchange | null> {
  const { engine, history } = exchange;
  const endMs = clock.monotonicMs() + WAIT_MS;
  while (!(await isAt(engine, sequence))) {
    if (clock.monotonicMs() >= endMs) return null;
    await new Promise<void>((resolve) => scheduler.after(LOOK_MS, resolve));
  }
  const query: HistoryPort["query"] = (name, question, asOf) =>
    history.query(name, question, Math.max(asOf, sequence));
  return { ...exchange, history: { query } };
}

async function isAt(engine: EngineClient, sequence: number): Promise<boolean> {
  // A short answer; any would do.
  const reply = await engine.query({ type: "webhooks" });
  return reply.ok && reply.sequence >= sequence;
}
