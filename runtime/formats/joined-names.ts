/** Names with several parts, whose errors show the part that is wrong. */

import { qualifiedName } from './labels.ts';
import { patternMessage } from './messages.ts';
import { dnsSubdomain } from './names.ts';

export interface PartFinding {
  /** the part of the value that errors show, or the whole value */
  readonly part: unknown;
  readonly message: string;
}

export const NO_FINDINGS: readonly PartFinding[] = [];

const PATH = "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+";
const pathPattern = new RegExp(`^${PATH}$`);
const PATH_MESSAGE = patternMessage('Invalid path', PATH);
const PREFIXED_PATH_MESSAGE = 'must be a domain-prefixed path (such as "acme.io/foo")';

/** Accepts a host and a path, such as `example.com/edge`. */
export function domainPrefixedPath(value: string): readonly PartFinding[] {
  const slash = value.indexOf('/');
  if (slash <= 0 || slash === value.length - 1) return [{ part: value, message: PREFIXED_PATH_MESSAGE }];
  const [host, path] = [value.slice(0, slash), value.slice(slash + 1)];
  const ofHost = ofPart(host, dnsSubdomain);
  return pathPattern.test(path) ? ofHost : [...ofHost, { part: path, message: PATH_MESSAGE }];
}

/** Accepts DNS subdomains joined by slashes. */
export function slashedSubdomains(value: string): readonly PartFinding[] {
  if (!value.includes('/')) return ofPart(value, dnsSubdomain);
  return value.split('/').flatMap((part) => ofPart(part, dnsSubdomain));
}

/** Accepts a qualified name of any case, which errors show in lower case. */
export function qualifiedNameOfAnyCase(value: string): readonly PartFinding[] {
  return ofPart(value.toLowerCase(), qualifiedName);
}

function ofPart(part: string, syntax: (value: string) => readonly string[]): readonly PartFinding[] {
  const messages = syntax(part);
  return messages.length === 0 ? NO_FINDINGS : messages.map((message) => ({ part, message }));
}
