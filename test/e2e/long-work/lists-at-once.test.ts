/** Lists that are long enough to be sent in parts, in every form, many at once and while their objects change: each is true to its revision. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Client, type Json } from '../../harness/client.ts';
import { startServer, type TestServer } from '../../harness/server.ts';

const OBJECTS = 120;
const BYTES = 20_000;
const MAPS = '/api/v1/namespaces/default/configmaps';

const lists = suite<{ server: TestServer; client: Client }>('lists at once');
lists.before(async (context) => {
  context.server = await startServer({ dialect: 'kubernetes' });
  context.client = new Client(context.server);
  const created = Array.from({ length: OBJECTS }, (_, i) =>
    context.client.post(MAPS, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: `map-${1_000 + i}`, annotations: { long: 'x'.repeat(BYTES) } },
      data: { text: 'y'.repeat(BYTES) },
    }),
  );
  for (const { status } of await Promise.all(created)) assert.is(status, 201);
});
lists.after(async ({ server }) => {
  await server.stop();
});

/** What a form has of each object. */
const FORMS: Readonly<Record<string, { readonly accept: string; readonly itemsOf: (list: Json) => Json[] }>> = {
  JSON: { accept: 'application/json', itemsOf: ({ items }) => items },
  metadata: {
    accept: 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1',
    itemsOf: ({ items }) => items,
  },
  Table: {
    accept: 'application/json;as=Table;g=meta.k8s.io;v=v1',
    itemsOf: ({ rows }) => rows.map(({ object }: Json) => object),
  },
};

const seen = ({ metadata }: Json): string =>
  `${metadata.name} ${metadata.resourceVersion} ${metadata.annotations.turn} ${metadata.annotations.long.length}`;

async function listed(
  client: Client,
  { accept, itemsOf }: (typeof FORMS)[string],
  query = '',
): Promise<{ revision: string; items: string[] }> {
  const { status, body } = await client.get(`${MAPS}?${query}`, { accept });
  assert.is(status, 200);
  // what every namespace has is shorter
  const items = itemsOf(body).filter(({ metadata }: Json) => metadata.name.startsWith('map-'));
  return { revision: body.metadata.resourceVersion, items: items.map(seen) };
}

for (const [name, form] of Object.entries(FORMS))
  lists(`as ${name}, while objects are written, come and go`, async ({ client }) => {
    let turn = 0;
    let ended = false;
    const change = async () => {
      while (!ended) {
        const path = `${MAPS}/map-${1_000 + ((turn * 37) % OBJECTS)}`;
        if (turn % 5 === 4) {
          const { body } = await client.get(path);
          await client.delete(path);
          const { name: same, annotations } = body.metadata;
          await client.post(MAPS, { ...body, metadata: { name: same, annotations } });
        } else await client.patch(path, { metadata: { annotations: { turn: String(turn) } } });
        turn++;
      }
    };
    const changing = change();
    const all: { revision: string; items: string[] }[] = [];
    try {
      for (let round = 0; round < 4; round++) all.push(...(await Promise.all(Array.from({ length: 6 }, () => listed(client, form)))));
    } finally {
      ended = true;
      await changing;
    }
    assert.ok(turn > 0);
    const revisions = [...new Set(all.map(({ revision }) => revision))];
    for (const revision of revisions) {
      const exactly = await listed(client, FORMS.JSON as (typeof FORMS)[string], `resourceVersion=${revision}&resourceVersionMatch=Exact`);
      for (const list of all.filter((each) => each.revision === revision)) assert.equal(list.items, exactly.items, `at ${revision}`);
    }
  });

lists.run();
