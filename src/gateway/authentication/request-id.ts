/**
 * The id of a signed request, derived from what was verified and nothing else: the key, and the
 * signature over time, method, path, query and body. The same bytes sent again, to any process of
 * this exchange, have the same id, so that a retry is done only once.
 */
import { hash } from "node:crypto";
import type { EndpointRequest } from "../endpoint.ts";

/** Keeps these ids apart from any other use of the same signature. */
const DOMAIN = "rialto request 1";
/** 144 bits, of the letters and the length that client order ids may have. */
const ID_LENGTH = 36;

/** One way: an id reveals nothing about the signature. */
export function requestIdOf({
  caller,
  signature,
}: Pick<EndpointRequest<unknown, unknown>, "caller" | "signature">): string {
  return hash("sha256", `${DOMAIN}\n${caller.apiKey}\n${signature}`, "hex").slice(0, ID_LENGTH);
}
