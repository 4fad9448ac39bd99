/** Kinds of custom resource definitions, which files give (`--crd`). If the strategy is None, objects only get the name of another version. */
import { isObject, type JsonObject } from '../../runtime/schema/json/member.ts';
import { memberPath, type Notice, noticeTexts } from './notices/notice.ts';

/** A version of a kind, served or not. */
export interface DefinedVersion {
  readonly name: string;
  readonly served: boolean;
  readonly storage: boolean;
  /** The warning for clients of a deprecated version; undefined if it is not deprecated. */
  readonly deprecation: string | undefined;
  readonly schema: JsonObject;
}

/** A kind as its definition states it. */
export interface DefinedKind {
  /** Such as `widgets.example.com`. */
  readonly name: string;
  readonly group: string;
  readonly kind: string;
  readonly versions: readonly DefinedVersion[];
  readonly isConvertedByWebhook: boolean;
  readonly keepsUnknownMembers: boolean;
}

/**
 * @param definition a definition of v1
 * @throws Error that says what it lacks
 */
export function definedKind(definition: JsonObject): DefinedKind {
  const spec = objectOf(definition.spec);
  const { group } = spec;
  const { kind, plural } = objectOf(spec.names);
  const versions = Array.isArray(spec.versions) ? spec.versions.filter(isObject) : [];
  if (typeof group !== 'string' || typeof kind !== 'string' || versions.length === 0)
    throw new Error('the definition needs spec.group, spec.names.kind and spec.versions.');
  return {
    name: `${String(plural)}.${group}`,
    group,
    kind,
    versions: versions.map(({ name, served, storage, deprecated, deprecationWarning, schema }) => ({
      name: String(name),
      served: served === true,
      storage: storage === true,
      deprecation: deprecated === true ? String(deprecationWarning ?? `${group}/${String(name)} ${kind} is deprecated`) : undefined,
      schema: objectOf(objectOf(schema).openAPIV3Schema),
    })),
    isConvertedByWebhook: objectOf(spec.conversion).strategy === 'Webhook',
    keepsUnknownMembers: spec.preserveUnknownFields === true,
  };
}

/**
 * Finds the version to use instead: the stored one if it is served, otherwise the first served one.
 * @returns undefined if no version is served
 */
export function servedVersion({ versions }: DefinedKind): DefinedVersion | undefined {
  return versions.find(({ served, storage }) => served && storage) ?? versions.find(({ served }) => served);
}

/** @returns what the other version's schema makes of the object: the members that it drops, and those that it requires and misses */
export function definedNotices(kind: DefinedKind, version: DefinedVersion, object: JsonObject): string[] {
  const { apiVersion: _apiVersion, kind: _kind, metadata: _metadata, ...members } = object;
  const notices = kind.keepsUnknownMembers ? [] : heldAgainst(version.schema, members, '', ['apiVersion', 'kind', 'metadata']);
  return noticeTexts(notices.map(({ path, text }) => ({ path, text: `${kind.group}/${version.name} ${text}` })));
}

/** @param implied names of members that every schema has at this place */
function heldAgainst(schema: JsonObject, value: unknown, path: string, implied: readonly string[] = []): Notice[] {
  if (Array.isArray(value)) return value.flatMap((element, index) => heldAgainst(objectOf(schema.items), element, `${path}[${index}]`));
  if (!isObject(value)) return [];
  const properties = objectOf(schema.properties);
  const { additionalProperties, required } = schema;
  const keepsOthers = schema['x-kubernetes-preserve-unknown-fields'] === true || additionalProperties === true;
  const below = Object.entries(value).flatMap(([name, member]) => {
    const at = memberPath(path, name);
    if (Object.hasOwn(properties, name)) return heldAgainst(objectOf(properties[name]), member, at);
    if (isObject(additionalProperties)) return heldAgainst(additionalProperties, member, at);
    return keepsOthers || schema['x-kubernetes-embedded-resource'] === true
      ? []
      : [{ path: at, text: 'has no such member: a server drops it.' }];
  });
  const missing = (Array.isArray(required) ? required.map(String) : []).filter(
    (name) => !Object.hasOwn(value, name) && !implied.includes(name) && objectOf(properties[name]).default === undefined,
  );
  return [...below, ...missing.map((name) => ({ path: memberPath(path, name), text: 'requires this member.' }))];
}

function objectOf(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}
