/** Services that are wrong on purpose, each in one way: the oracle that is meant to must find it. */
import type { Wire } from "./lane.ts";
import type { Answer, Oracle } from "./oracles.ts";

export type Fault = { thinks: string; foundBy: Oracle; spoil: (wire: Wire) => Wire };

const json = (answer: Answer, body: unknown): Answer => ({ ...answer, body, text: JSON.stringify(body) });
const onSuccess =
  (change: (answer: Answer) => Answer) =>
  (wire: Wire): Wire =>
  async (...request) => {
    const answer = await wire(...request);
    return answer.status < 300 && answer.isJson ? change(answer) : answer;
  };
const onRefusal =
  (change: (answer: Answer) => Answer) =>
  (wire: Wire): Wire =>
  async (...request) => {
    const answer = await wire(...request);
    return answer.status >= 400 && answer.isJson ? change(answer) : answer;
  };

export const FAULTS: readonly Fault[] = [
  {
    thinks: "a refusal of a field is a failure of its own",
    foundBy: "serverErrors",
    spoil: onRefusal((answer) => (answer.status === 422 ? { ...answer, status: 500 } : answer)),
  },
  {
    thinks: "what was not found is gone",
    foundBy: "undeclaredStatuses",
    spoil: onRefusal((answer) => (answer.status === 404 ? { ...answer, status: 410 } : answer)),
  },
  {
    thinks: "amounts are text",
    foundBy: "schemaBroken",
    spoil: onSuccess((answer) => {
      const text = answer.text.replace(/"(\w*amount_cents)":(-?\d+)/g, '"$1":"$2"');
      return { ...answer, text, body: JSON.parse(text) };
    }),
  },
  {
    thinks: "an error is best explained by the statement that failed",
    foundBy: "otherForm",
    spoil: onRefusal((answer) => json(answer, { ...(answer.body as object), error: 'insert into "taxes" failed' })),
  },
  {
    thinks: "one wrong member need not spoil the rest",
    foundBy: "wrongAccepted",
    spoil: (wire) => async (requested, tenant, other) => {
      const answer = await wire(requested, tenant, other);
      return answer.status === 422 && requested.wrongAt ? { ...answer, status: 200 } : answer;
    },
  },
  {
    thinks: "which member is wrong goes without saying",
    foundBy: "fieldNotNamed",
    spoil: onRefusal((answer) =>
      answer.status === 422
        ? json(answer, { ...(answer.body as object), error_details: { base: ["value_is_invalid"] } })
        : answer,
    ),
  },
  {
    thinks: "what is done may be called refused",
    foundBy: "changedByRefusal",
    spoil: (wire) => async (queried, tenant, other) => {
      const answer = await wire(queried, tenant, other);
      const refused = { status: 405, error: "Method Not Allowed", code: "not_allowed" };
      return queried.operation.method !== "GET" && answer.status < 300
        ? { ...json(answer, refused), status: 405 }
        : answer;
    },
  },
  {
    thinks: "what one organization does not have, the other may",
    foundBy: "otherFound",
    spoil: (wire) => async (sent, tenant, other) => {
      const answer = await wire(sent, tenant, other);
      return answer.status === 404 && sent.operation.method === "GET" ? wire(sent, other, tenant) : answer;
    },
  },
  {
    thinks: "lists are everybody's",
    foundBy: "otherShown",
    spoil: (wire) => (sent, tenant, other) =>
      sent.operation.method === "GET" && !sent.url.includes("svc_id")
        ? wire(sent, other, tenant)
        : wire(sent, tenant, other),
  },
  {
    thinks: "whoever deletes, deletes it for all",
    foundBy: "otherChanged",
    spoil: (wire) => async (sent, tenant, other) => {
      if (sent.operation.method === "DELETE") await wire(sent, other, tenant);
      return wire(sent, tenant, other);
    },
  },
  {
    thinks: "a key of a request is a number like any other",
    foundBy: "repeatedOtherwise",
    spoil: (wire) => (sent, tenant, other) => wire({ ...sent, headers: {} }, tenant, other),
  },
];
