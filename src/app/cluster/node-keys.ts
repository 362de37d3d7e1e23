/** The secrets of API keys that nodes share, and the master key that seals them. */
import type { Member, MemberRows, Membership } from "../../journal/index.ts";
import {
  findMasterKeys,
  type KeyVault,
  removeOutdatedCopy,
  UnusableSecrets,
} from "../../keys/index.ts";
import type { Config } from "../config.ts";
import type { Log } from "../log.ts";

/** Secrets that were sealed anew while this node was away are fetched again. */
export function removeOutdatedKeys({ dataFolder, masterKeyFile }: Config): void {
  const masterKeys = findMasterKeys(dataFolder, masterKeyFile);
  if (masterKeys !== null) removeOutdatedCopy(dataFolder, masterKeys);
}

/**
 * While a node runs, a version that is added to the file of its master key is known at once; and
 * when another one seals the secrets in PostgreSQL, those here are fetched anew.
 */
export class MasterKeyWatch {
  readonly #keys: KeyVault;
  readonly #rows: MemberRows;
  readonly #log: Log;
  readonly #end: (error: Error) => void;
  #isSharing = false;

  /** `end` is called when this node lacks the master key that seals. */
  constructor(keys: KeyVault, rows: MemberRows, log: Log, end: (error: Error) => void) {
    this.#keys = keys;
    this.#rows = rows;
    this.#log = log;
    this.#end = end;
  }

  /** For the other nodes. */
  get told(): Pick<Member, "masterKeys" | "sealing"> {
    const { known, sealing } = this.#keys.masterKeys;
    const hex = known.map(({ version, fingerprint }) => [version, fingerprint.toString("hex")]);
    return { masterKeys: Object.fromEntries(hex), sealing };
  }

  /** The nodes have told. */
  look({ sealing }: Membership): void {
    const problem = this.#keys.rereadMasterKeys();
    if (problem !== null) this.#log.error(`The master key: ${problem}.`);
    if (sealing === null || sealing === this.#keys.masterKeys.sealing || this.#isSharing) return;
    this.#isSharing = true;
    this.#share()
      // PostgreSQL does not answer: the next look tries again.
      .catch((error: Error) => error instanceof UnusableSecrets && this.#end(error))
      .finally(() => {
        this.#isSharing = false;
      });
  }

  async #share(): Promise<void> {
    await this.#keys.share(this.#rows);
    const { sealing } = this.#keys.masterKeys;
    this.#log.info(`API keys are sealed with version ${sealing} of the master key`);
  }
}
