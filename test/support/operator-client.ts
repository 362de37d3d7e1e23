/**
 * Calls of the operator API: JSON in, JSON out, bearer token. A refusal is thrown with its whole
 * body.
 */
import { type HttpAnswer, HttpConnection } from "./http-exchange.ts";

class OperatorRefusal extends Error {
  override readonly name = "OperatorRefusal";
  readonly answer: HttpAnswer;

  constructor(call: string, answer: HttpAnswer) {
    super(`${call} was answered ${answer.status}: ${answer.text.slice(0, 500)}`);
    this.answer = answer;
  }
}

export interface Invariants {
  readonly ok: boolean;
  readonly sequence: number;
  readonly stateHash: string;
  readonly violations: readonly string[];
  readonly totals: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

export class OperatorClient {
  readonly #connection: HttpConnection;
  readonly #token: string;

  constructor(port: number, token: string) {
    this.#connection = new HttpConnection(port, 4);
    this.#token = token;
  }

  /** The answer as it is, refusals too. */
  send(method: string, path: string, body?: unknown): Promise<HttpAnswer> {
    const headers: Record<string, string> = { Authorization: `Bearer ${this.#token}` };
    if (body === undefined) return this.#connection.send({ method, path, headers });
    headers["Content-Type"] = "application/json";
    return this.#connection.send({ method, path, headers, body: JSON.stringify(body) });
  }

  async call<Answer>(method: string, path: string, body?: unknown): Promise<Answer> {
    const answer = await this.send(method, path, body);
    if (answer.status >= 300) throw new OperatorRefusal(`${method} ${path}`, answer);
    return answer.body as Answer;
  }

  invariants(): Promise<Invariants> {
    return this.call("GET", "/operator/v1/invariants");
  }

  async stateHash(): Promise<string> {
    return (await this.invariants()).stateHash;
  }

  /** Exchange time jumps; answered after the last effect. Only with `--sandbox`. */
  advanceClock(ms: number): Promise<unknown> {
    return this.call("POST", "/operator/v1/sandbox/clock/advance", { ms });
  }

  /** Exchange time stands still: nothing changes but by a request. Only with `--sandbox`. */
  freezeClock(): Promise<unknown> {
    return this.call("POST", "/operator/v1/sandbox/clock", { freeze: true });
  }

  /** In Prometheus' text format. */
  async metrics(): Promise<string> {
    return (await this.send("GET", "/metrics")).text;
  }

  takeSnapshot(): Promise<unknown> {
    return this.call("POST", "/operator/v1/snapshots", {});
  }

  close(): void {
    this.#connection.close();
  }
}
