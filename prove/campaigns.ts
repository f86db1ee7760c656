/** Every campaign by its name. */
import { agreement } from "./agreement/campaign.ts";
import type { Campaign } from "./campaign.ts";
import { crashPoints } from "./crash-points/campaign.ts";
import { creditRaces } from "./credit-races/campaign.ts";
import { eventStore } from "./event-store/campaign.ts";
import { fuzzing } from "./fuzz/campaign.ts";
import { guards } from "./guards/campaign.ts";
import { invoiceRaces } from "./invoice-races/campaign.ts";
import { clientKills } from "./kills/client/campaign.ts";
import { eventKills } from "./kills/events/campaign.ts";
import { invoiceFreezes, invoiceKills } from "./kills/invoices/subject.ts";
import { relayFreezes, relayKills } from "./kills/relay/subject.ts";
import { webhookFreezes, webhookKills } from "./kills/webhooks/subject.ts";
import { workerKills } from "./kills/workers/subject.ts";
import { lives } from "./lives/campaign.ts";
import { neighbors } from "./neighbors/campaign.ts";
import { restores } from "./restore/campaign.ts";
import { signIns } from "./sign-ins/campaign.ts";
import { valueFaults } from "./value-faults/campaign.ts";
import { webhookStorm } from "./webhook-storm/campaign.ts";

export const CAMPAIGNS: ReadonlyMap<string, Campaign> = new Map([
  ["agreement", agreement],
  ["client-kills", clientKills],
  ["crash-points", crashPoints],
  ["credit-races", creditRaces],
  ["event-kills", eventKills],
  ["event-store", eventStore],
  ["fuzz", fuzzing],
  ["guards", guards],
  ["invoice-freezes", invoiceFreezes],
  ["invoice-kills", invoiceKills],
  ["invoice-races", invoiceRaces],
  ["lives", lives],
  ["neighbors", neighbors],
  ["relay-freezes", relayFreezes],
  ["relay-kills", relayKills],
  ["restore", restores],
  ["sign-ins", signIns],
  ["value-faults", valueFaults],
  ["webhook-freezes", webhookFreezes],
  ["webhook-kills", webhookKills],
  ["webhook-storm", webhookStorm],
  ["worker-kills", workerKills],
]);
