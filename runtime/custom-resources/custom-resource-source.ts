/** Makes resources of custom resource definitions that are established. */
import type { Identity } from '../contract/identity.ts';
import type { OpenapiSource } from '../contract/openapi-source.ts';
import { inTurns } from '../event-loop/turns.ts';
import type { OpenapiDocument } from '../openapi/document.ts';
import type { DefinitionSource } from '../registry/definition-follower.ts';
import type { DefinedVersion, ResourceDefinition } from '../registry/resources/resource-definition.ts';
import type { StoredObject } from '../registry/stored-objects/stored-object.ts';
import { atOnce } from '../schema/at-once.ts';
import type { ConversionParts } from './conversion/conversion-parts.ts';
import { converterOf } from './conversion/converter-of.ts';
import type { MetadataTypes } from './custom-kinds.ts';
import { customResource } from './custom-resource.ts';
import { type CustomDefinition, type CustomVersion, storedVersion, versionOf } from './definition.ts';
import { isEmptied } from './emptied-definition.ts';
import { LastReading } from './last-reading.ts';
import {
  type DefinitionOutline,
  type DefinitionValues,
  hasLongOutline,
  type ReadDefinition,
  readShaped,
  readShapedSlices,
  type ShapedOutline,
  StoredDefinition,
} from './stored-definition.ts';

/** Must be changed when a change of this program changes the OpenAPI document for the same definition: clients cache documents by their hashes. */
const OPENAPI_FORM = 2;

/** A resource together with what it was made from. */
interface MadeDefinition extends ResourceDefinition {
  readonly stored: StoredDefinition;
  /** identifies everything in the definition that changes what watches of its objects see */
  readonly seen: string;
  /** stands for the resource in watches (`watchedOf`): it stays the same, and watches go on, as long as `seen` does not change */
  readonly watched: object;
  /** whether the definition is being deleted */
  readonly isTerminating: boolean;
}

export interface CustomResourceParts {
  /** Loads what kinds and documents need. It is called when somebody first asks for one, so that an idle server loads neither. */
  readonly load: () => Promise<MetadataTypes & { readonly identity: Identity }>;
  /** Returns the OpenAPI document with the schemas that all kinds use. It is called when somebody asks for a document. */
  readonly machinery: () => Promise<OpenapiDocument>;
  /** the stored definitions */
  readonly values: DefinitionValues;
  readonly conversion: ConversionParts;
}

export class CustomResourceSource implements DefinitionSource {
  readonly prefix: string;
  readonly #parts: CustomResourceParts;
  readonly #lastReading = new LastReading();

  /** @param prefix see `DefinitionSource`; the objects below it are definitions of version v1 */
  constructor(prefix: string, parts: CustomResourceParts) {
    this.prefix = prefix;
    this.#parts = parts;
  }

  /** @param before the earlier result of this function for the same object; it is returned again if nothing that matters has changed */
  define(stored: StoredObject, before?: ResourceDefinition): ResourceDefinition | undefined {
    return atOnce(this.#made(readShaped(stored), Number(stored.resourceVersion), before));
  }

  isLong(stored: StoredObject): boolean {
    return hasLongOutline(stored);
  }

  *defineSlices(stored: StoredObject): ReturnType<DefinitionSource['defineSlices']> {
    const shaped = yield* readShapedSlices(stored);
    return (before) => this.#made(shaped, Number(stored.resourceVersion), before);
  }

  *#made(
    { outline, shape, conversion }: ShapedOutline,
    revision: number,
    before?: ResourceDefinition,
  ): Generator<void, ResourceDefinition | undefined, void> {
    const made = before as MadeDefinition | undefined;
    const seen = `${outline.metadata.uid} ${shape} ${conversion}`;
    const isServed = isEstablished(outline) && hasStoredVersion(outline);
    if (isServed && made?.seen === seen && made.isTerminating === isTerminating(outline)) {
      made.stored.moveTo(revision);
      return made;
    }
    made?.stored.keep();
    if (!isServed) return undefined;
    const at = new StoredDefinition(this.#parts.values, `${this.prefix}/${outline.metadata.name}`, revision);
    // watches go on when the definition begins to be deleted, so that their clients see the objects disappear with it, as in 1.32
    const watched = made?.seen === seen ? made.watched : {};
    const read = (): Promise<ReadDefinition> => this.#lastReading.read(at);
    return yield* makeDefinition(outline, { stored: at, read, shape, seen, watched }, this.#parts);
  }
}

/** What is kept in memory about a stored definition. */
interface Kept extends Pick<MadeDefinition, 'stored' | 'seen' | 'watched'> {
  /**
   * a hexadecimal digest of everything that shapes the objects; a change of the conversion alone does not change it, so stored objects need not be examined
   * again
   */
  readonly shape: string;
  /** reads the whole definition */
  readonly read: () => Promise<ReadDefinition>;
}

/** The number of versions after which the caller may do something else. */
const SOME = 64;

function* makeDefinition(
  outline: DefinitionOutline,
  { stored, read: readStored, shape, seen, watched }: Kept,
  parts: CustomResourceParts,
): Generator<void, MadeDefinition, void> {
  const { spec, status } = outline;
  const names = status?.acceptedNames ?? spec.names;
  const read = async (): Promise<ReadDefinition> => {
    const { spec: all, isMuchWork } = await readStored();
    return { spec: { ...all, names }, isMuchWork };
  };
  const schemaHash = Number.parseInt(shape.slice(0, 8), 16);
  const isEnding = isTerminating(outline);
  const served = { spec: { ...spec, names } };
  const { group, conversion } = spec;
  const converter = converterOf(
    { name: `${names.plural}.${group}`, group, versions: spec.versions.map(({ name }) => name) },
    conversion,
    parts.conversion,
  );
  const hub = storedVersion(served);
  const versions: DefinedVersion[] = [];
  const all: Pick<DefinedVersion, 'version' | 'resource'>[] = [];
  for (const version of spec.versions) {
    const made = { version: version.name, resource: customResource(served, version, isEnding) };
    all.push(made);
    if (version.served) versions.push({ ...made, openapi: openapiSource({ served, version, shape, read, parts }) });
    if (all.length % SOME === 0) yield;
  }
  return {
    group,
    name: names.plural,
    kinds: [names.kind, names.listKind ?? `${names.kind}List`],
    stored,
    definedBy: { key: stored.key, uid: outline.metadata.uid ?? '', isEmptied },
    seen,
    watched,
    isTerminating: isEnding,
    ...(converter && { converter }),
    ...(versions.length === 0 && {
      unserved: { version: hub.name, resource: customResource(served, hub, isEnding) },
    }),
    versions,
    ...(all.length > versions.length && { all }),
    async load(version) {
      const [{ customKinds }, metadata, definition] = await Promise.all([import('./custom-kinds.ts'), parts.load(), read()]);
      return customKinds(definition, version, schemaHash, metadata, definition.isMuchWork);
    },
  };
}

interface DescribedVersion extends Pick<Kept, 'shape'> {
  readonly served: CustomDefinition;
  readonly version: CustomVersion;
  readonly read: () => Promise<ReadDefinition>;
  readonly parts: CustomResourceParts;
}

function openapiSource({ served, version, shape, read, parts }: DescribedVersion): OpenapiSource {
  return {
    async load() {
      const [{ customOpenapiSlices }, { identity }, machinery, definition] = await Promise.all([
        import('./openapi.ts'),
        parts.load(),
        parts.machinery(),
        read(),
      ]);
      const { text, yaml, names } = identity;
      const input = {
        definition: served,
        version: versionOf(definition, version.name),
        // in documents, a resource whose definition is being deleted looks like any other
        resource: customResource(served, version, false),
        identity: { text, yaml, groupDomain: names.groupDomain as string },
        machinery,
        isMuchWork: definition.isMuchWork,
      };
      return inTurns(customOpenapiSlices(input));
    },
    hash: `${OPENAPI_FORM} ${shape}`,
  };
}

const isTerminating = ({ metadata }: DefinitionOutline): boolean => metadata.deletionTimestamp !== undefined;

/** Only values that came into the store past the API have none: they must not end the server. */
function hasStoredVersion({ spec }: CustomDefinition): boolean {
  const versions = spec.versions as readonly CustomVersion[] | null;
  return versions?.some(({ storage }) => storage) === true;
}

function isEstablished({ status }: CustomDefinition): boolean {
  return status?.conditions?.some((condition) => condition.type === 'Established' && condition.status === 'True') === true;
}
