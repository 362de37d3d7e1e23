/** Listeners that know by themselves what they must have been told. */
import type { CommandBookWatch } from "../command-books.ts";
import type { Listener } from "../listener.ts";

export type Follower = Exclude<Listener, CommandBookWatch>;
