/** Trades the demo's history on an exchange of one machine, whose folder begins the cluster. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import type { DemoAccount } from "../../sandbox/index.ts";
import { CommandFailed } from "../failure.ts";

interface SeedOptions {
  readonly folder: string;
  readonly sandbox: boolean;
  readonly marketMakers: "on" | "off";
  readonly masterKey: string;
  /** Called with its process when that runs, and with null when it has ended. */
  readonly onChange: (pid: number | null) => void;
}

/** Resolves with the accounts, when the exchange has stopped. */
export async function seedExchange(options: SeedOptions): Promise<readonly DemoAccount[]> {
  const { folder, marketMakers, masterKey, sandbox } = options;
  const flags = ["--data-dir", folder, "--port", "0", "--operator-port", "0", "--gateways", "0"];
  flags.push("--profile", "demo", "--market-makers", marketMakers, "--log-level", "silent");
  if (sandbox) flags.push("--sandbox");
  const command = [...process.execArgv, process.argv[1] as string, "start", ...flags];
  const child = spawn(process.execPath, command, {
    env: { ...process.env, RIALTO_MASTER_KEY_FILE: masterKey },
    detached: true,
    stdio: ["ignore", "pipe", "inherit", "ipc"],
  });
  options.onChange(child.pid ?? null);
  child.once("exit", () => options.onChange(null));
  let output = "";
  const accounts = new Promise<readonly DemoAccount[] | null>((resolve) => {
    child.stdout?.on("data", (chunk: Buffer) => {
      output += chunk.toString("utf8");
      const lines = output.split("\n").slice(0, -1);
      const line = lines.find((each) => each.startsWith('{"event":"ready"'));
      if (line !== undefined) resolve((JSON.parse(line) as { demo: DemoAccount[] }).demo);
    });
    child.once("exit", () => resolve(null));
  });
  const made = await accounts;
  if (made === null) throw new CommandFailed("node", "the demo's market could not be made.");
  const ended = once(child, "exit");
  child.kill("SIGTERM");
  await ended;
  return made;
}
