import { readFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { nodeProblem } from '../../../runtime/assembly/setup/needed-node.js';
import { projectRoot } from '../../harness/server.ts';

const test = suite('the version of Node');

for (const version of ['22.13.0', '22.20.1', '23.0.0', '26.10.0'])
  test(`may be ${version}`, () => assert.is(nodeProblem(version), undefined));
for (const version of ['20.20.2', '22.12.0', '18.0.0'])
  test(`may not be ${version}`, () => assert.is(nodeProblem(version), `Node 22.13 or newer is needed, this is ${version}`));
test('is the one that package.json asks for', () => {
  const { engines } = JSON.parse(readFileSync(path.join(projectRoot, 'package.json'), 'utf8'));
  assert.match(nodeProblem('1.0.0') as string, `Node ${engines.node.replace('>=', '')} or newer`);
});

test.run();
