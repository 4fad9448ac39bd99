/** Volumes whose files come from the API: config maps, secrets, fields of the pod, tokens, trusted certificates. */
import { type FieldError, forbidden, invalid, required } from '../../contract/field-error.ts';
import { dnsSubdomain } from '../../formats/names.ts';
import { unreservedPath } from '../../formats/paths.ts';
import { numeric } from '../../schema/raw-number.ts';
import { validateSignerName } from '../certificates/signer-name.ts';
import { validateLabelSelector } from '../metadata/labels.ts';
import type { Struct } from '../struct.ts';
import { VOLUME_FIELDS, validateFieldRef, validateResourceFieldRef } from './container-environment.ts';
import { eachItem, invalidAs, needed } from './findings.ts';

const MAX_MODE = 0o777;
const CONFLICT = 'conflicting duplicate paths';
const MIN_TOKEN_SECONDS = 600;
const MAX_TOKEN_SECONDS = 2 ** 32;

/** @param member `mode` or `defaultMode` */
function validateMode(source: Struct, member: string, path: string): readonly FieldError[] {
  const mode: number | undefined = source[member];
  return mode !== undefined && (mode < 0 || mode > MAX_MODE)
    ? [invalid(`${path}.${member}`, mode, 'must be a number between 0 and 0777 (octal), both inclusive')]
    : [];
}

/** @param name member that names the object whose keys become files */
export function validateKeysVolume(source: Struct, name: string, path: string): readonly FieldError[] {
  return [
    ...needed(source[name], `${path}.${name}`),
    ...validateMode(source, 'defaultMode', path),
    ...eachItem(source.items as readonly Struct[] | undefined, `${path}.items`, validateKeyToPath),
  ];
}

function validateKeyToPath(item: Struct, path: string): readonly FieldError[] {
  return [...needed(item.key, `${path}.key`), ...validateFilePath(item.path, `${path}.path`), ...validateMode(item, 'mode', path)];
}

function validateFilePath(target: string | undefined, path: string): readonly FieldError[] {
  return target ? invalidAs(unreservedPath(target), path, target) : [required(path)];
}

export function validateDownwardVolume(source: Struct, path: string): readonly FieldError[] {
  return [
    ...validateMode(source, 'defaultMode', path),
    ...((source.items ?? []) as readonly Struct[]).flatMap((file) => validateDownwardFile(file, path)),
  ];
}

/** 1.32 reports what is wrong with a file at the path of its volume. */
function validateDownwardFile(file: Struct, path: string): readonly FieldError[] {
  return [...validateFilePath(file.path, `${path}.path`), ...validateFileSource(file, path), ...validateMode(file, 'mode', path)];
}

function validateFileSource({ fieldRef, resourceFieldRef }: Struct, path: string): readonly FieldError[] {
  if (fieldRef === undefined && resourceFieldRef === undefined) return [required(path, 'one of fieldRef and resourceFieldRef is required')];
  if (fieldRef === undefined) return validateResourceFieldRef(resourceFieldRef, true, `${path}.resourceFieldRef`);
  const errors = validateFieldRef(fieldRef, VOLUME_FIELDS, `${path}.fieldRef`);
  return resourceFieldRef === undefined
    ? errors
    : [...errors, invalid(path, 'resource', 'fieldRef and resourceFieldRef can not be specified simultaneously')];
}

const PROJECTIONS: Readonly<Record<string, (source: Struct, at: string, path: string, files: Set<string>) => readonly FieldError[]>> = {
  secret: validateKeysProjection,
  configMap: validateKeysProjection,
  downwardAPI: (source, at, path, files) =>
    ((source.items ?? []) as readonly Struct[]).flatMap((file) => [
      ...validateDownwardFile(file, at),
      ...(file.path ? validateFreePath(file.path, file.path, path, files) : []),
    ]),
  serviceAccountToken: validateTokenProjection,
  clusterTrustBundle: validateTrustProjection,
};

export function validateProjectedVolume(volume: Struct, path: string): readonly FieldError[] {
  const files = new Set<string>();
  return [
    ...validateMode(volume, 'defaultMode', path),
    ...eachItem(volume.sources as readonly Struct[] | undefined, `${path}.sources`, (source, at) => {
      const given = Object.entries(PROJECTIONS).filter(([member]) => source[member] !== undefined);
      const errors = given.flatMap(([member, check]) => check(source[member], `${at}.${member}`, path, files));
      if (given.length > 1) errors.push(forbidden(at, 'may not specify more than 1 volume type per source'));
      return errors;
    }),
  ];
}

/** No two files of a volume may have one path. */
function validateFreePath(target: string, shown: string, path: string, files: Set<string>): readonly FieldError[] {
  if (files.has(target)) return [invalid(path, shown, CONFLICT)];
  files.add(target);
  return [];
}

function validateKeysProjection(source: Struct, at: string, path: string, files: Set<string>): readonly FieldError[] {
  return [
    ...needed(source.name, `${at}.name`),
    ...eachItem(source.items as readonly Struct[] | undefined, `${at}.items`, (item, itemPath) => [
      ...validateKeyToPath(item, itemPath),
      ...(item.path ? validateFreePath(item.path, source.name ?? '', path, files) : []),
    ]),
  ];
}

function validateTokenProjection({ expirationSeconds, path: target }: Struct, at: string, path: string): readonly FieldError[] {
  const seconds = numeric(expirationSeconds);
  const limits = [
    ...(seconds < MIN_TOKEN_SECONDS ? ['may not specify a duration less than 10 minutes'] : []),
    ...(seconds > MAX_TOKEN_SECONDS ? ['may not specify a duration larger than 2^32 seconds'] : []),
  ];
  return [
    ...limits.map((limit) => invalid(`${at}.expirationSeconds`, expirationSeconds ?? 0, limit)),
    ...validateFilePath(target, `${path}.path`),
  ];
}

function validateTrustProjection(source: Struct, at: string, path: string, files: Set<string>): readonly FieldError[] {
  const target: string = source.path ?? '';
  return [...validateTrustSource(source, at), ...validateFilePath(target, `${at}.path`), ...validateFreePath(target, target, path, files)];
}

function validateTrustSource(source: Struct, path: string): readonly FieldError[] {
  const { name, signerName, labelSelector } = source;
  if (name !== undefined && signerName !== undefined) return [invalid(path, source, 'only one of name and signerName may be used')];
  if (name !== undefined)
    return [
      ...needed(name, `${path}.name`, 'must be a valid object name'),
      ...bundleNameMessages(name).map((message) => invalid(`${path}.name`, name, `not a valid clustertrustbundlename: ${message}`)),
      ...(labelSelector === undefined
        ? []
        : [invalid(`${path}.labelSelector`, labelSelector, 'labelSelector must be unset if name is specified')]),
    ];
  if (signerName !== undefined)
    return [
      ...needed(signerName, `${path}.signerName`, 'must be a valid signer name'),
      ...validateSignerName(signerName, `${path}.signerName`),
      ...validateLabelSelector(labelSelector, `${path}.labelSelector`),
    ];
  return [required(path, 'either name or signerName must be specified')];
}

/** A bundle of a signer is named after it: the signer's name with a colon for the slash, a colon, and a name. */
function bundleNameMessages(name: string): readonly string[] {
  const last = name.lastIndexOf(':');
  return dnsSubdomain(last === -1 ? name : name.slice(last + 1));
}
