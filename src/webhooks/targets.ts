/**
 * Where a webhook may go. A URL that an operator enters makes this machine send requests, so by
 * default they leave it only for public addresses over TLS, or stay on it: never to the private
 * network around it, where other machines trust whoever can reach them.
 */
import { BlockList, isIP, isIPv4 } from "node:net";

/** `any`: private addresses and plain http as well. */
export type WebhookTargets = "public" | "any";

const URL_LENGTH_MAX = 2_000;
const LOOPBACK_NAMES = ["localhost", "127.0.0.1", "[::1]"];

/** Special-purpose addresses (RFC 6890 and its registry), multicast and reserved ones. */
const NOT_PUBLIC_IPV4: readonly (readonly [string, number])[] = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 3],
];
/** The rest of 2000::/3 is public; 6to4 and Teredo carry IPv4 addresses. */
const NOT_PUBLIC_IPV6: readonly (readonly [string, number])[] = [
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20],
];

const notPublic = new BlockList();
for (const [net, bits] of NOT_PUBLIC_IPV4) notPublic.addSubnet(net, bits, "ipv4");
for (const [net, bits] of NOT_PUBLIC_IPV6) notPublic.addSubnet(net, bits, "ipv6");
const globalIpv6 = new BlockList();
globalIpv6.addSubnet("2000::", 3, "ipv6");

/** An IPv4 address inside an IPv6 one is outside of 2000::/3, and so not public. */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !notPublic.check(address, "ipv4");
  if (isIP(address) === 0) return false;
  return globalIpv6.check(address, "ipv6") && !notPublic.check(address, "ipv6");
}

function isLoopbackAddress(address: string): boolean {
  return /^127\./.test(address) || address === "::1";
}

/** Names this machine itself. */
function isLoopbackUrl({ hostname }: URL): boolean {
  return LOOPBACK_NAMES.includes(hostname) || /^127(\.\d+){3}$/.test(hostname);
}

/** What is wrong with the text as a webhook's URL, null if nothing is. */
export function webhookUrlProblem(text: string, targets: WebhookTargets): string | null {
  const url = URL.parse(text);
  if (url === null || text.length > URL_LENGTH_MAX) {
    return `a URL of at most ${URL_LENGTH_MAX} characters`;
  }
  if (url.protocol !== "https:" && url.protocol !== "http:") return "an https URL";
  if (url.username !== "" || url.password !== "") return "a URL without a name and a password";
  if (url.hash !== "") return "a URL without a fragment";
  if (targets === "any" || isLoopbackUrl(url)) return null;
  if (url.protocol !== "https:") return "an https URL; http is for loopback alone";
  const host = url.hostname.replace(/^\[|\]$/g, "");
  if (isIP(host) === 0 || isPublicAddress(host)) return null;
  return "a public address; private ones need --webhook-targets any";
}

/**
 * Whether a request to the URL may connect to an address that its name resolved to. Asked for each
 * connection: what a name resolves to changes.
 */
export function mayConnect(url: URL, address: string, targets: WebhookTargets): boolean {
  if (targets === "any") return true;
  return isLoopbackUrl(url) ? isLoopbackAddress(address) : isPublicAddress(address);
}
