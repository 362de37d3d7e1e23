/** The log of requests. */
import { setTimeout as sleep } from "node:timers/promises";
import type { OperatorCalls } from "./operator-calls.ts";

export interface LoggedRequest {
  /** Number of the request since the start. */
  readonly id: number;
  /** Exchange time of the answer. */
  readonly time: number;
  readonly transport: "http" | "websocket";
  /** `POST /api/v3/order`, over WebSocket too. */
  readonly route: string;
  /** Of the trading WebSocket: `order.place`; null over HTTP. */
  readonly method: string | null;
  /** 0 for a public call or an unknown key. */
  readonly uid: number;
  readonly apiKey: string;
  readonly address: string;
  /** Null if the connection closed without a response. */
  readonly status: number | null;
  /** The error code; null for success. */
  readonly code: string | number | null;
  readonly ms: number;
  /** The fault rule that hit it. */
  readonly fault: string | null;
}

export interface RequestFilter {
  readonly user?: { readonly uid: number };
  /** Only requests with a higher id. */
  readonly after?: number;
}

/** The fields that a request must have; its other fields may be anything. */
export type ExpectedRequest = RequestFilter &
  Partial<Pick<LoggedRequest, "route" | "method" | "transport" | "status" | "code" | "fault">>;

/** No such request arrived in time. */
export class RequestMissing extends Error {
  override readonly name = "RequestMissing";
}

interface Page {
  readonly items: readonly LoggedRequest[];
  readonly next: number;
  readonly isLast: boolean;
}

const PAGE_LIMIT = 1_000;
const LOOK_EVERY_MS = 10;

/** Oldest first. */
export async function findRequests(
  operator: OperatorCalls,
  filter: RequestFilter,
): Promise<LoggedRequest[]> {
  const found: LoggedRequest[] = [];
  for (let after = filter.after ?? 0; ; ) {
    const page = await readPage(operator, filter, after);
    found.push(...page.items);
    if (page.isLast) return found;
    after = page.next;
  }
}

/** The first that has the fields, or the first to arrive. Rejects with `RequestMissing`. */
export async function awaitRequest(
  operator: OperatorCalls,
  expected: ExpectedRequest,
  timeoutMs: number,
): Promise<LoggedRequest> {
  const { user: _user, after: _after, ...fields } = expected;
  const wanted = Object.entries(fields).filter(([, value]) => value !== undefined);
  const isWanted = (request: LoggedRequest): boolean =>
    wanted.every(([name, value]) => request[name as keyof LoggedRequest] === value);
  const untilMs = performance.now() + timeoutMs;
  for (let after = expected.after ?? 0; ; ) {
    const page = await readPage(operator, expected, after);
    const found = page.items.find(isWanted);
    if (found !== undefined) return found;
    after = page.next;
    if (!page.isLast) continue;
    if (performance.now() >= untilMs) {
      const text = JSON.stringify(expected);
      throw new RequestMissing(`No request with ${text} arrived within ${timeoutMs} ms.`);
    }
    await sleep(LOOK_EVERY_MS);
  }
}

function readPage(operator: OperatorCalls, { user }: RequestFilter, after: number): Promise<Page> {
  const query = new URLSearchParams({ after: String(after), limit: String(PAGE_LIMIT) });
  if (user !== undefined) query.set("uid", String(user.uid));
  return operator.call("GET", `sandbox/requests?${query}`);
}
