/** Ports for processes that are started later, and again on the same port. */
import { randomInt } from "node:crypto";
import { createServer } from "node:net";

/**
 * Below what systems hand out to connections that leave (Linux from 32768, others from 49152): a
 * port of those is soon somebody else's, also while its own process restarts.
 */
const LOWEST = 15_000;
const HIGHEST = 32_000;
const TRIES = 1000;

/** Different ports of 127.0.0.1 on which nobody listens at this moment. */
export async function freePorts(count: number): Promise<readonly number[]> {
  const found = new Set<number>();
  for (let tries = 0; found.size < count; tries++) {
    if (tries === TRIES) throw new Error(`no ${count} ports of ${LOWEST} to ${HIGHEST} are free`);
    const port = randomInt(LOWEST, HIGHEST);
    if (await isFree(port)) found.add(port);
  }
  return [...found];
}

function isFree(port: number): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}
