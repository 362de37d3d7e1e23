/**
 * How a browser signs a handshake: its WebSocket cannot send headers, but it can name subprotocols.
 * They are sent in a header, so unlike a query they appear in no URL, log or history. Each is one
 * of the four signing headers in the alphabet that subprotocols allow. The exchange answers with
 * the first, which carries no data.
 */
import { SIGNING_HEADERS } from "./signing.ts";

/** The exchange's answer; the four others follow it. */
export const STREAM_PROTOCOL = "rialto.v1";

type Part = keyof typeof SIGNING_HEADERS;
const PARTS = Object.keys(SIGNING_HEADERS) as Part[];

const prefixOf = (part: Part): string => `${part}.`;

/** Subprotocols for the values of the four headers, by their names. */
export function toStreamProtocols(headers: Readonly<Record<string, string>>): string[] {
  const named = PARTS.map((part) => {
    const value = headers[SIGNING_HEADERS[part]] ?? "";
    return prefixOf(part) + (part === "sign" ? toUrlAlphabet(value) : value);
  });
  return [STREAM_PROTOCOL, ...named];
}

/**
 * The four headers, in lower case, from a `Sec-WebSocket-Protocol`; missing ones are left out. Null
 * when it is not our protocol, or repeats one of them.
 */
export function fromStreamProtocols(header: string): Record<string, string> | null {
  const protocols = header.split(",").map((protocol) => protocol.trim());
  if (!protocols.includes(STREAM_PROTOCOL)) return null;
  const headers: Record<string, string> = {};
  for (const part of PARTS) {
    const prefix = prefixOf(part);
    const [found, another] = protocols.filter((protocol) => protocol.startsWith(prefix));
    if (another !== undefined) return null;
    if (found === undefined) continue;
    const value = found.slice(prefix.length);
    headers[SIGNING_HEADERS[part].toLowerCase()] = part === "sign" ? toBase64(value) : value;
  }
  return headers;
}

/** Base64 without the characters that subprotocols do not allow. */
function toUrlAlphabet(base64: string): string {
  return base64.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

function toBase64(text: string): string {
  const base64 = text.replaceAll("-", "+").replaceAll("_", "/");
  return base64.padEnd(Math.ceil(base64.length / 4) * 4, "=");
}
