/** Commands that set the demo up. */
import { invariant } from "../domain/index.ts";
import type { CommandOf, CommandType, EngineClient } from "../protocol/index.ts";

/** Who did it, in the records of what operators did. */
export const ACTOR = "demo";

/** A seeding command is never refused; one that is shows that the folder is not a demo's. */
export async function must<Type extends CommandType>(
  engine: EngineClient,
  command: CommandOf<Type>,
): Promise<void> {
  const reply = await engine.execute<Type>(command);
  const why = JSON.stringify(reply);
  invariant(reply.ok, `the demo cannot be set up here: ${command.type} answered ${why}`);
}
