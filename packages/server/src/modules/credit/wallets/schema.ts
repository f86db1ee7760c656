/** Request schemas of wallets and their transactions. Response schemas are in `to-api.ts`; core validates. */
import { Type } from "@fastify/type-provider-typebox";
import { INTERVALS } from "@tallystick/core/time";
import {
  anyMembers,
  currencyCode,
  described,
  envelope,
  formatted,
  mandatoryText,
  nullable,
  oneOf,
  text,
} from "../../../http/fields.ts";
import { declareList } from "../../../http/list-query.ts";
import { namedObject } from "../../../http/named-object.ts";
import { ERROR_RESPONSES } from "../../../http/openapi.ts";
import { listEnvelope } from "../../../http/pagination.ts";
import {
  SETTLEMENTS,
  TRANSACTION_STATUSES,
  TRANSACTION_TYPES,
  transactionSchema,
  WALLET_STATUSES,
  walletSchema,
} from "./to-api.ts";

const tags = ["Wallets"];
const params = Type.Object({ svc_id: Type.String() });
const response = { 200: envelope("wallet", walletSchema), ...ERROR_RESPONSES };

const credits = (description: string) =>
  Type.Optional(nullable(Type.String({ description: `${description}; a decimal string`, examples: ["100.0"] })));
const expiration = Type.Optional(
  nullable(formatted("datetime", { description: "In the future", examples: ["2099-12-31T23:59:59Z"] })),
);

const rules = Type.Optional(
  nullable(
    Type.Array(
      namedObject("WalletRuleUpdate", {
        trigger: oneOf(["interval", "threshold"]),
        interval: Type.Optional(nullable(oneOf(INTERVALS, { description: "Mandatory for `interval`" }))),
        threshold_credits: credits("Mandatory for `threshold`: the ongoing balance that triggers the top-up"),
        method: Type.Optional(nullable(oneOf(["fixed", "target"], { description: "Default: `fixed`" }))),
        paid_credits: credits("For the method `fixed`; default: the credits that the wallet was created with"),
        granted_credits: credits("For the method `fixed`; default: the credits that the wallet was created with"),
        target_ongoing_balance: credits("Mandatory for `target`: the ongoing balance to reach"),
        started_at: Type.Optional(
          nullable(
            formatted("datetime", {
              description: "The days count from this instant; default: the creation of the wallet",
            }),
          ),
        ),
      }),
      { description: "The top-up rule: at most one, replaced as a whole" },
    ),
  ),
);

const code = Type.Optional(nullable(text(255, "Unique among the customer's active wallets")));
const metadata = Type.Optional(nullable(anyMembers<string | null>("Up to 50 keys, each with a text or null")));
const requiresPayment = Type.Optional(
  Type.Unsafe<false | null>({
    type: ["boolean", "null"],
    enum: [false, null],
    description: "Only false: purchased credits are invoiced at once",
  }),
);

const walletMembers = {
  external_customer_id: mandatoryText(),
  rate_amount: Type.String({ description: "The value of one credit, in units of the currency", examples: ["1.0"] }),
  name: Type.Optional(nullable(text(255))),
  code,
  metadata,
  invoice_requires_successful_payment: requiresPayment,
  currency: Type.Optional(nullable(currencyCode())),
  priority: Type.Optional(
    nullable(Type.Integer({ minimum: 1, maximum: 50, description: "1 is used first; default: 50" })),
  ),
  paid_credits: credits("Purchased credits: an invoice is issued, and the credits count after it is paid"),
  granted_credits: credits("Free credits, which count at once"),
  expiration_at: expiration,
  recurring_transaction_rules: rules,
};

const examples = [
  {
    external_customer_id: "customer-17",
    name: "Prepaid",
    rate_amount: "1.0",
    currency: "EUR",
    paid_credits: "100.0",
    granted_credits: "10.0",
    expiration_at: "2099-12-31T23:59:59Z",
  },
];

export const createWalletSchema = {
  summary: "Create a wallet",
  description: "A customer can have several wallets. They are used by priority, then by age.",
  tags,
  body: envelope("wallet", described(Type.Object(walletMembers, { title: "WalletCreate", examples }))),
  response,
};

export const walletList = declareList({
  sorts: ["-created_at"],
  choices: { status: WALLET_STATUSES },
  texts: { external_customer_id: Type.String(), code: Type.String(), currency: Type.String() },
  search: "name",
});
export const listWalletsSchema = {
  summary: "List wallets",
  description: "Newest first.",
  tags,
  querystring: walletList.querystring,
  response: { 200: listEnvelope("wallets", walletSchema), ...ERROR_RESPONSES },
};

export const showWalletSchema = {
  summary: "Show a wallet",
  description: "With its balances and its top-up rule.",
  tags,
  params,
  response,
};

export const changeWalletSchema = {
  summary: "Change a wallet",
  description:
    "Changes only name, code, metadata, expiration_at and recurring_transaction_rules, each if it is in the body.",
  tags,
  params,
  body: envelope(
    "wallet",
    described(
      Type.Object(
        {
          name: walletMembers.name,
          code,
          metadata,
          invoice_requires_successful_payment: requiresPayment,
          expiration_at: expiration,
          recurring_transaction_rules: rules,
        },
        { title: "WalletUpdate", examples: [{ name: "Prepaid 2027" }] },
      ),
    ),
  ),
  response,
};

export const terminateWalletSchema = {
  summary: "Terminate a wallet",
  description:
    "Voids the balance and the unpaid purchases. A purchase that cannot be voided and is paid later is refunded by a credit note.",
  tags,
  params,
  response,
};

export const createTransactionSchema = {
  summary: "Buy, grant or void credits",
  description:
    "Creates one transaction for each kind in the request. Purchased credits count after their invoice is paid.",
  tags,
  body: envelope(
    "wallet_transaction",
    described(
      Type.Object(
        {
          wallet_id: mandatoryText(),
          paid_credits: credits("To buy"),
          granted_credits: credits("To give"),
          voided_credits: credits("The credits to remove"),
          name: Type.Optional(nullable(text(255, "What the invoice of a purchase calls the credits"))),
          metadata: Type.Optional(nullable(Type.Array(Type.Object({ key: Type.String(), value: Type.String() })))),
          invoice_requires_successful_payment: requiresPayment,
        },
        {
          title: "WalletTransactionCreate",
          examples: [{ wallet_id: "0199aaaa-0000-7000-8000-000000000001", granted_credits: "10.0" }],
        },
      ),
    ),
  ),
  response: {
    200: Type.Object({ wallet_transactions: Type.Array(transactionSchema) }, { description: "One for each kind" }),
    ...ERROR_RESPONSES,
  },
};

export const showTransactionSchema = {
  summary: "Show a wallet transaction",
  description: "With what is left of it.",
  tags,
  params,
  response: { 200: envelope("wallet_transaction", transactionSchema), ...ERROR_RESPONSES },
};

export const transactionList = declareList({
  sorts: ["-created_at"],
  choices: {
    status: SETTLEMENTS,
    transaction_status: TRANSACTION_STATUSES,
    transaction_type: TRANSACTION_TYPES,
  },
});
export const listTransactionsSchema = {
  summary: "List the transactions of a wallet",
  description: "Newest first.",
  tags,
  params,
  querystring: transactionList.querystring,
  response: { 200: listEnvelope("wallet_transactions", transactionSchema), ...ERROR_RESPONSES },
};
