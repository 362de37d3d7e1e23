/** Times on the command line. */
import { InvalidArgumentError } from "commander";

/** Milliseconds since 1970. */
export function parseExpiry(text: string): number | "never" {
  if (text === "never") return text;
  const zoned = /(Z|[+-]\d\d:\d\d)$/.test(text);
  const timeMs = Date.parse(text);
  if (zoned && Number.isFinite(timeMs)) return timeMs;
  throw new InvalidArgumentError(
    "Use a time with its zone, such as 2027-01-01T00:00:00Z, or never.",
  );
}
