import type { FileKinds } from '../../files/file-kinds.ts';
import { readFileText } from '../../files/file-text.ts';
import type { AttributePolicy } from './authorizer.ts';

const WANTED = { group: 'abac.authorization.${labelDomain}', kind: 'Policy' };

/**
 * Reads the policies of a file, one JSON object on a line; empty lines and those that begin with # are left out.
 * @throws FileError that names the line
 */
export async function readPolicyFile(file: string, kinds: FileKinds): Promise<{ policies: AttributePolicy[]; warnings: string[] }> {
  const policies: AttributePolicy[] = [];
  const warnings: string[] = [];
  const lines = (await readFileText(file)).split('\n');
  for (const [index, line] of lines.entries()) {
    const text = line.trim();
    if (text === '' || text.startsWith('#')) continue;
    const { object, warnings: said } = await kinds.parse(text, `${file}:${index + 1}`, WANTED);
    const { user = '', group = '', readonly = false, apiGroup = '', resource = '', namespace = '', nonResourcePath = '' } = object.spec;
    policies.push({ user, group, readonly, apiGroup, resource, namespace, nonResourcePath });
    warnings.push(...said);
  }
  return { policies, warnings };
}
