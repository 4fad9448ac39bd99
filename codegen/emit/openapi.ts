/** Writes `openapi.json`: the OpenAPI v3 document of a group version as the server publishes it, with placeholders for the dialect's names. */
import { versionDocument } from '../../runtime/openapi/description/version-document.ts';
import type { OpenapiDocument } from '../../runtime/openapi/document.ts';
import type { GroupVersion, Model } from '../model/model.ts';
import { PublishedSchemas } from './openapi/schemas.ts';

export function emitOpenapi(model: Model, groupVersion: GroupVersion): OpenapiDocument {
  const published = new PublishedSchemas(model);
  return versionDocument(groupVersion, {
    release: model.release,
    // Group versions of structural schemas are described as custom resources are, in documents of their own.
    groupVersions: model.groupVersions.filter(({ files, structural }) => !files && structural === undefined),
    schemas: (definition) => published.get(definition),
    listOf: (definition) => {
      const type = model.types.get(definition);
      return type?.kind === 'struct' ? type.list : undefined;
    },
  });
}
