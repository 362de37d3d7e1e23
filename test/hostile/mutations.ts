/**
 * Ways to break a valid request: values of fields, the text of the body, the query string, the
 * method, the path and the content type. A mutation that no reader may ever accept says so; the
 * others may happen to be harmless.
 */
import type { Random } from "../support/random.ts";
import { bodyOf, type RouteCase } from "./route-requests.ts";

export interface Draft {
  method: string;
  path: string;
  /** Names and values as they go on the wire, already encoded. */
  query: [name: string, value: string][];
  fields: Record<string, unknown> | null;
  /** Once set, `fields` no longer counts. */
  body: string | Buffer | null;
  contentType: string | null;
  /** True once no reader of this call may accept the request. */
  hopeless: boolean;
  readonly done: string[];
}

export function draftOf(entry: RouteCase): Draft {
  const { body, query } = entry.request;
  return {
    method: entry.route.method,
    path: entry.route.path,
    query: Object.entries(query).map(([name, value]) => [name, encodeURIComponent(value)]),
    fields: body === null ? null : structuredClone(body),
    body: null,
    contentType: bodyOf(entry) === null ? null : "application/json",
    hopeless: false,
    done: [],
  };
}

export function targetOfDraft({ path, query }: Draft): string {
  const pairs = query.map(([name, value]) => `${name}=${value}`);
  return pairs.length === 0 ? path : `${path}?${pairs.join("&")}`;
}

export function bodyOfDraft({ body, fields }: Draft): string | Buffer | null {
  return body ?? (fields === null ? null : JSON.stringify(fields));
}

export const TEXTS: readonly string[] = [
  "",
  " ",
  "\t",
  "0",
  "00",
  "-0",
  "-1",
  "+1",
  "1e3",
  "1E-8",
  "0x10",
  "1,5",
  "1.",
  ".5",
  "01.5",
  "1_000",
  "1 000",
  "１２３",
  "٣",
  "𝟏",
  "1\u0000",
  "NaN",
  "Infinity",
  "null",
  "undefined",
  "true",
  "9007199254740993",
  "9223372036854775808",
  "99999999999999999999",
  "999999999999999999.999999999999999999",
  "0.0000000000000000001",
  "0.000000000000000001",
  "1".repeat(400),
  `0.${"0".repeat(300)}1`,
  "x".repeat(41),
  "x".repeat(5000),
  "BTCUSDT ",
  "btcusdt",
  "BTC/USDT",
  "BTCUSDT_SPBL_SPBL",
  "BTCUSDT\n",
  "__proto__",
  "constructor",
  "toString",
  "'; DROP TABLE orders; --",
  "../../etc/passwd",
  "{{7*7}}",
  "<script>",
  "%00",
  "\u202eBTC",
  "😀",
  "buy",
  "SELL",
  "limit",
  "MARKET",
  "GTC",
  "fok",
  "FUND",
  "futures",
  "2026-02-30",
  "777001",
  "201",
];

/** For an amount these are wrong whatever the market's grid is. */
const NEVER_AN_AMOUNT = new Set(
  TEXTS.filter((text) => !/^(0|[1-9]\d{0,17})(\.\d{1,18})?$/.test(text) && text !== ""),
);
const AMOUNT_FIELDS = new Set(["price", "quantity", "amount"]);

export const VALUES: readonly unknown[] = [
  null,
  true,
  false,
  0,
  -1,
  1.5,
  1e21,
  -0.1,
  2 ** 53,
  Number.MAX_VALUE,
  [],
  {},
  ["BTCUSDT"],
  [null],
  { $gt: "" },
  { toString: "x" },
  [[[[[[]]]]]],
  Array.from({ length: 200 }, (_, i) => i),
];

type Mutation = (draft: Draft, random: Random) => boolean;

const FIELD_MUTATIONS: readonly Mutation[] = [
  function dropField(draft, random) {
    const name = anyField(draft, random);
    if (name === null || draft.fields === null) return false;
    delete draft.fields[name];
    return true;
  },
  function replaceWithText(draft, random) {
    const name = anyField(draft, random);
    if (name === null || draft.fields === null) return false;
    const text = random.pick(TEXTS);
    draft.fields[name] = text;
    const isPriceOfMarket = name === "price" && isMarket(draft);
    if (AMOUNT_FIELDS.has(name) && NEVER_AN_AMOUNT.has(text) && !isPriceOfMarket) {
      draft.hopeless = true;
    }
    return true;
  },
  function replaceWithValue(draft, random) {
    const name = anyField(draft, random);
    if (name === null || draft.fields === null) return false;
    const value = random.pick(VALUES);
    draft.fields[name] = value;
    if (AMOUNT_FIELDS.has(name) && value !== null && !isMarket(draft)) draft.hopeless = true;
    return true;
  },
  function replaceInsideList(draft, random) {
    const item = random.pick(listsOf(draft).flat().filter(isFields).concat({}));
    const names = Object.keys(item);
    if (names.length === 0) return false;
    item[random.pick(names)] = random.chance(0.5) ? random.pick(TEXTS) : random.pick(VALUES);
    return true;
  },
  function repeatListItems(draft, random) {
    const list = random.pick([...listsOf(draft), []]);
    if (list.length === 0) return false;
    const wanted = random.pick([5, 6, 10, 11, 50, 51, 52]);
    while (list.length < wanted) list.push(structuredClone(list[0]));
    return true;
  },
  function addUnknownField(draft, random) {
    if (draft.fields === null) return false;
    draft.fields[`extra${random.integer(0, 99)}`] = random.pick(VALUES);
    return true;
  },
  function replaceQueryValue(draft, random) {
    if (draft.query.length === 0) return false;
    random.pick(draft.query)[1] = encodeURIComponent(random.pick(TEXTS));
    return true;
  },
  function dropQueryParameter(draft, random) {
    if (draft.query.length === 0) return false;
    draft.query.splice(random.integer(0, draft.query.length - 1), 1);
    return true;
  },
  function addQueryParameter(draft, random) {
    draft.query.push([`extra${random.integer(0, 99)}`, encodeURIComponent(random.pick(TEXTS))]);
    return true;
  },
];

function listsOf({ fields }: Draft): unknown[][] {
  return Object.values(fields ?? {}).filter((value) => Array.isArray(value));
}

function isFields(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isMarket({ fields }: Draft): boolean {
  const type = fields?.orderType ?? fields?.type;
  return typeof type === "string" && /^market$/i.test(type);
}

function anyField({ fields }: Draft, random: Random): string | null {
  const names = Object.keys(fields ?? {});
  return names.length === 0 ? null : random.pick(names);
}

/** Bodies that are no acceptable JSON object, from a valid text. */
export const BODY_TEXTS: readonly ((text: string, random: Random) => string | Buffer)[] = [
  (text) => text.slice(0, -1),
  (text, random) => text.slice(0, random.integer(1, Math.max(1, text.length - 1))),
  (text) => `${text}${text}`,
  (text) => `${text},`,
  (text) => `\uFEFF${text}`,
  (text) => Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, "utf16le")]),
  (text) =>
    Buffer.concat([Buffer.from(text.slice(0, -2)), Buffer.from([0xc3, 0x28]), Buffer.from('"}')]),
  (text) =>
    Buffer.concat([
      Buffer.from('{"a":"'),
      Buffer.from([0xed, 0xa0, 0x80]),
      Buffer.from(`",${text.slice(1)}`),
    ]),
  (text) => `{"symbol":"BTCUSDT","symbol":"BTCUSDT",${text.slice(1)}`,
  (text) => `{"a":1,"\\u0061":2,${text.slice(1)}`,
  (text) => `{"__proto__":{"symbol":"ETHUSDT"},${text.slice(1)}`,
  (text) => `{"a":{"b":[{"__proto__":1}]},${text.slice(1)}`,
  (text) => `{"constructor":{"prototype":{}},${text.slice(1)}`,
  (text) => `{"a":{"prototype":1},${text.slice(1)}`,
  (text) => `{"a":${"[".repeat(3000)}${"]".repeat(3000)},${text.slice(1)}`,
  (text) => `{"a":${'{"b":'.repeat(500)}1${"}".repeat(500)},${text.slice(1)}`,
  (text) => `{"padding":"${"x".repeat(17_000)}",${text.slice(1)}`,
  (text) => `{a:1,${text.slice(1)}`,
  (text) => `{'a':1,${text.slice(1)}`,
  (text) => `{"a":NaN,${text.slice(1)}`,
  (text) => `{"a":01,${text.slice(1)}`,
  (text) => `{"a":"\u0001",${text.slice(1)}`,
  (text) => `/* comment */${text}`,
  (text) => `[${text}]`,
  () => "null",
  () => "true",
  () => "42",
  () => '"text"',
  () => "[]",
  () => "\u0000",
  () => "symbol=BTCUSDT&side=buy",
  () => "<order/>",
];

function breakBody(draft: Draft, random: Random): boolean {
  // Broken twice, a body may be whole again.
  if (draft.body !== null) return false;
  const text = bodyOfDraft(draft);
  if (typeof text !== "string" || text.length < 10) return false;
  draft.body = random.pick(BODY_TEXTS)(text, random);
  draft.hopeless = true;
  return true;
}

/** A megabyte; sent seldom, because it is slow. */
function hugeBody(draft: Draft): boolean {
  if (draft.fields === null) return false;
  draft.body = JSON.stringify({ ...draft.fields, padding: "x".repeat(1_000_000) });
  draft.hopeless = true;
  return true;
}

const WIRE_MUTATIONS: readonly Mutation[] = [
  breakBody,
  breakBody,
  breakBody,
  breakBody,
  function otherContentType(draft, random) {
    if (bodyOfDraft(draft) === null) return false;
    draft.contentType = random.pick([
      "text/plain",
      "application/x-www-form-urlencoded",
      "multipart/form-data; boundary=x",
      "application/xml",
      "application/jsonp",
      "json",
      ";",
      "",
    ]);
    draft.hopeless = true;
    return true;
  },
  function otherMethod(draft, random) {
    draft.method = random.pick(["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND"]);
    return true;
  },
  function repeatedParameter(draft, random) {
    const pair = draft.query.length === 0 ? null : random.pick(draft.query);
    if (pair === null) return false;
    draft.query.push([pair[0], random.chance(0.5) ? pair[1] : "other"]);
    draft.hopeless = true;
    return true;
  },
  function badPercentEncoding(draft, random) {
    draft.query.push(["p", random.pick(["%", "%zz", "%c3%28", "%ff", "%u0041", "%1"])]);
    draft.hopeless = true;
    return true;
  },
  function oddQuery(draft, random) {
    draft.query.push(
      random.pick<[string, string]>([
        ["", ""],
        ["=", "="],
        ["a[]", "1"],
        ["a[b]", "1"],
        ["__proto__", "1"],
        ["__proto__[x]", "1"],
        ["constructor", "1"],
        ["%5f%5fproto%5f%5f", "1"],
        ["x", "y".repeat(6000)],
        ["x", "%00"],
        ["symbol%00", "BTCUSDT"],
      ]),
    );
    return true;
  },
  function oddPath(draft, random) {
    const { path } = draft;
    draft.path = random.pick([
      `${path}/`,
      `${path}//`,
      `/${path}`,
      `${path}/extra`,
      `${path}%2f`,
      `${path}%00`,
      `${path};a=b`,
      `${path}/..`,
      `${path}/%2e%2e/%2e%2e`,
      path.toUpperCase(),
      path.replace("/api/", "/api/./"),
      path.replace("/v2/", "/v9/"),
      path.slice(0, -1) || "/none",
      `${path}${"/x".repeat(300)}`,
      `${path}/%zz`,
      "/none",
      "*",
    ]);
    return true;
  },
];

/**
 * Applies one to three mutations that fit the request. A later one may undo what made the request
 * hopeless, so that the claim is kept only where it came last.
 */
export function mutate(draft: Draft, random: Random): void {
  if (random.chance(0.003) && apply(hugeBody, draft, random)) return;
  const wanted = random.integer(1, 3);
  for (let tries = 0; draft.done.length < wanted && tries < 20; tries++) {
    if (draft.hopeless && random.chance(0.5)) return;
    draft.hopeless = false;
    apply(random.pick(random.chance(0.7) ? FIELD_MUTATIONS : WIRE_MUTATIONS), draft, random);
  }
}

function apply(mutation: Mutation, draft: Draft, random: Random): boolean {
  const applied = mutation(draft, random);
  if (applied) draft.done.push(mutation.name);
  return applied;
}
