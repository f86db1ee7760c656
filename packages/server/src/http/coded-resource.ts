/** The schemas of the five routes of a resource that is named by its code: create, list, show, change and delete. */
import { type TSchema, Type } from "@fastify/type-provider-typebox";
import { envelope } from "./fields.ts";
import { declareList } from "./list-query.ts";
import { CHANGED_RESPONSE, ERROR_RESPONSES } from "./openapi.ts";
import { listEnvelope } from "./pagination.ts";

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

/** The list of such a resource. Few have more than some thousand records, so the unique index of the code serves all of them. */
export const codedList = declareList({
  sorts: ["-created_at", "name", "code"],
  texts: { code: Type.String() },
  search: "name or code",
});

export function codedResource<
  Name extends string,
  Plural extends string,
  Create extends TSchema,
  Update extends TSchema,
  Shown extends TSchema,
>(
  {
    name,
    plural,
    one,
    tag,
    onCreate = "Its code must not be in use in the organization.",
    onChange = "Only the members present in the body change.",
    onDelete,
  }: Words<Name, Plural>,
  { create, update, shown }: { create: Create; update: Update; shown: Shown },
) {
  const params = Type.Object({ code: Type.String() });
  const response = { 200: envelope(name, shown), ...ERROR_RESPONSES };
  const tags = [tag];
  return {
    create: { summary: `Create ${one}`, description: onCreate, tags, body: envelope(name, create), response },
    show: { summary: `Show ${one}`, description: "Found by its code.", tags, params, response },
    change: {
      summary: `Change ${one}`,
      description: onChange,
      tags,
      params,
      body: envelope(name, update),
      response: { ...response, ...CHANGED_RESPONSE },
    },
    delete: { summary: `Delete ${one}`, description: onDelete, tags, params, response },
    list: {
      summary: `List ${tag.toLowerCase()}`,
      description: "Newest first.",
      tags,
      querystring: codedList.querystring,
      response: { 200: listEnvelope(plural, shown), ...ERROR_RESPONSES },
    },
  };
}
