/** Everybody who only listens. */
import type { CommandBookWatch } from "./command-books.ts";
import type { FundingWatch } from "./funding-watch.ts";
import type { TapeWatch } from "./tape-watch.ts";
import type { BookWatch, PrivateWatch } from "./watches.ts";

export type Listener = PrivateWatch | FundingWatch | BookWatch | CommandBookWatch | TapeWatch;
