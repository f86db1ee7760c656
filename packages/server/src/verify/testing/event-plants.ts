/** Plants of the invariants about events. */
import { A } from "./names.ts";
import { NEW, type Plant } from "./statements.ts";

const OF_A = `organization_id = '${A}'`;
const MARCH = `${OF_A} and transaction_id = 'personal 2'`;
const SHARD_0 = `${OF_A} and shard = 0`;

export const eventPlants: Readonly<Record<string, readonly Plant[]>> = {
  "events-are-counted": [
    ["a new event was counted twice", `update event_counts set new = new + 1, received = received + 1 where ${OF_A}`],
    [
      "an event was received and not counted",
      `alter table event_counts drop constraint event_counts_check;
       update event_counts set received = received + 1 where ${OF_A}`,
    ],
    ["counts are gone", `delete from event_counts where ${OF_A} and stripe = 0`],
  ],
  "events-have-keys": [
    ["an event is missing", `delete from events where ${OF_A} and shard = 1`],
    [
      "an event has another timestamp",
      `update events set "timestamp" = "timestamp" + interval '1 second' where ${MARCH}`,
    ],
    ["a key belongs to another event", `update event_keys set id = '${NEW}' where ${MARCH}`],
    ["an event lost its key to another", `update event_keys set transaction_id = 'personal 9' where ${MARCH}`],
  ],
  "relay-cursors-follow-heads": [
    ["more is copied than was accepted", `update relay_cursors set positions = array[99] where ${OF_A}`],
    [
      "a batch leaves events out",
      `insert into relay_ranges (organization_id, lane, shard, after, up_to, derivations) values ('${A}', 0, 0, 1, 2, '{}')`,
    ],
  ],
  "positions-are-consecutive": [
    [
      "a position is missing",
      // The first month appears not to be dropped, so no window may lack an event.
      `update events set position = 1 where ${MARCH}; delete from counted_windows where ${OF_A};
       update invoices set made_from = '{}' where ${OF_A}`,
    ],
    ["a position was used twice", `update events set position = 3 where ${MARCH}`],
    [
      "a head is not at the last position",
      `update event_heads set position = position + 1 where ${SHARD_0}; update wallet_cursors set positions = '{3, 0}';
       update event_heads set position = position - 1 where ${OF_A} and shard = 1`,
    ],
  ],
};
