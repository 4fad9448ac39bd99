/**
 * Reads headers as they were sent, with one value for each occurrence, because in `headers` Node joins or drops repeated ones. Values are decoded as UTF-8.
 * @see https://nodejs.org/api/http.html#messagerawheaders
 */
import type { IncomingMessage } from 'node:http';
import { headerText } from '../connections/header-text.ts';
import { noteName } from '../schema/json/backslash-names.ts';

/** Names and values in turn. */
type RawHeaders = readonly string[];

/** @param name in small letters */
export function headerValues(headers: RawHeaders, name: string): string[] {
  const values: string[] = [];
  for (let index = 0; index < headers.length; index += 2)
    if (isNamed(headers[index] as string, name)) values.push(headerText(headers[index + 1] as string));
  return values;
}

function isNamed(sent: string, name: string): boolean {
  return sent.length === name.length && sent.toLowerCase() === name;
}

/** Values of the headers whose names begin with `prefix` (in lower case), by the rest of the name in lower case. */
export function headersWithPrefix(headers: RawHeaders, prefix: string): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (let index = 0; index < headers.length; index += 2) {
    const name = (headers[index] as string).toLowerCase();
    if (!name.startsWith(prefix)) continue;
    const rest = name.slice(prefix.length);
    const values = found.get(rest);
    const value = headerText(headers[index + 1] as string);
    if (values === undefined) found.set(rest, [value]);
    else values.push(value);
  }
  return found;
}

const ESCAPES = /%[0-9a-f]{2}/gi;

/** Decodes a percent-encoded key in a header's name. A key with a malformed escape stays as it is. Invalid UTF-8 becomes U+FFFD. */
export function decodedKey(text: string): string {
  let key = text;
  if (text.includes('%') && !text.replace(ESCAPES, '').includes('%'))
    key = Buffer.from(
      text.replace(ESCAPES, (byte) => String.fromCharCode(Number.parseInt(byte.slice(1), 16))),
      'latin1',
    ).toString();
  noteName(key);
  return key;
}

/** Removes the Authorization header. Nearly every request has one, so this avoids `delete`, which is slow. */
export function removeAuthorization({ headers, rawHeaders }: IncomingMessage): void {
  headers.authorization = undefined;
  for (let index = rawHeaders.length - 2; index >= 0; index -= 2)
    if (isNamed(rawHeaders[index] as string, 'authorization')) rawHeaders.splice(index, 2);
}

/** Removes headers from a request, so that nothing behind authentication can read or forward them. @param matches gets names in lower case */
export function removeHeaders(request: IncomingMessage, matches: (name: string) => boolean): void {
  const { headers, rawHeaders } = request;
  for (const name of Object.keys(headers)) if (matches(name)) delete headers[name];
  let kept = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] as string;
    if (matches(name.toLowerCase())) continue;
    rawHeaders[kept] = name;
    rawHeaders[kept + 1] = rawHeaders[index + 1] as string;
    kept += 2;
  }
  rawHeaders.length = kept;
}
