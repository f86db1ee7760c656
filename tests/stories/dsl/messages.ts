/** What the service told the organizations of all stories, as their webhooks would get it. */
import type { TestOptions } from "../../../packages/server/src/testing/start-tallystick.ts";

type Subscriber = NonNullable<TestOptions["subscribers"]>[number];
type Message = Parameters<Subscriber>[1];

/** By id: one that failed to be handed out comes again. */
const published = new Map<string, Message>();

export const keepMessage: Subscriber = async (_tx, message) => {
  published.set(message.id, message);
};

/** Their bodies, the first one first. */
export const messagesTo = <Body>(organizationId: string, type: string): Body[] =>
  [...published.values()]
    .filter((message) => message.organizationId === organizationId && message.webhookType === type)
    .sort((one, other) => (one.id < other.id ? -1 : 1))
    .map(({ payload }) => JSON.parse(payload) as Body);
