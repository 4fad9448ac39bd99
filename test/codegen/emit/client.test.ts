import { readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const client = suite('the client of the core group');
client('has the status of its resources, though kinds of files are of a version of the same name', () => {
  const source = readFileSync('generated/client/core/v1/index.ts', 'utf8');
  for (const [resource, kind] of [
    ['Node', 'Node'],
    ['Pod', 'Pod'],
    ['Service', 'Service'],
  ])
    assert.match(
      source,
      new RegExp(`interface ${resource}Resource \\{[^}]*\\n  subresources: \\{\\n(?:    .*\\n)*    status: \\{ object: types\\.${kind};`),
    );
});
client.run();
