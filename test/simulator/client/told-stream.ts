/** The other end of a client's stream, which takes every channel and tells what it is given. */
import type { RialtoClientOptions } from "../../../src/client/index.ts";
import { inTurns } from "./client-machine.ts";

type SocketClass = NonNullable<RialtoClientOptions["webSocket"]>;
type Listener = (event: object) => void;

interface Asked {
  readonly method: string;
  readonly params?: readonly string[];
  readonly id: string;
}

const NOTHING = () => undefined;

export class ToldStream {
  readonly webSocket: SocketClass;
  /** That are subscribed to. */
  readonly channels = new Set<string>();
  #tell: (text: string) => void = NOTHING;
  #cut: () => void = NOTHING;

  constructor() {
    this.webSocket = this.#socketClass();
  }

  tell(message: object): void {
    this.#tell(JSON.stringify(message));
  }

  /** The connection breaks; the client opens another one. */
  cut(): void {
    this.#cut();
  }

  #opened(tell: (text: string) => void, cut: () => void): void {
    this.channels.clear();
    this.#tell = tell;
    this.#cut = cut;
  }

  #answer({ id, method, params = [] }: Asked): void {
    for (const name of params) {
      if (method === "SUBSCRIBE") this.channels.add(name);
      else this.channels.delete(name);
    }
    if (id !== "pong") this.tell({ result: true, id });
  }

  #socketClass(): SocketClass {
    const stream = this;
    return class {
      static readonly CONNECTING = 0;
      static readonly OPEN = 1;
      readyState = 0;
      readonly #listeners = new Map<string, Listener>();

      constructor() {
        void inTurns(1).then(() => this.#open());
      }

      #open(): void {
        if (this.readyState !== 0) return;
        this.readyState = 1;
        const tell = (data: string) => this.#hear("message", { data });
        stream.#opened(tell, () => this.close());
        this.#hear("open", {});
      }

      #hear(name: string, event: object): void {
        this.#listeners.get(name)?.(event);
      }

      addEventListener(name: string, listener: Listener): void {
        this.#listeners.set(name, listener);
      }

      send(text: string): void {
        const asked = JSON.parse(text) as Asked;
        void inTurns(1).then(() => {
          if (this.readyState === 1) stream.#answer(asked);
        });
      }

      close(): void {
        if (this.readyState === 3) return;
        this.readyState = 3;
        stream.#opened(NOTHING, NOTHING);
        this.#hear("close", { code: 1006, reason: "" });
      }
    } as unknown as SocketClass;
  }
}
