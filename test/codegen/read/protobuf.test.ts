/** The .proto files as other programs read them: pbjs compiles them, to what the generator has read. */
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { pbjs } from 'protobufjs-cli';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readProtobuf } from '../../../codegen/read/protobuf.ts';

interface Node {
  readonly nested?: Readonly<Record<string, Node>>;
  readonly fields?: Readonly<Record<string, { readonly id: number; readonly rule?: string; readonly keyType?: string }>>;
  readonly reserved?: readonly unknown[];
}

const root = path.join(import.meta.dirname, '../../..');
const files = globSync('schemas/*/*/*.proto', { cwd: root }).sort();

function compile(): Promise<Node> {
  const args = ['--target', 'json', '--keep-case', '--path', path.join(root, 'schemas'), ...files.map((file) => path.join(root, file))];
  return new Promise((resolve, reject) => {
    pbjs.main(args, (error, output) => (error ? reject(error) : resolve(JSON.parse(output ?? '{}'))));
  });
}

/** `Message.field = number rule` of each field, and what each message reserves. */
function statements(node: Node, name = ''): string[] {
  const below = Object.entries(node.nested ?? {}).flatMap(([child, inner]) => statements(inner, name === '' ? child : `${name}.${child}`));
  if (node.fields === undefined) return below;
  const fields = Object.entries(node.fields).map(([field, { id, rule, keyType }]) => {
    const kind = keyType !== undefined ? 'map' : rule === 'repeated' ? 'repeated' : 'single';
    return `${name}.${field} = ${id} ${kind}`;
  });
  return [...below, ...fields, `${name} reserves ${JSON.stringify(node.reserved ?? [])}`];
}

const protobuf = suite('protobuf files');
protobuf('are read as pbjs compiles them', async () => {
  const problems: string[] = [];
  const texts = new Map(files.map((file) => [file, readFileSync(path.join(root, file), 'utf8')]));
  const { messages, packages } = readProtobuf(texts, (code, { file, path: place }, problem) =>
    problems.push(`${code} ${file} ${place}: ${problem}`),
  );
  assert.equal(problems, []);
  assert.is(packages.size, files.length);
  const read = [...messages.values()].flatMap(({ fullName, fields, reserved }) => [
    ...fields.map(({ name, number, rule }) => `${fullName}.${name} = ${number} ${rule}`),
    `${fullName} reserves ${JSON.stringify(reserved)}`,
  ]);
  assert.equal(read.sort(), statements(await compile()).sort());
});
protobuf.run();
