/**
 * The client of the operator plane: how a venue is run. Its token is all-powerful: it belongs in a
 * process of the operator's, not in a page that others open.
 */
import { type CallOptions, type Endpoint, HttpCalls, type HttpOptions } from "../http-calls.ts";
import { ExchangeCalls } from "./exchange.ts";

export interface OperatorClientOptions extends HttpOptions {
  readonly token: string;
  /** Who asks, for the audit: 1 to 64 of A-Z a-z 0-9 . _ @ : / + -. "operator" if left out. */
  readonly actor?: string | undefined;
}

/** A method for each call. Names in the path, of the query and of the body stand side by side. */
export class OperatorClient extends ExchangeCalls {
  readonly #http: HttpCalls;

  constructor(options: OperatorClientOptions) {
    super();
    const headers: Record<string, string> = { Authorization: `Bearer ${options.token}` };
    if (options.actor !== undefined) headers["X-Operator"] = options.actor;
    this.#http = new HttpCalls(options, {
      headers: async () => ({ ...headers }),
      recover: async () => false,
    });
  }

  protected override call<Answer>(
    method: Endpoint["method"],
    path: string,
    input: object,
    options: CallOptions | undefined,
  ): Promise<Answer> {
    const rest = new Map(Object.entries(input));
    const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
      const value = rest.get(name);
      rest.delete(name);
      return encodeURIComponent(String(value));
    });
    const isRead = method === "GET";
    const given = Object.fromEntries(rest);
    // A movement happens once for each id; what is set or revoked twice is as if it were once.
    const repeat = method !== "POST" || "id" in given ? "safe" : "never";
    const endpoint = { family: "operator", method, path: filled, access: null, repeat } as const;
    const hasBody = !isRead && rest.size > 0;
    return this.#http.json(
      endpoint,
      isRead ? { query: given } : hasBody ? { body: given } : {},
      options,
    );
  }
}
