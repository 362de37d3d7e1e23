/** A reporter that ends a test file with its first failure: one is enough to notice a mutant. */
import type { TestEvent } from "node:test/reporters";

export default async function* firstFailure(
  source: AsyncIterable<TestEvent>,
): AsyncGenerator<string> {
  for await (const event of source) {
    if (event.type === "test:fail") process.exit(1);
  }
  yield "";
}
