/**
 * Calls of the operator plane of a running exchange: JSON in, JSON out, bearer token. What stands
 * in the way is told with what to do about it.
 */
import { CommandFailed } from "./failure.ts";

export interface OperatorPlaneOptions {
  /** Without a path, such as `http://127.0.0.1:8081`. */
  readonly url: string;
  readonly token: string;
  /** Where the token was found, for the message that it is not accepted. */
  readonly tokenSource: string;
  /** Who asks, for the audit. */
  readonly actor: string;
}

export interface Page<Item> {
  readonly items: readonly Item[];
  /** The `after` of the following page; null on the last one. */
  readonly next: string | number | null;
}

const ANSWER_TIMEOUT_MS = 30_000;

export class OperatorPlane {
  readonly #options: OperatorPlaneOptions;

  constructor(options: OperatorPlaneOptions) {
    this.#options = options;
  }

  get url(): string {
    return this.#options.url;
  }

  get<Answer>(path: string): Promise<Answer> {
    return this.call("GET", path);
  }

  /** `path` is below `/operator/v1`. Throws `CommandFailed`. */
  async call<Answer>(method: string, path: string, body?: object): Promise<Answer> {
    const response = await this.#send(method, path, body);
    const answer = await jsonOf(response);
    if (response.ok && answer !== undefined) return answer as Answer;
    throw this.#refusal(response.status, answer);
  }

  async #send(method: string, path: string, body: object | undefined): Promise<Response> {
    const { url, token, actor } = this.#options;
    const headers: Record<string, string> = {
      Authorization: `Bearer ${token}`,
      "X-Operator": actor,
    };
    if (body !== undefined) headers["Content-Type"] = "application/json";
    try {
      return await fetch(`${url}/operator/v1/${path}`, {
        method,
        headers,
        body: body === undefined ? null : JSON.stringify(body),
        redirect: "error",
        signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
      });
    } catch (error) {
      throw this.#noAnswer(method, error);
    }
  }

  #noAnswer(method: string, error: unknown): CommandFailed {
    const { url } = this.#options;
    const { code, message } = rootCause(error);
    if (code === "ECONNREFUSED") {
      return new CommandFailed(
        "unreachable",
        `Nothing listens on ${url}. Start an exchange with \`npm start\`, or say where its ` +
          "operator plane is with --operator-url.",
      );
    }
    const unknown =
      method === "GET"
        ? ""
        : " Whether it happened is unknown: look, and repeat a movement of funds with its --id, " +
          "which makes it happen once.";
    return new CommandFailed("no-answer", `${url} gave no answer (${message}).${unknown}`);
  }

  #refusal(status: number, answer: unknown): CommandFailed {
    const { url, tokenSource } = this.#options;
    const refusal = (answer as { error?: { code?: unknown; message?: unknown } } | undefined)
      ?.error;
    if (typeof refusal?.code !== "string" || typeof refusal.message !== "string") {
      return new CommandFailed(
        "no-operator-plane",
        `${url} answers (${status}), but not as an operator plane. Is that its port? It is 8081 ` +
          "unless --operator-port says otherwise; the ready line of the exchange has it.",
      );
    }
    if (refusal.code === "unauthorized") {
      return new CommandFailed(
        "unauthorized",
        `The exchange at ${url} does not take the token from ${tokenSource}. Give that of its ` +
          "own data folder (--data-dir), or --token, or RIALTO_OPERATOR_TOKEN.",
      );
    }
    const { field } = refusal as { field?: string };
    return new CommandFailed(refusal.code, `${refusal.message}.`, field ?? null);
  }
}

/** Undefined when it is no JSON. */
async function jsonOf(response: Response): Promise<unknown> {
  try {
    return await response.json();
  } catch {
    return undefined;
  }
}

/** `fetch` hides what happened in the cause of its error. */
function rootCause(error: unknown): { readonly code: string; readonly message: string } {
  const { cause, message } = error as Error;
  const inner = (cause ?? error) as { code?: unknown; message?: string; errors?: unknown[] };
  const [first] = (inner.errors ?? []) as { code?: unknown; message?: string }[];
  const code = String(inner.code ?? first?.code ?? "");
  return { code, message: inner.message || first?.message || message };
}
