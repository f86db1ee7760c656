/** Recomputes a finalized invoice from its stored inputs, compares every member, and names the cause of each difference. */
import { AssertionError } from "node:assert/strict";
import { validate as isUuid } from "uuid";
import { alone } from "../../../platform/postgres/batch.ts";
import { inSnapshot, type Tx } from "../../../platform/postgres/database.ts";
import { findCustomersById } from "../../customers/index.ts";
import {
  findInvoice,
  findInvoiceCredits,
  findInvoiceTaxes,
  findTaxesOfFees,
  invoiceErrors,
} from "../../invoicing/index.ts";
import { verificationErrors } from "./errors.ts";
import {
  type Cause,
  causeInVersions,
  causesOfRest,
  causesOfUsage,
  changedEvent,
  isChanged,
  missing,
  unreadable,
} from "./find-causes.ts";
import type { Rebuild, VerifyDeps } from "./rebuild.ts";
import { type RemadeBills, remakeBills, scopeOf } from "./remake-bills.ts";
import { remakeEventInvoice } from "./remake-event.ts";
import { remakeOneOff, remakePurchase, remakeRegrouped } from "./remake-others.ts";
import { type Difference, differencesOf, type Members, membersOfStored, type StoredInvoice } from "./shown-invoice.ts";
import { findFeesOf } from "./store.ts";
import { type FromBills, type FromEvent, type Inputs, type MadeBy, readInputs } from "./stored-inputs.ts";

export type Verification = {
  invoiceId: string;
  number: string;
  made: MadeBy;
  differences: readonly Difference[];
  /** Empty if nothing differs. */
  causes: readonly Cause[];
};

export async function verifyInvoice(deps: VerifyDeps, organizationId: string, id: string): Promise<Verification> {
  const stored = await inSnapshot(deps.db, organizationId, (tx) => loadStored(tx, organizationId, id));
  const read = readInputs(stored.row.made_from);
  return { invoiceId: id, number: stored.row.number ?? "", made: read.inputs, ...(await lookInto(deps, stored, read)) };
}

type Found = Pick<Verification, "differences" | "causes">;

/** An invoice with unreadable inputs does not stop a run over all invoices. */
async function lookInto(deps: VerifyDeps, stored: StoredInvoice, read: Inputs): Promise<Found> {
  try {
    return await look(deps, stored, read);
  } catch (error) {
    if (!isOfInputs(error)) throw error;
    return nothingToMakeFrom(membersOfStored(stored), unreadable(error));
  }
}

/**
 * A database outage is temporary and says nothing about the invoice, so it is not a cause.
 * Postgres errors have a code; errors of the decimal library have no class of their own.
 */
const isOfInputs = (error: unknown): error is Error =>
  [AssertionError, RangeError, SyntaxError, TypeError].some((kind) => error instanceof kind) ||
  (error instanceof Error &&
    (error.message.startsWith("[big.js]") || /^22/.test(String((error as { code?: unknown }).code))));

function look(deps: VerifyDeps, stored: StoredInvoice, { kind, inputs }: Inputs): Promise<Found> | Found {
  switch (kind) {
    case "bills":
      return lookAtBills(deps, { stored, inputs });
    case "event":
      return lookAtEvent(deps, { stored, inputs });
    case "add_ons":
      return lookAtResult(deps, { stored, inputs }, remakeOneOff({ stored, inputs }));
    case "paid_fees":
      return lookAtResult(deps, { stored, inputs }, remakeRegrouped({ stored, inputs }));
    case "purchase":
      return lookAtResult(deps, { stored, inputs }, remakePurchase({ stored, inputs }));
  }
}

async function loadStored(tx: Tx, organizationId: string, id: string): Promise<StoredInvoice> {
  const row = await findInvoice(tx, organizationId, id);
  if (!row) throw invoiceErrors.problem("invoice_not_found");
  if (row.sequential_id === null) throw verificationErrors.problem("invoice_not_final");
  const { bills = [] } = row.made_from as unknown as Partial<FromBills>;
  const fees = await findFeesOf(tx, organizationId, {
    invoiceId: id,
    billIds: bills.map(({ billId }) => billId).filter(isUuid),
  });
  const [customer] = await findCustomersById(alone(tx), organizationId, [row.customer_id]);
  return {
    row,
    fees,
    feeTaxes: await findTaxesOfFees(
      tx,
      organizationId,
      fees.map((fee) => fee.id),
    ),
    taxes: await findInvoiceTaxes(alone(tx), organizationId, [id]),
    credits: await findInvoiceCredits(alone(tx), organizationId, [id]),
    customerNumber: customer?.sequential_id ?? 0n,
  };
}

const NOTHING: Found = { differences: [], causes: [] };

function lookAtResult(deps: VerifyDeps, { stored, inputs }: Rebuild<MadeBy>, remade: Members): Found {
  const differences = differencesOf(membersOfStored(stored), remade);
  return differences.length === 0 ? NOTHING : { differences, causes: causesOfRest(deps, inputs, differences) };
}

async function lookAtBills(deps: VerifyDeps, rebuild: Rebuild<FromBills>): Promise<Found> {
  const { stored, inputs } = rebuild;
  const members = membersOfStored(stored);
  const remade = await remakeBills(deps, rebuild);
  if (remade === null) return nothingToMakeFrom(members, missing("plan_version", "a version of its plan is missing"));
  const differences = [...differencesOf(members, remade.members), ...differencesOfUsage(remade)];
  if (differences.length === 0) return NOTHING;
  const { organization_id: organizationId } = stored.row;
  const others = remade.otherUsage.map((other) => ({ ...other, scope: scopeOf(other, inputs.cut) }));
  const causes = [
    ...(await causesInPlans(deps, rebuild, members)),
    ...(others.length > 0 ? await causesOfUsage(deps, organizationId, others) : []),
  ];
  const [first] = causes;
  if (first?.cause === "plan_version") return { differences, causes: [first] };
  return { differences, causes: causes.length > 0 ? causes : causesOfRest(deps, inputs, differences) };
}

async function causesInPlans(deps: VerifyDeps, rebuild: Rebuild<FromBills>, members: Members): Promise<Cause[]> {
  const { stored, inputs } = rebuild;
  for (const bill of inputs.bills) {
    const causes = await causeInVersions(deps, stored.row.organization_id, bill, async (version) => {
      const other = await remakeBills(deps, rebuild, (id, was) => (id === bill.planId ? version : was));
      return other !== null && other.otherUsage.length === 0 && differencesOf(members, other.members).length === 0;
    });
    if (causes.length > 0) return causes;
  }
  return [];
}

const differencesOfUsage = ({ otherUsage }: RemadeBills): Difference[] =>
  otherUsage.flatMap(({ bill, was, is }) =>
    (["units", "events", "digest"] as const).flatMap((name) => {
      const [stored, recomputed] = [was?.[name] ?? null, is?.[name] ?? null];
      const member = `made_from.bills[${bill.billId}].${(is ?? was)?.chargeId}.${name}`;
      return stored === recomputed ? [] : [{ member, stored, recomputed }];
    }),
  );

async function lookAtEvent(deps: VerifyDeps, rebuild: Rebuild<FromEvent>): Promise<Found> {
  const { stored, inputs } = rebuild;
  const { organization_id: organizationId } = stored.row;
  const members = membersOfStored(stored);
  const remade = await remakeEventInvoice(deps, rebuild);
  if ("missing" in remade)
    return nothingToMakeFrom(
      members,
      remade.missing === "event"
        ? missing("event_missing", "the event that it bills is missing")
        : missing("plan_version", "the version of its plan is missing"),
    );
  const differences = differencesOf(members, remade.members);
  if (differences.length === 0) return NOTHING;
  if (isChanged(organizationId, remade.event)) return { differences, causes: [changedEvent(remade.event)] };
  const causes = await causeInVersions(deps, organizationId, inputs, async (version) => {
    const other = await remakeEventInvoice(deps, rebuild, version);
    return "members" in other && differencesOf(members, other.members).length === 0;
  });
  return { differences, causes: causes.length > 0 ? causes : causesOfRest(deps, inputs, differences) };
}

const nothingToMakeFrom = (members: Members, cause: Cause): Found => ({
  differences: differencesOf(members, new Map()),
  causes: [cause],
});
