/** The last requests that a gateway answered, for testers who ask what their program did. */
import type { LoggedRequest } from "../api/operator/faults.ts";
import type { FaultMemory } from "./fault-memory.ts";

/** Of all gateways together, and at most of each. */
const REQUESTS_KEPT = 10_000;

/** Which requests to show: those after a number, up to another, of one user or all. */
export interface RequestQuestion {
  readonly after: number;
  readonly upTo: number;
  readonly uid: number | null;
  readonly limit: number;
}

export class RequestLog {
  readonly #memory: FaultMemory;
  /** A ring once it is full. */
  readonly #requests: LoggedRequest[] = [];
  #oldest = 0;

  constructor(memory: FaultMemory) {
    this.#memory = memory;
  }

  add(request: Omit<LoggedRequest, "id">): void {
    const numbered = { id: this.#memory.nextRequest(), ...request };
    if (this.#requests.length < REQUESTS_KEPT) {
      this.#requests.push(numbered);
      return;
    }
    this.#requests[this.#oldest] = numbered;
    this.#oldest = (this.#oldest + 1) % REQUESTS_KEPT;
  }

  /** Oldest first. */
  find({ after, upTo, uid, limit }: RequestQuestion): LoggedRequest[] {
    const from = Math.max(after, upTo - REQUESTS_KEPT);
    const found: LoggedRequest[] = [];
    const count = this.#requests.length;
    for (let i = 0; i < count && found.length < limit; i++) {
      const request = this.#requests[(this.#oldest + i) % count] as LoggedRequest;
      const isAsked = request.id > from && request.id <= upTo;
      if (isAsked && (uid === null || request.uid === uid)) found.push(request);
    }
    return found;
  }
}

/** What each gateway found, as one answer. */
export function mergeRequests(
  found: readonly (readonly LoggedRequest[])[],
  limit: number,
): LoggedRequest[] {
  return found
    .flat()
    .sort((one, other) => one.id - other.id)
    .slice(0, limit);
}
