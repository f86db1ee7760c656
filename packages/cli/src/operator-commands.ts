/** The commands that work on the database of an installation. They run the same programs as `npm run` does in the repository. */

export type OptionText = { flags: string; about: string; isMandatory?: boolean };

export type OperatorCommand = {
  name: string;
  about: string;
  options?: readonly OptionText[];
  commands?: readonly OperatorCommand[];
};

const organization: OptionText = {
  flags: "--organization <id>",
  about: 'id of the organization, as "organizations list" shows it',
  isMandatory: true,
};
const email: OptionText = { flags: "--email <email>", about: "address of the person", isMandatory: true };
const key: OptionText = { flags: "--key <id>", about: "the 8 characters after tsk_", isMandatory: true };
const item: OptionText = {
  flags: "--item <id>",
  about: 'id of the item, as "billing parked" shows it',
  isMandatory: true,
};
const reason: OptionText = { flags: "--reason <text>", about: "why; stored for later review", isMandatory: true };
const lostKeys = (about: string): OptionText => ({ flags: "--lost-keys", about });

const running: readonly OperatorCommand[] = [
  {
    name: "dev",
    about: "Run the whole service on one port with a Postgres of its own that keeps its data, and print a demo key",
    options: [{ flags: "--data <folder>", about: "where the data is kept" }],
  },
  {
    name: "sandbox",
    about: "Run the whole service on fresh data, and print one JSON line with its address and keys when it is ready",
    options: [
      { flags: "--port <number>", about: "the port; 0 chooses a free one (default: 0)" },
      { flags: "--organizations <number>", about: "how many organizations it has (default: 1)" },
    ],
  },
  {
    name: "start",
    about: "Run the service on the database of DATABASE_URL",
    options: [{ flags: "--only <part>", about: "only this part: api or worker" }],
  },
  {
    name: "init",
    about: "Set up an installation: write .env, migrate the database, create the first organization and its key",
    options: [
      { flags: "--database-url <url>", about: "the Postgres to use, for example postgres://user@host/tallystick" },
      { flags: "--public-url <url>", about: "the address of the service, for example https://billing.example.com" },
      { flags: "--name <name>", about: "name of the first organization" },
      { flags: "--sandbox", about: "the organization is for tests: it has test clocks, and sends no emails" },
    ],
  },
  { name: "migrate", about: "Bring the database, and ClickHouse if it is used, to the newest schema" },
];

const organizations: OperatorCommand = {
  name: "organizations",
  about: "Create and list organizations",
  commands: [
    {
      name: "create",
      about: "Create an organization, with its first key and a link for its owner",
      options: [
        { flags: "--name <name>", about: "name of the organization", isMandatory: true },
        { flags: "--sandbox", about: "for tests: it has test clocks, and sends no emails" },
      ],
    },
    { name: "setup-link", about: "Print another link for an owner", options: [organization] },
    { name: "list", about: "List the organizations" },
  ],
};

const users: OperatorCommand = {
  name: "users",
  about: "List, invite and help people of all organizations",
  commands: [
    { name: "list", about: "List people" },
    {
      name: "create-owner",
      about: "Create an owner, and print a link to choose a password",
      options: [organization, email, { flags: "--name <name>", about: "name of the person", isMandatory: true }],
    },
    {
      name: "invite",
      about: "Print an invitation link that works for 7 days",
      options: [organization, email, { flags: "--role <role>", about: "role of the person", isMandatory: true }],
    },
    { name: "reset", about: "Print a link to choose another password, for 30 minutes", options: [email] },
    { name: "disable", about: "End the sessions of a person, who cannot sign in any more", options: [email] },
    { name: "enable", about: "Let a person sign in again", options: [email] },
    {
      name: "relax-sign-in",
      about: "Take back the demand for a second factor and for SSO",
      options: [organization],
    },
    {
      name: "remove-factors",
      about: "Remove the second factors of a person who has lost all of them. Make sure who asks",
      options: [email],
    },
    { name: "domains", about: "List the approved mail domains" },
    {
      name: "approve-domain",
      about: "Let the identity provider of an organization sign in people of a mail domain",
      options: [organization, { flags: "--domain <domain>", about: "the mail domain", isMandatory: true }],
    },
    {
      name: "withdraw-domain",
      about: "Withdraw the approval of a mail domain",
      options: [{ flags: "--domain <domain>", about: "the mail domain", isMandatory: true }],
    },
  ],
};

const keys: OperatorCommand = {
  name: "keys",
  about: "Create, list, rotate and revoke API keys",
  commands: [
    {
      name: "create",
      about: "Create an API key, and print it once",
      options: [
        organization,
        { flags: "--name <name>", about: "name of the key", isMandatory: true },
        { flags: "--preset <preset>", about: "a named set of permissions; the default is everything" },
        { flags: "--permissions <list>", about: "for example customer:read,tax:read+write" },
        { flags: "--expires-at <instant>", about: "ISO 8601, for example 2027-01-31T00:00:00Z" },
      ],
    },
    { name: "list", about: "List the API keys of an organization", options: [organization] },
    {
      name: "rotate",
      about: "Replace an API key, and print the new one once",
      options: [
        organization,
        key,
        { flags: "--old-key-works-until <instant>", about: "ISO 8601; by default the old key stops at once" },
      ],
    },
    { name: "revoke", about: "Revoke an API key: it stops working within 5 seconds", options: [organization, key] },
  ],
};

const billing: OperatorCommand = {
  name: "billing",
  about: "Pause and resume billing; list and release what waits",
  commands: [
    { name: "pause", about: "Create and finalize no invoices; everything else goes on", options: [organization] },
    { name: "waiting", about: "List the waiting invoices, with the reason", options: [organization] },
    {
      name: "resume",
      about: "Create each waiting invoice once, as of its own instant",
      options: [organization],
    },
    {
      name: "held",
      about: "List the invoices that are held because two computations differ",
      options: [organization, { flags: "--invoice <id>", about: "show both computations of this invoice" }],
    },
    {
      name: "release",
      about: "Finalize a held invoice with the first computation",
      options: [
        organization,
        { flags: "--invoice <id>", about: "id of the invoice", isMandatory: true },
        { flags: "--reason <text>", about: "why; stored for later review" },
      ],
    },
    { name: "parked", about: "List what cannot be billed and waits for an operator", options: [organization] },
    { name: "retry", about: "Retry a parked item at once", options: [organization, item, reason] },
    { name: "skip", about: "Skip a parked item: it is never billed", options: [organization, item, reason] },
  ],
};

const maintenance: readonly OperatorCommand[] = [
  {
    name: "usage",
    about: "Maintain the copy of events in ClickHouse",
    commands: [
      { name: "status", about: "Show how far each queue of ClickHouse is behind" },
      {
        name: "reconcile",
        about: "Compare both stores by organization, code and hour; exit code 1 where they differ",
      },
      { name: "rebuild", about: "Rebuild ClickHouse from Postgres while the service runs, then reconcile" },
    ],
  },
  {
    name: "verify",
    about:
      "Check that a database keeps every promise. It only reads. Exit code 1: a promise is broken; 2: it could not run",
    options: [
      { flags: "--only <name>", about: "this invariant only; can be given several times" },
      { flags: "--json", about: "all findings as one JSON array on stdout, the progress on stderr" },
      { flags: "--limit-seconds <number>", about: "how long one invariant may take; 0 means no limit" },
      { flags: "--invoices", about: "recompute every finalized invoice from its stored inputs" },
      { flags: "--organization <id>", about: "only the invoices of this organization" },
      { flags: "--position <file>", about: "store the progress, so that a later run continues" },
      { flags: "--concurrency <number>", about: "how many invoices at the same time (default: 2)" },
    ],
  },
  {
    name: "secrets",
    about: "Show, seal and rotate stored secrets (SECRETS_KEY)",
    commands: [
      { name: "status", about: "Show what is sealed and with which key; exit code 1 if something cannot be opened" },
      { name: "seal", about: "Seal what is not sealed yet" },
      {
        name: "rotate",
        about: "Make new data keys and seal everything again",
        options: [lostKeys("if a master key is lost for good: make new signing keys for what cannot be opened")],
      },
    ],
  },
  {
    name: "trail",
    about: "Show, compare, erase and sign the trail of changes",
    commands: [
      { name: "heads", about: "Show where each trail ends" },
      {
        name: "compare",
        about: "Check whether a trail still has what was logged; exit code 1 if not",
        options: [
          organization,
          { flags: "--sequence <number>", about: "as logged", isMandatory: true },
          { flags: "--chain <hex>", about: "as logged", isMandatory: true },
        ],
      },
      {
        name: "erase",
        about: "Drop the members of an object from all its activities",
        options: [
          organization,
          { flags: "--object <type>", about: "for example customer", isMandatory: true },
          { flags: "--id <id>", about: "svc_id of the object", isMandatory: true },
        ],
      },
      {
        name: "sign",
        about: "Sign the heads as they are, after a master key is lost for good",
        options: [{ ...lostKeys("confirms that the key is lost"), isMandatory: true }],
      },
    ],
  },
];

export const OPERATOR_COMMANDS: readonly OperatorCommand[] = [
  ...running,
  ...[organizations, users, keys, billing],
  ...maintenance,
];
