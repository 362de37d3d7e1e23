/** What the methods of every topic are made of: one call by its path. */
import type { CallOptions, Endpoint } from "../http-calls.ts";

export abstract class OperatorCalls {
  /** Fills the names in the path from `input`; what is left is the query, or the body. */
  protected abstract call<Answer>(
    method: Endpoint["method"],
    path: string,
    input: object,
    options: CallOptions | undefined,
  ): Promise<Answer>;
}
