import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { groupVersions } from '../../generated/routes.ts';
import { withoutEnums } from '../../runtime/openapi/without-enums.ts';

const test = suite('documents without lists of values');

/** Has lost each keyword `enum`, and nothing else. */
function stripped(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(stripped);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).filter(([name, member]) => name !== 'enum' || !Array.isArray(member));
  return Object.fromEntries(members.map(([name, member]) => [name, stripped(member)]));
}

for (const [name, text, expected] of [
  ['the last member', '{"type":"string","enum":["a","b"]}', '{"type":"string"}'],
  ['the first member', '{"enum":["a"],"type":"string"}', '{"type":"string"}'],
  ['the only member', '{"enum":[]}', '{}'],
  ['values with brackets and quotation marks', String.raw`{"a":1,"enum":["]\"","\\"],"b":2}`, '{"a":1,"b":2}'],
  ['a member of that name', '{"properties":{"enum":{"type":"array"}}}', '{"properties":{"enum":{"type":"array"}}}'],
  ['text that looks so', String.raw`{"description":"\"enum\":[\"a\"]"}`, String.raw`{"description":"\"enum\":[\"a\"]"}`],
] as const)
  test(name, () => assert.is(withoutEnums(text), expected));

for (const { folder, loadOpenapi } of groupVersions)
  test(`the document of ${folder}`, async () => {
    const text = await loadOpenapi();
    assert.equal(JSON.parse(withoutEnums(text)), stripped(JSON.parse(text)));
  });

test.run();
