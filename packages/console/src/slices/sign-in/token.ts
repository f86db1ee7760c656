/** The token of the link that opened the page. It is in the fragment, so that no log holds it. */
import { useState } from "react";

/** As it was: on the way to the next page, the address has none. */
export const useToken = (): string => useState(() => location.hash.slice(1))[0];
