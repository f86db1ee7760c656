/** All zones of the runtime, and UTC. */
export const ALL_ZONES: readonly string[] = [...new Set([...Intl.supportedValuesOf("timeZone"), "UTC"])];
