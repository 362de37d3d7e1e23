/** `rialto audit` and `rialto find`: who did what, and whose an order or key is. */
import type { Command } from "commander";
import type { ListAuditInput } from "../client/index.ts";
import { addCommand, given, parseCount, parseUid, print } from "./command.ts";
import { withOperator } from "./operator.ts";
import { addOperatorOptions, type OperatorFlags } from "./operator-options.ts";
import { textTable, textTime } from "./text-table.ts";

interface AuditFlags extends OperatorFlags {
  readonly by?: string;
  readonly action?: string;
  readonly uid?: number;
  readonly symbol?: string;
  readonly text?: string;
  readonly before?: number;
  readonly limit: number;
}

export function addAuditCommands(program: Command): void {
  const audit = addCommand(program, "audit", {
    description: "show what operators did, newest first",
    examples: ["rialto audit --by ann", "rialto audit --symbol BTCUSDT --text upgrade"],
  });
  addOperatorOptions(audit)
    .option("--by <operator>", "only of this operator")
    .option("--action <action>", "only this action, such as spot-market-state-set")
    .option("--uid <uid>", "only about this user", parseUid)
    .option("--symbol <symbol>", "only about this market")
    .option("--text <text>", "only entries with this text")
    .option("--before <id>", "continue before this entry", parseCount)
    .option("--limit <count>", "page size, at most 1000", parseCount, 100)
    .action(showAudit);
  const find = addCommand(program, "find", {
    description: "find users, API keys and orders by uid, key, order id or client order id",
    examples: ["rialto find 1001", "rialto find my-order-7"],
  });
  addOperatorOptions(find.argument("<text>", "what to look for")).action(findText);
}

async function showAudit(flags: AuditFlags): Promise<void> {
  const { by: actor, action, uid, symbol, text, before, limit } = flags;
  const query = given({ actor, action, uid, symbol, text }) satisfies ListAuditInput;
  const page = await withOperator(flags, (operator) =>
    operator.listAudit({ ...query, before: before ?? Number.MAX_SAFE_INTEGER, limit }),
  );
  const rows = page.items.map(({ id, time, sentence }) => [id, textTime(time), sentence]);
  const table = textTable(["id", "time", "what"], rows);
  const more = page.next === null ? "" : `\nThere are more: --before ${page.next}`;
  print(flags, page, table + more);
}

async function findText(text: string, flags: OperatorFlags): Promise<void> {
  const found = await withOperator(flags, (operator) => operator.search({ text }));
  const rows = found.items.map((item) => {
    const { kind, uid, id, product, symbol, clientOrderId, status } = item;
    return [kind, uid, id, product, symbol, clientOrderId, status];
  });
  const headings = ["kind", "uid", "id", "product", "symbol", "client order id", "status"];
  print(flags, found, rows.length === 0 ? "nothing found" : textTable(headings, rows));
}
