/** Listens on an address; errors say what to do. */
import type { ListenAddress } from "../platform/index.ts";
import { StartRefused } from "./config.ts";

/** Of the flags that name an address. */
type Prefix = "" | "operator-" | "cluster-";

/**
 * Returns the bound port. `prefix` is the prefix of the flags for this address. Throws
 * `StartRefused` when it cannot listen there.
 */
export async function listenOn(
  { host, port }: ListenAddress,
  prefix: Prefix,
  listen: (address: ListenAddress) => Promise<number>,
): Promise<number> {
  try {
    return await listen({ host, port });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "EADDRINUSE") {
      throw new StartRefused(
        `${host}:${port} is in use by another process. Choose another port with ` +
          `${portFlag(prefix)} (0 picks a free one).`,
      );
    }
    throw new StartRefused(
      `Cannot listen on ${host}:${port} (${message}). Is that an address of this machine ` +
        `(${hostFlag(prefix)}), and may this user open that port?`,
    );
  }
}

function portFlag(prefix: Prefix): string {
  return prefix === "cluster-" ? "--cluster-listen" : `--${prefix}port`;
}

function hostFlag(prefix: Prefix): string {
  return prefix === "cluster-" ? "--cluster-listen" : `--${prefix}host`;
}
