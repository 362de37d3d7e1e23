/** Commands that set up the demo. */
import { invariant } from "../domain/index.ts";
import type { CommandOf, CommandType, EngineClient } from "../protocol/index.ts";

/** The operator's name in the audit log. */
export const ACTOR = "demo";

/** A seeding command is never rejected; a rejection means that the folder is not a demo's. */
export async function must<Type extends CommandType>(
  engine: EngineClient,
  command: CommandOf<Type>,
): Promise<void> {
  const reply = await engine.execute<Type>(command);
  const why = JSON.stringify(reply);
  invariant(reply.ok, `the demo cannot be set up here: ${command.type} answered ${why}`);
}
