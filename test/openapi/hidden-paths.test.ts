import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { GroupVersionData } from '../../runtime/contract/kind.ts';
import { withoutHiddenPaths } from '../../runtime/openapi/hidden-paths.ts';

const test = suite('hidden paths');
const PODS = '/apis/g/v1/namespaces/{namespace}/pods';
const PATHS = [
  '/apis/g/v1/',
  '/apis/g/v1/pods',
  PODS,
  `${PODS}/{name}`,
  `${PODS}/{name}/resize`,
  `${PODS}/{name}/resize/{path}`,
  '/apis/g/v1/watch/namespaces/{namespace}/pods/{name}',
];

function text(paths: readonly string[]): string {
  const items = paths.map((path) => `"${path}":{\n"get":{"a":[1,"},"]}}`);
  return `{"openapi":"3.0.0","paths":{\n${items.join(',\n')}},\n"components":{"schemas":{\n"x":{}}}}\n`;
}

const ROWS: readonly (readonly [hidden: readonly string[], shown: readonly string[]])[] = [
  [[], PATHS],
  [['pods/resize'], PATHS.filter((path) => !path.includes('resize'))],
  [['pods'], ['/apis/g/v1/']],
  [['namespaces', 'resize'], PATHS],
];

for (const [hidden, shown] of ROWS)
  test(hidden.join(' and ') || 'none', () => {
    const given = withoutHiddenPaths(text(PATHS), { group: 'g', version: 'v1', hidden } as unknown as GroupVersionData);
    assert.equal(Object.keys(JSON.parse(given).paths), shown);
    assert.is(given, text(shown));
  });

test.run();
