/** Whom a request for a certificate (PKCS #10, RFC 2986) names: its subject and its alternative names. */
import { CONTEXT_0, type DerElement, elements, INTEGER, members, OBJECT_IDENTIFIER, SEQUENCE } from './der.ts';
import { sequence } from './der-encoding.ts';
import { nameText } from './name-text.ts';
import { pemBlocks } from './pem.ts';

const SET = 0x31;
const OCTET_STRING = 0x04;
/** identifiers as hexadecimal DER content */
const ORGANIZATION = '55040a';
const COMMON_NAME = '550403';
const EXTENSION_REQUEST = '2a864886f70d01090e';
const ALTERNATIVE_NAMES = '551d11';
/** tags of alternative names (RFC 5280) */
const KINDS: Readonly<Record<number, 'email' | 'dns' | 'uri' | 'address'>> = { 129: 'email', 130: 'dns', 134: 'uri', 135: 'address' };

export interface RequestedNames {
  readonly commonName: string;
  readonly organizations: readonly string[];
  /** kinds of the alternative names, each as often as it occurs */
  readonly alternatives: readonly ('email' | 'dns' | 'uri' | 'address')[];
}

/** @param pem a request. @returns undefined for a text that is none, and for one whose common names or organizations cannot be read */
export function requestedNames(pem: string): RequestedNames | undefined {
  const block = pemBlocks(pem).next().value;
  if (block === undefined || block.type !== 'CERTIFICATE REQUEST') return undefined;
  try {
    const [info] = members(elements(block.bytes)[0], SEQUENCE);
    const [, subject, , attributes] = members(info, INTEGER, SEQUENCE, SEQUENCE, CONTEXT_0);
    const names = subjectNames(subject as DerElement);
    const of = (type: string): string[] => names.filter((name) => name.type === type).map(({ value }) => nameText(value));
    const alternatives = elements((attributes as DerElement).content)
      .flatMap(alternativesIn)
      .map(({ tag }) => KINDS[tag] as RequestedNames['alternatives'][number]);
    return { commonName: of(COMMON_NAME).at(-1) ?? '', organizations: of(ORGANIZATION), alternatives };
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/**
 * The alternative names of a request as a certificate has them: those of the kinds that are known, as they stand there.
 * @param pem a request. @returns undefined where it has none. @throws RangeError for a text that is no request
 */
export function requestAlternativeNames(pem: string): Buffer | undefined {
  const [info] = members(elements(pemBlocks(pem).next().value?.bytes ?? Buffer.alloc(0))[0], SEQUENCE);
  const attributes = members(info, INTEGER, SEQUENCE, SEQUENCE, CONTEXT_0)[3] as DerElement;
  const names = elements(attributes.content).flatMap(alternativesIn);
  return names.length === 0 ? undefined : sequence(...names.map(({ whole }) => whole));
}

function subjectNames({ content }: DerElement): { type: string; value: DerElement }[] {
  return elements(content).flatMap((set) =>
    elements(set.content).map((pair) => {
      const [type, value] = members(pair, OBJECT_IDENTIFIER);
      if (value === undefined) throw new RangeError('a name without a value');
      return { type: hex(type), value };
    }),
  );
}

/** Those of the kinds that are known. */
function alternativesIn(attribute: DerElement): DerElement[] {
  const [identifier, values] = members(attribute, OBJECT_IDENTIFIER, SET);
  if (hex(identifier) !== EXTENSION_REQUEST) return [];
  return elements((values as DerElement).content)
    .flatMap((extensions) => members(extensions))
    .flatMap((extension) => {
      const [type, ...parts] = members(extension, OBJECT_IDENTIFIER);
      const value = parts.find(({ tag }) => tag === OCTET_STRING);
      return hex(type) === ALTERNATIVE_NAMES && value !== undefined ? members(elements(value.content)[0]) : [];
    })
    .filter(({ tag }) => KINDS[tag] !== undefined);
}

function hex(element: DerElement | undefined): string {
  return element?.content.toString('hex') ?? '';
}
