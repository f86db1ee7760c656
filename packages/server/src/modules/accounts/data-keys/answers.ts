/** Stored answers to requests with an Idempotency-Key, if they show a secret: they are sealed like the secret itself. */
import { createHash } from "node:crypto";
import type { AnswerBox } from "../../../http/transactions.ts";
import { dataKeyErrors } from "./errors.ts";
import type { Vault } from "./vault.ts";

type Stored = { sealed_answer?: string; data_key_version?: number };

/** A client chooses the key, so the place has its digest. */
const placeOf = (key: string) => ({
  table: "idempotency_keys",
  column: "answer",
  row: createHash("sha256").update(key).digest("hex"),
});

export const answerBoxOf = (vault: Vault): AnswerBox => ({
  seal: async (tx, organizationId, key, answer) => {
    const sealer = await vault.sealer(tx, organizationId);
    if (!sealer) return answer;
    const stored: Stored = {
      sealed_answer: sealer.seal(placeOf(key), answer).toString("base64"),
      data_key_version: sealer.version,
    };
    return JSON.stringify(stored);
  },
  open: async (tx, organizationId, key, answer) => {
    const { sealed_answer: box, data_key_version: version } = JSON.parse(answer) as Stored;
    if (box === undefined || version === undefined) return answer;
    const open = await vault.opener(tx, organizationId, version);
    const text = open(placeOf(key), Buffer.from(box, "base64"));
    if (text === undefined) throw dataKeyErrors.problem("secrets_key_wrong");
    return text;
  },
});
