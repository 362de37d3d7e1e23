/** The machine: its Node version, and the ports that a start would use. */
import { once } from "node:events";
import { createServer } from "node:net";
import { MANIFEST } from "../version.ts";
import { type Check, fail, ok } from "./check.ts";

export interface ListenAddress {
  readonly host: string;
  readonly port: number;
  /** The flag that sets the port. */
  readonly flag: string;
}

export function checkNode(version: string = process.versions.node): Check {
  const name = "node";
  const oldest = firstNumber(MANIFEST.engines.node);
  if (firstNumber(version) < oldest) {
    return fail(
      name,
      `Node ${version} is too old: ${oldest} or newer is needed`,
      `Install Node ${oldest} from https://nodejs.org.`,
    );
  }
  return ok(name, `Node ${version}; ${oldest} or newer is needed`);
}

function firstNumber(text: string | undefined): number {
  return Number(/\d+/.exec(text ?? "")?.[0]);
}

/** `isRunning`: an exchange holds the data folder, and so most likely these ports. */
export async function checkPort(address: ListenAddress, isRunning: boolean): Promise<Check> {
  const { host, port, flag } = address;
  const name = flag.slice(2);
  const place = `${host}:${port}`;
  if (port === 0) return ok(name, "the start picks a free port");
  const problem = await listeningProblem(address);
  if (problem === null && !isRunning) return ok(name, `${place} is free`);
  if (problem === null) {
    return ok(name, `${place} is free: the exchange that runs here listens elsewhere`);
  }
  if (problem === "EADDRINUSE" && isRunning) {
    return ok(name, `${place} is in use by the running exchange`);
  }
  if (problem === "EADDRINUSE") {
    return fail(
      name,
      `${place} is in use by another process`,
      `Stop that process, or start with another ${flag}.`,
    );
  }
  return fail(
    name,
    `cannot listen on ${place} (${problem})`,
    `Use an address of this machine, and a ${flag} that this user may open.`,
  );
}

/** The error code; null when it can listen there. */
async function listeningProblem({ host, port }: ListenAddress): Promise<string | null> {
  const server = createServer();
  try {
    server.listen({ host, port, exclusive: true });
    await once(server, "listening");
    server.close();
    await once(server, "close");
    return null;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? String(error);
  }
}
