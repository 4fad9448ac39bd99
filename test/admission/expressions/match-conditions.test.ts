/** What match conditions are shown of a request, as in 1.32. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { CompiledExpressions } from '../../../runtime/admission/expressions/compiled-expressions.ts';
import { meetsConditions } from '../../../runtime/admission/expressions/match-conditions.ts';
import { jsonValue } from '../../../runtime/expressions/values/json-values.ts';

const VALUES: Readonly<Record<string, ReturnType<typeof jsonValue>>> = {
  object: jsonValue({ metadata: { name: 'a' } }),
  namespaceObject: jsonValue({ metadata: { name: 'n' } }),
  request: jsonValue({ resource: { group: 'g', version: 'v2' }, requestResource: { group: 'g', version: 'v1' }, kind: { version: 'v2' } }),
};

async function outcomeOf(expression: string): Promise<unknown> {
  const compiled = new CompiledExpressions({ matchConditions: [{ name: 'c', expression }] }, {});
  await compiled.ready();
  const given = { seen: { read: (name: string) => VALUES[name] }, params: undefined, variables: new Map(), mayTakeLong: true };
  return meetsConditions(compiled.conditions, given, false);
}

const test = suite('match conditions');
const rows: readonly [expression: string, expected: unknown][] = [
  ["object.metadata.name == 'a'", true],
  ['namespaceObject == null', true],
  [
    "namespaceObject.metadata.name == 'n'",
    { error: "expression 'namespaceObject.metadata.name == 'n'' resulted in error: no such key: metadata" },
  ],
  // the kind is that of the object as it is shown; the resource is the one that the client has named
  ["request.kind.version == 'v2' && request.resource.version == 'v1' && request.requestResource.version == 'v1'", true],
];
for (const [expression, expected] of rows) test(expression, async () => assert.equal(await outcomeOf(expression), expected));
test.run();
