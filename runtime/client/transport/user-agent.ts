/** The default `User-Agent`, which names the program. Servers show it as the manager of written fields, and in audit logs. */
import path from 'node:path';

/** @returns a text such as `controller/node-26.10.0 (linux/x64)`. @param program path of the program's file; absent if it has none */
export function programAgent(program: string | undefined = process.argv[1]): string {
  const { platform, arch, versions } = process;
  const name = program === undefined ? '' : path.parse(program).name.replaceAll(/[^\w.-]+/g, '-');
  return `${name === '' ? 'node' : name}/node-${versions.node} (${platform}/${arch})`;
}
