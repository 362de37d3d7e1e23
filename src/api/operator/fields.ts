/**
 * The fields of requests and answers. `description` says what is expected, both in the OpenAPI
 * document and in the error message for any other value.
 */
import { type Static, type TProperties, type TSchema, Type } from "typebox";
import {
  COMMISSION_FLAGS,
  DECIMAL_PATTERN,
  ID_MAX,
  MARKET_STATES,
  OPERATOR_ROLES,
  PERMISSIONS,
  PRODUCTS,
  SCALE_MAX,
  SELF_TRADE_PREVENTIONS,
  USER_STATES,
  WALLETS,
} from "../../domain/index.ts";

const LABEL_LENGTH_MAX = 100;
const NAME_LENGTH_MAX = 64;
const REASON_LENGTH_MAX = 500;
const IP_RANGES_MAX = 50;
const PAGE_LIMIT_MAX = 1000;
export const PAGE_LIMIT_DEFAULT = 100;

/** An object without unknown fields: a misspelt optional field is rejected, not ignored. */
export function Fields<Properties extends TProperties>(properties: Properties) {
  return Type.Object(properties, { additionalProperties: false });
}

export function Nullable<Schema extends TSchema>(schema: Schema) {
  const { description } = schema as { description?: string };
  return Type.Union([schema, Type.Null()], {
    description: `${description ?? "the value"}, or null`,
  });
}

export function OneOf<const Words extends readonly string[]>(words: Words) {
  const description = `one of ${words.join(", ")}`;
  return Type.Unsafe<Words[number]>(Type.Enum([...words], { description }));
}

function Whole(minimum: number, maximum: number, description: string) {
  return Type.Integer({ minimum, maximum, description });
}

export const CommissionId = Whole(1, ID_MAX, "a commission id from 1 to 2^53 - 1");
export const DepositId = Whole(1, ID_MAX, "a deposit id from 1 to 2^53 - 1");
export const WithdrawalId = Whole(1, ID_MAX, "a withdrawal id from 1 to 2^53 - 1");
export const AddressId = Whole(1, ID_MAX, "an id of the user's address book, from 1 to 2^53 - 1");
export const ProposalId = Whole(1, ID_MAX, "a proposal id from 1 to 2^53 - 1");
export const Uid = Whole(1, ID_MAX, "a uid from 1 to 2^53 - 1");
export const TimestampMs = Whole(0, ID_MAX, "milliseconds since 1970-01-01 UTC");
export const Sequence = Whole(0, ID_MAX, "a journal sequence number");
export const Count = Whole(0, ID_MAX, "a whole number, 0 or more");
export const Flag = Type.Boolean({ description: "true or false" });

export const Amount = Type.String({
  pattern: DECIMAL_PATTERN,
  description: 'a decimal string without sign or exponent, such as "12.5"',
});
export const SignedAmount = Type.String({ description: "a decimal string" });
export const SignedRate = Type.String({
  pattern: DECIMAL_PATTERN.replace("^", "^-?"),
  description: 'a decimal string, may be negative, such as "-0.0001"',
});

export const Network = Type.String({
  pattern: "^[A-Za-z0-9._-]{1,32}$",
  description: "1 to 32 of A-Z a-z 0-9 . _ -",
});
/** As networks write addresses and transaction ids. */
export const NetworkText = Type.String({
  pattern: "^[!-~]{1,128}$",
  description: "1 to 128 visible ASCII characters without blanks",
});
/** The id of a movement, chosen by the caller. */
export const RequestId = Type.String({
  pattern: "^[A-Za-z0-9._:/#@+=-]{1,64}$",
  description: "1 to 64 of A-Z a-z 0-9 . _ : / # @ + = -",
});
export const InviteCode = Type.String({
  pattern: "^[A-Za-z0-9_-]{1,64}$",
  description: "1 to 64 of A-Z a-z 0-9 _ -",
});
export const AssetName = Type.String({
  pattern: "^[A-Z0-9]{1,20}$",
  description: "1 to 20 of A-Z 0-9",
});
export const MarketSymbol = Type.String({
  pattern: "^[A-Z0-9]{2,40}$",
  description: "2 to 40 of A-Z 0-9",
});
export const ApiKey = Type.String({
  pattern: "^(rialto|weex)_[0-9a-f]{32}$",
  description: "rialto_ (weex_ in older keys) and 32 hex digits",
});
/** Clients send it unchanged in a header. */
export const Passphrase = Type.String({
  pattern: "^[A-Za-z0-9._-]{1,64}$",
  description: "1 to 64 of A-Z a-z 0-9 . _ -",
});
export const Label = Type.String({
  pattern: `^[^\\u0000-\\u001f\\u007f]{0,${LABEL_LENGTH_MAX}}$`,
  description: `text of at most ${LABEL_LENGTH_MAX} characters without control characters`,
});
export const DisplayName = Type.String({
  pattern: `^[^\\u0000-\\u001f\\u007f]{1,${NAME_LENGTH_MAX}}$`,
  description: `text of 1 to ${NAME_LENGTH_MAX} characters without control characters`,
});
/** The caller's name in the audit log. */
export const Actor = Type.String({
  pattern: "^[A-Za-z0-9._@:/+-]{1,64}$",
  description: "1 to 64 of A-Z a-z 0-9 . _ @ : / + -",
});

/** As it is in tokens and in the audit log. */
export const OperatorName = Type.String({
  pattern: "^[a-z][a-z0-9-]{0,31}$",
  description: "1 to 32 of a-z 0-9 -, beginning with a letter",
});
export const Role = OneOf(OPERATOR_ROLES);

export const WebhookId = Type.String({
  pattern: "^wh_[0-9a-f]{16}$",
  description: "wh_ and 16 hex digits",
});

/** Why an operator did something; shown in the audit log, not to users. */
export const Reason = Type.String({
  pattern: `^[^\\u0000-\\u001f\\u007f]{1,${REASON_LENGTH_MAX}}$`,
  description: `text of 1 to ${REASON_LENGTH_MAX} characters without control characters`,
});
/** Of a grave action; without one the audit log has none. */
export const OptionalReason = Type.Optional(Reason);
export const Note = Type.String({
  pattern: "^[^\\u0000-\\u001f\\u007f]{0,500}$",
  description: "text of at most 500 characters without control characters",
});
/** A UTC day; the call checks that it exists. */
export const Day = Type.String({
  pattern: "^\\d{4}-\\d{2}-\\d{2}$",
  description: "a UTC day written YYYY-MM-DD",
});

/** What somebody looks for. */
export const SearchText = Type.String({
  pattern: "^[^\\u0000-\\u001f\\u007f]{1,128}$",
  description: "text of 1 to 128 characters without control characters",
});

export const Permissions = Type.Array(OneOf(PERMISSIONS), {
  minItems: 1,
  uniqueItems: true,
  description: `a list of ${PERMISSIONS.join(", ")}: at least one, each once`,
});
export const IpAllowList = Type.Array(Type.String({ minLength: 2, maxLength: 49 }), {
  maxItems: IP_RANGES_MAX,
  uniqueItems: true,
  description:
    `a list of at most ${IP_RANGES_MAX} addresses or CIDR ranges, such as "10.0.0.0/8", ` +
    "each once; an empty list allows every address",
});
export const Account = OneOf(WALLETS);
export const MarketState = OneOf(MARKET_STATES);
export const UserState = OneOf(USER_STATES);
export const SelfTradePrevention = OneOf(SELF_TRADE_PREVENTIONS);
export const Product = OneOf(PRODUCTS);
export const CommissionFlags = Type.Array(OneOf(COMMISSION_FLAGS));
export const Scale = Whole(0, SCALE_MAX, `a whole number from 0 to ${SCALE_MAX}`);

export const Limit = Whole(1, PAGE_LIMIT_MAX, `a whole number from 1 to ${PAGE_LIMIT_MAX}`);
/** A page after a number: a uid, a movement, an entry of the audit. */
export const PageAfterNumber = Fields({
  after: Type.Optional(Count),
  limit: Type.Optional(Limit),
});
/** A page after a name: an API key, an asset, a symbol. */
export const PageAfterName = Fields({
  after: Type.Optional(
    Type.String({
      pattern: "^[A-Za-z0-9_]{1,64}$",
      description: "`next` of the previous page",
    }),
  ),
  limit: Type.Optional(Limit),
});

/** `next` is the `after` of the following page, null on the last one. */
export function PageOf<Item extends TSchema, Cursor extends TSchema>(item: Item, cursor: Cursor) {
  return Fields({ items: Type.Array(item), next: Nullable(cursor) });
}

export const Nothing = Fields({});
export type Nothing = Static<typeof Nothing>;
