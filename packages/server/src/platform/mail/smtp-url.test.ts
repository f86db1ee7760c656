import { expect, it } from "vitest";
import { isSmtpUrl, readSmtpUrl } from "./smtp-url.ts";

it.each([
  ["smtp://mail.example.com", { host: "mail.example.com", port: 587, secure: false, requireTLS: true }],
  ["smtp://mail.example.com:25?tls=optional", { host: "mail.example.com", port: 25, secure: false, requireTLS: false }],
  ["smtp://localhost:1025", { host: "localhost", port: 1025, secure: false, requireTLS: false }],
  ["smtp://[::1]:1025", { host: "::1", port: 1025, secure: false, requireTLS: false }],
  [
    "smtps://some%40one:p%3Ass@mail.example.com",
    { host: "mail.example.com", port: 465, secure: true, requireTLS: false, auth: { user: "some@one", pass: "p:ss" } },
  ],
])("%s is encrypted unless it stays on this machine or the operator opts out", (url, server) => {
  expect(isSmtpUrl(url)).toBe(true);
  expect(readSmtpUrl(url)).toEqual(server);
});

it.each([
  "",
  "mail.example.com",
  "http://mail.example.com",
  "smtp://",
  "smtp://mail.example.com/path",
  "smtp://mail.example.com?tls=none",
  "smtp://mail.example.com?ignoreTLS=true",
  "smtp://user:50%@mail.example.com",
  "smtp://mail.example.com\r\n",
])("%j is refused", (url) => expect(isSmtpUrl(url)).toBe(false));
