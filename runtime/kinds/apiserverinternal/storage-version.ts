import { type FieldError, invalid } from '../../contract/field-error.ts';
import type { KindRules } from '../../contract/kind.ts';
import type { ApiObject } from '../../contract/object.ts';
import { apiVersion } from '../../formats/api-versions.ts';
import { qualifiedName } from '../../formats/labels.ts';
import { dns1035Label, dnsSubdomain } from '../../formats/names.ts';
import { eachItem, invalidAs, needed } from '../core/findings.ts';
import { keepMetadata } from '../metadata/status-update.ts';
import type { Struct } from '../struct.ts';

/** `<group>.<resource>` */
function nameMessages(name: string): string[] {
  const dot = name.lastIndexOf('.');
  if (dot === -1) return ['name must be in the form of <group>.<resource>'];
  return [
    ...dnsSubdomain(name.slice(0, dot)).map((message) => `the group segment ${message}`),
    ...dns1035Label(name.slice(dot + 1)).map((message) => `the resource segment ${message}`),
  ];
}

function validate(object: ApiObject): readonly FieldError[] {
  const name = object.metadata.name ?? '';
  return [...(name === '' ? [] : invalidAs(nameMessages(name), 'metadata.name', name)), ...validateStatus(object)];
}

function validateStatus({ status = {} }: ApiObject): readonly FieldError[] {
  return [
    ...eachItem(status.storageVersions as readonly Struct[] | undefined, 'status.storageVersions', validateServer),
    ...validateCommonVersion(status, 'status.commonEncodingVersion'),
    ...validateConditions(status.conditions),
  ];
}

function validateServer(
  { apiServerID = '', encodingVersion = '', decodableVersions, servedVersions }: Struct,
  path: string,
): readonly FieldError[] {
  const decodable: readonly string[] = decodableVersions ?? [];
  const at = `${path}.decodableVersions`;
  return [
    ...invalidAs(dnsSubdomain(apiServerID), `${path}.apiServerID`, apiServerID),
    ...validateVersion(encodingVersion, `${path}.encodingVersion`),
    ...eachItem(decodable, at, validateVersion),
    ...(decodable.includes(encodingVersion)
      ? []
      : [invalid(at, decodable, `decodableVersions must include encodingVersion ${encodingVersion}`)]),
    ...eachItem(servedVersions as readonly string[] | undefined, `${path}.servedVersions`, (version, itemPath) => [
      ...validateVersion(version, itemPath),
      ...(decodable.includes(version)
        ? []
        : [invalid(itemPath, version, 'individual served version must be included in decodableVersions')]),
    ]),
  ];
}

function validateVersion(version: string, path: string): readonly FieldError[] {
  const messages = apiVersion(version);
  return messages.length === 0 ? [] : [invalid(path, version, messages.join(','))];
}

/** The version that all servers store at, if they agree. */
function validateCommonVersion({ storageVersions, commonEncodingVersion: given }: Struct, path: string): readonly FieldError[] {
  const versions = new Set(((storageVersions ?? []) as Struct[]).map(({ encodingVersion = '' }) => encodingVersion));
  const [common] = versions.size === 1 ? versions : [];
  if (common === given) return [];
  if (common === undefined)
    return [
      invalid(
        path,
        given,
        'should be nil if servers do not agree on the same encoding version, or if there is no server reporting the supported versions yet',
      ),
    ];
  return [invalid(path, given, `the ${given === undefined ? '' : 'actual '}common encoding version is ${common}`)];
}

/** Paths lack the name of the list in 1.32, which also shows the type where the status is wrong. */
function validateConditions(conditions: readonly Struct[] | undefined): readonly FieldError[] {
  const seen = new Map<string, number>();
  return eachItem(conditions, 'status', ({ type = '', status = '', reason, message }, at, index) => {
    const first = seen.get(type);
    seen.set(type, index);
    return [
      ...(first === undefined
        ? []
        : [invalid(`${at}.type`, type, `the type of the condition is not unique, it also appears in conditions[${first}]`)]),
      ...invalidAs(qualifiedName(type), `${at}.type`, type),
      ...invalidAs(qualifiedName(status), `${at}.status`, type),
      ...needed(reason, `${at}.reason`, 'reason cannot be empty'),
      ...needed(message, `${at}.message`, 'message cannot be empty'),
    ];
  });
}

export const rules: KindRules = {
  prepareForStatusUpdate: keepMetadata,
  validate,
  validateStatusUpdate: validateStatus,
};
