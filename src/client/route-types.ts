/**
 * Parameters and answers of every call, derived from the schemas of the routes, so that server,
 * document and client cannot disagree. Only types: the schemas are not loaded at run time. The
 * package has them written out (`build/flat-types.ts`).
 */
import type { ADDITION_ROUTES } from "../api/additions/routes.ts";
import type { AFFILIATE_ROUTES } from "../api/affiliate/routes.ts";
import type { CallId } from "../api/calls.ts";
import type { CONTRACT_ROUTES } from "../api/contract/routes.ts";
import type { OperatorCallId } from "../api/operator/calls.ts";
import type { OperatorBody, OperatorParams, OperatorQuery } from "../api/operator/routes.ts";
import type { AnswerOf, BodyOf, QueryOf } from "../api/route.ts";
import type { placeOrdersRoute } from "../api/socket-routes.ts";
import type { V2_SPOT_ROUTES } from "../api/v2/spot.ts";
import type { V3_SPOT_ROUTES } from "../api/v3/spot.ts";

type AnyRoute =
  | (typeof V2_SPOT_ROUTES)[number]
  | (typeof V3_SPOT_ROUTES)[number]
  | (typeof AFFILIATE_ROUTES)[number]
  | (typeof ADDITION_ROUTES)[number]
  | (typeof CONTRACT_ROUTES)[number];

type RouteOf<Id extends CallId> = Extract<AnyRoute, { readonly id: Id }>;

/** Fields that are text in a query and numbers in answers. */
type IdName = "orderId" | "uid" | "subUid" | "commissionId" | "withdrawID";

/** What a caller may pass: lists may be read-only, ids numbers or text, symbols a list or text. */
type Input<Value> = Value extends readonly (infer Item)[]
  ? readonly Input<Item>[]
  : Value extends object
    ? { readonly [Name in keyof Value]: InputField<Name, Value[Name]> }
    : Value;

type InputField<Name, Value> = Name extends IdName
  ? Value | number
  : Name extends "symbols"
    ? Value | readonly string[]
    : Input<Value>;

export type Query<Id extends CallId> = Input<QueryOf<RouteOf<Id>>>;
export type Body<Id extends CallId> = Input<BodyOf<RouteOf<Id>>>;
export type Answer<Id extends CallId> = AnswerOf<RouteOf<Id>>;
/** Parameters of the path, the query and the body are fields of one object. */
export type OperatorInput<Id extends OperatorCallId> = Input<
  OperatorParams<Id> & OperatorQuery<Id> & OperatorBody<Id>
>;
export type { OperatorAnswer } from "../api/operator/routes.ts";
/** One order of a spot batch: placed, or why not. */
export type PlacedSpotRow = AnswerOf<typeof placeOrdersRoute>[number];

/** The same with one optional field. */
export type Without<Value, Name extends keyof Value> = Omit<Value, Name> & {
  readonly [Field in Name]?: Value[Name];
};
