/** What a sample request says about its route. */
import type { Permissions } from "../http/auth.ts";
import type { Call, Deliver } from "./start-tallystick.ts";

export type Sample = {
  /** The resource of the permission that the route needs. */
  permission: string;
  /** The resource that members of the body need to be written as well; of a request that is reading, to be read. */
  also?: string;
  /** It changes nothing: it needs the permission to read, whatever its method. */
  isReading?: true;
  /** What the request hands out: nobody hands out more than they have. */
  handsOut?: NonNullable<Permissions>;
  /** Creates the records that path and body name, and returns their names. `mark` makes them unique. */
  given?: (call: Call, mark: string, deliver?: Deliver) => Promise<Record<string, string>>;
  /** Includes every nested object and list that the route accepts, so that tests reach each member. */
  body?: (mark: string, named: Record<string, string>) => object;
  /** The route takes no body. */
  isAction?: true;
  /** Members that only another kind of record has: the route accepts them, but neither checks nor shows them. */
  ignored?: readonly string[];
  /** Members that name another record; an unknown one is 404. */
  references?: readonly string[];
  /** The name of an unknown record, if it is not the resource of the permission. */
  missing?: string;
  /** The mandatory query. */
  query?: (named: Record<string, string>) => Record<string, string>;
  /** The status if no record is in a suitable state; default: 200. */
  answers?: number;
  /** Members that the record shows under another name. */
  shownAs?: Readonly<Record<string, string | readonly (string | number)[]>>;
};
