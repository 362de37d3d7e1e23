/**
 * Small bugs, one at a time: every place of a source file where one token or statement can be
 * changed so that the file still compiles, and how. The operators are those of the literature on
 * mutation testing (relational, logical, arithmetic, boundary values, deleted statements), chosen
 * for code that compares, counts and adds: no rename, no change that types would refuse.
 */
import ts from "typescript";
import type { Mutant, Operator } from "./mutant-text.ts";

const COMPARISONS = new Map<ts.SyntaxKind, string>([
  [ts.SyntaxKind.LessThanToken, "<="],
  [ts.SyntaxKind.LessThanEqualsToken, "<"],
  [ts.SyntaxKind.GreaterThanToken, ">="],
  [ts.SyntaxKind.GreaterThanEqualsToken, ">"],
  [ts.SyntaxKind.EqualsEqualsEqualsToken, "!=="],
  [ts.SyntaxKind.ExclamationEqualsEqualsToken, "==="],
]);
const LOGIC = new Map<ts.SyntaxKind, string>([
  [ts.SyntaxKind.AmpersandAmpersandToken, "||"],
  [ts.SyntaxKind.BarBarToken, "&&"],
]);
const ARITHMETIC = new Map<ts.SyntaxKind, string>([
  [ts.SyntaxKind.PlusToken, "-"],
  [ts.SyntaxKind.MinusToken, "+"],
  [ts.SyntaxKind.AsteriskToken, "+"],
  [ts.SyntaxKind.SlashToken, "*"],
  [ts.SyntaxKind.PercentToken, "+"],
]);
const ASSIGNMENTS = new Map<ts.SyntaxKind, string>([
  [ts.SyntaxKind.PlusEqualsToken, "-="],
  [ts.SyntaxKind.MinusEqualsToken, "+="],
  [ts.SyntaxKind.PlusPlusToken, "--"],
  [ts.SyntaxKind.MinusMinusToken, "++"],
]);
const EXTREMES = new Map([
  ["min", "max"],
  ["max", "min"],
  ["floor", "ceil"],
  ["ceil", "floor"],
]);
/** What only says that the code is right already. */
const ASSERTIONS = /^(invariant|assertNever|super)$/;

/** Every mutant of a file, in the order of its text. */
export function mutantsOf(file: string, source: string): Mutant[] {
  const tree = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true);
  const found: Mutant[] = [];
  const add = (node: ts.Node, operator: Operator, replacement: string): void => {
    const start = node.getStart(tree);
    const line = tree.getLineAndCharacterOfPosition(start).line + 1;
    const end = node.getEnd();
    const original = source.slice(start, end);
    found.push({ file, start, end, line, operator, original, replacement });
  };
  const visit = (node: ts.Node): void => {
    if (isWithoutEffect(node)) return;
    mutateNode(node, add);
    ts.forEachChild(node, visit);
  };
  ts.forEachChild(tree, visit);
  return found.sort((one, other) => one.start - other.start);
}

/** Types, imports, and constants of a module: a limit that is one larger is no bug. */
function isWithoutEffect(node: ts.Node): boolean {
  if (ts.isTypeNode(node) && !ts.isExpressionWithTypeArguments(node)) return true;
  if (ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)) return true;
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return true;
  if (ts.isCallExpression(node) && ASSERTIONS.test(node.expression.getText())) return true;
  if (!ts.isVariableStatement(node) || !ts.isSourceFile(node.parent)) return false;
  return node.declarationList.declarations.every(
    ({ initializer }) => initializer === undefined || !ts.isFunctionLike(initializer),
  );
}

type Add = (node: ts.Node, operator: Operator, replacement: string) => void;

function mutateNode(node: ts.Node, add: Add): void {
  if (ts.isBinaryExpression(node)) mutateBinary(node, add);
  else if (ts.isPrefixUnaryExpression(node) || ts.isPostfixUnaryExpression(node)) {
    mutateUnary(node, add);
  } else if (ts.isIfStatement(node) || ts.isWhileStatement(node)) {
    mutateCondition(node.expression, add);
  } else if (ts.isConditionalExpression(node)) mutateCondition(node.condition, add);
  else if (ts.isExpressionStatement(node)) mutateStatement(node, add);
  else if (ts.isPropertyAccessExpression(node)) mutateExtreme(node, add);
  else mutateConstant(node, add);
}

function mutateBinary({ operatorToken: token, left, right }: ts.BinaryExpression, add: Add): void {
  const { kind } = token;
  const comparison = COMPARISONS.get(kind);
  if (comparison !== undefined) add(token, "comparison", comparison);
  const logic = LOGIC.get(kind);
  if (logic !== undefined) add(token, "logic", logic);
  const assignment = ASSIGNMENTS.get(kind);
  if (assignment !== undefined && !isText(right)) add(token, "assignment", assignment);
  const arithmetic = ARITHMETIC.get(kind);
  if (arithmetic !== undefined && !isText(left) && !isText(right)) {
    add(token, "arithmetic", arithmetic);
  }
}

/** A piece of text: `+` joins it. */
function isText(node: ts.Expression): boolean {
  if (ts.isStringLiteralLike(node) || ts.isTemplateExpression(node)) return true;
  return ts.isBinaryExpression(node) && (isText(node.left) || isText(node.right));
}

function mutateUnary(node: ts.PrefixUnaryExpression | ts.PostfixUnaryExpression, add: Add): void {
  const { operand, operator } = node;
  const text = operand.getText();
  const step = ASSIGNMENTS.get(operator);
  if (step !== undefined) {
    add(node, "assignment", ts.isPrefixUnaryExpression(node) ? `${step}${text}` : `${text}${step}`);
  } else if (operator === ts.SyntaxKind.ExclamationToken) add(node, "logic", text);
  else if (operator === ts.SyntaxKind.MinusToken && !ts.isNumericLiteral(operand)) {
    add(node, "arithmetic", text);
  }
}

/** One that is no comparison by itself; those are changed as such. */
function mutateCondition(condition: ts.Expression, add: Add): void {
  const isMutated = ts.isBinaryExpression(condition) || ts.isPrefixUnaryExpression(condition);
  if (!isMutated) add(condition, "condition", `!(${condition.getText()})`);
}

/** A call or an assignment that does not happen. */
function mutateStatement({ expression }: ts.ExpressionStatement, add: Add): void {
  const inner = ts.isAwaitExpression(expression) ? expression.expression : expression;
  const isAssignment =
    ts.isBinaryExpression(inner) && inner.operatorToken.kind === ts.SyntaxKind.EqualsToken;
  if (!isAssignment && !ts.isCallExpression(inner)) return;
  if (ts.isCallExpression(inner) && ASSERTIONS.test(inner.expression.getText())) return;
  // A statement of its own keeps what follows apart.
  add(expression, "statement", "void 0");
}

function mutateExtreme({ expression, name }: ts.PropertyAccessExpression, add: Add): void {
  const other = EXTREMES.get(name.text);
  if (other !== undefined && expression.getText() === "Math") add(name, "extreme", other);
}

function mutateConstant(node: ts.Node, add: Add): void {
  if (node.kind === ts.SyntaxKind.TrueKeyword) add(node, "constant", "false");
  else if (node.kind === ts.SyntaxKind.FalseKeyword) add(node, "constant", "true");
  else if (ts.isBigIntLiteral(node)) add(node, "constant", nextBigInt(node.text));
  else if (ts.isNumericLiteral(node) && Number.isSafeInteger(Number(node.text))) {
    add(node, "constant", String(Number(node.text) + 1));
  }
}

function nextBigInt(text: string): string {
  return `${BigInt(text.slice(0, -1).replaceAll("_", "")) + 1n}n`;
}
