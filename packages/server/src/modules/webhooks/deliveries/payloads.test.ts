import { Errors } from "typebox/schema";
import { expect, it, test } from "vitest";
import { createRecomputations, provokeMessages } from "../../../testing/provoke-messages.ts";
import { resolveRefs } from "../../../testing/resolve-refs.ts";
import { startReceiver } from "../../../testing/start-receiver.ts";
import { startTallystick } from "../../../testing/start-tallystick.ts";

let now = Temporal.Instant.from("2026-02-12T10:30:00Z");
const receiver = await startReceiver();
const recomputations = createRecomputations();
const { app, call, drain, runScheduled } = await startTallystick({
  recomputeInvoice: recomputations.give,
  clock: { now: () => now },
  settings: { OUTBOUND_TRUSTED_HOSTS: "127.0.0.1" },
});
const endpoint = (webhook_url: string) => call("POST", "/webhook_endpoints", { webhook_endpoint: { webhook_url } });
receiver.answers["/gone"] = (answer) => answer.writeHead(410).end();
await endpoint(receiver.url("/told"));
await endpoint(receiver.url("/gone"));
await provokeMessages({
  call,
  drain,
  recomputations,
  passHour: async () => {
    now = now.add({ hours: 1 });
    await runScheduled("ask_for_event_checks");
  },
});
const published = receiver.received.filter(({ path }) => path === "/told").map(({ body }) => JSON.parse(body));

type Json = Record<string, unknown>;
const { webhooks } = resolveRefs((await app.inject({ url: "/openapi.json" })).json());

/** The schema, refusing members that it does not name. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== "object" || schema === null) return schema;
  const { properties, ...rest } = schema as Json;
  const members = Object.entries(rest).map(([name, member]) => [name, name === "items" ? closed(member) : member]);
  if (properties === undefined) return Object.fromEntries(members);
  const named = Object.entries(properties as Json).map(([name, member]) => [name, closed(member)]);
  return { ...Object.fromEntries(members), properties: Object.fromEntries(named), additionalProperties: false };
}

const schemaOf = (type: string) => webhooks[type].post.requestBody.content["application/json"].schema;

it.each(Object.keys(webhooks))("%s is provoked through the API and carries exactly what is described", (type) => {
  const messages = published.filter(({ webhook_type }) => webhook_type === type);
  expect(messages.length).toBeGreaterThan(0);
  for (const message of messages)
    expect(faultsOf(closed(schemaOf(type)), message), JSON.stringify(message)).toEqual([]);
});

test("no message is published that is not described", () => {
  expect([...new Set(published.map(({ webhook_type }) => webhook_type))].sort()).toEqual(Object.keys(webhooks).sort());
});

test("a message has the three members of the API, and its customers are shown without taxes", () => {
  for (const message of published) {
    expect(Object.keys(message)).toEqual(["webhook_type", "object_type", message.object_type]);
    const object = message[message.object_type];
    expect(object.customer ?? {}).not.toHaveProperty("taxes");
  }
});

test("a described schema refuses a missing member, an extra member, and one of another type", () => {
  const message = published.find(({ webhook_type }) => webhook_type === "invoice.created");
  const schema = closed(schemaOf("invoice.created"));
  const with_ = (change: object) => ({ ...message, invoice: { ...message.invoice, ...change } });
  const { number: _, ...unnumbered } = message.invoice;
  expect(faultsOf(schema, message)).toEqual([]);
  expect(faultsOf(schema, { ...message, invoice: unnumbered })).not.toEqual([]);
  expect(faultsOf(schema, with_({ legacy: true }))).not.toEqual([]);
  expect(faultsOf(schema, with_({ total_amount_cents: "1" }))).not.toEqual([]);
});

function faultsOf(schema: unknown, value: unknown): unknown[] {
  const [isFine, faults] = Errors(schema as object, value);
  return isFine ? [] : faults;
}
