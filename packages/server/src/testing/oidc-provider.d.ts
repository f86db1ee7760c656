/** The part of the development dependency that the tests use: it has no types of its own. */
declare module "oidc-provider" {
  import type { IncomingMessage, ServerResponse } from "node:http";

  type Details = {
    prompt: { name: string };
    params: { client_id: string };
    session?: { accountId: string };
  };

  export class Provider {
    constructor(issuer: string, configuration: object);
    // biome-ignore lint/suspicious/noExplicitAny: the context of Koa
    use(middleware: (context: any, next: () => Promise<void>) => Promise<void>): void;
    callback(): (request: IncomingMessage, response: ServerResponse) => unknown;
    interactionDetails(request: IncomingMessage, response: ServerResponse): Promise<Details>;
    interactionFinished(request: IncomingMessage, response: ServerResponse, result: object): Promise<void>;
    Grant: new (of: {
      accountId: string;
      clientId: string;
    }) => {
      addOIDCScope: (scope: string) => void;
      save: () => Promise<string>;
    };
  }
}
