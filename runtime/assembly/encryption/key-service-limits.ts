/** Limits of the answers of key management services, as in 1.32. They matter because the encrypted seed is stored beside every value. */
import type { Annotation, EncryptedObject } from '../../../generated/node-interfaces/key-management.ts';
import { dnsLabel, dnsSubdomain } from '../../formats/names.ts';

/** Limit of an answer in bytes: more than all of its fields may have together. */
export const MAX_ANSWER_BYTES = 64 * 1_024;
const MAX_KEY_ID = 1_024;
const MAX_SEED = 1_024;
const MAX_ANNOTATIONS = 32 * 1_024;

/** A text of a service, cut so that messages stay short. */
export const shown = (text: string): string => text.slice(0, MAX_KEY_ID);

export function keyIdProblems(keyId: string): string[] {
  if (keyId === '') return ['keyID is empty'];
  return tooLong('keyID', Buffer.byteLength(keyId), MAX_KEY_ID);
}

/** The first problem of a stored value, in the words of 1.32. */
export function encryptedObjectProblem({
  encryptedData,
  encryptedDEKSource: seed,
  encryptedDEKSourceType: type,
  keyID,
  annotations,
}: EncryptedObject): string | undefined {
  if (type !== 0 && type !== 1) return `unknown encryptedDEKSourceType: ${type}`;
  if (encryptedData.length === 0) return 'encrypted data is empty';
  const seedProblems = seed.length === 0 ? ['encrypted DEK source is empty'] : tooLong('encrypted DEK source', seed.length, MAX_SEED);
  return [
    ...seedProblems.map((problem) => `failed to validate encrypted DEK source: ${problem}`),
    ...keyIdProblems(keyID).map((problem) => `failed to validate key id: ${problem}`),
    ...annotationProblems(annotations).map((problem) => `failed to validate annotations: ${problem}`),
  ][0];
}

/** @returns the problem of a key for AES, in the words of Go's library; undefined if there is none */
export const keyLengthProblem = ({ length }: Uint8Array): string | undefined =>
  [16, 24, 32].includes(length) ? undefined : `crypto/aes: invalid key size ${length}`;

function annotationProblems(annotations: readonly Annotation[]): string[] {
  const bytes = annotations.reduce((sum, { key, value }) => sum + Buffer.byteLength(key) + value.length, 0);
  if (bytes > MAX_ANNOTATIONS) return [`total size of annotations is ${bytes}, which exceeds the max size of ${MAX_ANNOTATIONS}`];
  for (const { key } of annotations) {
    const problem = domainProblem(key);
    if (problem !== undefined) return [`annotations: ${problem}`];
  }
  return [];
}

/** @returns the problem of a fully qualified domain name, which may end with a dot, in the words of 1.32 */
function domainProblem(name: string): string | undefined {
  if (name === '') return 'Required value';
  const domain = name.endsWith('.') ? name.slice(0, -1) : name;
  const [whole] = [
    ...dnsSubdomain(domain),
    ...(domain.includes('.') ? [] : ['should be a domain with at least two segments separated by dots']),
  ];
  if (whole !== undefined) return invalidText(domain, whole);
  for (const label of domain.split('.')) {
    const [problem] = dnsLabel(label);
    if (problem !== undefined) return invalidText(label, problem);
  }
  return undefined;
}

const invalidText = (value: string, problem: string): string => `Invalid value: ${JSON.stringify(shown(value))}: ${problem}`;

const tooLong = (what: string, bytes: number, limit: number): string[] =>
  bytes > limit ? [`${what} is ${bytes} bytes, which exceeds the max size of ${limit}`] : [];
