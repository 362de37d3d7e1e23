/**
 * What a rule can name: calls of the API and methods of the trading WebSocket by a pattern, and
 * channels as clients subscribe to them.
 */
import { parseAccountChannel, parsePublicChannel } from "../api/channel-names.ts";
import { pathsOf, ROUTES } from "../api/routes.ts";
import { SESSION_METHODS } from "../api/socket-calls.ts";
import { SOCKET_METHODS } from "../api/socket-routes.ts";
import { parseV2PrivateChannel, parseV2PublicChannel } from "../api/v2-channel-names.ts";
import { PRODUCTS, type Product } from "../domain/index.ts";

const PATTERN = /^(\*|GET|POST|PUT|DELETE) (\*|\/[^\s*]*\*?)$/;
const EVERYTHING = "*";

const CALLS = [...ROUTES, ...SOCKET_METHODS.map(({ route }) => route)];
const METHODS: ReadonlySet<string> = new Set([
  ...SESSION_METHODS,
  ...SOCKET_METHODS.map(({ name }) => name),
]);

/**
 * Ids of the routes that a pattern matches, over HTTP and over WebSocket alike; for the name of a
 * method this name alone. Null when it matches nothing.
 */
export function targetsOf(pattern: string): ReadonlySet<string> | null {
  if (METHODS.has(pattern)) return new Set([pattern]);
  const [, method, path] = PATTERN.exec(pattern) ?? [];
  if (method === undefined || path === undefined) return null;
  const isPath = path.endsWith(EVERYTHING)
    ? (candidate: string) => candidate.startsWith(path.slice(0, -1))
    : (candidate: string) => candidate === path;
  const matched = CALLS.filter(
    (route) => (method === EVERYTHING || method === route.method) && pathsOf(route).some(isPath),
  );
  return matched.length === 0 ? null : new Set(matched.map(({ id }) => id));
}

/** A channel: private, or of the market with this symbol. */
export interface NamedChannel {
  readonly product: Product;
  readonly symbol: string | null;
}

/** The channels that clients of any dialect call by this name; one of each product at most. */
export function channelsOf(name: string): readonly NamedChannel[] {
  return PRODUCTS.flatMap((product): NamedChannel[] => {
    if (parseAccountChannel(product, name) ?? parseV2PrivateChannel(product, name)) {
      return [{ product, symbol: null }];
    }
    const channel =
      parsePublicChannel(product, name) ?? parseV2PublicChannel(product, name)?.channel;
    return channel === undefined ? [] : [{ product, symbol: channel.symbol }];
  });
}
