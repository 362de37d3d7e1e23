/** Calls of an operator that may be refused. */
import { hold } from "./breach.ts";
import type { SimulatedExchange } from "./simulated-exchange.ts";

function isDamage(body: unknown): boolean {
  const error = (body as { readonly error?: { readonly code: string } } | undefined)?.error;
  return error?.code === "journal-damaged";
}

const STATUSES = new Set([200, 400, 404, 409, 503]);

export async function operate(
  exchange: SimulatedExchange,
  method: string,
  path: string,
  body?: object,
): Promise<unknown> {
  const outcome = await exchange.send("operator", exchange.operatorRequest(method, path, body));
  const isKnown = outcome === null || STATUSES.has(outcome.status);
  const detail = () => `${method} ${path}: ${JSON.stringify(outcome)}`;
  hold(isKnown, "answers", detail);
  const isExplained = exchange.life.files.misdirected !== null || !isDamage(outcome?.body);
  hold(isExplained, "only what is damaged is called damaged", detail);
  return outcome?.status === 200 ? outcome.body : null;
}
