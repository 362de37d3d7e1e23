/** The engine's word on a symbol that the store is then asked about. */
import type { EngineClient, Reply } from "../../protocol/index.ts";

/** Refused when it is not listed. The reply has the sequence that the store must have reached. */
export async function lookUpSymbol(
  engine: EngineClient,
  symbol: string | undefined,
): Promise<Reply<unknown>> {
  return symbol === undefined
    ? engine.ask({ type: "status" })
    : engine.ask({ type: "contract-markets", symbol });
}
