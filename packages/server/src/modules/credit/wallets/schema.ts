/** Request schemas of wallets and their transactions. Response schemas are in `to-api.ts`; core validates. */
import { Type } from "@fastify/type-provider-typebox";
import { INTERVALS } from "@tallystick/core/time";
import {
  currencyCode,
  described,
  envelope,
  formatted,
  mandatoryText,
  nullable,
  oneOf,
  text,
} from "../../../http/fields.ts";
import { ERROR_RESPONSES } from "../../../http/openapi.ts";
import { listEnvelope, pageQuery } from "../../../http/pagination.ts";
import { SETTLEMENTS, TRANSACTION_STATUSES, TRANSACTION_TYPES, transactionSchema, walletSchema } from "./to-api.ts";

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
      Type.Object({
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

const walletMembers = {
  external_customer_id: mandatoryText(),
  rate_amount: Type.String({ description: "The value of one credit, in units of the currency", examples: ["1.0"] }),
  name: Type.Optional(nullable(text(255))),
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
  body: envelope("wallet", described(Type.Object(walletMembers, { examples }))),
  response,
};

export const listWalletsSchema = {
  summary: "List wallets",
  tags,
  querystring: Type.Object({
    ...pageQuery,
    external_customer_id: Type.Optional(Type.String()),
    currency: Type.Optional(Type.String()),
  }),
  response: { 200: listEnvelope("wallets", walletSchema), ...ERROR_RESPONSES },
};

export const showWalletSchema = { summary: "Show a wallet", tags, params, response };

export const changeWalletSchema = {
  summary: "Change a wallet",
  description: "Changes only name, expiration_at and recurring_transaction_rules, each if it is in the body.",
  tags,
  params,
  body: envelope(
    "wallet",
    described(
      Type.Object(
        { name: walletMembers.name, expiration_at: expiration, recurring_transaction_rules: rules },
        { examples: [{ name: "Prepaid 2027" }] },
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
        },
        { examples: [{ wallet_id: "0199aaaa-0000-7000-8000-000000000001", granted_credits: "10.0" }] },
      ),
    ),
  ),
  response: {
    200: Type.Object({ wallet_transactions: Type.Array(transactionSchema) }, { description: "One for each kind" }),
    ...ERROR_RESPONSES,
  },
};

export const listTransactionsSchema = {
  summary: "List the transactions of a wallet",
  tags,
  params,
  querystring: Type.Object({
    ...pageQuery,
    status: Type.Optional(oneOf(SETTLEMENTS)),
    transaction_status: Type.Optional(oneOf(TRANSACTION_STATUSES)),
    transaction_type: Type.Optional(oneOf(TRANSACTION_TYPES)),
  }),
  response: { 200: listEnvelope("wallet_transactions", transactionSchema), ...ERROR_RESPONSES },
};
