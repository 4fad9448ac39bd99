/** A rule that may cost too much is refused as 1.32 does it, and with what would end that where the server was started so. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startServer } from '../../runtime/embedded/start-server.ts';

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const REFUSED = 'estimated rule cost exceeds budget by factor of';
const ADVICE = '(try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)';

const strings = { type: 'array', items: { type: 'array', items: { type: 'string' } } };
const rules: readonly {
  readonly name: string;
  readonly schema: object;
  readonly rule: string;
  readonly factor: string;
  readonly explained: string;
}[] = [
  {
    name: 'lists within lists',
    schema: { type: 'object', properties: { l: strings } },
    rule: 'self.l.all(x, x.all(y, x.all(z, z == y)))',
    factor: 'more than 100x',
    explained: '. Most of it comes from "self.l.all(x, x.all(y, x.all(z, z == y)))": self.l has no maxItems',
  },
  {
    name: 'a long text',
    schema: { type: 'object', properties: { l: { type: 'array', maxItems: 1_000, items: { type: 'string' } } } },
    rule: 'self.l.all(x, x.matches("a+b"))',
    factor: '31.5x',
    explained: '. Most of it comes from "x.matches(\\"a+b\\")": self.l[*] has no maxLength',
  },
];

const definition = (schema: object, rule: string): object => ({
  metadata: { name: 'things.costs.example' },
  spec: {
    group: 'costs.example',
    scope: 'Namespaced',
    names: { plural: 'things', kind: 'Thing' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: { type: 'object', properties: { spec: { ...schema, 'x-kubernetes-validations': [{ rule }] } } },
        },
      },
    ],
  },
});

for (const explains of [false, true]) {
  const test = suite(`costs of rules, ${explains ? 'explained' : 'as 1.32 tells them'}`);
  for (const { name, schema, rule, factor, explained } of rules)
    test(name, async () => {
      const server = await startServer({ dialect: 'kubernetes', flags: { 'explain-rule-costs': explains } });
      try {
        const body = JSON.stringify(definition(schema, rule));
        const answer = await server.client.fetch(DEFINITIONS, { method: 'POST', body, headers: { 'content-type': 'application/json' } });
        const { details } = (await answer.json()) as { details: { causes: readonly { message: string }[] } };
        assert.is(answer.status, 422);
        assert.is(details.causes[0]?.message, `Forbidden: ${REFUSED} ${factor} ${ADVICE}${explains ? explained : ''}`);
      } finally {
        await server.stop();
      }
    });
  test.run();
}
