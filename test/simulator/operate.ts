/** Calls of an operator that may be refused. */
import { hold } from "./breach.ts";
import type { SimulatedExchange } from "./simulated-exchange.ts";

const STATUSES = new Set([200, 400, 404, 409, 503]);

export async function operate(
  exchange: SimulatedExchange,
  method: string,
  path: string,
  body?: object,
): Promise<unknown> {
  const outcome = await exchange.send("operator", exchange.operatorRequest(method, path, body));
  const isKnown = outcome === null || STATUSES.has(outcome.status);
  hold(isKnown, "answers", () => `${method} ${path}: ${JSON.stringify(outcome)}`);
  return outcome?.status === 200 ? outcome.body : null;
}
