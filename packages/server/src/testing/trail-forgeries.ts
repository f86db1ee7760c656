/** Ways to falsify a trail, for someone who owns the database but has no master key: what it says, and the statements. */

type Forgery = readonly [what: string, statements: string];
type Trail = { organizationId: string; otherId: string; sealed: number; waiting: number };

/** What the service stores, computed again by the forger. */
const DIGEST = `sha256(convert_to(json_build_array(
  a.organization_id, a.id, (extract(epoch from a.created_at) * 1000000)::bigint, a.actor_kind, a.actor_id, a.address, a.operation,
  a.object_type, a.object_id, a.request_id, encode(a.difference_digest, 'hex'))::text, 'UTF8'))`;

const FORGED = "01900000-0000-7000-8000-000000000001";

type Places = ReturnType<typeof placesOf>;
type Statements = ReturnType<typeof statementsOf>;

export function trailForgeries(trail: Trail): Forgery[] {
  const [places, statements] = [placesOf(trail), statementsOf(trail)];
  return [
    ...removals(trail, places, statements),
    ...edits(places, statements),
    ...moves(trail, places, statements),
    ...ofHeads(trail, places),
  ];
}

function placesOf({ organizationId, sealed, waiting }: Trail) {
  const own = `organization_id = '${organizationId}'`;
  const at = (sequence: number): string =>
    `(select activity_id from activity_seals where ${own} and sequence = ${sequence})`;
  const waitingAt = (index: number): string =>
    `(select activity_id from activity_seals where ${own} and sequence is null order by activity_id offset ${index} limit 1)`;
  const places = [1, 2, Math.floor(sealed / 2), sealed - 1, sealed];
  const everywhere: [string, string][] = [
    ...places.map((sequence): [string, string] => [`activity ${sequence} of ${sealed}`, at(sequence)]),
    ...Array.from({ length: waiting }, (_, index): [string, string] => [
      `waiting activity ${index + 1}`,
      waitingAt(index),
    ]),
  ];
  return { own, at, places, everywhere };
}

function statementsOf(trail: Trail) {
  const { organizationId } = trail;
  const { own } = placesOf(trail);
  const fixDigest = (id: string): string =>
    `update activity_seals s set row_digest = ${DIGEST} from activities a where a.${own} and a.id = s.activity_id and s.activity_id = ${id}`;
  /** Links the chain again from the sequence on, as the service would, up to a head without signature. */
  const chainAgain = (from: number): string => `
    do $$
    declare link record; previous bytea;
    begin
      select coalesce((select chain from activity_seals where ${own} and sequence = ${from - 1}), sha256(convert_to('${organizationId}', 'UTF8')))
        into previous;
      for link in select * from activity_seals where ${own} and sequence >= ${from} order by sequence loop
        previous := sha256(previous || link.row_digest);
        update activity_seals set chain = previous where ${own} and activity_id = link.activity_id;
      end loop;
      update activity_heads set chain = previous, sequence = coalesce((select max(sequence) from activity_seals where ${own}), 0) where ${own};
    end $$`;
  const forge = (id: string, values: string): string =>
    `insert into activities (organization_id, id, created_at, actor_kind, actor_id, operation, object_type)
       values ('${organizationId}', '${id}', ${values}, 'key', 'forged', 'deleteTax', 'tax')`;
  const sealForged = (sequence: string): string =>
    `insert into activity_seals (organization_id, activity_id, recorded_at, row_digest, sequence, chain)
       select organization_id, id, created_at, ${DIGEST}, ${sequence}, sha256(id::text::bytea) from activities a where id = '${FORGED}'`;
  const truncate = (left: number): string =>
    `delete from activities where id in (select activity_id from activity_seals where ${own} and sequence > ${left});
     delete from activity_seals where ${own} and sequence > ${left}`;
  return { fixDigest, chainAgain, forge, sealForged, truncate };
}

function removals(
  { sealed }: Trail,
  { own, at, places, everywhere }: Places,
  { chainAgain, truncate }: Statements,
): Forgery[] {
  return [
    ...everywhere.map(([name, id]): Forgery => [`${name} was removed`, `delete from activities where id = ${id}`]),
    ...everywhere.map(
      ([name, id]): Forgery => [
        `the seal of ${name} was removed`,
        `delete from activity_seals where activity_id = ${id}`,
      ],
    ),
    ...places.map(
      (sequence): Forgery => [
        `activity ${sequence} was removed with its seal`,
        `delete from activities where id = ${at(sequence)}; delete from activity_seals where ${own} and sequence = ${sequence}`,
      ],
    ),
    ...[1, 2, 3, 4, 5, sealed].map(
      (count): Forgery => [
        `the newest ${count} sealed activities were removed with their seals`,
        truncate(sealed - count),
      ],
    ),
    ...[1, 2, 3, 4, 5, sealed].map(
      (count): Forgery => [
        `the newest ${count} were removed, and the head was moved back`,
        `${truncate(sealed - count)}; ${chainAgain(Math.max(1, sealed - count))};
       update activity_heads set sequence = ${sealed - count} where ${own}`,
      ],
    ),
    ...[1, 2, 3].map(
      (count): Forgery => [
        `the oldest ${count} were removed as if they had been pruned`,
        `update activity_heads set pruned_sequence = ${count},
         pruned_chain = (select chain from activity_seals where ${own} and sequence = ${count}) where ${own};
       delete from activities where id in (select activity_id from activity_seals where ${own} and sequence <= ${count});
       delete from activity_seals where ${own} and sequence <= ${count}`,
      ],
    ),
  ];
}

function edits({ at, places, everywhere }: Places, { fixDigest, chainAgain }: Statements): Forgery[] {
  return [
    ...[
      ["actor_kind", "'person'"],
      ["actor_id", "'other'"],
      ["address", "'10.0.0.1'"],
      ["address", "null"],
      ["operation", "'other'"],
      ["object_type", "'tax'"],
      ["object_id", "'other'"],
      ["request_id", "'other'"],
      ["created_at", "created_at - interval '1 microsecond'"],
      ["difference", `'{"name":["a","b"]}'`],
      ["difference_digest", "sha256('other')"],
      ["salt", "decode(repeat('00', 16), 'hex')"],
    ].flatMap(([column = "", value = ""]) =>
      [everywhere[2], everywhere.at(-1)].map(
        ([name, id] = ["", ""]): Forgery => [
          `${column} of ${name} was changed to ${value}`,
          `update activities set ${column} = ${value} where id = ${id}`,
        ],
      ),
    ),
    ...everywhere
      .slice(0, 6)
      .map(
        ([name, id]): Forgery => [
          `the difference of ${name} was dropped`,
          `update activities set difference = null, salt = null, erased_by = id where id = ${id}`,
        ],
      ),
    ...places.map(
      (sequence): Forgery => [
        `activity ${sequence} was changed, with its digest`,
        `update activities set actor_id = 'other' where id = ${at(sequence)}; ${fixDigest(at(sequence))}`,
      ],
    ),
    ...places.map(
      (sequence): Forgery => [
        `activity ${sequence} was changed, with its digest, and the chain was recomputed`,
        `update activities set actor_id = 'other' where id = ${at(sequence)}; ${fixDigest(at(sequence))}; ${chainAgain(sequence)}`,
      ],
    ),
  ];
}

/** Exchanged and added activities. */
function moves({ sealed }: Trail, { own }: Places, { chainAgain, forge, sealForged }: Statements): Forgery[] {
  return [
    ...[1, 10, sealed - 1].map(
      (sequence): Forgery => [
        `activities ${sequence} and ${sequence + 1} were exchanged`,
        `update activity_seals set sequence = sequence + 1000 where ${own} and sequence = ${sequence};
       update activity_seals set sequence = ${sequence} where ${own} and sequence = ${sequence + 1};
       update activity_seals set sequence = ${sequence + 1} where ${own} and sequence = ${sequence + 1000}`,
      ],
    ),
    ...[1, 10, sealed - 1].map(
      (sequence): Forgery => [
        `activities ${sequence} and ${sequence + 1} were exchanged, and the chain was recomputed`,
        `update activity_seals set sequence = sequence + 1000 where ${own} and sequence = ${sequence};
       update activity_seals set sequence = ${sequence} where ${own} and sequence = ${sequence + 1};
       update activity_seals set sequence = ${sequence + 1} where ${own} and sequence = ${sequence + 1000}; ${chainAgain(sequence)}`,
      ],
    ),
    ...["now()", "now() - interval '1 day'"].flatMap((time): Forgery[] => [
      [`an activity of ${time} was added`, forge(FORGED, time)],
      [
        `an activity of ${time} was added at the end of the chain`,
        `${forge(FORGED, time)}; ${sealForged(String(sealed + 1))}`,
      ],
      [
        `an activity of ${time} was added at the end of the chain, which was recomputed`,
        `${forge(FORGED, time)}; ${sealForged(String(sealed + 1))}; ${chainAgain(sealed)}`,
      ],
      [
        `an activity of ${time} was added in the middle, and the chain was recomputed`,
        `update activity_seals set sequence = sequence + 1000 where ${own} and sequence > 10;
         update activity_seals set sequence = sequence - 999 where ${own} and sequence > 1000;
         ${forge(FORGED, time)}; ${sealForged("11")}; ${chainAgain(11)}`,
      ],
    ]),
  ];
}

function ofHeads({ organizationId, otherId, sealed }: Trail, { own, at }: Places): Forgery[] {
  return [
    [
      "the newest seal was opened again",
      `update activity_seals set sequence = null, chain = null where ${own} and sequence = ${sealed}`,
    ],
    [
      "a sealed activity was moved to another organization",
      `update activities set organization_id = '${otherId}' where id = ${at(5)};
       update activity_seals set organization_id = '${otherId}', sequence = 1000 where ${own} and sequence = 5`,
    ],
    ["the head was removed", `delete from activity_heads where ${own}`],
    ["the head was moved on", `update activity_heads set sequence = sequence + 1 where ${own}`],
    ["the head lost its signature", `update activity_heads set mac = null, master_version = null where ${own}`],
    ["the signature of the head was changed", `update activity_heads set mac = sha256(mac) where ${own}`],
    ["the head names another key", `update activity_heads set master_version = 2 where ${own}`],
    [
      "the head of another organization was copied",
      `update activity_heads h set sequence = o.sequence, chain = o.chain, mac = o.mac
         from activity_heads o where h.${own} and o.organization_id = '${otherId}'`,
    ],
    [
      "the whole trail was removed, and its head begun again",
      `delete from activities where ${own}; delete from activity_seals where ${own};
       update organizations set created_at = created_at - interval '1 day' where id = '${organizationId}';
       update activity_heads set sequence = 0, chain = pruned_chain, mac = null, master_version = null where ${own}`,
    ],
  ];
}
