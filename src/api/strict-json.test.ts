/**
 * Proves the strict JSON reader against generated documents with known faults: it accepts exactly
 * those without a repeated, forbidden or escaped key and without too deep nesting, and reads them
 * like JSON.parse.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { type Random, scaled, seededRandom } from "../../test/support/random.ts";
import { JSON_DEPTH_MAX, parseStrictJson } from "./strict-json.ts";

const random = seededRandom("strict-json");
const KEYS = ["a", "b", "key", ":", "a:b", "é", "éà", "\u2028", "𝄞", "{{{", 'a"', "b\\\\", "\\n"];
const STRINGS = ["", "a", ":", '"', "\\", "é", "{", "__proto__", ...KEYS];

/** A document as text, and whether it must be rejected. */
interface Generated {
  readonly text: string;
  readonly faulty: boolean;
}

function quote(value: string, source: Random): string {
  if (!source.chance(0.05)) return JSON.stringify(value);
  const units = [...Array(value.length).keys()].map((i) => value.charCodeAt(i));
  return `"${units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("")}"`;
}

const space = (source: Random) => source.pick(["", "", "", " ", "\n", "\t "]);

function generateObject(source: Random, depth: number): Generated {
  const keys = new Set<string>();
  let faulty = depth > JSON_DEPTH_MAX;
  const members: string[] = [];
  for (let count = source.integer(0, 4); count > 0; count--) {
    const forbidden = ["__proto__", "constructor", "prototype"];
    const key = source.chance(0.01) ? source.pick(forbidden) : source.pick(KEYS);
    const repeated = keys.has(key);
    if (repeated && !source.chance(0.05)) continue;
    const written = quote(key, source);
    faulty ||= repeated || forbidden.includes(key) || written.includes("\\");
    keys.add(key);
    const value = generateValue(source, depth + 1);
    faulty ||= value.faulty;
    members.push(`${space(source)}${written}${space(source)}:${value.text}`);
  }
  return { text: `{${members.join(",")}${space(source)}}`, faulty };
}

function generateValue(source: Random, depth: number): Generated {
  const kind = source.integer(0, depth > 10 ? 2 : 5);
  if (kind <= 1) return { text: quote(source.pick(STRINGS), source), faulty: false };
  if (kind === 2) {
    return { text: source.pick(["0", "-1.5e3", "true", "false", "null"]), faulty: false };
  }
  if (kind === 3) {
    const items = Array.from({ length: source.integer(0, 3) }, () =>
      generateValue(source, depth + 1),
    );
    const faulty = depth > JSON_DEPTH_MAX || items.some((item) => item.faulty);
    return { text: `[${items.map((item) => item.text).join(",")}]`, faulty };
  }
  return generateObject(source, depth);
}

test("exactly the documents without a fault are read, and read like JSON.parse", () => {
  const counts = { read: 0, refused: 0 };
  for (let i = 0; i < scaled(20_000); i++) {
    const { text, faulty } = generateObject(random, 1);
    const result = parseStrictJson(Buffer.from(text));
    assert.equal(result.ok, !faulty, text);
    if (result.ok) assert.deepEqual(result.value, JSON.parse(text));
    counts[result.ok ? "read" : "refused"]++;
  }
  assert.ok(counts.read > 0 && counts.refused > 0, JSON.stringify(counts));
});

test("nesting is accepted up to the limit and refused beyond, however deep", () => {
  const nested = (depth: number) => Buffer.from(`${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`);
  assert.equal(parseStrictJson(nested(JSON_DEPTH_MAX)).ok, true);
  assert.equal(parseStrictJson(nested(JSON_DEPTH_MAX + 1)).ok, false);
  assert.equal(parseStrictJson(nested(3_000)).ok, false);
  const lists = (depth: number) => Buffer.from(`{"a":${"[".repeat(depth)}${"]".repeat(depth)}}`);
  assert.equal(parseStrictJson(lists(JSON_DEPTH_MAX - 1)).ok, true);
  assert.equal(parseStrictJson(lists(8_000)).ok, false);
});

test("what is not a JSON object in UTF-8 is refused", () => {
  const texts = [
    "[]",
    "1",
    '"a"',
    "null",
    "{",
    "{]",
    "{'a':1}",
    '{"a":1,}',
    '{"a":01}',
    "\ufeff{}",
  ];
  for (const text of [...texts, '{"a":NaN}', '{"a":1}x', '{"a":"\n"}', " ", "\0"]) {
    assert.equal(parseStrictJson(Buffer.from(text)).ok, false, text);
  }
  for (const bytes of ["7b2261223a22ff227d", "7b2261223a22eda080227d", "7b2261223a22c0af227d"]) {
    assert.equal(parseStrictJson(Buffer.from(bytes, "hex")).ok, false, bytes);
  }
  const nothing = parseStrictJson(Buffer.alloc(0));
  assert.ok(nothing.ok);
  assert.deepEqual(nothing.value, {});
});
