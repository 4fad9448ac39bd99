/** Paths of files and of URLs. */
import { NOTHING } from './messages.ts';
import { dnsSubdomain } from './names.ts';

const ABSOLUTE = ['must be an absolute path'];
const RELATIVE = 'must be a relative path';
const BACKSTEPS = "must not contain '..'";

export function absolutePath(value: string): readonly string[] {
  return value.startsWith('/') ? NOTHING : ABSOLUTE;
}

/** A path that does not step back. */
export function pathWithoutBacksteps(value: string): readonly string[] {
  return value.includes('..') && value.split('/').includes('..') ? [BACKSTEPS] : NOTHING;
}

/** A relative path that does not lead out of the folder that it is relative to. */
export function relativePath(value: string): readonly string[] {
  const backsteps = pathWithoutBacksteps(value);
  return value.startsWith('/') ? [RELATIVE, ...backsteps] : backsteps;
}

/** As `relativePath`; names that begin with two dots are kept for the way in which files of a volume are replaced at once. */
export function unreservedPath(value: string): readonly string[] {
  const reserved = value.startsWith('..') && !value.startsWith('../');
  return reserved ? [...relativePath(value), "must not start with '..'"] : relativePath(value);
}

/** The path of a URL with DNS subdomains for segments; one slash at the end is allowed. */
export function subdomainPath(value: string): readonly string[] {
  if (value === '' || value === '/') return NOTHING;
  if (value === '//') return ['segment[0] may not be empty'];
  const messages = value.startsWith('/') ? [] : ["must start with a '/'"];
  for (const [index, segment] of value.slice(1).replace(/\/$/, '').split('/').entries()) {
    if (segment === '') messages.push(`segment[${index}] may not be empty`);
    else for (const message of dnsSubdomain(segment)) messages.push(`segment[${index}]: ${message}`);
  }
  return messages.length === 0 ? NOTHING : messages;
}

/** The path of a URL that names no resource, or, with `/*` at its end, all below a path. */
export function nonResourcePath(value: string): readonly string[] {
  const problem = nonResourcePathProblem(value);
  return problem === undefined ? NOTHING : [problem];
}

function nonResourcePathProblem(value: string): string | undefined {
  if (value === '') return 'must not be empty';
  if (!value.startsWith('/')) return 'must start with slash';
  if (value.includes(' ')) return 'must not contain white-space';
  if (value.includes('//')) return 'must not contain double slash';
  const wildcards = value.split('*').length - 1;
  return wildcards > 1 || (wildcards === 1 && !value.endsWith('/*')) ? 'wildcard can only do suffix matching' : undefined;
}
