/**
 * The heads of affiliates' statements: what an operator publishes, so that nobody, the operator
 * included, can change a statement afterwards without being found out.
 */
import { Type } from "typebox";
import { Count, Day, Fields, Limit, PageOf, Uid } from "./fields.ts";
import { operatorRoute } from "./route.ts";

const Head = Fields({
  day: Day,
  ordinal: Count,
  hash: Type.String({
    pattern: "^[0-9a-f]{64}$",
    description: "SHA-256 of the affiliate's last entry of that day",
  }),
  complete: Type.Boolean({ description: "whether the day is over, so that the head stays" }),
});

export const listStatementHeads = operatorRoute("listStatementHeads", {
  tag: "Affiliates",
  summary:
    "The end of an affiliate's hash chain on each UTC day on which it grew, oldest first, from " +
    "`fromDay` on; `next` is the `fromDay` of the following page. Publish complete ones",
  params: Fields({ uid: Uid }),
  query: Fields({ fromDay: Type.Optional(Day), limit: Type.Optional(Limit) }),
  answer: PageOf(Head, Day),
});
