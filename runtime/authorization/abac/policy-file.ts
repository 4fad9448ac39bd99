import type { FileKinds } from '../../files/file-kinds.ts';
import { readFileText } from '../../files/file-text.ts';
import { FileWatch } from '../../files/file-watch.ts';
import type { FollowedFiles } from '../../files/followed-files.ts';
import type { Log } from '../../observability/log.ts';
import { AbacAuthorizer, type AttributePolicy } from './authorizer.ts';

const WANTED = { group: 'abac.authorization.${labelDomain}', kind: 'Policy' };

export interface PolicyFileParts {
  readonly file: string;
  readonly fileKinds: () => Promise<FileKinds>;
  readonly followedFiles: FollowedFiles;
  readonly log: Log;
}

const FLAG = '--authorization-policy-file';

/** Opens the policy file, which is read again on request (`followedFiles`). If a new text is invalid, the old policies stay in force. @throws FileError that names the line */
export async function openPolicyFile({
  file,
  fileKinds,
  followedFiles,
  log,
}: PolicyFileParts): Promise<{ authorizer: AbacAuthorizer; close: () => void }> {
  const kinds = await fileKinds();
  const read = async (text: string): Promise<AttributePolicy[]> => {
    const { policies, warnings } = await parsePolicies(text, file, kinds);
    for (const warning of warnings) log.warn({}, `${FLAG}: ${warning}`);
    return policies;
  };
  const text = await readFileText(file);
  const authorizer = new AbacAuthorizer(await read(text));
  const watch = new FileWatch({
    file,
    text,
    followedFiles,
    async changed(changed) {
      authorizer.use(await read(changed));
      log.info({ file }, `${FLAG}: the file has been read again`);
    },
    failed: (error) => log.error({ err: error, file }, `${FLAG}: the new text of the file is not used`),
  });
  return { authorizer, close: () => watch.close() };
}

/**
 * Reads the policies of a file: one JSON object per line. Empty lines and lines that begin with # are skipped.
 * @throws FileError that names the line
 */
export async function parsePolicies(
  all: string,
  file: string,
  kinds: FileKinds,
): Promise<{ policies: AttributePolicy[]; warnings: string[] }> {
  const policies: AttributePolicy[] = [];
  const warnings: string[] = [];
  for (const [index, line] of all.split('\n').entries()) {
    const text = line.trim();
    if (text === '' || text.startsWith('#')) continue;
    const { object, warnings: said } = await kinds.parse(text, `${file}:${index + 1}`, WANTED);
    const { user = '', group = '', readonly = false, apiGroup = '', resource = '', namespace = '', nonResourcePath = '' } = object.spec;
    policies.push({ user, group, readonly, apiGroup, resource, namespace, nonResourcePath });
    warnings.push(...said);
  }
  return { policies, warnings };
}
