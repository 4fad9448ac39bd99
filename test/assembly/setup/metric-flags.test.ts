import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { allowedLabels } from '../../../runtime/assembly/setup/metric-flags.ts';

const test = suite('flags of metrics');
let folder = '';
test.before(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'metric-flags-'));
});
test.after(() => rmSync(folder, { recursive: true }));

/** Such as `m,l: a b`, sorted by nothing. */
async function shown(texts: readonly string[], manifest?: string): Promise<string[]> {
  const file = manifest === undefined ? '' : path.join(folder, 'manifest.yaml');
  if (manifest !== undefined) writeFileSync(file, manifest);
  const allowed = await allowedLabels(texts, file);
  return [...allowed].flatMap(([metric, labels]) => [...labels].map(([label, values]) => `${metric},${label}: ${[...values].join(' ')}`));
}

const rows: [name: string, texts: string[], manifest: string | undefined, expected: string[]][] = [
  ['one label', ['a_total,verb=GET,LIST'], undefined, ['a_total,verb: GET LIST']],
  ['several flags', ['a_total,verb=GET', 'a_total,code=200', 'b,x=y'], undefined, ['a_total,verb: GET', 'a_total,code: 200', 'b,x: y']],
  ['several labels in one flag', [`a_total,verb='GET,LIST', b,x="y"`], undefined, ['a_total,verb: GET LIST', 'b,x: y']],
  ['the last of two', ['a,x=1', 'a,x=2'], undefined, ['a,x: 2']],
  ['a file', [], 'a,x: "1,2"\nb,y: c\n', ['a,x: 1 2', 'b,y: c']],
  ['a file and a flag', ['a,x=1', 'c,z=1'], '{"a,x": "2"}', ['a,x: 2', 'c,z: 1']],
];
for (const [name, texts, manifest, expected] of rows)
  test(`allow ${name}`, async () => assert.equal(await shown(texts, manifest), expected));

const wrong: [name: string, texts: string[], manifest: string | undefined, message: RegExp][] = [
  [
    'a flag without a label',
    ['a_total=GET'],
    undefined,
    /^--allow-metric-labels: "a_total=GET" is not of the form METRIC,LABEL=VALUE,VALUE$/,
  ],
  ['a flag with nothing', [''], undefined, /--allow-metric-labels: "" is not/],
  ['text behind a pair', [`a,x='1' b`], undefined, /--allow-metric-labels: .* is not of the form/],
  ['a file with a list', [], '[]', /manifest\.yaml: it is not a map$/],
  ['a file with a wrong key', [], 'a: b', /manifest\.yaml: "a" is not of the form METRIC,LABEL$/],
  ['a file with a number', [], 'a,x: 1', /manifest\.yaml: a,x: a text with values between commas is expected$/],
  ['a file that is no YAML', [], '{', /manifest\.yaml: /],
];
for (const [name, texts, manifest, message] of wrong)
  test(`refuse ${name}`, () =>
    shown(texts, manifest).then(
      () => assert.unreachable('it was taken'),
      (error) => assert.match(error.message, message),
    ));
test('refuse a file that is not there', () =>
  allowedLabels([], path.join(folder, 'none')).then(
    () => assert.unreachable('it was taken'),
    (error) => assert.match(error.message, /none: there is no such file or folder/),
  ));
test.run();
