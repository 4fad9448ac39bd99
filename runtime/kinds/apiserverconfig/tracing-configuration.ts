/** Where traces are sent, and of how many requests. */
import { type FieldError, invalid } from '../../contract/field-error.ts';
import { parseUrl } from '../../formats/url-text.ts';
import { NONE } from '../../validation/joined.ts';

const SCHEMES = ['dns', 'unix', 'unix-abstract'];
const NAMING = 'https://github.com/grpc/grpc/blob/master/doc/naming.md';

/** An address as gRPC has it: with a scheme, or without one. */
export function endpoint(address: string): readonly FieldError[] {
  const text = address.includes('//') ? address : `dns://${address}`;
  const url = parseUrl(text);
  if ('error' in url) return [invalid('', text, url.error)];
  if (SCHEMES.includes(url.scheme)) return NONE;
  return [invalid('', text, `unsupported scheme: ${url.scheme}.  Options are none, dns, unix, or unix-abstract.  See ${NAMING}`)];
}

const MILLION = 1_000_000;

export function samplingRate(rate: number): readonly FieldError[] {
  if (rate < 0) return [invalid('', rate, 'sampling rate must be positive')];
  return rate > MILLION ? [invalid('', rate, 'sampling rate per million must be less than or equal to one million')] : NONE;
}
