/** The TypeScript files of the repository, read as syntax trees for the house rules. */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { ROOT } from "./root.ts";

export interface SourceFile {
  /** From the repository root, with forward slashes. */
  readonly path: string;
  readonly text: string;
  readonly lines: readonly string[];
  readonly tree: ts.SourceFile;
}

/** All TypeScript of the program, its tests and its benchmarks. */
export function readSourceFiles(): SourceFile[] {
  return globSync("{src,test,bench,build}/**/*.{ts,tsx}", { cwd: ROOT })
    .sort()
    .map((path) => parseSource(path, readFileSync(join(ROOT, path), "utf8")));
}

export function parseSource(path: string, text: string): SourceFile {
  const tree = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  return { path, text, lines: text.split("\n"), tree };
}

/** `path:line` of a node, for messages. */
function placeOf(file: SourceFile, node: ts.Node): string {
  return `${file.path}:${file.tree.getLineAndCharacterOfPosition(node.getStart()).line + 1}`;
}

/** Every node of a file, parents before children; tokens of punctuation are none. */
function* walk(tree: ts.Node): Generator<ts.Node> {
  const waiting = [tree];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    yield node;
    const children: ts.Node[] = [];
    ts.forEachChild(node, (child) => void children.push(child));
    waiting.push(...children.reverse());
  }
}

/** Functions longer than `linesMax`, but for the two shapes that are long by nature. */
export function longFunctions(file: SourceFile, linesMax: number): string[] {
  const found: string[] = [];
  for (const node of walk(file.tree)) {
    if (!ts.isFunctionLike(node) || !("body" in node) || !node.body) continue;
    const lines = lineCount(file, node);
    if (lines <= linesMax || isDescribe(node)) continue;
    if (ts.isBlock(node.body) && (isSwitch(file, node.body) || isGuardList(file, node.body)))
      continue;
    found.push(`${placeOf(file, node)}: a function of ${lines} lines`);
  }
  return found;
}

function lineCount(file: SourceFile, node: ts.Node): number {
  const first = file.tree.getLineAndCharacterOfPosition(node.getStart()).line;
  return file.tree.getLineAndCharacterOfPosition(node.getEnd()).line - first + 1;
}

/** `describe` only groups tests, which are measured one by one. */
function isDescribe(node: ts.Node): boolean {
  const call = node.parent;
  return ts.isCallExpression(call) && call.expression.getText() === "describe";
}

const CLAUSE_LINES_MAX = 12;
const LINES_BESIDE_SWITCH_MAX = 12;
const GUARD_LINES_MAX = 4;

/** One switch with short branches and little beside it. */
function isSwitch(file: SourceFile, body: ts.Block): boolean {
  const choice = body.statements.find(ts.isSwitchStatement);
  if (choice === undefined) return false;
  const beside = lineCount(file, body) - lineCount(file, choice);
  const clauses = choice.caseBlock.clauses;
  return (
    beside <= LINES_BESIDE_SWITCH_MAX &&
    clauses.every((clause) => lineCount(file, clause) <= CLAUSE_LINES_MAX)
  );
}

/**
 * Nothing but short checks that leave the function, the values that they check, and the last
 * return.
 */
function isGuardList(file: SourceFile, body: ts.Block): boolean {
  return body.statements.every((statement) => {
    if (lineCount(file, statement) > GUARD_LINES_MAX) return false;
    if (ts.isVariableStatement(statement) || ts.isReturnStatement(statement)) return true;
    return (
      ts.isIfStatement(statement) && statement.elseStatement === undefined && leaves(statement)
    );
  });
}

function leaves(guard: ts.IfStatement): boolean {
  const then = guard.thenStatement;
  const last = ts.isBlock(then) ? then.statements.at(-1) : then;
  return last !== undefined && (ts.isReturnStatement(last) || ts.isThrowStatement(last));
}

/** Names that would let time, chance, the machine or its locale into a computation. */
const IMPURE_NAMES = new Set([
  ...["Buffer", "Date", "FinalizationRegistry", "Intl", "Temporal", "WeakRef", "crypto", "fetch"],
  ...["localeCompare", "performance", "process", "queueMicrotask", "setImmediate", "setInterval"],
  ...["setTimeout", "toLocaleString", "toLocaleLowerCase", "toLocaleUpperCase", "globalThis"],
]);

/** The exact ones; the others may differ in the last bit between machines. */
const PURE_MATH = new Set(["abs", "ceil", "clz32", "floor", "imul", "max", "min", "sign", "trunc"]);

/** What makes the outcome of a file depend on more than its input. */
export function impurities(file: SourceFile): string[] {
  const found: string[] = [];
  for (const node of walk(file.tree)) {
    const what = impurity(node);
    if (what !== null) found.push(`${placeOf(file, node)}: ${what}`);
  }
  return found;
}

function impurity(node: ts.Node): string | null {
  if (node.kind === ts.SyntaxKind.AsyncKeyword || ts.isAwaitExpression(node)) return "async code";
  if (ts.isImportDeclaration(node) && node.moduleSpecifier.getText().includes("node:")) {
    return `import of ${node.moduleSpecifier.getText()}`;
  }
  if (ts.isIdentifier(node) && IMPURE_NAMES.has(node.text)) return node.text;
  if (ts.isPropertyAccessExpression(node) && node.expression.getText() === "Math") {
    return PURE_MATH.has(node.name.text) ? null : `Math.${node.name.text}`;
  }
  return null;
}

/** What lets time, chance or another thread into the program. */
const OUTSIDE_NAMES = new Set([
  ...["setTimeout", "setInterval", "setImmediate", "nextTick", "hrtime"],
  ...["randomBytes", "randomFill", "randomFillSync", "randomInt", "randomUUID", "getRandomValues"],
]);
const OUTSIDE_MEMBERS = new Set([
  ...["Date.now", "performance.now", "performance.eventLoopUtilization", "Math.random"],
  ...["Atomics.wait", "Atomics.waitAsync", "AbortSignal.timeout", "process.nextTick"],
  ...["process.hrtime", "crypto.randomUUID", "crypto.getRandomValues"],
]);
const OUTSIDE_MODULES = new Set([
  ...["node:perf_hooks", "node:timers", "node:timers/promises", "node:worker_threads"],
]);

/** Where a file reaches past the platform to the machine. */
export function outsideAccess(file: SourceFile): string[] {
  const found: string[] = [];
  for (const node of walk(file.tree)) {
    const what = outsideWith(node);
    if (what !== null) found.push(`${placeOf(file, node)}: ${what}`);
  }
  return found;
}

function outsideWith(node: ts.Node): string | null {
  if (ts.isImportDeclaration(node) && ts.isStringLiteral(node.moduleSpecifier)) {
    const { text } = node.moduleSpecifier;
    // A type reaches nothing.
    if (node.importClause?.isTypeOnly === true) return null;
    return OUTSIDE_MODULES.has(text) ? `import of ${text}` : null;
  }
  if (ts.isPropertyAccessExpression(node)) {
    const member = node.getText().replace(/^globalThis\./, "");
    return OUTSIDE_MEMBERS.has(member) || OUTSIDE_NAMES.has(member) ? member : null;
  }
  if (ts.isNewExpression(node) && node.expression.getText() === "Date") {
    return (node.arguments?.length ?? 0) === 0 ? "new Date()" : null;
  }
  // Methods of these names belong to objects: a socket has a setTimeout of its own.
  const isOwn = ts.isIdentifier(node) && !("name" in node.parent && node.parent.name === node);
  return isOwn && OUTSIDE_NAMES.has(node.text) ? node.text : null;
}
