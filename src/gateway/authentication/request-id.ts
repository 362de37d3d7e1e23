/**
 * The id of a signed request, drawn from what was verified and from nothing else: the key, and the
 * signature over time, method, path, query and body. So whoever sends the same bytes again, however
 * the headers are written, to whichever process of this exchange, asks for the same thing, and what
 * was done stays done once.
 */
import { hash } from "node:crypto";
import type { EndpointRequest } from "../endpoint.ts";

/** Keeps these ids apart from any other use of the same signature. */
const DOMAIN = "rialto request 1";
/** 144 bits, of the letters and the length that client order ids may have. */
const ID_LENGTH = 36;

/** One way: an id tells nothing about the signature, and nobody without the secret meets one. */
export function requestIdOf({
  caller,
  signature,
}: Pick<EndpointRequest<unknown, unknown>, "caller" | "signature">): string {
  return hash("sha256", `${DOMAIN}\n${caller.apiKey}\n${signature}`, "hex").slice(0, ID_LENGTH);
}
