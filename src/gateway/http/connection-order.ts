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

/** A request that begins when it is its turn on its connection. */
export abstract class OrderedRequest {
  readonly sharing: Sharing;
  #order: ConnectionOrder | null = null;
  #isEntering = true;

  constructor(sharing: Sharing) {
    this.sharing = sharing;
  }

  /** It is its turn. */
  abstract begin(): void;

  /**
   * Calls `begin` when it is the request's turn, perhaps at once. False if too many wait: then no
   * other request waits for this one.
   */
  takeTurn(socket: Socket): boolean {
    const order = orderOf(socket);
    this.#order = order;
    if (order.take(this)) return true;
    this.#order = null;
    return false;
  }

  /** Everything that the request submits at once is submitted. */
  handedOver(): void {
    if (!this.#isEntering) return;
    this.#isEntering = false;
    this.#order?.entered();
  }

  answered(): void {
    this.handedOver();
    this.#order?.left();
  }
}

class ConnectionOrder {
  readonly #waiting: OrderedRequest[] = [];
  /** What may run beside the running requests. */
  #sharing: Sharing = "nothing";
  #running = 0;
  /** A request has begun and is still reading its body. */
  #isEntering = false;
  #isAdvancing = false;

  take(request: OrderedRequest): boolean {
    if (this.#waiting.length === 0 && this.#admits(request.sharing)) this.#begin(request);
    else if (this.#waiting.length < WAITING_MAX) this.#waiting.push(request);
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
      this.#begin(next);
    }
    this.#isAdvancing = false;
  }

  #admits(sharing: Sharing): boolean {
    if (this.#running === 0) return true;
    return !this.#isEntering && sharing !== "nothing" && sharing === this.#sharing;
  }

  #begin(request: OrderedRequest): void {
    this.#sharing = request.sharing;
    this.#running++;
    this.#isEntering = true;
    request.begin();
  }
}

/** What still waits when a connection breaks is not carried out. */
const ORDER = Symbol("connection order");

/** Kept on the socket itself: a look-up in a `WeakMap` costs more than the rest of a turn. */
function orderOf(socket: Socket & { [ORDER]?: ConnectionOrder }): ConnectionOrder {
  socket[ORDER] ??= new ConnectionOrder();
  return socket[ORDER];
}
