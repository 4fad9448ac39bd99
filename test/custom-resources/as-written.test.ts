/** What the server says of a custom resource goes by its dialect, and what a definition says stays as somebody wrote it. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Dialect } from '../../runtime/contract/identity.ts';
import { startServer } from '../../runtime/embedded/start-server.ts';

const test = suite('texts of custom resources');

/** As placeholders of schemas look, of names that there are and that there are not. */
const TEXT = 'as ${groupDomain} and ${nothing} have it';
const PATH = '/apis/shop.example/v1/namespaces/default/lamps';

const definition = (columns: readonly object[]) => ({
  metadata: { name: 'lamps.shop.example' },
  spec: {
    group: 'shop.example',
    scope: 'Namespaced',
    names: { plural: 'lamps', singular: 'lamp', kind: 'Lamp', listKind: 'LampList' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        deprecated: true,
        deprecationWarning: TEXT,
        additionalPrinterColumns: columns,
        schema: {
          openAPIV3Schema: { type: 'object', description: TEXT, properties: { colour: { type: 'string', default: TEXT, enum: [TEXT] } } },
        },
      },
    ],
  },
});

const rows: readonly { readonly dialect: Dialect; readonly group: string; readonly docs: string; readonly conventions: string }[] = [
  { dialect: 'cluster', group: 'cluster.io', docs: 'https://cluster.io/docs/', conventions: 'https://git.cluster.io/community/' },
  { dialect: 'kubernetes', group: 'k8s.io', docs: 'https://kubernetes.io/docs/', conventions: 'https://git.k8s.io/community/' },
];

for (const { dialect, group, docs, conventions } of rows)
  test(dialect, async () => {
    const server = await startServer({ dialect });
    try {
      const path = `/apis/apiextensions.${group}/v1/customresourcedefinitions`;
      const get = async (of: string, accept = 'application/json') => {
        const answer = await server.client.fetch(of, { headers: { accept } });
        return { status: answer.status, warning: answer.headers.get('warning'), text: await answer.text() };
      };
      const define = async (columns: readonly object[]) => {
        const { body } = await server.client.fetch(`${path}?watch=1`);
        await server.client.request('POST', path, definition(columns));
        const decoder = new TextDecoder();
        let text = '';
        for await (const chunk of body as ReadableStream<Uint8Array>) {
          text += decoder.decode(chunk, { stream: true });
          if (/"type":"Established",?/.test(text) && /the initial names have been accepted/.test(text)) return;
        }
      };
      await define([{ name: TEXT, type: 'string', description: TEXT, jsonPath: '.colour' }]);
      const made = await server.client.request('POST', PATH, { apiVersion: 'shop.example/v1', kind: 'Lamp', metadata: { name: 'x' } });
      assert.is(made.colour, TEXT);
      const table = await get(PATH, `application/json;as=Table;g=meta.${group};v=v1`);
      assert.is(table.status, 200, table.text);
      assert.ok(table.warning?.includes(TEXT));
      const { columnDefinitions, rows: shown } = JSON.parse(table.text);
      assert.equal([columnDefinitions[1].name, columnDefinitions[1].description], [TEXT, TEXT]);
      assert.equal(shown[0].cells, ['x', TEXT]);
      assert.ok(columnDefinitions[0].description.includes(docs), columnDefinitions[0].description);
      for (const document of ['/openapi/v3/apis/shop.example/v1', '/openapi/v2']) {
        const { status, text } = await get(document);
        assert.is(status, 200, document);
        assert.ok(text.includes(JSON.stringify(TEXT)), document);
        assert.ok(text.includes(`List of lamps. More info: ${conventions}`), document);
      }
    } finally {
      await server.stop();
    }
  });

test.run();
