/** Everybody who only listens. */
import type { CommandBookWatch } from "./command-books.ts";
import type { FundingWatch } from "./funding-watch.ts";
import type { TapeWatch } from "./tape-watch.ts";
import type { BookWatch, PrivateWatch } from "./watches.ts";

/** Those that know by themselves what they must have been told. */
export type CheckedListener = Exclude<Listener, CommandBookWatch>;

export type Listener = PrivateWatch | FundingWatch | BookWatch | CommandBookWatch | TapeWatch;
