import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { exportedNames } from '../../../codegen/read/rule-files.ts';

const exported = suite('exports of hand-written files');
const rows: [name: string, source: string, names: string[]][] = [
  ['none', 'const rules = {};\n', []],
  ['a value', 'export const rules: KindRules = {};\n', ['rules']],
  ['a function', 'export function rules(identity: Identity): KindRules {}\n', ['rules']],
  ['a function that waits', 'export async function conversion() {}\n', ['conversion']],
  ['several', 'export const rules = {};\n\nexport const conversion = {};\n', ['rules', 'conversion']],
  ['another name for one', "export { webhookRules as rules } from './webhooks.ts';\n", ['rules']],
  ['a list', 'export {\n  conversion,\n  rules,\n};\n', ['conversion', 'rules']],
  ['types, which are nothing at run time', 'export type rules = string;\nexport interface conversion {}\nexport { type rules };\n', []],
  ['words within a line', "const text = 'export const rules = 1';\n// export const rules = 1\n", []],
];
for (const [name, source, names] of rows) exported(name, () => assert.equal([...exportedNames(source)], names));
exported.run();
