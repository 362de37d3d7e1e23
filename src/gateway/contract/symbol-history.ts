/** Contracts: queries to the history about one symbol or all of them. */
import type { EngineClient, Reply } from "../../protocol/index.ts";
import type {
  HistoryAnswer,
  HistoryQueryName,
  HistoryQuestion,
} from "../../queries/history-port.ts";
import type { Exchange, Outcome } from "../endpoint.ts";
import { queryHistory } from "../history.ts";

/** Refused if it is not listed. The reply has the sequence that the history must have reached. */
export async function lookUpSymbol(
  engine: EngineClient,
  symbol: string | undefined,
): Promise<Reply<unknown>> {
  return symbol === undefined
    ? engine.query({ type: "status" })
    : engine.query({ type: "contract-markets", symbol });
}

/** The history of a listed symbol. */
export async function querySymbolHistory<Name extends HistoryQueryName>(
  exchange: Exchange,
  name: Name,
  symbol: string | undefined,
  question: HistoryQuestion<Name>,
): Promise<Outcome<HistoryAnswer<Name>>> {
  const known = await lookUpSymbol(exchange.engine, symbol);
  return known.ok ? queryHistory(exchange, name, question, known.sequence) : known;
}
