/** CRUD of /taxes, by code. */
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { codedList } from "../../../http/coded-resource.ts";
import { newId } from "../../../platform/new-id.ts";
import type { Tx } from "../../../platform/postgres/database.ts";
import { deleteTax, type TaxDeps } from "./delete-tax.ts";
import { describeTax, describeTaxes } from "./describe-taxes.ts";
import { taxErrors } from "./errors.ts";
import { type ApiTax, fromApiTax, readRate, type TaxRow, taxSchemas } from "./schema.ts";
import { findTax, insertTax, lockTax, pageOfTaxes, updateTax } from "./store.ts";

export const taxRoutes =
  (deps: TaxDeps): FastifyPluginAsyncTypebox =>
  async (app) => {
    const { clock, onChanged } = deps;
    const config = { permission: "tax", activity: "difference" } as const;

    app.post("/taxes", { schema: taxSchemas.create, config }, (request) =>
      request.write(async (tx, organizationId) => {
        const { name, code, description = null, applied_to_organization = false, ...input } = request.body.tax;
        const rate = readRate(input.rate);
        const now = clock.now();
        const row = {
          id: newId(),
          name,
          code,
          rate,
          description,
          applied_to_organization,
          created_at: now,
          updated_at: now,
        };
        if (applied_to_organization) await onChanged(tx, null);
        return answer(tx, organizationId, await insertTax(tx, organizationId, row));
      }),
    );

    app.get("/taxes", { schema: taxSchemas.list, config }, (request) =>
      request.read(async (tx, organizationId) => {
        const { rows, meta } = await pageOfTaxes(tx, organizationId, codedList.read(request.query));
        return { taxes: await describeTaxes(tx, organizationId, rows), meta };
      }),
    );

    app.get("/taxes/:code", { schema: taxSchemas.show, config }, (request) =>
      request.read(async (tx, organizationId) =>
        answer(tx, organizationId, await findTax(tx, organizationId, request.params.code)),
      ),
    );

    app.put("/taxes/:code", { schema: taxSchemas.change, config }, (request) =>
      request.write(async (tx, organizationId) => {
        const { code } = request.params;
        await request.precondition(async () => answer(tx, organizationId, await lockTax(tx, organizationId, code)));
        const changes = { ...fromApiTax(request.body.tax), updated_at: clock.now() };
        const row = await updateTax(tx, organizationId, code, changes);
        if (row) await onChanged(tx, changes.applied_to_organization === undefined ? row.id : null);
        return answer(tx, organizationId, row);
      }),
    );

    app.delete("/taxes/:code", { schema: taxSchemas.delete, config }, (request) =>
      request.write(async (tx, organizationId) => ({
        tax: await deleteTax(tx, organizationId, request.params.code, deps),
      })),
    );
  };

async function answer(tx: Tx, organizationId: string, row: TaxRow | undefined): Promise<{ tax: ApiTax }> {
  if (!row) throw taxErrors.problem("tax_not_found");
  return { tax: await describeTax(tx, organizationId, row) };
}
