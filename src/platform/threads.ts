/** Threads and their messages, for whoever starts them. */

/** Memory that moves to the receiver with a message: the sender cannot use it any more. */
export type Transfer = ArrayBuffer | MessagePort;

/** One end of a conversation. Messages arrive in order, as copies; shared memory stays shared. */
export interface ThreadPort {
  post(message: unknown, transfer?: readonly Transfer[]): void;
  /** Called once, before the first message can arrive. */
  onMessage(listener: (message: unknown) => void): void;
}

export interface ThreadOptions {
  /** The file that runs the body in a thread of its own. */
  readonly module: URL;
  /** For people and tools that look at threads; inline, it also selects the body. */
  readonly name: string;
  readonly data: unknown;
  readonly transfer?: readonly Transfer[];
}

/** A running thread, for whoever started it. */
export interface Thread extends ThreadPort {
  /** The body failed. The exit follows; messages of before may arrive in between. */
  onError(listener: (error: Error) => void): void;
  /** Called once. The code is 0 when the body came to its end, and 1 when it failed. */
  onExit(listener: (code: number) => void): void;
  /** Ends the thread wherever it is; resolves after the exit. */
  terminate(): Promise<void>;
}

/** Says which thread failed, and of what. */
export function threadFailure(name: string, error: Error): Error {
  return new Error(`${name} failed: ${error.message}`, { cause: error });
}

export interface Threads {
  start(options: ThreadOptions): Thread;
}
