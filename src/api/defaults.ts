/** Parameters with a default: optional for the client, always present for the handler. */
import type { Static, TObject, TSchema } from "typebox";

export type WithDefault<Schema, Value> = Schema & { readonly default: Value };

/** Adds the default for an absent value to the schema. */
export function withDefault<Schema extends TSchema, const Value extends Static<Schema>>(
  schema: Schema,
  value: Value,
): WithDefault<Schema, Value> {
  return { ...schema, default: value };
}

type DefaultedKeys<Properties> = {
  [Key in keyof Properties]: Properties[Key] extends { readonly default: unknown } ? Key : never;
}[keyof Properties];

/** What a handler reads: the client's values, with defaults filled in. */
export type ReadOf<Schema extends TSchema> =
  Schema extends TObject<infer Properties>
    ? Static<Schema> &
        Required<Pick<Static<Schema>, DefaultedKeys<Properties> & keyof Static<Schema>>>
    : Static<Schema>;
