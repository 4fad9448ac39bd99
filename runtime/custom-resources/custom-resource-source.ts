/** Makes resources of custom resource definitions that are established. */
import { createHash } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { ApiObject } from '../contract/object.ts';
import type { DefinitionSource } from '../registry/definition-follower.ts';
import type { ResourceDefinition } from '../registry/resource-definition.ts';
import type { StoredObject } from '../registry/stored-object.ts';
import { parseNativeJson } from '../schema/native-json.ts';
import type { ConversionParts } from './conversion/conversion-parts.ts';
import { converterOf } from './conversion/converter-of.ts';
import type { CustomKindParts } from './custom-kinds.ts';
import { customResource } from './custom-resource.ts';
import { type CustomDefinition, storedVersion } from './definition.ts';

/** Texts of which so much is there are kept in a shorter form: most definitions are read once, or never. */
const KEPT_AS_IT_IS = 2_048;

/** A resource that knows what it was made of. */
interface MadeDefinition extends ResourceDefinition {
  readonly fingerprint: string;
}

export interface CustomResourceParts {
  /** called when the kinds or the documents of a definition are first asked for: an idle server loads neither */
  readonly load: () => Promise<CustomKindParts>;
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
    const object = stored.parse() as unknown as CustomDefinition & ApiObject;
    if (!isEstablished(object)) return undefined;
    const isTerminating = object.metadata.deletionTimestamp !== undefined;
    const { conversion, ...spec } = object.spec;
    const shape = hashOf({ spec, names: object.status?.acceptedNames, isTerminating });
    const fingerprint = `${shape} ${hashOf(conversion)}`;
    if (before !== undefined && (before as MadeDefinition).fingerprint === fingerprint) return before;
    return makeDefinition(object, { text: keptText(JSON.stringify(spec)), shape, fingerprint }, this.#parts);
  }
}

/** What is kept of a definition. */
interface Kept {
  /** JSON of its `spec`, but for the conversion */
  readonly text: () => string;
  /** in hexadecimal, of what objects look like: those that are stored need no other look while only their conversion changes */
  readonly shape: string;
  /** of all that matters */
  readonly fingerprint: string;
}

const hashOf = (value: unknown): string =>
  createHash('sha256')
    .update(JSON.stringify(value) ?? '')
    .digest('hex');

function makeDefinition(
  { spec, status, metadata }: CustomDefinition & ApiObject,
  { text, shape, fingerprint }: Kept,
  parts: CustomResourceParts,
): MadeDefinition {
  const names = status?.acceptedNames ?? spec.names;
  const read = () => ({ spec: { ...(parseNativeJson(text()) as CustomDefinition['spec']), names } });
  const schemaHash = Number.parseInt(shape.slice(0, 8), 16);
  const isTerminating = metadata.deletionTimestamp !== undefined;
  const served = { spec: { ...spec, names } };
  const { group, conversion } = spec;
  const converter = converterOf(
    { name: `${names.plural}.${group}`, group, versions: spec.versions.map(({ name }) => name) },
    conversion,
    parts.conversion,
  );
  const stored = storedVersion(served);
  return {
    group,
    name: names.plural,
    kinds: [names.kind, names.listKind ?? `${names.kind}List`],
    fingerprint,
    ...(converter && { converter }),
    ...(!spec.versions.some((version) => version.served) && {
      unserved: { version: stored.name, resource: customResource(served, stored, isTerminating) },
    }),
    versions: spec.versions
      .filter((version) => version.served)
      .map((version) => ({
        version: version.name,
        resource: customResource(served, version, isTerminating),
        loadOpenapi: async () => {
          const [{ customOpenapi }, { identity }] = await Promise.all([import('./openapi.ts'), parts.load()]);
          return JSON.stringify(customOpenapi(read(), version.name, identity.text));
        },
      })),
    load: async (version) => (await import('./custom-kinds.ts')).customKinds(read(), version, schemaHash, await parts.load()),
  };
}

function keptText(text: string): () => string {
  if (text.length < KEPT_AS_IT_IS) return () => text;
  const kept = deflateRawSync(text, { level: 1 });
  return () => inflateRawSync(kept).toString();
}

function isEstablished({ status }: CustomDefinition): boolean {
  return status?.conditions?.some((condition) => condition.type === 'Established' && condition.status === 'True') === true;
}
