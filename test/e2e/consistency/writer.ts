/** Creates, replaces, patches and deletes a few objects, and keeps what it was told. */
import type { Answer, Client } from '../../harness/client.ts';
import { type Unanswered, versionOf } from './history.ts';
import type { Random } from './random.ts';
import { TIERS, TYPES } from './selections.ts';
import { acknowledge, attempt, collectionPath, read, unexpected, type World } from './world.ts';

export async function write(world: World, random: Random, writer: number): Promise<void> {
  for (let count = 0; !world.over(); count++) {
    const namespace = random.of(world.namespaces);
    const name = random.of(world.names);
    const value = `${writer}-${count}`;
    const action = random.of([create, create, replace, replace, patch, patch, remove]);
    await action(world, random, { namespace, name, value });
  }
}

interface Target {
  readonly namespace: string;
  readonly name: string;
  readonly value: string;
}

/** @returns undefined where there is no answer */
async function send(world: World, write: Unanswered, ask: (client: Client) => Promise<Answer>): Promise<Answer | undefined> {
  const answer = await attempt(world, ask);
  if (answer === undefined) world.unanswered.push({ namespace: write.namespace, name: write.name, value: write.value });
  return answer;
}

const objectPath = ({ namespace, name }: Target): string => `${collectionPath(namespace)}/${name}`;

/** Metadata alone must show what selectors see, so the type stands there as well. */
function objectOf(random: Random, { name, value }: Target, type: string): object {
  const tier = random.of(TIERS);
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, annotations: { value, type }, ...(tier === '' ? {} : { labels: { tier } }) },
    type,
    data: { filling: Buffer.alloc(random.below(3_000), 'x').toString('base64') },
  };
}

async function create(world: World, random: Random, target: Target): Promise<void> {
  const object = objectOf(random, target, random.of(TYPES));
  const answer = await send(world, target, (client) => client.post(collectionPath(target.namespace), object));
  if (answer === undefined) return;
  if (answer.status === 200 || answer.status === 201) acknowledge(world, versionOf(answer.body));
  else if (answer.status !== 409) throw unexpected('create', answer);
}

/** With the version that was read, as clients do, or without one. */
async function replace(world: World, random: Random, target: Target): Promise<void> {
  const known = await read(world, objectPath(target));
  if (known.status === 404) return;
  if (known.status !== 200) throw unexpected('get', known);
  const object = objectOf(random, target, known.body.type) as { metadata: Record<string, unknown> };
  if (random.below(2) === 0) object.metadata.resourceVersion = known.body.metadata.resourceVersion;
  const answer = await send(world, target, (client) => client.put(objectPath(target), object));
  if (answer === undefined) return;
  if (answer.status === 200) acknowledge(world, versionOf(answer.body));
  // changed, removed, or replaced by one of another type in the meantime
  else if (![404, 409, 422].includes(answer.status)) throw unexpected('replace', answer);
}

async function patch(world: World, random: Random, target: Target): Promise<void> {
  const tier = random.of(TIERS);
  const metadata = { annotations: { value: target.value }, labels: { tier: tier === '' ? null : tier } };
  const answer = await send(world, target, (client) => client.patch(objectPath(target), { metadata }));
  if (answer === undefined) return;
  if (answer.status === 200) acknowledge(world, versionOf(answer.body));
  else if (answer.status !== 404) throw unexpected('patch', answer);
}

async function remove(world: World, _random: Random, target: Target): Promise<void> {
  const answer = await send(world, { ...target, value: undefined }, (client) => client.delete(objectPath(target)));
  if (answer === undefined) return;
  if (answer.status === 200) world.acknowledged.push({ kind: 'deleted', namespace: target.namespace, name: target.name });
  else if (answer.status !== 404) throw unexpected('delete', answer);
}
