/** Validators of schemas, each compiled once in a process, by whoever asks first. */
import type { TSchema } from "typebox";
import { Compile, type Validator } from "typebox/compile";

const validators = new WeakMap<TSchema, Validator>();

export function validatorOf(schema: TSchema): Validator {
  const known = validators.get(schema);
  if (known !== undefined) return known;
  const compiled = Compile(schema);
  validators.set(schema, compiled);
  return compiled;
}
