/** Chooses the custom resources of a server: those whose definitions are in its store, or those whose definitions it is started with. */
import type { Identity } from '../../contract/identity.ts';
import { type CustomResourceParts, CustomResourceSource } from '../../custom-resources/custom-resource-source.ts';
import type { DefinitionText } from '../../custom-resources/held-definitions.ts';
import type { OpenapiDocument } from '../../openapi/document.ts';
import { webhookAgent } from '../../outbound/webhook-agent.ts';
import type { BuiltInApi } from '../../registry/resources/built-in-api.ts';
import { parseNativeJson } from '../../schema/json/native-json.ts';
import type { Storage } from '../../storage/storage.ts';
import type { Setup } from '../setup/setup.ts';
import type { ApiServer } from './api-server.ts';
import type { ServerParts } from './server-parts.ts';

/** API group of custom resource definitions. */
const EXTENSIONS = 'apiextensions.${groupDomain}';

/** What is needed to make resources from definitions, wherever these come from. */
export type DefinitionParts = Omit<CustomResourceParts, 'values'>;

/** @param mayTakeLong whether conversions may block this thread, because it serves nobody else */
export function definitionParts({
  identity,
  metrics,
  machinery,
  serviceRoutes,
  egress,
  mayTakeLong,
}: Pick<ServerParts, 'identity' | 'metrics' | 'machinery' | 'serviceRoutes' | 'egress'> & { mayTakeLong: boolean }): DefinitionParts {
  return {
    load: async () => {
      const { ListMeta, ObjectMeta } = await import('../../../generated/meta/v1/descriptors.ts');
      return { objectMeta: ObjectMeta, listMeta: ListMeta, identity };
    },
    machinery: parsedOnce(machinery),
    conversion: { reviewGroup: identity.text(EXTENSIONS), userAgent: webhookAgent(identity), metrics, serviceRoutes, egress, mayTakeLong },
  };
}

/** @returns undefined if the served API has no custom resource definitions */
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
 * Reads the definitions that a server is started with.
 * @throws Error if there are some although the server stores its definitions
 * @throws FileError
 */
export async function givenDefinitions({ parsed: { values }, definitions = [] }: Setup): Promise<DefinitionText[]> {
  const files = values['served-definitions'];
  if (files.length === 0 && definitions.length === 0) return [];
  if (!values['delegated-authentication'])
    throw new Error('--served-definitions needs --delegated-authentication: other servers store definitions as objects');
  const { readDefinitionFiles } = await import('../../custom-resources/held-definitions.ts');
  const given = definitions.map((definition, index) => ({ text: JSON.stringify(definition), source: `definitions[${index}]` }));
  return [...given, ...(await readDefinitionFiles(files))];
}

/** Serves the resources whose definitions the server is started with. @throws FileError for invalid definitions */
export async function serveDefinitions(
  server: ApiServer,
  builtIn: BuiltInApi,
  texts: readonly DefinitionText[],
  parts: DefinitionParts,
): Promise<void> {
  if (texts.length === 0) return;
  const { heldDefinitions } = await import('../../custom-resources/held-definitions.ts');
  const kind = await builtIn.storedKinds.kind(server.identity.text(EXTENSIONS), 'v1', 'CustomResourceDefinition');
  const defined = heldDefinitions(texts, { ...parts, kind, context: server.ruleContext(false) });
  server.registry.change({ defined, removed: [] });
}

/** The document is loaded and parsed on first use. */
function parsedOnce(load: () => Promise<string>): () => Promise<OpenapiDocument> {
  let document: Promise<OpenapiDocument> | undefined;
  return () => {
    document ??= load().then((text) => parseNativeJson<OpenapiDocument>(text));
    return document;
  };
}
