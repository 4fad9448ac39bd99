/** What certificates of nodes may be asked for, as 1.32 recognizes them. Why others fail stands in their conditions, in its words. */
import { type RequestedNames, requestedNames } from '../../certificates/requested-names.ts';
import type { RequestObject } from './pending-requests.ts';

/** Signers that the server has, with the domain that labels have. */
export const SIGNERS = {
  client: '${labelDomain}/kube-apiserver-client',
  nodeClient: '${labelDomain}/kube-apiserver-client-kubelet',
  nodeServing: '${labelDomain}/kubelet-serving',
  unknown: '${labelDomain}/legacy-unknown',
} as const;

const NODES = 'system:nodes';
const NODE_PREFIX = 'system:node:';
/** Returns the most and the fewest usages that a certificate for a purpose may have: those for keys that encipher other keys, and those for other keys. */
const usagesOf = (purpose: string): readonly [most: readonly string[], least: readonly string[]] => [
  ['key encipherment', 'digital signature', purpose],
  ['digital signature', purpose],
];

export const requestText = ({ spec }: RequestObject): string => Buffer.from(spec.request, 'base64').toString('latin1');

/** @returns why a node could not have it; undefined: it could */
export function nodeClientProblem(names: RequestedNames | undefined, usages: readonly string[]): string | undefined {
  if (names === undefined) return UNREADABLE;
  if (!isOfNodes(names)) return `subject organization is not ${NODES}`;
  if (names.alternatives.includes('dns')) return 'DNS subjectAltNames are not allowed';
  if (names.alternatives.includes('email')) return 'Email subjectAltNames are not allowed';
  if (names.alternatives.includes('address')) return 'IP subjectAltNames are not allowed';
  if (names.alternatives.includes('uri')) return 'URI subjectAltNames are not allowed';
  return nameProblem(names) ?? usagesProblem(usages, 'client auth');
}

export function nodeServingProblem(names: RequestedNames | undefined, usages: readonly string[]): string | undefined {
  if (names === undefined) return UNREADABLE;
  if (!isOfNodes(names)) return `subject organization is not ${NODES}`;
  if (!names.alternatives.includes('dns') && !names.alternatives.includes('address')) return 'DNS or IP subjectAltName is required';
  if (names.alternatives.includes('email')) return 'Email subjectAltNames are not allowed';
  if (names.alternatives.includes('uri')) return 'URI subjectAltNames are not allowed';
  return usagesProblem(usages, 'server auth') ?? nameProblem(names);
}

/** Tells what is wrong with the request of any client; undefined if nothing is. */
export function clientProblem(names: RequestedNames | undefined, usages: readonly string[]): string | undefined {
  if (names === undefined) return UNREADABLE;
  const allowed = ['client auth', 'digital signature', 'key encipherment'];
  const other = usages.find((usage) => !allowed.includes(usage));
  if (other !== undefined) return `invalid usage for client certificate: ${other}`;
  return usages.includes('client auth') ? undefined : 'missing required usage for client certificate: client auth';
}

/** Why nobody can have it, whoever signs: a certificate could have other names than those that are read here. */
export const unreadable = (names: RequestedNames | undefined): string | undefined => (names === undefined ? UNREADABLE : undefined);

export const namesOf = (request: RequestObject): RequestedNames | undefined => requestedNames(requestText(request));

const UNREADABLE = 'the request cannot be read';

const isOfNodes = ({ organizations }: RequestedNames): boolean => organizations.length === 1 && organizations[0] === NODES;

function usagesProblem(usages: readonly string[], purpose: string): string | undefined {
  const [most, least] = usagesOf(purpose);
  const isOne = [most, least].some((wanted) => wanted.length === new Set(usages).size && wanted.every((usage) => usages.includes(usage)));
  return isOne ? undefined : `usages did not match [${most.toSorted().join(' ')}]`;
}

const nameProblem = ({ commonName }: RequestedNames): string | undefined =>
  commonName.startsWith(NODE_PREFIX) ? undefined : `subject common name does not begin with ${NODE_PREFIX}`;
