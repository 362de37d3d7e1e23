/** A port for a process that is started later, and again on the same port. */
import { freePorts } from "../../src/cli/demo/free-ports.ts";

export async function freePort(): Promise<number> {
  const [port] = await freePorts(1);
  return port as number;
}
