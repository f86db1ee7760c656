/** Who is who in the clean world. */

/** Readable ids: 11 is 00000000-0000-7000-8000-000000000011. */
export const id = (number: number): string => `00000000-0000-7000-8000-${String(number).padStart(12, "0")}`;

/** What the real clock shows. */
export const NOW = "2024-04-10T12:00:00Z";

/** No finding may show this. */
export const PERSONAL = "personal";

export const A = id(1);
export const B = id(2);
export const IDLE = id(11);
export const ADVANCING = id(12);
/** Customers of A: on a clock that stands, on the real clock, deleted, on a clock that advances. */
export const [PATIENT, REAL, GONE, TRAVELLER, NEIGHBOR] = [id(21), id(22), id(23), id(24), id(25)];
/** A customer of A with credits to spend, and its invoices: one that was credited, one that was paid with credits. */
export const [SPENDER, CREDITED, PAID] = [id(27), id(405), id(406)];
export const [METRIC, CHARGE, OLD_CHARGE, FILTER, COMMITMENT] = [id(31), id(32), id(33), id(34), id(35)];
export const [METRIC_OF_B, CHARGE_OF_B] = [id(38), id(39)];
/** Of the organization that bills events in advance. */
export const ADVANCE_CHARGE = id(37);
/** The invoice that is not final. */
export const DRAFT = id(1999);
/** Monthly in arrears, with a charge; monthly in advance; a year in advance with charges by the month; in another currency. */
export const [ARREARS, ADVANCE, YEARLY, ARREARS_USD, ARREARS_OF_B] = [id(41), id(42), id(43), id(44), id(45)];

/** Subscriptions, by what has become of them. */
export const S = {
  plain: id(101),
  upgraded: id(102),
  upgrade: id(103),
  downgraded: id(104),
  downgrade: id(105),
  leaving: id(106),
  awaited: id(107),
  upcoming: id(108),
  canceled: id(109),
  endedOnBoundary: id(110),
  inTrial: id(111),
  trialOver: id(112),
  backdated: id(113),
  ending: id(114),
  again: id(115),
  travelling: id(116),
  ended: id(117),
  neighbor: id(118),
} as const;
