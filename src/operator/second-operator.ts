/** Calls that may need a second operator: executed at once, or proposed and left to wait. */
import type { CommandAnswers, CommandOf, ProposedCommand } from "../protocol/index.ts";
import { done } from "./answers.ts";
import type { CallRequest, OperatorContext, Outcome } from "./call.ts";

export async function executeOrPropose<Type extends ProposedCommand["type"]>(
  { engine }: OperatorContext,
  { caller, actor }: Pick<CallRequest<unknown, unknown, unknown>, "caller" | "actor">,
  command: CommandOf<Type>,
): Promise<Outcome<CommandAnswers[Type]>> {
  const proposed = command as ProposedCommand;
  const needed = await engine.query({ type: "needs-approval", command: proposed });
  if (!needed.ok) return needed;
  if (!needed.value.isNeeded) {
    const reply = await engine.execute<Type>(command);
    return reply.ok ? done(reply.value) : reply;
  }
  const proposer = caller.name;
  const reply = await engine.execute({ type: "propose", actor, proposer, command: proposed });
  if (!reply.ok) return reply;
  const { proposalId, expiresMs } = reply.value;
  return { ok: false, waiting: { proposalId, expiresMs } };
}
