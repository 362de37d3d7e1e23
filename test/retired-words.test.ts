/**
 * Goal: words and phrases that we replaced do not come back, neither in code nor in texts. Method:
 * every file's path and text is searched for the list below; each entry first finds its own
 * example and nothing in its replacement, so that none can pass by matching nothing.
 */
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { ROOT } from "./support/root.ts";

interface Retired {
  /** Searched in each line of the form `path: text`, or over line ends for phrases. */
  readonly pattern: RegExp;
  /** Must be found. */
  readonly example: string;
  /** Must not be found. */
  readonly say: string;
  /** Only files whose path matches; all by default. */
  readonly where?: RegExp;
}

const CODE = /\.(ts|tsx|mjs)$/;
const SOURCE = /^src\/.*\.tsx?$/;
const STREAMS = /^src\/streams\//;
const TESTS = /^(test\/|bench\/|src\/.*\.test\.tsx?$)/;

/** Where a type is declared, imported or used, but not in a sentence. */
function typeName(names: string): RegExp {
  const before = "(?:\\b(?:interface|class|type|new|extends|implements) |[:<|&,{(] ?)";
  return new RegExp(`${before}(?:${names})\\b(?![ ,]+[a-z])`);
}

/** Words in this order, whatever ends a line between them: comment marks, quotes, a plus. */
function phrase(words: string): RegExp {
  return new RegExp(`\\b${words.split(" ").join("[\\s*/\"'`+]+")}\\b`, "gi");
}

const NAMES: readonly Retired[] = [
  {
    pattern: /(?<!no-operator-)\b[Pp]lanes?\b|[a-z]Plane\b|\b[Pp]lane[A-Z]/,
    example: "the operator plane",
    say: "no-operator-plane, the operator API",
  },
  { pattern: /\bthe interface(?!s? of)\b/i, example: "of the interface.", say: "the API" },
  { pattern: /\b[A-Z0-9_]+_STANDARD\b/, example: "LIMIT_STANDARD", say: "LIMIT_DEFAULT" },
  { pattern: /(Trading|Affiliate)Floor/, example: "TradingFloor", say: "TradingFixture" },
  { pattern: /\b(use|Channel|Spot)Desk\b/, example: "useDesk()", say: "useMarket()" },
  { pattern: /door\b|doors\b/i, example: "StreamDoor", say: "HandshakeAuthenticator, port" },
  { pattern: typeName("Look"), example: "(look: Look)", say: "ReadContext", where: CODE },
  { pattern: typeName("Visit"), example: "visit: Visit", say: "RequestContext", where: SOURCE },
  { pattern: typeName("Turns"), example: "new Turns()", say: "new Mutex()", where: CODE },
  { pattern: typeName("Pace"), example: "class Pace {", say: "class Throttle {", where: CODE },
  { pattern: typeName("Listings"), example: "new Listings()", say: "Instruments", where: CODE },
  { pattern: typeName("Wording"), example: "{ Wording }", say: "MessageEncoder", where: STREAMS },
  { pattern: /OrderAsk\b/, example: "SpotOrderAsk", say: "SpotOrderRequest" },
  { pattern: /RoomAhead|\bcheckRoom\b/, example: "RoomAhead", say: "Preallocation" },
  { pattern: /\broom\(\)/, example: "await queue.room()", say: "await queue.drained()" },
  { pattern: /\btell[A-Z]\w*\(/, example: "tellBook(", say: "emitBook(", where: CODE },
  { pattern: /\btouched[A-Z]\w*|[.#]touched\b/, example: "contract.touched", say: "dirty" },
  { pattern: /\bthawed/, example: "thawedMinor", say: "releasedMinor" },
  { pattern: /^\S*\/algo-/, example: "src/engine/algo-x.ts:", say: "a", where: /^src\/engine\// },
  { pattern: /<Asked\b|\{ Asked\b|\/asked\.tsx/, example: "<Asked>", say: "<QueryView>" },
  { pattern: /\buseAct\b/, example: "useAct(", say: "useMutation(" },
  { pattern: /\busePolled\b/, example: "usePolled(", say: "useQuery(" },
  { pattern: /\/parts\//, example: "../parts/asked.tsx", say: "../components/" },
  { pattern: /\bway-in\b|WayIn/, example: "way-in.tsx", say: "sign-in-gate.tsx" },
  {
    pattern: /\baskPast\b|\b(engine|history)\.ask\b/,
    example: "engine.ask(",
    say: "engine.query(",
  },
  { pattern: /\bdemo-past\b|DemoPast/, example: "demo-past.ts", say: "demo-history.ts" },
  { pattern: /\bvenue-file\b|VenueFile/, example: "venue-file.ts", say: "data-folder-manifest" },
  { pattern: /VenueClock/, example: "VenueClock", say: "SimulatedClock" },
  { pattern: /[a-z]Venue\b/, example: "openClientVenue(", say: "ClientFixture", where: TESTS },
  { pattern: /^\S*-venue\.ts:/, example: "test/a-venue.ts: x", say: "a-fixture.ts", where: TESTS },
];

const PHRASES: readonly (readonly [now: string, better: string])[] = [
  ["trades on it as it is", "works unmodified"],
  ["goes on where it ended", "resumes where it left off"],
  ["a folder made so", "the folder then always needs this flag"],
  ["without a past", "with no history"],
  ["really answered", "recorded responses"],
  ["against the floors", "compare with our targets"],
  ["goes its own way", "null unpins the mark"],
  ["what is sent again", "retries"],
  ["is not let in", "a rejected key"],
  ["leaves five without an answer", "clients that miss five pings"],
  ["says of itself", "show the exchange's status"],
  ["contradicts what is there", "Conflict: uid 7777 already exists"],
  ["waits in the book at", "Limit buy placed"],
  ["stands here", "Your open orders appear here."],
  ["stand here", "Your open orders appear here."],
  ["make it halted", "Halt market"],
  ["leave it as it is", "Cancel"],
  ["profit at mark", "Unrealised P&L"],
  ["take margin back", "Remove margin"],
  ["invitee for good", "attributed to you permanently"],
  ["waits for the operator", "Awaiting review"],
  ["who asks is told", "returns"],
  ["the order that there is", "a retry returns the same order"],
  ["lets it go", "null unpins the mark price"],
  ["as it looks now", "as currently estimated"],
  ["has left on all streams", "has been sent on all streams"],
  ["may look into", "other users can read"],
  ["so many alike", "starts several exchanges with the same options"],
  ["no order is taken", "orders are refused"],
  ["and at which time, the engine knows", "the engine knows which timer is due next, and when"],
];

const RETIRED: readonly Retired[] = [
  ...NAMES,
  ...PHRASES.map(([now, say]) => ({ pattern: phrase(now), example: now, say })),
];

/** Recorded files and the history of changes keep their words. */
const FILES = globSync(
  [
    "{src,test,bench,build,examples}/**/*.{ts,tsx,html,css}",
    "{*.md,docs/**/*.md,*.mjs,Dockerfile,package.json,.dependency-cruiser.cjs}",
  ],
  { cwd: ROOT },
)
  .filter((path) => !/^(test\/golden\/|test\/retired-words\.test\.ts|CHANGELOG\.md)/.test(path))
  .sort();

/** Every place as `path:line: what was found`. */
function retiredIn(path: string, text: string, entries = RETIRED): string[] {
  const applying = entries.filter(({ where }) => where === undefined || where.test(path));
  const lines = text.split("\n");
  return applying.flatMap(({ pattern, say }) => {
    const found = (line: number, word: string) => `${path}:${line}: "${word}"; say ${say}`;
    if (pattern.global) {
      return [...text.matchAll(pattern)].map((match) =>
        found(text.slice(0, match.index).split("\n").length, match[0].replaceAll(/\s+/g, " ")),
      );
    }
    const inPath = pattern.exec(`${path}: `);
    const inLines = lines.flatMap((line, index) => {
      const match = pattern.exec(line);
      return match === null ? [] : [found(index + 1, match[0])];
    });
    return inPath === null ? inLines : [found(0, inPath[0]), ...inLines];
  });
}

test("every entry finds its example and allows its replacement", () => {
  for (const entry of RETIRED) {
    const { example, say, where } = entry;
    const paths = ["a.md", "src/engine/a.ts", "src/streams/a.ts", "test/a.ts"];
    const path = paths.find((one) => where === undefined || where.test(one)) ?? "";
    assert.equal(retiredIn(path, `one\n${example}\nthree`, [entry]).length, 1, example);
    assert.deepEqual(retiredIn(path, say, [entry]), [], say);
  }
});

test("planted words are found, in texts, over line ends and in paths", () => {
  const planted = "// It goes on where\n// it ended.\nconst plane = new TradingFloor();\n";
  const found = retiredIn("src/x.ts", planted).map((breach) => breach.split(";")[0]);
  assert.deepEqual(found, [
    'src/x.ts:3: "plane"',
    'src/x.ts:3: "TradingFloor"',
    'src/x.ts:1: "goes on where // it ended"',
  ]);
  assert.equal(retiredIn("test/support/spot-venue.ts", "").length, 1);
  assert.equal(retiredIn("src/engine/contract/algo-index.ts", "").length, 1);
});

test("no retired word is left", () => {
  assert.ok(FILES.includes("README.md") && FILES.includes("src/engine/engine.ts"));
  const breaches = FILES.flatMap((path) => retiredIn(path, readFileSync(join(ROOT, path), "utf8")));
  if (breaches.length > 0) assert.fail(`${breaches.length} breaches:\n${breaches.join("\n")}\n`);
});
