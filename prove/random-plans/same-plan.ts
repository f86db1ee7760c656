/** Whether a plan is shown as it was sent: the same values, whatever the form of a decimal, with defaults for what was not said. */
import { decimal } from "@tallystick/core/money";

type Members = Readonly<Record<string, unknown>>;

const DECIMAL = /^\d+(\.\d+)?$/;

/** The first difference, as a path and both values; undefined where there is none. */
export function differenceOf(sent: Members, shown: Members): string | undefined {
  return membersDiffer(sent, shown, "plan");
}

function differ(sent: unknown, shown: unknown, path: string): string | undefined {
  if (Array.isArray(sent)) return listsDiffer(sent, shown, path);
  if (typeof sent === "object" && sent !== null) return membersDiffer(sent as Members, shown, path);
  return isSame(sent, shown) ? undefined : `${path}: sent ${JSON.stringify(sent)}, shown ${JSON.stringify(shown)}`;
}

function membersDiffer(sent: Members, shown: unknown, path: string): string | undefined {
  if (typeof shown !== "object" || shown === null) return `${path}: shown ${JSON.stringify(shown)}`;
  const found = Object.entries(sent).map(([name, value]) => memberDiffers(name, value, shown as Members, path));
  return found.find((difference) => difference !== undefined);
}

function memberDiffers(name: string, sent: unknown, shown: Members, path: string): string | undefined {
  const here = `${path}.${name}`;
  if (name === "tax_codes") {
    const codes = (shown.taxes as { code: string }[] | undefined)?.map(({ code }) => code).toSorted();
    return differ([...((sent ?? []) as string[])].toSorted(), codes, here);
  }
  if (name === "billable_metric_id") return differ(sent, shown.svc_billable_metric_id, here);
  if (name === "bill_charges_monthly") return differ(monthlyOf(sent, shown), shown[name], here);
  return differ(sent, shown[name], here);
}

/** Said of a plan whose interval does not allow it, it is not kept. */
const monthlyOf = (sent: unknown, { interval }: Members): unknown =>
  interval === "yearly" || interval === "semiannual" ? sent === true : null;

function listsDiffer(sent: readonly unknown[], shown: unknown, path: string): string | undefined {
  if (!Array.isArray(shown) || shown.length !== sent.length) return `${path}: shown ${JSON.stringify(shown)}`;
  return sent.map((item, index) => differ(item, shown[index], `${path}.${index}`)).find((found) => found !== undefined);
}

function isSame(sent: unknown, shown: unknown): boolean {
  if (typeof sent === "string" && typeof shown === "string" && DECIMAL.test(sent) && DECIMAL.test(shown)) {
    return decimal(sent).eq(decimal(shown));
  }
  // What is null or empty by request, a default or nothing may stand for.
  const isNothing = (value: unknown) => value === null || value === undefined || value === 0 || value === "0";
  return sent === shown || (sent === null && isNothing(shown));
}
