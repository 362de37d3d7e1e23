/**
 * Where a webhook may go: by a URL, when one is added or changed, and by what a name leads to at
 * each delivery. The ranges that are not public are written down once more, as their first and last
 * addresses, and asked for at both of their edges.
 */
import { isIPv4 } from "node:net";
import type { Random } from "../../support/random.ts";
import { hold } from "../breach.ts";
import { RECEIVER_PORT } from "../errands/webhook-receiver.ts";
import { ask } from "../errands/webhooks.ts";
import type { Scene, Stage } from "./stage.ts";

/** Of RFC 6890 and its registry, and multicast. */
const V4_RANGES = [
  ["0.0.0.0", "0.255.255.255"],
  ["10.0.0.0", "10.255.255.255"],
  ["100.64.0.0", "100.127.255.255"],
  ["127.0.0.0", "127.255.255.255"],
  ["169.254.0.0", "169.254.255.255"],
  ["172.16.0.0", "172.31.255.255"],
  ["192.0.0.0", "192.0.0.255"],
  ["192.0.2.0", "192.0.2.255"],
  ["192.88.99.0", "192.88.99.255"],
  ["192.168.0.0", "192.168.255.255"],
  ["198.18.0.0", "198.19.255.255"],
  ["198.51.100.0", "198.51.100.255"],
  ["203.0.113.0", "203.0.113.255"],
  ["224.0.0.0", "255.255.255.255"],
] as const;
/** In groups, with all of them written. */
const V6_RANGES = [
  ["0:0:0:0:0:0:0:0", "1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"],
  ["2001:0:0:0:0:0:0:0", "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff"],
  ["2001:db8:0:0:0:0:0:0", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff"],
  ["2002:0:0:0:0:0:0:0", "2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff"],
  ["3fff:0:0:0:0:0:0:0", "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff"],
  ["4000:0:0:0:0:0:0:0", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"],
] as const;
const V6_KNOWN = ["::ffff:10.0.0.1", "fc00::1", "fe80::1", "ff02::1", "64:ff9b::808:808", "::"];

const NAME = "receiver.example";
const LOOPBACK = "127.0.0.1";
const URLS = [20, 32] as const;
const NAMES = [2, 4] as const;
const MEANT = "webhooks go to public addresses and to this machine";

export const webhookTargets: Scene = async (stage) => {
  const { exchange, random } = stage;
  const url = `http://${LOOPBACK}:${RECEIVER_PORT}/targets`;
  const created = await stage.do(ask(exchange, "POST", "webhooks", { url, kinds: ["halts"] }));
  if (created?.status !== 200) return;
  const path = `webhooks/${(created.body as { readonly webhookId: string }).webhookId}`;
  // It tells nobody of anything: of what is public it only learns the address.
  const paused = await stage.do(ask(exchange, "PATCH", path, { paused: true }));
  if (paused?.status === 200) {
    for (let left = random.integer(...URLS); left > 0; left--) await tryUrl(stage, path);
    for (let left = random.integer(...NAMES); left > 0; left--) await tryName(stage, path);
    await stage.do(ask(exchange, "PATCH", path, { url }));
  }
  await stage.do(ask(exchange, "DELETE", path));
  await stage.look();
};

interface Address {
  readonly text: string;
  readonly isPublic: boolean;
}

/** The first or the last one of a range, one beside it, or any of them. */
function someAddress(random: Random): Address {
  const isV4 = random.chance(0.6);
  const ranges = (isV4 ? V4_RANGES : V6_RANGES).map(([first, last]) => {
    return [numberOf(first), numberOf(last)] as const;
  });
  const [first, last] = random.pick(ranges);
  const share = BigInt(random.integer(0, 1_000_000));
  const inside = first + ((last - first) * share) / 1_000_000n;
  const number = random.pick([first - 1n, first, inside, inside, last, last + 1n]);
  const highest = 2n ** (isV4 ? 32n : 128n) - 1n;
  if (number < 0n || number > highest) return { text: isV4 ? "8.8.8.8" : "2600::", isPublic: true };
  const isPublic = ranges.every(([from, to]) => number < from || number > to);
  return { text: textOf(number, isV4), isPublic };
}

function numberOf(address: string): bigint {
  const isV4 = address.includes(".");
  const parts = address.split(isV4 ? "." : ":");
  return parts.reduce((sum, part) => {
    return sum * (isV4 ? 256n : 65_536n) + BigInt(isV4 ? part : `0x${part}`);
  }, 0n);
}

function textOf(number: bigint, isV4: boolean): string {
  const bits = isV4 ? 8n : 16n;
  const parts = Array.from({ length: isV4 ? 4 : 8 }, (_, index) => {
    const part = (number >> (bits * BigInt((isV4 ? 3 : 7) - index))) & (2n ** bits - 1n);
    return part.toString(isV4 ? 10 : 16);
  });
  return parts.join(isV4 ? "." : ":");
}

/** As a URL may spell it. */
function hostOf({ text }: Address, random: Random): string {
  if (!isIPv4(text)) return `[${text}]`;
  const number = numberOf(text);
  return random.pick([text, text, text, `${number}`, `0x${number.toString(16)}`]);
}

/** One that is public is set where nothing is told; what is not is refused there and anew. */
async function tryUrl(stage: Stage, path: string): Promise<void> {
  const { exchange, random } = stage;
  const known = { text: random.pick(V6_KNOWN), isPublic: false };
  const address = random.chance(0.1) ? known : someAddress(random);
  const isLoopback = address.text.startsWith("127.") || address.text === "0:0:0:0:0:0:0:1";
  const isTls = random.chance(0.85);
  const url = `${isTls ? "https" : "http"}://${hostOf(address, random)}/told`;
  const isAllowed = isLoopback || (isTls && address.isPublic);
  const isNew = !isAllowed && random.chance(0.5);
  const asked = isNew
    ? ask(exchange, "POST", "webhooks", { url, kinds: ["halts"] })
    : ask(exchange, "PATCH", path, { url });
  const outcome = await stage.do(asked);
  if (outcome === null || outcome.status === 503) return;
  const detail = () => JSON.stringify([url, address, outcome]);
  hold((outcome.status === 200) === isAllowed, MEANT, detail);
}

function privateAddress(random: Random): string {
  for (;;) {
    const { isPublic, text } = someAddress(random);
    if (!isPublic) return text;
  }
}

function someAddresses(random: Random): readonly string[] {
  return Array.from({ length: random.integer(0, 2) }, () => someAddress(random).text);
}

/** What it leads to is looked up for each delivery; one that leads to public ones is not tried. */
async function tryName(stage: Stage, path: string): Promise<void> {
  const { exchange, random } = stage;
  const isOfMachine = random.chance(0.4);
  const name = isOfMachine ? "localhost" : NAME;
  const sure = isOfMachine ? LOOPBACK : privateAddress(random);
  const addresses = random.shuffle([sure, ...someAddresses(random)]);
  const isAllowed = isOfMachine && addresses.every((address) => address.startsWith("127."));
  const url = isOfMachine ? `http://${name}:${RECEIVER_PORT}/targets` : `https://${name}/told`;
  const changed = await stage.do(ask(exchange, "PATCH", path, { url }));
  const said = () => JSON.stringify([name, addresses, changed]);
  if (changed === null || changed.status === 503) return;
  hold(changed.status === 200, MEANT, said);
  const { life } = exchange;
  life.names = new Map([[name, addresses]]);
  const outcome = await stage.do(ask(exchange, "POST", `${path}/tests`));
  life.names = new Map();
  if (outcome?.status !== 200) return;
  const { error } = outcome.body as { readonly error: string | null };
  const isRefused = error?.includes("not public") === true;
  hold(isRefused === !isAllowed, MEANT, () => JSON.stringify([name, addresses, outcome]));
}
