/** The v2 family's envelope. The v3 family answers bare. */
import Type, { type TSchema } from "typebox";

export const V2_SUCCESS_CODE = "00000";
export const V2_SUCCESS_MESSAGE = "success";

/** `{code, msg, requestTime, data}` around the answer of a v2 route. */
export function v2Envelope(data: TSchema): TSchema {
  return Type.Object({
    code: Type.Literal(V2_SUCCESS_CODE),
    msg: Type.Literal(V2_SUCCESS_MESSAGE),
    requestTime: Type.Integer({ description: "Exchange time of the answer, Unix ms" }),
    data,
  });
}

/** `data` is null, and an empty object when a rate limit was exceeded. */
export const V2_ERROR: TSchema = Type.Object({
  code: Type.String({ description: "See the table of errors" }),
  msg: Type.String(),
  requestTime: Type.Integer({ description: "Exchange time of the answer, Unix ms" }),
  data: Type.Union([Type.Null(), Type.Object({})]),
});

export const V3_ERROR: TSchema = Type.Object({
  code: Type.Integer({ maximum: -1, description: "See the table of errors" }),
  msg: Type.String(),
});
