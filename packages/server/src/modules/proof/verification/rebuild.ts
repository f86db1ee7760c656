/** The input of a recomputation. */
import type { Database } from "../../../platform/postgres/database.ts";
import type { Engine } from "../../invoicing/index.ts";
import type { EventStore } from "../../usage/index.ts";
import type { StoredInvoice } from "./shown-invoice.ts";

export type VerifyDeps = { db: Database; events: EventStore; engine: Engine };

export type Rebuild<Inputs> = { stored: StoredInvoice; inputs: Inputs };
