/** Usage is taken at once, kept until the service has it, and sent in batches. Nothing is dropped in silence. */
import { systemNow } from "./clock.ts";
import { InvalidError, TallystickError } from "./errors.ts";
import { parseExact, stringifyExact } from "./exact-json.ts";
import type { EventCreate } from "./generated/schemas.ts";
import type { Http } from "./http.ts";

/** Both of what is left out are set by `record`. */
export type UsageEvent = Omit<EventCreate, "transaction_id"> & { transaction_id?: string };

export type UsageOptions = {
  /** Gets each event that the service refuses forever, with its codes by member. The event is kept until this returns or resolves. */
  onRejected: (event: EventCreate, codes: unknown, error: TallystickError) => void | Promise<void>;
  /** Where events are kept until the service has them: `openSpool(folder)`. Without it, they are in memory only. */
  spool?: Spool;
  /** Gets each failed attempt to send. The events are kept, and sent again. */
  onError?: (error: unknown) => void;
  /** How long an event waits for others to be sent with. Default 1,000. */
  flushAfterMs?: number;
  /** Events in a batch, at most 100, the default. */
  batchMax?: number;
  /** When so many are unsent, `record` waits. Default 10,000. */
  pendingMax?: number;
};

/** Where an event lies in a spool. */
export type Place = object;

/** Keeps the text of events until they are confirmed. */
export type Spool = {
  /** What an earlier process left, oldest first. Once. */
  begin: () => readonly { text: string; place: Place }[];
  /** Resolves when the event is safe. */
  append: (text: string) => Promise<Place>;
  /** The event of this place may go. Once for each event. */
  confirm: (place: Place) => void;
  close: () => void;
};

export type UsageFigures = {
  /** Recorded, and neither stored nor rejected. */
  pending: number;
  /** Calls of `record` that wait, because too much is pending. */
  waiting: number;
  /** Stored by the service since this process began. */
  stored: number;
  rejected: number;
};

type Entry = { number: number; text: string; place: Place | undefined; isDone: boolean };
/** Waits until as many of those up to a number have ended. */
type Flush = { upTo: number; left: number; resolve: () => void; reject: (error: unknown) => void };

const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 30_000;

export class UsageBuffer {
  readonly #http: Http;
  readonly #options: UsageOptions;
  readonly #batchMax: number;
  readonly #pendingMax: number;
  /** Oldest first. */
  #unsent: Entry[] = [];
  readonly #figures = { pending: 0, stored: 0, rejected: 0 };
  /** Events have numbers from 1 on. */
  #begun = 0;
  #ended = 0;
  #waiting: Array<{ resolve: () => void; reject: (error: unknown) => void }> = [];
  #flushes: Flush[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  #failures = 0;
  #isSending = false;
  #isClosed = false;

  constructor(http: Http, options: UsageOptions) {
    this.#http = http;
    this.#options = options;
    this.#batchMax = options.batchMax ?? 100;
    this.#pendingMax = options.pendingMax ?? 10_000;
    for (const { text, place } of options.spool?.begin() ?? []) {
      this.#unsent.push({ number: ++this.#begun, text, place, isDone: false });
      this.#figures.pending++;
    }
    this.#schedule();
  }

  /** Resolves when the event is safe here: on disk with a spool. Waits while too much is unsent. */
  async record(event: UsageEvent): Promise<void> {
    if (this.#isClosed) throw new Error("This usage buffer is closed.");
    // Both are set once, so that every repeat is the same event.
    const transaction_id = event.transaction_id ?? crypto.randomUUID();
    const timestamp = event.timestamp ?? systemNow() / 1000;
    const text = stringifyExact({ ...event, transaction_id, timestamp });
    const number = ++this.#begun;
    if (this.#figures.pending < this.#pendingMax) this.#figures.pending++;
    else await new Promise<void>((resolve, reject) => this.#waiting.push({ resolve, reject }));
    let place: Place | undefined;
    try {
      place = await this.#options.spool?.append(text);
    } catch (error) {
      this.#end(number);
      throw error;
    }
    this.#unsent.push({ number, text, place, isDone: false });
    this.#schedule();
  }

  get figures(): UsageFigures {
    return { ...this.#figures, waiting: this.#waiting.length };
  }

  /** Recorded, and neither stored nor rejected. */
  get pending(): number {
    return this.#figures.pending;
  }

  /** Sends now. Resolves when all that was recorded before is stored; rejects when an attempt fails, and keeps the events. */
  flush(): Promise<void> {
    return new Promise((resolve, reject) => {
      const left = this.#begun - this.#ended;
      if (left === 0) return resolve();
      this.#flushes.push({ upTo: this.#begun, left, resolve, reject });
      this.#schedule();
    });
  }

  /** Takes no more, and sends what is left. If that fails, the error says so; a spool then keeps the events for the next process. */
  async close(): Promise<void> {
    this.#isClosed = true;
    try {
      await this.flush();
    } catch (error) {
      for (const { reject } of this.#waiting.splice(0)) reject(error);
      throw error;
    } finally {
      clearTimeout(this.#timer);
      this.#options.spool?.close();
    }
  }

  #schedule(): void {
    if (this.#isSending || this.#unsent.length === 0) return;
    const isFull = this.#unsent.length >= this.#batchMax && this.#failures === 0;
    if (isFull || this.#flushes.length > 0) void this.#run();
    else this.#timer ??= this.#later(this.#options.flushAfterMs ?? 1_000);
  }

  /** With a spool, the process may end meanwhile: the events are safe. */
  #later(ms: number): ReturnType<typeof setTimeout> {
    const timer: unknown = setTimeout(() => void this.#run(), ms);
    if (this.#options.spool) (timer as { unref?: () => void }).unref?.();
    return timer as ReturnType<typeof setTimeout>;
  }

  async #run(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#isSending) return;
    this.#isSending = true;
    try {
      while (this.#unsent.length > 0) await this.#sendFirst();
      this.#failures = 0;
    } catch (error) {
      this.#onFailure(error);
    } finally {
      this.#isSending = false;
    }
    if (this.#timer === undefined) this.#schedule();
  }

  #onFailure(error: unknown): void {
    const backoff = Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** this.#failures++) * (0.5 + Math.random() / 2);
    const seconds = error instanceof TallystickError ? (error.retryAfterSeconds ?? 0) : 0;
    this.#timer = this.#later(Math.max(backoff, seconds * 1000));
    for (const { reject } of this.#flushes.splice(0)) reject(error);
    this.#options.onError?.(error);
  }

  async #sendFirst(): Promise<void> {
    const batch = this.#unsent.slice(0, this.#batchMax);
    try {
      await this.#send(batch);
    } finally {
      this.#unsent.splice(0, batch.length, ...batch.filter(({ isDone }) => !isDone));
    }
  }

  /** A batch is all or nothing: what will never pass is handed out, and the others are sent at once. */
  async #send(batch: readonly Entry[]): Promise<void> {
    if (batch.length === 0) return;
    try {
      await this.#http.send("POST /events/batch", [], { body: `{"events":[${batch.map(({ text }) => text).join()}]}` });
    } catch (error) {
      if (!(error instanceof InvalidError) || !isOfEvents(error)) throw error;
      const [faulty, fine] = [batch.filter((_, index) => index in error.fields), [] as Entry[]];
      if (faulty.length === 0 && batch.length > 1) {
        // It does not say which, as with a batch that is too large.
        const middle = batch.length >> 1;
        await this.#send(batch.slice(0, middle));
        return this.#send(batch.slice(middle));
      }
      for (const [index, entry] of batch.entries())
        if (faulty.length > 0 && !(index in error.fields)) fine.push(entry);
        else await this.#reject(entry, error.fields[index] ?? error.code ?? error.status, error);
      return this.#send(fine);
    }
    for (const entry of batch) this.#confirm(entry);
    this.#figures.stored += batch.length;
  }

  async #reject(entry: Entry, codes: unknown, error: TallystickError): Promise<void> {
    await this.#options.onRejected(parseExact(entry.text, "bigint") as EventCreate, codes, error);
    this.#confirm(entry);
    this.#figures.rejected++;
  }

  #confirm(entry: Entry): void {
    if (entry.place) this.#options.spool?.confirm(entry.place);
    entry.isDone = true;
    this.#end(entry.number);
  }

  /** Gives the place of an event to one that waits. */
  #end(number: number): void {
    this.#ended++;
    const next = this.#figures.pending > this.#pendingMax ? undefined : this.#waiting.shift();
    if (next) next.resolve();
    else this.#figures.pending--;
    for (const flush of this.#flushes) if (number <= flush.upTo && --flush.left === 0) flush.resolve();
    this.#flushes = this.#flushes.filter(({ left }) => left > 0);
  }
}

/** Refused by the service for what is in it, and not by a proxy before it. */
const isOfEvents = ({ status, code }: InvalidError): boolean => code !== undefined || status === 413;
