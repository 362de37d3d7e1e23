/** Looks a symbol up in the engine before a query to the history. */
import type { EngineClient, Reply } from "../../protocol/index.ts";

/** Refused when it is not listed. The reply has the sequence that the history must have reached. */
export async function lookUpSymbol(
  engine: EngineClient,
  symbol: string | undefined,
): Promise<Reply<unknown>> {
  return symbol === undefined
    ? engine.ask({ type: "status" })
    : engine.ask({ type: "contract-markets", symbol });
}
