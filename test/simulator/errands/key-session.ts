/** What a key has open while it is changed: a session on the trading WebSocket, and a stream. */

import type { Credentials } from "../../support/signed-client.ts";
import { handshakeHeaders } from "../../support/stream-client.ts";
import { logonParams } from "../../support/trading-socket.ts";
import { hold } from "../breach.ts";
import { SOCKET_PATH } from "../entry.ts";
import { passTime } from "../pass-time.ts";
import type { SimulatedExchange } from "../simulated-exchange.ts";
import { SimulatedSocket } from "../socket.ts";
import { streamPath } from "../stream-versions.ts";
import { SETTLE_MS } from "../watches.ts";

const LOOK_MS = 100;

export class Session {
  readonly #exchange: SimulatedExchange;
  readonly #trading: SimulatedSocket;
  /** Null where the key may not listen. */
  readonly #stream: SimulatedSocket | null;

  private constructor(
    exchange: SimulatedExchange,
    trading: SimulatedSocket,
    stream: SimulatedSocket | null,
  ) {
    this.#exchange = exchange;
    this.#trading = trading;
    this.#stream = stream;
  }

  /** Null when nobody was let in. */
  static async open(exchange: SimulatedExchange, who: Credentials): Promise<Session | null> {
    const trading = await SimulatedSocket.open(exchange, SOCKET_PATH, {}, () => undefined);
    exchange.checkRunning();
    if (trading === null) return null;
    const params = logonParams(who, exchange.signingTime());
    const answer = await trading.ask({ method: "session.logon", params });
    exchange.checkRunning();
    if (answer?.status !== 200) {
      trading.close();
      return null;
    }
    const path = streamPath("v3", "spot", "private");
    const headers = handshakeHeaders(who, exchange.signingTime());
    const stream = await SimulatedSocket.open(exchange, path, headers, () => undefined);
    exchange.checkRunning();
    return new Session(exchange, trading, stream);
  }

  /** Behind a change of its key: the stream ends, and the session has what was set. */
  async check(isLetIn: boolean, permissions: readonly string[] = []): Promise<void> {
    const stream = this.#stream;
    for (let waited = 0; stream?.isOpen === true && waited < SETTLE_MS; waited += LOOK_MS) {
      await passTime(this.#exchange, LOOK_MS);
    }
    hold(stream?.isOpen !== true, "a stream ends with a change of its key", () => "it is open");
    const answer = await this.#trading.ask({ method: "session.status" });
    this.#exchange.checkRunning();
    if (answer === null) return;
    const said = answer.result as { readonly permissions?: readonly string[] } | undefined;
    const detail = () => `${isLetIn} ${permissions}: ${JSON.stringify(answer)}`;
    hold(isLetIn, "a session ends with its key", detail);
    const isSame = String(said?.permissions) === String(permissions);
    hold(isSame, "a session may do what its key may", detail);
  }

  close(): void {
    this.#trading.close();
    this.#stream?.close();
  }
}
