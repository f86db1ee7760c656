/** Whether a plan is shown as it was sent: the same values, whatever the form of a decimal. */
import type { Members } from "../served-api.ts";
import { demand } from "./demand.ts";

export function demandShown(sent: Members, shown: Members): void {
  const difference = differ(sent, shown, "plan");
  demand("planShownOtherwise", difference === undefined, () => ({ difference, sent, shown }));
}

/** The first difference, as a path and both values. */
function differ(sent: unknown, shown: unknown, path: string): string | undefined {
  const text = `${path}: sent ${JSON.stringify(sent)}, shown ${JSON.stringify(shown)}`;
  if (typeof sent !== "object" || sent === null) return plain(sent) === plain(shown) ? undefined : text;
  if (typeof shown !== "object" || shown === null) return text;
  if (Array.isArray(sent) && (!Array.isArray(shown) || shown.length !== sent.length)) return text;
  return Object.entries(sent)
    .map(([name, value]) => differ(value, shownMember(name, shown as Members), `${path}.${name}`))
    .find((difference) => difference !== undefined);
}

/** Codes of taxes and the id of a metric are shown under other names. */
function shownMember(name: string, shown: Members): unknown {
  if (name === "tax_codes") return (shown.taxes as { code: string }[] | undefined)?.map(({ code }) => code);
  return name === "billable_metric_id" ? shown.svc_billable_metric_id : shown[name];
}

/** "1.50" is "1.5", and false may be shown as null. */
function plain(value: unknown): unknown {
  if (value === false || value === null || value === undefined) return null;
  return typeof value === "string" && /^\d+\.\d+$/.test(value) ? value.replace(/\.?0+$/, "") : value;
}
