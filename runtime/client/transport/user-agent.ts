/** How a client calls itself that nobody has given a name: by its program. Servers say so of who has written a field, and in their records. */
import path from 'node:path';

/** Such as `controller/node-26.10.0 (linux/x64)`. @param program path of its file; absent: a program that has none */
export function programAgent(program = process.argv[1]): string {
  const { platform, arch, versions } = process;
  const name = program === undefined ? '' : path.parse(program).name.replaceAll(/[^\w.-]+/g, '-');
  return `${name === '' ? 'node' : name}/node-${versions.node} (${platform}/${arch})`;
}
