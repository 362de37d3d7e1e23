/**
 * The work of a thread. It does not know whether it has a thread of its own or runs between other
 * work of the thread that started it.
 */
import type { Platform } from "./platform.ts";
import type { ThreadPort } from "./threads.ts";

/** What a body has of its thread. */
export interface ThreadContext {
  readonly port: BodyPort;
  /** From whoever started the thread. */
  readonly data: unknown;
  readonly platform: Platform;
  /**
   * Does nothing for a while. A thread of its own stands still; otherwise other work goes on, and
   * messages may arrive meanwhile.
   */
  pause(delayMs: number): Promise<void>;
  /**
   * Aborted when somebody terminates the thread. One of its own is then gone and notices nothing;
   * otherwise the body has to come to its end.
   */
  readonly terminated: AbortSignal;
}

/** The body's end. */
export interface BodyPort extends ThreadPort {
  /** The next message that waits, taken before its turn; undefined when none does. */
  take(): unknown;
  /** No more messages: the thread ends when it has nothing left to do. */
  close(): void;
}

/** What it throws, or its listener does, ends the thread with an error. */
export type ThreadBody = (context: ThreadContext) => void | Promise<void>;
