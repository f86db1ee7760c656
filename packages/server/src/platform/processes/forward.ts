/** Gives a request on to another process of the service, which listens on a socket in a private folder. */
import { type IncomingMessage, request as send } from "node:http";

type Where = { socketPath: string; headers: Readonly<Record<string, string>>; signal: AbortSignal };

/** Fails if that process is not there. */
export function forward(request: IncomingMessage, { socketPath, headers, signal }: Where): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const { method, url } = request;
    const options = { socketPath, method, path: url, headers: { ...request.headers, ...headers }, signal };
    const forwarded = send(options, resolve);
    forwarded.once("error", reject);
    request.pipe(forwarded);
  });
}
