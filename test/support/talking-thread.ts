/** A thread for tests of threads: it answers messages, and does what they ask. */
import type { ThreadBody } from "../../src/platform/index.ts";

/** What it is told to do; `echo-both` comes back with the next message, taken early. */
export type Talk =
  | { readonly kind: "echo" | "echo-both"; readonly bytes: Uint8Array }
  | { readonly kind: "pause"; readonly delayMs: number }
  | { readonly kind: "throw"; readonly message: string }
  | { readonly kind: "close" };

export const talk: ThreadBody = ({ port, data, pause }) => {
  port.post({ began: data });
  port.onMessage((message) => {
    const told = message as Talk;
    switch (told.kind) {
      case "echo":
        port.post({ echo: told.bytes });
        break;
      case "echo-both":
        port.post({ echo: told.bytes, next: port.take() });
        break;
      case "pause":
        void pause(told.delayMs).then(() => port.post({ paused: told.delayMs }));
        break;
      case "throw":
        throw new Error(told.message);
      case "close":
        port.post({ closed: true });
        port.close();
    }
  });
};
