/** The webhook messages to the organizations of all stories. */
import type { TestOptions } from "../../../packages/server/src/testing/start-tallystick.ts";

type Subscriber = NonNullable<TestOptions["subscribers"]>[number];
type Message = Parameters<Subscriber>[1];

/** By id, because a message is repeated after a failed attempt. */
const published = new Map<string, Message>();

export const keepMessage: Subscriber = async (_tx, message) => {
  published.set(message.id, message);
};

/** The bodies, oldest first. */
export const messagesTo = <Body>(organizationId: string, type: string): Body[] =>
  [...published.values()]
    .filter((message) => message.organizationId === organizationId && message.webhookType === type)
    .sort((one, other) => (one.id < other.id ? -1 : 1))
    .map(({ payload }) => JSON.parse(payload) as Body);
