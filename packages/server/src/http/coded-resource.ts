/** The schemas of the five routes of a resource that is named by its code: create, list, show, change and delete. */
import { type TSchema, Type } from "@fastify/type-provider-typebox";
import { envelope } from "./fields.ts";
import { ERROR_RESPONSES } from "./openapi.ts";
import { listEnvelope, pageQuery } from "./pagination.ts";

type Words<Name extends string, Plural extends string> = {
  /** The member that wraps one record, and the one that wraps a list. */
  name: Name;
  plural: Plural;
  /** In a sentence: "a billable metric". */
  one: string;
  /** As a heading: "Billable metrics". */
  tag: string;
  /** What a reader of the API must know about a verb, beyond its usual meaning. */
  onCreate?: string;
  onChange?: string;
  onDelete: string;
};

export function codedResource<
  Name extends string,
  Plural extends string,
  Create extends TSchema,
  Update extends TSchema,
  Shown extends TSchema,
>(
  { name, plural, one, tag, onCreate, onChange, onDelete }: Words<Name, Plural>,
  { create, update, shown }: { create: Create; update: Update; shown: Shown },
) {
  const params = Type.Object({ code: Type.String() });
  const response = { 200: envelope(name, shown), ...ERROR_RESPONSES };
  const tags = [tag];
  return {
    create: { summary: `Create ${one}`, ...describe(onCreate), tags, body: envelope(name, create), response },
    show: { summary: `Show ${one}`, tags, params, response },
    change: { summary: `Change ${one}`, ...describe(onChange), tags, params, body: envelope(name, update), response },
    delete: { summary: `Delete ${one}`, description: onDelete, tags, params, response },
    list: {
      summary: `List ${tag.toLowerCase()}`,
      tags,
      querystring: Type.Object(pageQuery),
      response: { 200: listEnvelope(plural, shown), ...ERROR_RESPONSES },
    },
  };
}

const describe = (description: string | undefined) => (description === undefined ? {} : { description });
