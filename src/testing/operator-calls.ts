/** Calls of the operator API, with which a test sets up its exchange. */

/** The exchange rejected a call; has its code and, where there is one, the field. */
export class OperatorRefusal extends Error {
  override readonly name = "OperatorRefusal";
  readonly status: number;
  readonly code: string;
  readonly field: string | null;

  constructor(call: string, status: number, error: WireError) {
    super(`${call} was refused (${status}, ${error.code}): ${error.message}`);
    this.status = status;
    this.code = error.code;
    this.field = error.field ?? null;
  }
}

interface WireError {
  readonly code: string;
  readonly message: string;
  readonly field?: string;
}

export class OperatorCalls {
  readonly #url: string;
  readonly #token: string;

  constructor(url: string, token: string) {
    this.#url = url;
    this.#token = token;
  }

  /** `path` is below `/operator/v1`. Rejects with `OperatorRefusal`. */
  async call<Answer>(method: string, path: string, body?: object): Promise<Answer> {
    const headers: Record<string, string> = { Authorization: `Bearer ${this.#token}` };
    if (body !== undefined) headers["Content-Type"] = "application/json";
    const response = await fetch(`${this.#url}/operator/v1/${path}`, {
      method,
      headers,
      body: body === undefined ? null : JSON.stringify(body),
    });
    const answer: unknown = await response.json();
    if (response.ok) return answer as Answer;
    const { error } = answer as { readonly error: WireError };
    throw new OperatorRefusal(`${method} ${path}`, response.status, error);
  }
}
