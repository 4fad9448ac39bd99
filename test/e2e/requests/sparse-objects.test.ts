/** Objects of every kind with one field and hardly anything in it: whatever rules say of them, none is a fault of the server's. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Client } from '../../harness/client.ts';
import { startServer } from '../../harness/server.ts';

const test = suite('sparse objects');

const server = await startServer({
  dialect: 'kubernetes',
  flags: ['--runtime-config=api/all=true', '--disable-admission-plugins=ServiceAccount'],
});
const client = new Client(server);
test.after(async () => {
  client.close();
  await server.stop();
});

/** As far as documents of OpenAPI 2 are looked at here. */
interface Schema {
  readonly $ref?: string;
  readonly allOf?: readonly Schema[];
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema;
  readonly items?: Schema;
}

interface Place {
  readonly path: string;
  readonly body: Record<string, unknown>;
}

const PREFIX = '#/definitions/';
const DEEPEST = 9;

/** One object for each field of each type, at the first place where some kind has it. */
class Places {
  readonly all: Place[] = [];
  readonly #definitions: Readonly<Record<string, Schema>>;
  readonly #seen = new Set<string>();

  constructor(definitions: Readonly<Record<string, Schema>>) {
    this.#definitions = definitions;
  }

  /** @param inside puts what stands at this place into an object */
  add(path: string, schema: Schema, inside: (value: unknown) => unknown, depth = 0): void {
    const { properties = {}, additionalProperties } = this.#resolve(schema);
    if (additionalProperties !== undefined) this.#enter(path, additionalProperties, (value) => inside({ a: value }), depth);
    for (const [name, property] of Object.entries(properties)) {
      if (depth === 0 && ['apiVersion', 'kind', 'metadata', 'status'].includes(name)) continue;
      const field = this.#resolve(property);
      const put = (value: unknown) => inside({ [name]: value });
      for (const value of sparseValues(field, this.#resolve(field.items ?? {})))
        this.all.push({ path, body: { metadata: { generateName: 'sparse-' }, ...(put(value) as object) } });
      if (field.items === undefined) this.#enter(path, property, put, depth);
      else this.#enter(path, field.items, (value) => put([value]), depth);
    }
  }

  #enter(path: string, schema: Schema, inside: (value: unknown) => unknown, depth: number): void {
    const name = schema.$ref ?? schema.allOf?.[0]?.$ref;
    if (depth === DEEPEST || (name !== undefined && this.#seen.has(name))) return;
    if (name !== undefined) this.#seen.add(name);
    this.add(path, schema, inside, depth + 1);
  }

  #resolve(schema: Schema): Schema {
    const name = schema.$ref ?? schema.allOf?.[0]?.$ref;
    return name === undefined ? schema : this.#resolve(this.#definitions[name.slice(PREFIX.length)] as Schema);
  }
}

/** What may stand alone where a rule expects something beside it; numbers and booleans are checked by themselves. */
function sparseValues(field: Schema, item: Schema): unknown[] {
  if (field.type === 'array') return item.properties === undefined ? [] : [[{}]];
  if (field.type === 'string') return ['x'];
  return field.type === undefined || field.type === 'object' ? [{}] : [];
}

test('of every kind are answered', async () => {
  const { body: document } = await client.get('/openapi/v2');
  const places = new Places(document.definitions);
  for (const [path, methods] of Object.entries<Record<string, Record<string, unknown>>>(document.paths)) {
    if (methods.post?.['x-kubernetes-action'] !== 'post' || path.includes('{name}')) continue;
    const parameters = methods.post.parameters as { in: string; schema: Schema }[];
    const sent = parameters.find((parameter) => parameter.in === 'body');
    if (sent !== undefined) places.add(path.replace('{namespace}', 'default'), sent.schema, (value) => value);
  }
  assert.ok(places.all.length > 1_000, `${places.all.length}`);
  const waiting = places.all.values();
  const faults: string[] = [];
  const ask = async (): Promise<void> => {
    for (const { path, body } of waiting) {
      const { status, text } = await client.post(`${path}?dryRun=All`, body);
      if (status === 500 && text.includes("see the server's log")) faults.push(`${path} ${JSON.stringify(body)}`);
      else assert.ok(status < 500 || path.endsWith('/bindings'), `${status} ${path} ${JSON.stringify(body)} ${text.slice(0, 300)}`);
    }
  };
  await Promise.all(Array.from({ length: 8 }, ask));
  assert.equal(faults, []);
});

test.run();
