/**
 * A broken rule of the program itself. It is never caught: the process stops, and starts again by
 * recovery.
 */
export class InvariantViolation extends Error {
  override readonly name = "InvariantViolation";
}

/** States what must hold here. A refused request is never an invariant: that is a `Rejection`. */
export function invariant(condition: boolean, message: string): asserts condition {
  if (!condition) throw new InvariantViolation(message);
}

/** The last branch of an exhaustive `switch`. */
export function unreachable(value: never): never {
  throw new InvariantViolation(`unexpected value ${JSON.stringify(value)}`);
}
