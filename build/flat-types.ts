/**
 * The parameters and answers of every call. It is never run: the compiler writes its declarations,
 * in which each type stands in full, and the build makes the published ones of them
 * (`build/package.ts`).
 */
import type { CallId } from "../src/api/calls.ts";
import type { OperatorCallId } from "../src/api/operator/calls.ts";
import type { AnswerOf } from "../src/api/route.ts";
import type { placeOrdersRoute } from "../src/api/socket-routes.ts";
import type {
  Answer,
  Body,
  OperatorAnswer,
  OperatorInput,
  Query,
} from "../src/client/route-types.ts";

declare function writtenOut<Types>(): { readonly [Name in keyof Types]: Types[Name] };

export const Answers = writtenOut<{ [Id in CallId]: Answer<Id> }>();
export const Queries = writtenOut<{ [Id in CallId]: Query<Id> }>();
export const Bodies = writtenOut<{ [Id in CallId]: Body<Id> }>();
export const OperatorInputs = writtenOut<{ [Id in OperatorCallId]: OperatorInput<Id> }>();
export const OperatorAnswers = writtenOut<{ [Id in OperatorCallId]: OperatorAnswer<Id> }>();
export const Rows = writtenOut<Record<"placedSpot", AnswerOf<typeof placeOrdersRoute>>>();
