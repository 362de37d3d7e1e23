/** Verifies a statement locally, and its closing hash against the published one. */
import type { RialtoClient } from "../../../client/index.ts";
import { type Judgement, judge } from "./judge-statement.ts";
import { publishedHead } from "./published-head.ts";

export interface CheckedStatement {
  readonly judgement: Judgement;
  /** Number of parts; 1 if it is not a statement. */
  readonly parts: number;
}

export async function checkStatement(
  client: RialtoClient,
  text: string,
  uid: number | null,
): Promise<CheckedStatement> {
  const verdict = await client.affiliate.verifyStatement(text);
  if (!verdict.isValid) return { judgement: judge(verdict, null, uid), parts: 1 };
  const { from, to, parts } = verdict.statement;
  const head = await publishedHead(client, from, to);
  return { judgement: judge(verdict, head, uid), parts };
}
