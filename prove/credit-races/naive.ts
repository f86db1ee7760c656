/** A service that is wrong on purpose: whoever changes what a customer has to spend does not hold the customer. */
import { type KyselyPlugin, OperationNodeTransformer, type SelectQueryNode, TableNode } from "kysely";
import type { Platform } from "../../packages/server/src/main/compose.ts";

class Unlocked extends OperationNodeTransformer {
  protected override transformSelectQuery(node: SelectQueryNode): SelectQueryNode {
    const isOfCustomer = node.from?.froms.some(
      (from) => TableNode.is(from) && from.table.identifier.name === "customers",
    );
    const { endModifiers: _, ...unlocked } = node;
    return super.transformSelectQuery(isOfCustomer ? unlocked : node);
  }
}

const unlocked = new Unlocked();
const withoutLock: KyselyPlugin = {
  transformQuery: ({ node }) => unlocked.transformNode(node),
  transformResult: async ({ result }) => result,
};

export const spoilLock = (platform: Platform): Platform => ({ ...platform, db: platform.db.withPlugin(withoutLock) });
