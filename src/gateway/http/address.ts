/** Addresses of callers, also behind proxies, and lists of address ranges. */
import type { IncomingMessage } from "node:http";
import { BlockList, isIP, isIPv4, type Socket } from "node:net";

const MAPPED_IPV4 = "::ffff:";
const IPV4_BITS = 32;
const IPV6_BITS = 128;

/** An IPv4 address that arrived on an IPv6 socket is written as IPv4. */
export function plainAddress(address: string): string {
  if (!address.startsWith(MAPPED_IPV4)) return address;
  const ipv4 = address.slice(MAPPED_IPV4.length);
  return isIPv4(ipv4) ? ipv4 : address;
}

/** A set of single addresses and CIDR ranges, IPv4 and IPv6. */
export class AddressRanges {
  readonly #list = new BlockList();

  /** Throws a `RangeError` that names an entry which is neither an address nor a range. */
  constructor(entries: readonly string[]) {
    for (const entry of entries) this.#add(entry);
  }

  #add(entry: string): void {
    const [address = "", prefix, ...rest] = entry.split("/");
    const version = isIP(address);
    const bits = version === 4 ? IPV4_BITS : IPV6_BITS;
    const length = prefix === undefined ? bits : Number(prefix);
    const isPrefix = prefix === undefined || (/^\d{1,3}$/.test(prefix) && length <= bits);
    if (version === 0 || rest.length > 0 || !isPrefix) {
      throw new RangeError(`neither an IP address nor a CIDR range: ${entry}`);
    }
    this.#list.addSubnet(address, length, version === 4 ? "ipv4" : "ipv6");
  }

  includes(address: string): boolean {
    return this.#list.check(address, isIPv4(address) ? "ipv4" : "ipv6");
  }
}

const ADDRESS = Symbol("address");

/** Kept on the socket: it is the same for all requests of a connection. */
function socketAddress(socket: Socket & { [ADDRESS]?: string }): string {
  const known = socket[ADDRESS];
  if (known !== undefined) return known;
  const address = plainAddress(socket.remoteAddress ?? "");
  socket[ADDRESS] = address;
  return address;
}

/**
 * The caller's address: the socket's, or behind trusted proxies the rightmost entry of
 * X-Forwarded-For that is not one of them. Entries further left could be forged by the caller.
 */
export function clientAddress(request: IncomingMessage, trusted: AddressRanges | null): string {
  let address = socketAddress(request.socket);
  if (trusted === null || !trusted.includes(address)) return address;
  const forwarded = String(request.headers["x-forwarded-for"] ?? "").split(",");
  for (let i = forwarded.length - 1; i >= 0; i--) {
    const hop = plainAddress((forwarded[i] ?? "").trim());
    if (isIP(hop) === 0) return address;
    address = hop;
    if (!trusted.includes(hop)) return address;
  }
  return address;
}
