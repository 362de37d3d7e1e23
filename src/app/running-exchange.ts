/** An exchange that serves. */
import type { DemoAccount } from "../sandbox/index.ts";

export interface RunningExchange {
  readonly port: number;
  /** Threads that serve the API; 0 when the engine's does. */
  readonly gateways: number;
  readonly operatorPort: number;
  readonly operatorToken: string;
  /** Accounts of the demo profile, with their keys; empty in other profiles. */
  readonly demoAccounts: readonly DemoAccount[];
  /**
   * Stops accepting requests, answers those already accepted, writes a snapshot and releases the
   * folder.
   */
  stop(): Promise<void>;
}
