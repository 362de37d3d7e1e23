/**
 * The operator's movements, kept as long as the ledger: a repeated deposit counts once, however
 * long ago it was made and whatever users do meanwhile. A movement is a row of bytes, as in a
 * snapshot, in pages that never move, found through a hash table.
 */
import { invariant } from "../../domain/index.ts";
import {
  ByteReader,
  ByteWriter,
  big,
  choice,
  type Decoded,
  type FundsCommandType,
  record,
  text,
  uint,
} from "../../protocol/index.ts";
import { type HashKey, halfSipHash } from "../matching/client-order-key.ts";
import { GrowingRows } from "../matching/growing-rows.ts";
import { NONE } from "../matching/slot.ts";
import { type SlotKeys, SlotTable } from "../matching/slot-table.ts";

export const OPERATOR_COMMANDS = [
  "deposit-funds",
  "withdraw-funds",
  "transfer-funds",
  "deposit-insurance",
  "withdraw-insurance",
] as const satisfies readonly FundsCommandType[];

/** The source and destination of the money. */
export const MOVEMENT_ENDS = ["external", "insurance", "spot", "contract"] as const;

const keptMovement = record(13, "kept-movement", {
  command: choice(OPERATOR_COMMANDS),
  uid: uint,
  requestId: text,
  assetIndex: uint,
  amountMinor: big,
  from: choice(MOVEMENT_ENDS),
  to: choice(MOVEMENT_ENDS),
  balanceMinor: big,
  timestampMs: uint,
});

export type KeptMovement = Decoded<typeof keptMovement>;
export type OperatorCommand = KeptMovement["command"];

const PAGE_BYTES = 1024 * 1024;
/** Numbers of a row: where its bytes begin, counted over all pages, and where they end. */
const NUMBERS = 2;
const BEGIN = 0;
const END = 1;
/** Of what is hashed: command, the two halves of the user's number, and the length at the end. */
const WORDS_BESIDE_ID = 4;
const TWO_POW_32 = 4_294_967_296;
const LENGTH_SHIFT = 24;

interface Page {
  readonly bytes: Uint8Array;
  readonly reader: ByteReader;
}

export class KeptMovements implements SlotKeys {
  readonly #hashKey: HashKey;
  readonly #rows = new GrowingRows(NUMBERS);
  readonly #table = new SlotTable(this);
  readonly #pages: Page[] = [];
  /** Bytes of the last page that are in use. */
  #used = PAGE_BYTES;
  readonly #assets = new Set<number>();
  readonly #writer = new ByteWriter();
  #message = new Int32Array(32);
  #sought: Pick<KeptMovement, "command" | "uid" | "requestId"> | null = null;

  constructor(hashKey: HashKey) {
    this.#hashKey = hashKey;
  }

  get size(): number {
    return this.#rows.used;
  }

  /** Of pages, rows and table. */
  get byteLength(): number {
    return this.#pages.length * PAGE_BYTES + this.#rows.byteLength + this.#table.byteLength;
  }

  find(command: OperatorCommand, uid: number, requestId: string): KeptMovement | null {
    this.#sought = { command, uid, requestId };
    const row = this.#table.find(this.#hashOf(command, uid, requestId));
    return row === NONE ? null : this.#read(row);
  }

  /** `find` must not know it: that is the caller's check. */
  add(movement: KeptMovement): void {
    this.#writer.clear();
    keptMovement.write(this.#writer, movement);
    this.#append(this.#writer.view(), movement);
  }

  /** Whether a movement of an asset is kept. */
  hasAsset(assetIndex: number): boolean {
    return this.#assets.has(assetIndex);
  }

  /** The bytes of each movement, in the order in which they were made; not to be kept. */
  *rows(): Generator<Uint8Array, void> {
    for (let row = 0; row < this.#rows.used; row++) {
      const { page, begin, end } = this.#placeOf(row);
      yield page.bytes.subarray(begin, end);
    }
  }

  /** Adds a movement by its bytes, as `rows` gave them. */
  restore(bytes: Uint8Array): void {
    this.#append(bytes, keptMovement.read(new ByteReader(bytes)));
  }

  isSought(row: number): boolean {
    const { command, uid, requestId } = this.#read(row);
    const sought = this.#sought;
    return requestId === sought?.requestId && uid === sought.uid && command === sought.command;
  }

  #append(bytes: Uint8Array, { command, uid, requestId, assetIndex }: KeptMovement): void {
    invariant(bytes.length <= PAGE_BYTES, "a movement fits in a page");
    if (this.#used + bytes.length > PAGE_BYTES) {
      const page = new Uint8Array(PAGE_BYTES);
      this.#pages.push({ bytes: page, reader: new ByteReader(page) });
      this.#used = 0;
    }
    const first = (this.#pages.length - 1) * PAGE_BYTES + this.#used;
    this.#pages.at(-1)?.bytes.set(bytes, this.#used);
    this.#used += bytes.length;
    const row = this.#rows.add();
    this.#rows.setNumber(row, BEGIN, first);
    this.#rows.setNumber(row, END, first + bytes.length);
    this.#assets.add(assetIndex);
    this.#table.insert(row, this.#hashOf(command, uid, requestId));
  }

  #placeOf(row: number): { readonly page: Page; readonly begin: number; readonly end: number } {
    const { numbers } = this.#rows;
    const first = numbers[row * NUMBERS + BEGIN] as number;
    const page = this.#pages[Math.floor(first / PAGE_BYTES)];
    invariant(page !== undefined, "a row is in a page");
    const begin = first % PAGE_BYTES;
    return { page, begin, end: begin + (numbers[row * NUMBERS + END] as number) - first };
  }

  #read(row: number): KeptMovement {
    const { page, begin, end } = this.#placeOf(row);
    page.reader.narrow(begin, end);
    return keptMovement.read(page.reader);
  }

  #hashOf(command: OperatorCommand, uid: number, requestId: string): number {
    const words = WORDS_BESIDE_ID + ((requestId.length + 3) >>> 2);
    if (this.#message.length < words) this.#message = new Int32Array(words * 2);
    const message = this.#message.fill(0, 0, words);
    message[0] = OPERATOR_COMMANDS.indexOf(command);
    message[1] = uid | 0;
    message[2] = Math.floor(uid / TWO_POW_32) | 0;
    for (let i = 0; i < requestId.length; i++) {
      const at = 3 + (i >>> 2);
      message[at] = (message[at] as number) ^ (requestId.charCodeAt(i) << ((i & 3) * 8));
    }
    message[words - 1] = requestId.length << LENGTH_SHIFT;
    return halfSipHash(this.#hashKey, message, words);
  }
}
