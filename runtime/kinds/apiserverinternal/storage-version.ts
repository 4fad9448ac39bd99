import type {
  ServerStorageVersion,
  StorageVersion,
  StorageVersionCondition,
  StorageVersionStatus,
} from '../../../generated/apiserverinternal/v1alpha1/types.ts';
import { type FieldError, invalid } from '../../contract/field-error.ts';
import type { KindRules, RuleContext } from '../../contract/kind-rules.ts';
import { apiVersion } from '../../formats/api-versions.ts';
import { qualifiedName } from '../../formats/labels.ts';
import { dns1035Label, dnsSubdomain } from '../../formats/names.ts';
import { NONE } from '../../validation/joined.ts';
import { eachItem, invalidAs } from '../findings.ts';
import { keepMetadata } from '../metadata/status-update.ts';

/** `<group>.<resource>` */
function nameMessages(name: string): string[] {
  const dot = name.lastIndexOf('.');
  if (dot === -1) return ['name must be in the form of <group>.<resource>'];
  return [
    ...dnsSubdomain(name.slice(0, dot)).map((message) => `the group segment ${message}`),
    ...dns1035Label(name.slice(dot + 1)).map((message) => `the resource segment ${message}`),
  ];
}

export function groupAndResource(name: string): readonly FieldError[] {
  return name === '' ? NONE : invalidAs(nameMessages(name), '', name);
}

export function readsWhatItStores({ encodingVersion = '', decodableVersions = [] }: ServerStorageVersion): readonly FieldError[] {
  if (decodableVersions.includes(encodingVersion)) return NONE;
  return [invalid('.decodableVersions', decodableVersions, `decodableVersions must include encodingVersion ${encodingVersion}`)];
}

export function servesWhatItReads({ servedVersions, decodableVersions }: ServerStorageVersion): readonly FieldError[] {
  const readable = decodableVersions ?? [];
  return eachItem(servedVersions, '.servedVersions', (version, at) => {
    const messages = apiVersion(version);
    return [
      ...(messages.length === 0 ? NONE : [invalid(at, version, messages.join(','))]),
      ...(readable.includes(version) ? NONE : [invalid(at, version, notReadable(version, readable))]),
    ];
  });
}

const notReadable = (version: string, readable: readonly string[]): string =>
  `individual served version : ${version} must be included in decodableVersions : [${readable.join(' ')}]`;

/** The version that all servers store at, if they agree. */
export function agreedVersion({ storageVersions, commonEncodingVersion: given }: StorageVersionStatus): readonly FieldError[] {
  const versions = new Set((storageVersions ?? []).map(({ encodingVersion = '' }) => encodingVersion));
  const [common] = versions.size === 1 ? versions : [];
  if (common === given) return NONE;
  const detail =
    common === undefined
      ? 'should be nil if servers do not agree on the same encoding version, or if there is no server reporting the supported versions yet'
      : `the ${given === undefined ? '' : 'actual '}common encoding version is ${common}`;
  return [invalid('.commonEncodingVersion', given, detail)];
}

/** Where the type of a condition stood last before it. */
type Repeated = ReadonlyMap<StorageVersionCondition, number>;

export function repeatedConditions({ status = {} }: Partial<StorageVersion>): Repeated {
  const repeated = new Map<StorageVersionCondition, number>();
  const seen = new Map<string, number>();
  for (const [index, condition] of (status.conditions ?? []).entries()) {
    const before = seen.get(condition.type);
    if (before !== undefined) repeated.set(condition, before);
    seen.set(condition.type, index);
  }
  return repeated;
}

export function distinctCondition(
  condition: StorageVersionCondition,
  _old: unknown,
  _context: RuleContext,
  repeated: Repeated,
): readonly FieldError[] {
  const before = repeated.get(condition);
  if (before === undefined) return NONE;
  return [invalid('.type', condition.type, `the type of the condition is not unique, it also appears in conditions[${before}]`)];
}

/** 1.32 shows the type where the status is wrong. */
export function qualifiedStatus({ type, status }: StorageVersionCondition): readonly FieldError[] {
  return invalidAs(qualifiedName(status), '.status', type);
}

export const rules: KindRules<StorageVersion> = { prepareForStatusUpdate: keepMetadata };
