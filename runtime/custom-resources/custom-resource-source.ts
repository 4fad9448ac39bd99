/** Makes resources of custom resource definitions that are established. */
import type { Identity } from '../contract/identity.ts';
import type { OpenapiSource } from '../contract/openapi-source.ts';
import { inTurns } from '../event-loop/turns.ts';
import type { OpenapiDocument } from '../openapi/document.ts';
import type { DefinitionSource } from '../registry/definition-follower.ts';
import type { DefinedVersion, ResourceDefinition } from '../registry/resource-definition.ts';
import type { StoredObject } from '../registry/stored-object.ts';
import { atOnce } from '../schema/at-once.ts';
import type { ConversionParts } from './conversion/conversion-parts.ts';
import { converterOf } from './conversion/converter-of.ts';
import type { MetadataTypes } from './custom-kinds.ts';
import { customResource } from './custom-resource.ts';
import { type CustomDefinition, type CustomVersion, storedVersion, versionOf } from './definition.ts';
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

/** Another number where this server says something else of the same definition: clients keep documents by their hashes. */
const OPENAPI_FORM = 1;

/** A resource that knows what it was made of. */
interface MadeDefinition extends ResourceDefinition {
  readonly stored: StoredDefinition;
  /** of all that watches see of it */
  readonly seen: string;
  readonly watched: object;
  readonly isTerminating: boolean;
}

export interface CustomResourceParts {
  /** called when the kinds or the documents of a definition are first asked for: an idle server loads neither */
  readonly load: () => Promise<MetadataTypes & { readonly identity: Identity }>;
  /** the document of what all kinds use; called when documents are asked for */
  readonly machinery: () => Promise<OpenapiDocument>;
  /** where definitions stand */
  readonly values: DefinitionValues;
  readonly conversion: ConversionParts;
}

export class CustomResourceSource implements DefinitionSource {
  readonly prefix: string;
  readonly #parts: CustomResourceParts;

  /** @param prefix as of `DefinitionSource`, of the definitions' v1 */
  constructor(prefix: string, parts: CustomResourceParts) {
    this.prefix = prefix;
    this.#parts = parts;
  }

  /** @param before what this function made of the same object as it was; it is returned where nothing that matters has changed */
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
    const seen = `${shape} ${conversion}`;
    const isServed = isEstablished(outline);
    if (isServed && made?.seen === seen && made.isTerminating === isTerminating(outline)) {
      made.stored.moveTo(revision);
      return made;
    }
    made?.stored.keep();
    if (!isServed) return undefined;
    const at = new StoredDefinition(this.#parts.values, `${this.prefix}/${outline.metadata.name}`, revision);
    // who watches objects sees them go with their definition, as in 1.32
    const watched = made?.seen === seen ? made.watched : {};
    return yield* makeDefinition(outline, { stored: at, shape, seen, watched }, this.#parts);
  }
}

/** What is kept of a definition. */
interface Kept extends Pick<MadeDefinition, 'stored' | 'seen' | 'watched'> {
  /** in hexadecimal, of what objects look like: those that are stored need no other look while only their conversion changes */
  readonly shape: string;
}

/** Versions between two of which the caller may do something else. */
const SOME = 64;

function* makeDefinition(
  outline: DefinitionOutline,
  { stored, shape, seen, watched }: Kept,
  parts: CustomResourceParts,
): Generator<void, MadeDefinition, void> {
  const { spec, status } = outline;
  const names = status?.acceptedNames ?? spec.names;
  const read = async (): Promise<ReadDefinition> => {
    const { spec: all, isMuchWork } = await stored.read();
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
  for (const version of spec.versions) {
    if (!version.served) continue;
    const resource = customResource(served, version, isEnding);
    versions.push({ version: version.name, resource, openapi: openapiSource({ served, version, shape, read, parts }) });
    if (versions.length % SOME === 0) yield;
  }
  return {
    group,
    name: names.plural,
    kinds: [names.kind, names.listKind ?? `${names.kind}List`],
    stored,
    key: stored.key,
    seen,
    watched,
    isTerminating: isEnding,
    ...(converter && { converter }),
    ...(versions.length === 0 && {
      unserved: { version: hub.name, resource: customResource(served, hub, isEnding) },
    }),
    versions,
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
        // documents say the same of one that is being deleted
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

function isEstablished({ status }: CustomDefinition): boolean {
  return status?.conditions?.some((condition) => condition.type === 'Established' && condition.status === 'True') === true;
}
