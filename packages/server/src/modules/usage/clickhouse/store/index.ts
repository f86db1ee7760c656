export { createClickhouseEventStore } from "./clickhouse-event-store.ts";
