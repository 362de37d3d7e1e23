/**
 * Heads of affiliates' statements: once published, any later change of a statement is detectable.
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
  complete: Type.Boolean({ description: "whether the day is over and the head is final" }),
});

export const listStatementHeads = operatorRoute("listStatementHeads", {
  tag: "Affiliates",
  summary:
    "List the head of an affiliate's hash chain for each UTC day with entries, oldest first, " +
    "from `fromDay`; `next` is the `fromDay` of the next page. Publish the complete ones",
  params: Fields({ uid: Uid }),
  query: Fields({ fromDay: Type.Optional(Day), limit: Type.Optional(Limit) }),
  answer: PageOf(Head, Day),
});
