/** Queries to the history, with outcomes as endpoints return them. */
import type { HistoryAnswer, HistoryQueryName, HistoryQuestion } from "../queries/history-port.ts";
import type { Exchange, Outcome } from "./endpoint.ts";

/** `sequence`: of the engine's answer that goes with the query, so that no write is missed. */
export async function queryHistory<Name extends HistoryQueryName>(
  exchange: Exchange,
  name: Name,
  question: HistoryQuestion<Name>,
  sequence: number,
): Promise<Outcome<HistoryAnswer<Name>>> {
  const reply = await exchange.history.query(name, question, sequence);
  return "unavailable" in reply
    ? { ok: false, unavailable: reply.unavailable }
    : { ok: true, value: reply.answer };
}
