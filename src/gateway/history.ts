/** Queries to the history, with outcomes as endpoints return them. */
import type { HistoryAnswer, HistoryQueryName, HistoryQuestion } from "../queries/history-port.ts";
import type { Exchange, Outcome } from "./endpoint.ts";

/**
 * `sequence`: of the engine's answer that goes with the query, so that no write is missed. The
 * file may be ahead of it, which the engine's client is told, as a response names the last command
 * that it shows.
 */
export async function queryHistory<Name extends HistoryQueryName>(
  exchange: Exchange,
  name: Name,
  question: HistoryQuestion<Name>,
  sequence: number,
): Promise<Outcome<HistoryAnswer<Name>>> {
  const reply = await exchange.history.query(name, question, sequence);
  if ("unavailable" in reply) return { ok: false, unavailable: reply.unavailable };
  exchange.engine.saw(reply.sequence);
  return { ok: true, value: reply.answer };
}
