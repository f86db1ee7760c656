/** The client: every resource of the API, and a buffer for usage. */
import type { Resources } from "./generated/resources.ts";
import { Http, type TallystickOptions } from "./http.ts";
import { resourcesOf } from "./resources.ts";
import { UsageBuffer, type UsageOptions } from "./usage-buffer.ts";

const WithResources = class {
  constructor(http: Http) {
    Object.assign(this, resourcesOf(http));
  }
} as new (
  http: Http,
) => Resources;

export class Tallystick extends WithResources {
  readonly #http: Http;

  constructor(options: TallystickOptions) {
    if (!options.key) throw new TypeError("key is missing: give the API key of an organization.");
    const http = new Http(options);
    super(http);
    this.#http = http;
  }

  /** Takes usage at once and sends it in batches. One for a process is enough. */
  usage(options: UsageOptions): UsageBuffer {
    return new UsageBuffer(this.#http, options);
  }
}
