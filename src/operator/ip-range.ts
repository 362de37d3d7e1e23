/** Addresses and CIDR ranges of an allow-list. */
import { isIP } from "node:net";

const PREFIX_BITS_MAX: Readonly<Record<number, number>> = { 4: 32, 6: 128 };

/**
 * "10.0.0.1", "10.0.0.0/8", "2001:db8::/32". Zone ids and leading zeros in a prefix are refused.
 */
export function isIpRange(text: string): boolean {
  const slash = text.indexOf("/");
  const address = slash === -1 ? text : text.slice(0, slash);
  const bitsMax = PREFIX_BITS_MAX[address.includes("%") ? 0 : isIP(address)];
  if (bitsMax === undefined) return false;
  if (slash === -1) return true;
  const prefix = text.slice(slash + 1);
  return /^(0|[1-9]\d{0,2})$/.test(prefix) && Number(prefix) <= bitsMax;
}
