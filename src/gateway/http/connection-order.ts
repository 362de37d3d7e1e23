/**
 * Pipelined requests of a connection run in the order of their arrival (RFC 9112, 9.3.2). A body
 * arrives after its head, so that a request without one would otherwise overtake it.
 *
 * A request begins when those before it were answered, with two exceptions: reads run beside reads,
 * because they change nothing; and what enters the engine in one step follows the step before it at
 * once, because the engine keeps the order.
 */
import type { Socket } from "node:net";

export type Sharing = "reads" | "steps" | "nothing";

/** More requests of one connection may not wait. */
export const WAITING_MAX = 256;

/** A request's place in the order of its connection. */
export class Turn {
  readonly #order: ConnectionOrder | null;
  #isEntering = true;

  /** `order` is null for a request that no other waits for. */
  constructor(order: ConnectionOrder | null) {
    this.#order = order;
  }

  /** Everything that the request submits at once is submitted. */
  handedOver(): void {
    if (this.#isEntering) this.#order?.entered();
    this.#isEntering = false;
  }

  answered(): void {
    this.handedOver();
    this.#order?.left();
  }
}

/** Of a request that no other waits for. */
export const NO_TURN = new Turn(null);

interface Waiting {
  readonly sharing: Sharing;
  readonly begin: (turn: Turn) => void;
}

class ConnectionOrder {
  readonly #waiting: Waiting[] = [];
  /** What may run beside the running requests. */
  #sharing: Sharing = "nothing";
  #running = 0;
  /** A request has begun and is still reading its body. */
  #isEntering = false;
  #isAdvancing = false;

  take(sharing: Sharing, begin: (turn: Turn) => void): boolean {
    if (this.#waiting.length === 0 && this.#admits(sharing)) this.#begin(sharing, begin);
    else if (this.#waiting.length < WAITING_MAX) this.#waiting.push({ sharing, begin });
    else return false;
    return true;
  }

  entered(): void {
    this.#isEntering = false;
    this.#advance();
  }

  left(): void {
    this.#running--;
    this.#advance();
  }

  #advance(): void {
    // A request that is refused at once comes back here before its `begin` has returned.
    if (this.#isAdvancing || this.#waiting.length === 0) return;
    this.#isAdvancing = true;
    for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
      if (!this.#admits(next.sharing)) break;
      this.#waiting.shift();
      this.#begin(next.sharing, next.begin);
    }
    this.#isAdvancing = false;
  }

  #admits(sharing: Sharing): boolean {
    if (this.#running === 0) return true;
    return !this.#isEntering && sharing !== "nothing" && sharing === this.#sharing;
  }

  #begin(sharing: Sharing, begin: (turn: Turn) => void): void {
    this.#sharing = sharing;
    this.#running++;
    this.#isEntering = true;
    begin(new Turn(this));
  }
}

/** What still waits when a connection breaks is not carried out. */
const orders = new WeakMap<Socket, ConnectionOrder>();

/** Calls `begin` when it is the request's turn, perhaps at once; false if too many wait. */
export function takeTurn(socket: Socket, sharing: Sharing, begin: (turn: Turn) => void): boolean {
  let order = orders.get(socket);
  if (order === undefined) {
    order = new ConnectionOrder();
    orders.set(socket, order);
  }
  return order.take(sharing, begin);
}
