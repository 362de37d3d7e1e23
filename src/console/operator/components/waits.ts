/** A change that waits for a second operator was made as far as it can be. */
import { RialtoError } from "../../../client/index.ts";

const WAITS = "waits-for-second-operator";

/** The toast: `done`, or that it waits. */
export async function doneOrWaits(change: Promise<unknown>, done: string): Promise<string> {
  try {
    await change;
    return done;
  } catch (error) {
    if (error instanceof RialtoError && error.code === WAITS) return error.message;
    throw error;
  }
}
