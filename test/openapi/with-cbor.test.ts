import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { groupVersions } from '../../generated/routes.ts';
import { withCbor } from '../../runtime/openapi/with-cbor.ts';

const test = suite('documents that tell of CBOR');

type Content = Record<string, unknown>;

/** What has a binary form has CBOR as well, and so have streams, and what is applied. */
function told(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(told);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).flatMap(([name, member]): [string, unknown][] => {
    if (name === 'application/json' && hasBinary(value as Content)) {
      const stream: [string, unknown][] = 'application/json;stream=watch' in value ? [['application/cbor-seq', member]] : [];
      return [['application/cbor', member], ...stream, [name, member]];
    }
    return name === 'application/apply-patch+yaml'
      ? [
          ['application/apply-patch+cbor', member],
          [name, member],
        ]
      : [[name, told(member)]];
  });
  return Object.fromEntries(members);
}

const hasBinary = (content: Content): boolean => Object.keys(content).some((type) => type.startsWith('application/vnd.'));

for (const { folder, loadOpenapi } of groupVersions)
  test(`the document of ${folder}`, async () => {
    const text = await loadOpenapi();
    const made = withCbor(text);
    assert.is(JSON.stringify(JSON.parse(made)), JSON.stringify(told(JSON.parse(text))));
    assert.is(made.includes('application/cbor'), /"paths":\{\s*"/.test(text));
  });

test.run();
