/** The envelopes of the v2 family. The v3 family answers without them. */
import Type, { type TProperties, type TSchema } from "typebox";
import type { V2Envelope } from "./route.ts";

export const V2_SUCCESS_CODE = "00000";
export const V2_SUCCESS_MESSAGE = "success";
/** The envelopes that carry a `timestamp`. */
export const V2_TIMESTAMPED_SUCCESS_CODE = "200";

const TIME = Type.Integer({ description: "Exchange time of the response, Unix ms" });

/** The whole answer of a v2 route. */
export function v2Envelope(kind: V2Envelope, answer: TSchema): TSchema {
  const code = Type.Literal(V2_TIMESTAMPED_SUCCESS_CODE);
  switch (kind) {
    case "message":
      return Type.Object({
        code: Type.Literal(V2_SUCCESS_CODE),
        msg: Type.Literal(V2_SUCCESS_MESSAGE),
        requestTime: TIME,
        data: answer,
      });
    case "timestamped":
      return Type.Object({ code, data: answer, timestamp: TIME });
    case "merged": {
      const { properties } = answer as TSchema & { readonly properties: TProperties };
      return Type.Object({ code, ...properties, timestamp: TIME });
    }
  }
}

const V2_CODE = Type.String({ description: "See Errors" });

export const V2_ERROR: TSchema = Type.Object({
  code: V2_CODE,
  msg: Type.String(),
  requestTime: TIME,
  data: Type.Null(),
  timestamp: Type.Optional(
    Type.Integer({ description: "The same time, if the success response has a timestamp" }),
  ),
});

export const V3_ERROR: TSchema = Type.Object({
  code: Type.Integer({ maximum: -1, description: "See Errors" }),
  msg: Type.String(),
});
