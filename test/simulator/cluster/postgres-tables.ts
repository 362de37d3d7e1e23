/** The tables of a cluster's log, and the changes that a write-ahead log is made of. */

export interface LogRecord {
  readonly ordinal: number;
  readonly epoch: number;
  readonly lastSequence: number;
  readonly chainHash: Buffer;
  readonly bytes: Buffer | null;
}

export interface LeaseRecord {
  readonly beat: number;
  readonly owner: string;
  readonly successor: string;
}

export interface NodeRecord {
  readonly name: string;
  readonly run: string;
  readonly url: string;
  readonly link: string;
  readonly version: string;
  readonly rules: number;
  readonly sequence: number;
  readonly lagMs: number;
  /** Of JSON. */
  readonly masterKeys: unknown;
  readonly sealing: number | null;
  readonly seenMs: number;
}

export interface KeyRecord {
  readonly apiKey: string;
  readonly uid: string;
  readonly masterKeyVersion: number;
  readonly iv: Buffer;
  readonly sealedSecret: Buffer;
  readonly passphraseDigest: Buffer;
  /** Of a passphrase that an earlier master key has digested. */
  readonly carried: readonly [version: number | null, iv: Buffer | null, key: Buffer | null];
}

export interface MasterKeyRecord {
  readonly version: number | null;
  readonly fingerprint: Buffer | null;
}

export type Change =
  | { readonly table: "log"; readonly row: LogRecord }
  | { readonly table: "lease"; readonly row: LeaseRecord }
  | { readonly table: "node"; readonly row: NodeRecord }
  | { readonly table: "key"; readonly apiKey: string; readonly row: KeyRecord | null }
  | { readonly table: "master-key"; readonly row: MasterKeyRecord }
  | { readonly table: "none" };

export class Tables {
  /** By ordinal, which begins with the row that every log begins with. */
  readonly log: LogRecord[] = [
    { ordinal: 0, epoch: 0, lastSequence: 0, chainHash: Buffer.alloc(32), bytes: null },
  ];
  lease: LeaseRecord = { beat: 0, owner: "", successor: "" };
  masterKey: MasterKeyRecord = { version: null, fingerprint: null };
  readonly nodes = new Map<string, NodeRecord>();
  readonly keys = new Map<string, KeyRecord>();

  apply(change: Change): void {
    switch (change.table) {
      case "log":
        this.log.push(change.row);
        return;
      case "lease":
        this.lease = change.row;
        return;
      case "master-key":
        this.masterKey = change.row;
        return;
      case "node":
        this.nodes.set(change.row.name, change.row);
        return;
      case "key":
        if (change.row === null) this.keys.delete(change.apiKey);
        else this.keys.set(change.apiKey, change.row);
        return;
      default:
    }
  }

  /** Of the log. */
  get end(): LogRecord {
    return this.log.at(-1) as LogRecord;
  }
}
