/** Which custom resources a server has: those of definitions in its store, or those of definitions that it is started with. */
import type { Identity } from '../contract/identity.ts';
import { type CustomResourceParts, CustomResourceSource } from '../custom-resources/custom-resource-source.ts';
import type { DefinitionText } from '../custom-resources/held-definitions.ts';
import type { OpenapiDocument } from '../openapi/document.ts';
import type { BuiltInApi } from '../registry/built-in-api.ts';
import { parseNativeJson } from '../schema/native-json.ts';
import type { Storage } from '../storage/storage.ts';
import type { ApiServer } from './api-server.ts';
import type { ServerParts } from './server-parts.ts';
import type { Setup } from './setup.ts';

/** The group of definitions. */
const EXTENSIONS = 'apiextensions.${groupDomain}';

/** What makes resources of definitions, wherever the definitions are. */
export type DefinitionParts = Omit<CustomResourceParts, 'values'>;

/** @param mayTakeLong whether conversions may keep this thread: no others wait for it */
export function definitionParts({
  identity,
  metrics,
  machinery,
  findService,
  egress,
  mayTakeLong,
}: Pick<ServerParts, 'identity' | 'metrics' | 'machinery' | 'findService' | 'egress'> & { mayTakeLong: boolean }): DefinitionParts {
  return {
    load: async () => {
      const { ListMeta, ObjectMeta } = await import('../../generated/meta/v1/descriptors.ts');
      return { objectMeta: ObjectMeta, listMeta: ListMeta, identity };
    },
    machinery: parsedOnce(machinery),
    conversion: { reviewGroup: identity.text(EXTENSIONS), metrics, findService, egress, mayTakeLong },
  };
}

/** @returns undefined where the API that is served has no definitions of custom resources */
export function storedDefinitions(
  builtIn: BuiltInApi,
  identity: Identity,
  storage: Storage,
  parts: DefinitionParts,
): CustomResourceSource | undefined {
  const definitions = builtIn.snapshot.resource(identity.text(EXTENSIONS), 'v1', 'customresourcedefinitions');
  const prefix = definitions?.data.storage?.prefix;
  return prefix === undefined ? undefined : new CustomResourceSource(prefix, { ...parts, values: storage });
}

/**
 * The definitions that a server is started with.
 * @throws Error where the server stores its definitions, so that it can be started with none; FileError
 */
export async function givenDefinitions({ parsed: { values }, definitions = [] }: Setup): Promise<DefinitionText[]> {
  const files = values['served-definitions'];
  if (files.length === 0 && definitions.length === 0) return [];
  if (!values['delegated-authentication'])
    throw new Error('--served-definitions needs --delegated-authentication: other servers store definitions as objects');
  const { readDefinitionFiles } = await import('../custom-resources/held-definitions.ts');
  const given = definitions.map((definition, index) => ({ text: JSON.stringify(definition), source: `definitions[${index}]` }));
  return [...given, ...(await readDefinitionFiles(files))];
}

/** Serves the resources of definitions that the server is started with. @throws FileError for definitions that are wrong */
export async function serveDefinitions(
  server: ApiServer,
  builtIn: BuiltInApi,
  texts: readonly DefinitionText[],
  parts: DefinitionParts,
): Promise<void> {
  if (texts.length === 0) return;
  const { heldDefinitions } = await import('../custom-resources/held-definitions.ts');
  const kind = await builtIn.storedKinds.kind(server.identity.text(EXTENSIONS), 'v1', 'CustomResourceDefinition');
  const defined = heldDefinitions(texts, { ...parts, kind, context: server.ruleContext(false) });
  server.registry.change({ defined, removed: [] });
}

/** The document is loaded and parsed when somebody first asks for it. */
function parsedOnce(load: () => Promise<string>): () => Promise<OpenapiDocument> {
  let document: Promise<OpenapiDocument> | undefined;
  return () => {
    document ??= load().then((text) => parseNativeJson<OpenapiDocument>(text));
    return document;
  };
}
