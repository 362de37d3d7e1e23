/**
 * What nodes tell each other over their link. A message of the transport has as many of these as
 * its sender had at the end of a turn: a byte that names the kind, then its fields. Requests and
 * answers are the bytes of the engine's port.
 */
import { ByteReader, ByteWriter, MalformedBytes } from "../protocol/index.ts";

/** Raised with each change that the other side could not read. */
export const LINK_VERSION = 2;

export type LinkMessage =
  // From a node to the one that leads.
  | { readonly kind: "hello"; readonly version: number; readonly node: string }
  /** With what the leader counts it as, empty for nothing: see `Charge`. */
  | {
      readonly kind: "submit";
      readonly id: number;
      readonly charge: string;
      readonly request: Uint8Array;
    }
  /** How far is everything that was acknowledged before this? */
  | { readonly kind: "where" }
  /** All commands up to the `until` of this id are applied, and their keys in force. */
  | { readonly kind: "reached"; readonly id: number }
  /** Something that is no request of the engine's: JSON, which the app knows. */
  | { readonly kind: "ask"; readonly id: number; readonly question: string }
  // From the node that leads.
  /**
   * From here on requests are taken. What this node sent to an earlier leader, or over an earlier
   * link, is in the log up to this sequence, or never will be.
   */
  | {
      readonly kind: "welcome";
      readonly node: string;
      readonly epoch: number;
      readonly sequence: number;
    }
  /** What the request did is in the log up to this sequence. */
  | {
      readonly kind: "answer";
      readonly id: number;
      readonly sequence: number;
      readonly answer: Uint8Array;
    }
  /** The answer to `where`. */
  | { readonly kind: "here"; readonly sequence: number }
  /** The sender is there. */
  | { readonly kind: "beat" }
  | { readonly kind: "until"; readonly id: number; readonly sequence: number }
  /** The answer to `ask`: JSON. */
  | { readonly kind: "told"; readonly id: number; readonly answer: string }
  // Both ways.
  /** What was admitted elsewhere in the last moments: JSON. */
  | { readonly kind: "limits"; readonly admitted: string };

const KINDS = [
  "hello",
  "submit",
  "where",
  "reached",
  "welcome",
  "answer",
  "here",
  "beat",
  "until",
  "limits",
  "ask",
  "told",
] as const satisfies readonly LinkMessage["kind"][];

export function writeLinkMessage(writer: ByteWriter, message: LinkMessage): void {
  writer.u8(KINDS.indexOf(message.kind));
  switch (message.kind) {
    case "hello":
      writer.uint(message.version);
      writer.text(message.node);
      return;
    case "submit":
      writer.uint(message.id);
      writer.text(message.charge);
      writer.bytes(message.request);
      return;
    case "reached":
      writer.uint(message.id);
      return;
    case "welcome":
      writer.text(message.node);
      writer.uint(message.epoch);
      writer.uint(message.sequence);
      return;
    case "answer":
      writer.uint(message.id);
      writer.uint(message.sequence);
      writer.bytes(message.answer);
      return;
    case "here":
      writer.uint(message.sequence);
      return;
    case "until":
      writer.uint(message.id);
      writer.uint(message.sequence);
      return;
    case "limits":
      writer.text(message.admitted);
      return;
    case "ask":
      writer.uint(message.id);
      writer.text(message.question);
      return;
    case "told":
      writer.uint(message.id);
      writer.text(message.answer);
      return;
    case "where":
    case "beat":
  }
}

/** In their order. Throws `MalformedBytes`. */
export function readLinkMessages(bytes: Uint8Array): readonly LinkMessage[] {
  const reader = new ByteReader(bytes);
  const messages: LinkMessage[] = [];
  while (!reader.atEnd) messages.push(readOne(reader));
  return messages;
}

function readOne(reader: ByteReader): LinkMessage {
  const number = reader.u8();
  const kind = KINDS[number];
  switch (kind) {
    case "hello":
      return { kind, version: reader.uint(), node: reader.text() };
    case "submit":
      return { kind, id: reader.uint(), charge: reader.text(), request: reader.bytes() };
    case "reached":
      return { kind, id: reader.uint() };
    case "welcome":
      return { kind, node: reader.text(), epoch: reader.uint(), sequence: reader.uint() };
    case "answer":
      return { kind, id: reader.uint(), sequence: reader.uint(), answer: reader.bytes() };
    case "here":
      return { kind, sequence: reader.uint() };
    case "until":
      return { kind, id: reader.uint(), sequence: reader.uint() };
    case "limits":
      return { kind, admitted: reader.text() };
    case "ask":
      return { kind, id: reader.uint(), question: reader.text() };
    case "told":
      return { kind, id: reader.uint(), answer: reader.text() };
    case "where":
    case "beat":
      return { kind };
    default:
      throw new MalformedBytes(`unknown message ${number} of a link`);
  }
}

/** One end of a link. What is sent arrives in order, or the link ends. */
export interface LinkEnd {
  send(message: Uint8Array): void;
  /** The other side learns of it, if it can. */
  end(): void;
}

/** What an end hears. */
export interface LinkListener {
  message(message: Uint8Array): void;
  /** Called once. */
  ended(): void;
}

/** Sends in one message what is said in one turn. */
export class LinkOutbox {
  readonly #end: LinkEnd;
  readonly #soon: (run: () => void) => void;
  readonly #writer = new ByteWriter();

  constructor(end: LinkEnd, soon: (run: () => void) => void) {
    this.#end = end;
    this.#soon = soon;
  }

  say(message: LinkMessage): void {
    if (this.#writer.length === 0) this.#soon(() => this.#flush());
    writeLinkMessage(this.#writer, message);
  }

  #flush(): void {
    const bytes = this.#writer.toBytes();
    this.#writer.clear();
    this.#end.send(bytes);
  }
}
