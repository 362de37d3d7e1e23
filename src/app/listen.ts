/** Listening, with an error that says what to do. */
import type { AddressInfo } from "node:net";
import type { FastifyInstance } from "fastify";
import { StartRefused } from "./config.ts";

/**
 * `plane` begins the flags that name the address. The port that was bound. Throws `StartRefused`
 * when the address cannot be listened on.
 */
export async function listenOn(
  app: FastifyInstance,
  host: string,
  port: number,
  plane: "" | "operator-",
): Promise<number> {
  try {
    await app.listen({ host, port });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "EADDRINUSE") {
      throw new StartRefused(
        `${host}:${port} is in use by another process. Choose another port with --${plane}port ` +
          "(0 picks a free one).",
      );
    }
    throw new StartRefused(
      `Cannot listen on ${host}:${port} (${message}). Is --${plane}host an address of this ` +
        "machine, and may this user open that port?",
    );
  }
  return (app.server.address() as AddressInfo).port;
}
