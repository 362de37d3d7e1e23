/** Who the exchange is: says so in the log when its data folder was restored from a backup. */
import type { Platform } from "../platform/index.ts";
import type { Config, VenueMark } from "./config.ts";
import { openManifest } from "./data-folder-manifest.ts";
import type { Log } from "./log.ts";

/** Throws `StartRefused` where the folder and the flags contradict each other. */
export function openVenue(
  { dataFolder, sandbox }: Config,
  { randomness }: Pick<Platform, "randomness">,
  log: Log,
): VenueMark {
  const { id, origin } = openManifest(dataFolder, sandbox, randomness);
  if (origin === null) return { id, restoredSequence: null };
  const { sequence } = origin;
  log.warn(
    { venue: id, restoredFrom: origin.id, restoredSequence: sequence },
    "this venue was restored from a backup: what came after it never happened here",
  );
  return { id, restoredSequence: sequence };
}
