/** How a quantity came about, in words. */
type Basis = { type: string; field?: string };

export function basisTitle({ type, field }: Basis): string {
  switch (type) {
    case "sum":
      return `Sum of “${field}”`;
    case "count":
      return "Number of events";
    case "unique_count":
      return `Different values of “${field}” in use`;
    case "weighted_sum":
      return `“${field}” weighed by time`;
    case "max":
      return `Greatest “${field}”`;
    case "latest":
      return `Latest “${field}”`;
    default:
      return "Units";
  }
}
