/** Addresses of PostgreSQL on the command line. */
import { Option } from "commander";
import { CommandFailed } from "./failure.ts";

/** For examples of a command that takes them. */
export const EXAMPLE_URLS =
  "postgresql://rialto@10.0.0.1/rialto,postgresql://rialto@10.0.0.2/rialto";

/** `postgresql://user@host:5432/database`, several with commas between them. */
export function postgresUrls(text: string): readonly string[] {
  const urls = text.split(",").map((url) => url.trim());
  for (const url of urls) {
    const parsed = URL.parse(url);
    if (parsed !== null && /^postgres(ql)?:$/.test(parsed.protocol)) continue;
    // It may have a password.
    throw new CommandFailed(
      "usage",
      "--postgres takes addresses such as postgresql://rialto@10.0.0.1:5432/rialto, with commas " +
        "between them.",
      "postgres",
    );
  }
  return urls;
}

/** Several addresses, of one database. */
export function postgresOption(): Option {
  const text = "all nodes of PostgreSQL, each the address of the same database";
  return new Option("--postgres <url,…>", text).env("RIALTO_POSTGRES");
}
