/** A bug in the program. Never caught: the process exits and recovers at the next start. */
export class InvariantViolation extends Error {
  override readonly name = "InvariantViolation";
}

/** Asserts what must always hold. A refused request is a `Rejection`, not an invariant. */
export function invariant(condition: boolean, message: string): asserts condition {
  if (!condition) throw new InvariantViolation(message);
}

/** For the default branch of an exhaustive `switch`. */
export function unreachable(value: never): never {
  throw new InvariantViolation(`unexpected value ${JSON.stringify(value)}`);
}
