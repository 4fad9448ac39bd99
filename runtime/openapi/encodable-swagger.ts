/** Whether a Swagger 2.0 document of another server can be put into the binary form: it is merged into one document for all. */
import { encodeMember } from './gnostic/encode.ts';
import { openapiV2 } from './gnostic/openapi-v2.ts';
import { slices } from './gnostic/slices.ts';
import type { SwaggerDocument } from './remote-documents.ts';

const MESSAGES = { paths: 'Paths', definitions: 'Definitions', parameters: 'ParameterDefinitions' } as const;

/** @throws Error where it cannot */
export async function requireEncodable(document: SwaggerDocument): Promise<void> {
  const pause = slices();
  for (const kind of ['paths', 'definitions', 'parameters'] as const)
    for (const [name, value] of Object.entries(document[kind])) {
      encodeMember(openapiV2, MESSAGES[kind], name, value);
      await pause();
    }
}
