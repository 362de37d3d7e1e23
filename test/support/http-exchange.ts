/**
 * One HTTP request and its whole answer, over a keep-alive agent of Node's own client. Nothing is
 * normalised on the way: method, path, headers and body leave as they are given, so that a test can
 * send what no well-behaved client would. Every answer is compared with the OpenAPI document,
 * whatever the test is about.
 */
import { Agent, type IncomingHttpHeaders, request } from "node:http";
import { undocumented } from "./documented-interface.ts";

export interface HttpRequest {
  readonly method: string;
  /** Path with query, exactly as it goes on the wire. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: string | Uint8Array | null;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** Parsed JSON; undefined when the text is none. */
  readonly body: unknown;
}

/**
 * The connection ended, or the answer did not come in time. A request may or may not have had its
 * effect.
 */
export class NoAnswer extends Error {
  override readonly name = "NoAnswer";
}

/** An answer that is not as the OpenAPI document says. */
class Undocumented extends Error {
  override readonly name = "Undocumented";
}

const ANSWER_TIMEOUT_MS = 20_000;

export class HttpConnection {
  readonly host: string;
  readonly port: number;
  readonly #agent: Agent;

  constructor(port: number, sockets = 16, host = "127.0.0.1") {
    this.host = host;
    this.port = port;
    this.#agent = new Agent({ keepAlive: true, maxSockets: sockets });
  }

  /** Rejects with `NoAnswer`, or with `Undocumented`, which is a failure of whatever is tested. */
  send(sent: HttpRequest): Promise<HttpAnswer> {
    return new Promise((resolve, reject) => {
      const body = sent.body ?? null;
      const headers: Record<string, string | readonly string[]> = { ...sent.headers };
      if (body !== null) headers["Content-Length"] = String(Buffer.byteLength(body));
      const outgoing = request(
        {
          host: this.host,
          port: this.port,
          method: sent.method,
          path: sent.path,
          headers: headers as Record<string, string>,
          agent: this.#agent,
          timeout: ANSWER_TIMEOUT_MS,
        },
        (incoming) => {
          const chunks: Buffer[] = [];
          incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
          incoming.on("error", (error) => reject(noAnswer(sent, error)));
          incoming.on("end", () => {
            const text = Buffer.concat(chunks).toString("utf8");
            const status = incoming.statusCode ?? 0;
            const answer = { status, headers: incoming.headers, text, body: parsed(text) };
            const problem = undocumented(sent, answer);
            if (problem === null) resolve(answer);
            else reject(new Undocumented(problem));
          });
        },
      );
      outgoing.on("timeout", () => outgoing.destroy(new Error("no answer in time")));
      outgoing.on("error", (error) => reject(noAnswer(sent, error)));
      outgoing.end(body ?? undefined);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function noAnswer(sent: HttpRequest, error: Error): NoAnswer {
  return new NoAnswer(`${sent.method} ${sent.path.slice(0, 200)}: ${error.message}`);
}
