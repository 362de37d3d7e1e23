/** Listens on an address; errors say what to do. */
import type { ListenAddress } from "../platform/index.ts";
import { StartRefused } from "./config.ts";

/**
 * Returns the bound port. `prefix` is the prefix of the flags for this address. Throws
 * `StartRefused` when it cannot listen there.
 */
export async function listenOn(
  { host, port }: ListenAddress,
  prefix: "" | "operator-",
  listen: (address: ListenAddress) => Promise<number>,
): Promise<number> {
  try {
    return await listen({ host, port });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "EADDRINUSE") {
      throw new StartRefused(
        `${host}:${port} is in use by another process. Choose another port with --${prefix}port ` +
          "(0 picks a free one).",
      );
    }
    throw new StartRefused(
      `Cannot listen on ${host}:${port} (${message}). Is --${prefix}host an address of this ` +
        "machine, and may this user open that port?",
    );
  }
}
