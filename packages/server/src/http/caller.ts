/** Who sends a request, and what it may do: the same for a key and for a person. */
import type { Permissions } from "./permission-sets.ts";

/** Who sends requests: an API key, or a person who signed in. */
export type Actor = { kind: "key" | "person"; id: string };
export type Caller = {
  organizationId: string;
  actor: Actor;
  /** Of a person; a key has none. */
  person?: SignedIn;
  permissions: Permissions;
  /** Whether its organization also uses removed members. */
  usesDeprecated: boolean;
  /** Whether members that an operation does not know are ignored instead of refused. */
  ignoresUnknown: boolean;
  /** What members such as `svc_id` begin with. */
  fieldPrefix: string;
};

/** What is known of a person beyond what is known of a key. */
export type SignedIn = {
  sessionId: string;
  /** What the person proved, such as `password` or `totp`. */
  methods: readonly string[];
  /** The last time that the person proved who it is. */
  provedAt: Temporal.Instant;
  isOwner: boolean;
};
