/** The nonce of this document, by which the browser allows styles that scripts add. */
import { setNonce } from "get-nonce";

const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? "";
setNonce(nonce);
export const cspNonce = (): string => nonce;
