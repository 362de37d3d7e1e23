/**
 * Records: one declaration gives a command, event or snapshot row its TypeScript type, its encoder
 * and its decoder. Records only grow by appended fields: a decoder sets fields that older bytes
 * lack to the field's `missing` value and skips fields that newer bytes append.
 */
import { invariant } from "../domain/index.ts";
import { type ByteReader, type ByteWriter, MalformedBytes } from "./bytes.ts";

export interface Field<Value> {
  write(writer: ByteWriter, value: Value): void;
  read(reader: ByteReader): Value;
  /** The value of the field in older bytes, written before it existed. */
  readonly missing: Value;
  /** See `appended`. */
  readonly isAppended?: boolean;
  /**
   * The source of `write` and `read`, with `w` and `r` for writer and reader. For the fields on the
   * path of every order: straight-line code costs a fraction of calls through a table. `self` is
   * the source of the field itself.
   */
  readonly source?: FieldSource;
}

export interface FieldSource {
  /** A statement that writes the value of an expression, which may occur in it several times. */
  write(self: string, value: string): string;
  /** An expression. */
  read(self: string): string;
}

/** A field that is one method of writer and reader. */
function primitive(method: "uint" | "big" | "text" | "recurringText"): FieldSource {
  const writer = method === "recurringText" ? "text" : method;
  return { write: (_, value) => `w.${writer}(${value});`, read: () => `r.${method}()` };
}

export const uint: Field<number> = {
  write: (writer, value) => writer.uint(value),
  read: (reader) => reader.uint(),
  source: primitive("uint"),
  missing: 0,
};

export const big: Field<bigint> = {
  write: (writer, value) => writer.big(value),
  read: (reader) => reader.big(),
  source: primitive("big"),
  missing: 0n,
};

/** A safe integer of either sign: the even codes are 0, 1, 2 …, the odd ones -1, -2, -3 … */
export const int: Field<number> = {
  write(writer, value) {
    invariant(Number.isSafeInteger(value), "an integer is safe");
    writer.big(value < 0 ? -2n * BigInt(value) - 1n : 2n * BigInt(value));
  },
  read(reader) {
    const code = reader.big();
    const value = Number(code % 2n === 0n ? code / 2n : -(code + 1n) / 2n);
    if (code < 0n || !Number.isSafeInteger(value)) {
      throw new MalformedBytes("integer is beyond 2^53 - 1");
    }
    return value;
  },
  missing: 0,
};

export const text: Field<string> = {
  write: (writer, value) => writer.text(value),
  read: (reader) => reader.text(),
  source: primitive("text"),
  missing: "",
};

/** Text with few distinct values, such as symbols. Encoded like `text`. */
export const recurringText: Field<string> = {
  write: (writer, value) => writer.text(value),
  read: (reader) => reader.recurringText(),
  source: primitive("recurringText"),
  missing: "",
};

export const flag: Field<boolean> = {
  write: (writer, value) => writer.u8(value ? 1 : 0),
  read: (reader) => reader.u8() === 1,
  source: {
    write: (_, value) => `w.u8(${value} ? 1 : 0);`,
    read: () => "r.u8() === 1",
  },
  missing: false,
};

/**
 * A field added to a record later, with the value that older bytes imply. If it and all fields
 * after it have that value, they are not written: the bytes are then the same as before the field
 * existed, so a replay of an old journal produces the same events and digest.
 */
export function appended<Value extends string | number | bigint | boolean | null>(
  field: Field<Value>,
  missing: Value,
): Field<Value> {
  return { ...field, missing, isAppended: true };
}

interface ChoiceField<Option extends string> extends Field<Option> {
  readonly options: readonly Option[];
}

export function choice<const Option extends string>(
  options: readonly Option[],
): ChoiceField<Option> {
  const first = options[0];
  invariant(first !== undefined && options.length < 256, "a choice has 1 to 255 options");
  return {
    options,
    write(writer, value) {
      const index = options.indexOf(value);
      invariant(index >= 0, `a choice is one of ${options.join(", ")}`);
      writer.u8(index);
    },
    read: (reader) => reader.choice(options),
    source: {
      // Any other value goes to `write`, which refuses it.
      write: (self, value) =>
        `w.u8(${options
          .map((option, index) => `${value} === ${JSON.stringify(option)} ? ${index} : `)
          .join("")}${self}.write(w, ${value}));`,
      read: (self) => `r.choice(${self}.options)`,
    },
    missing: first,
  };
}

interface NullableField<Value> extends Field<Value | null> {
  readonly present: Field<Value>;
}

export function nullable<Value>(present: Field<Value>): NullableField<Value> {
  return {
    present,
    write(writer, value) {
      writer.u8(value === null ? 0 : 1);
      if (value !== null) present.write(writer, value);
    },
    read: (reader) => (reader.u8() === 0 ? null : present.read(reader)),
    source: {
      write: (self, value) =>
        `if (${value} === null) w.u8(0);
         else { w.u8(1); ${writeSource(present, `${self}.present`, value)} }`,
      read: (self) => `(r.u8() === 0 ? null : ${readSource(present, `${self}.present`)})`,
    },
    missing: null,
  };
}

export function list<Value>(field: Field<Value>): Field<readonly Value[]> {
  return {
    write(writer, values) {
      writer.uint(values.length);
      for (const value of values) field.write(writer, value);
    },
    read(reader) {
      const values: Value[] = [];
      for (let count = reader.uint(); count > 0; count--) values.push(field.read(reader));
      return values;
    },
    missing: [],
  };
}

type Fields = Readonly<Record<string, Field<never>>>;
/** The value type of a field. */
export type ValueOf<F> = F extends Field<infer Value> ? Value : never;

export type RecordOf<Type extends string, F> = { readonly type: Type } & {
  readonly [Name in keyof F]: ValueOf<F[Name]>;
};

export interface RecordCodec<Type extends string = string, Value = unknown> {
  readonly type: Type;
  /** One byte on disk, never reused for another record. */
  readonly tag: number;
  write(writer: ByteWriter, value: Value): void;
  read(reader: ByteReader): Value;
}

/** The value type of a codec. */
export type Decoded<Codec> = Codec extends RecordCodec<string, infer Value> ? Value : never;

type Writes = (writer: ByteWriter, value: unknown) => void;
type Reads = (reader: ByteReader) => unknown;

type WithSource = Pick<Field<never>, "source">;

function writeSource({ source }: WithSource, self: string, value: string): string {
  return source === undefined ? `${self}.write(w, ${value});` : source.write(self, value);
}

function readSource({ source }: WithSource, self: string): string {
  return source === undefined ? `${self}.read(r)` : source.read(self);
}

/**
 * Encoder and decoder are compiled once, as straight-line code over the fields: a loop over fields
 * takes several times as long on the path of every order. `head` is what the decoded object begins
 * with; `canEndEarly` only for what ends with its frame.
 */
function compile(
  fields: object,
  head: string,
  canEndEarly: boolean,
): { write: Writes; read: Reads } {
  const entries = Object.entries(fields as Fields);
  let isBehind = false;
  for (const [name, { isAppended = false }] of entries) {
    invariant(/^[A-Za-z0-9]+$/.test(name), `bad field name ${name}`);
    invariant(isAppended || !isBehind, "nothing but appended fields follows an appended field");
    isBehind = isAppended;
  }
  const write = ([name, field]: [string, Field<never>], i: number): string =>
    writeSource(field, `f[${i}]`, `v.${name}`);
  const read = ([name, field]: [string, Field<never>], i: number): string => {
    const orMissing = canEndEarly ? `r.atEnd ? f[${i}].missing : ` : "";
    return `const ${name} = ${orMissing}${readSource(field, `f[${i}]`)};`;
  };
  const writes = entries.reduceRight((behind, entry, i) => {
    const source = `${write(entry, i)}\n${behind}`;
    if (!canEndEarly || entry[1].isAppended !== true) return source;
    const isThere = entries.slice(i).map(([name], n) => `v.${name} !== f[${i + n}].missing`);
    return `if (${isThere.join(" || ")}) { ${source} }`;
  }, "");
  const reads = entries.map(read).join("\n");
  const names = entries.map(([name]) => name).join(", ");
  const compiled = new Function(
    "f",
    `return {
       write(w, v) { ${writes} },
       read(r) { ${reads} return { ${head} ${names} }; },
     };`,
  );
  return compiled(entries.map(([, field]) => field));
}

/**
 * Fields inside a field, without a frame of their own: a struct is complete or, as an appended
 * field of a record, missing altogether. It can never grow.
 */
export function struct<const F extends object>(
  fields: F,
): Field<{ readonly [Name in keyof F]: ValueOf<F[Name]> }> {
  const missing = Object.entries(fields as Fields).map(([name, field]) => [name, field.missing]);
  const { write, read } = compile(fields, "", false);
  return { write, read, missing: Object.fromEntries(missing) } as ReturnType<typeof struct<F>>;
}

/** Declares a record. */
export function record<const Type extends string, const F extends object>(
  tag: number,
  type: Type,
  fields: F,
): RecordCodec<Type, RecordOf<Type, F>> {
  const { write, read } = compile(fields, `type: ${JSON.stringify(type)},`, true);
  return { type, tag, write, read } as RecordCodec<Type, RecordOf<Type, F>>;
}

/** `[length u32][tag u8][fields …]` */
export function writeFramed<Value>(
  writer: ByteWriter,
  codec: RecordCodec<string, Value>,
  value: Value,
): void {
  const frame = writer.beginFrame();
  writer.u8(codec.tag);
  codec.write(writer, value);
  writer.endFrame(frame);
}

const TAGS = 256;

/** Which records a reader wants: 1 at the index of each wanted tag. */
export interface RecordFilter {
  readonly tags: Uint8Array;
}

/** A closed set of records, distinguished by their tag byte, each in a frame of its own. */
export class RecordSet<Value extends { readonly type: string }> {
  readonly #byType = new Map<string, RecordCodec<string, Value>>();
  readonly #byTag: (RecordCodec<string, Value> | undefined)[] = [];

  constructor(codecs: readonly RecordCodec<string, Value>[]) {
    for (const codec of codecs) {
      invariant(this.#byTag[codec.tag] === undefined, `record tag ${codec.tag} is taken`);
      invariant(!this.#byType.has(codec.type), `record type ${codec.type} is taken`);
      this.#byTag[codec.tag] = codec;
      this.#byType.set(codec.type, codec);
    }
  }

  write(writer: ByteWriter, value: Value): void {
    const codec = this.#byType.get(value.type);
    invariant(codec !== undefined, "every record type has a codec");
    writeFramed(writer, codec, value);
  }

  read(reader: ByteReader): Value {
    return this.readWanted(reader, null) as Value;
  }

  /** The next record; null, at almost no cost, for one that is not `wanted`. */
  readWanted(reader: ByteReader, wanted: RecordFilter | null): Value | null {
    const outerEnd = reader.enterFrame();
    const tag = reader.u8();
    const codec = this.#byTag[tag];
    if (codec === undefined) throw new MalformedBytes(`unknown record tag ${tag}`);
    const value = wanted === null || wanted.tags[tag] === 1 ? codec.read(reader) : null;
    reader.leaveFrame(outerEnd);
    return value;
  }

  filter(types: Iterable<Value["type"]>): RecordFilter {
    const tags = new Uint8Array(TAGS);
    for (const type of types) {
      const codec = this.#byType.get(type);
      invariant(codec !== undefined, "every record type has a codec");
      tags[codec.tag] = 1;
    }
    return { tags };
  }
}
