/** An informer over a server that answers what a test wants, and what its handlers were told. */
import { setTimeout as sleep } from 'node:timers/promises';
import * as assert from 'uvu/assert';
import { type ConfigMap, configmaps } from '../../../generated/client/core/v1/index.ts';
import { type Informer, type InformerOptions, informer, type ObjectChange } from '../../../generated/client/index.ts';
import { type Answers, bookmark, event, type ListWatchServer, listWatchServer } from './list-watch-server.ts';

export type MapInformer = Informer<ConfigMap>;

export interface Followed {
  readonly server: ListWatchServer;
  readonly informed: MapInformer;
  /** such as `ADDED a1 list`, in the order in which a handler was told */
  readonly told: string[];
  readonly errors: unknown[];
}

export const shown = ({ type, object, cause }: ObjectChange<ConfigMap>): string =>
  `${type} ${object.metadata.name}${object.metadata.resourceVersion} ${cause}`;

/** Runs `use` until it is done, or what it waits for takes too long. */
export async function following(
  answers: Answers,
  use: (given: Followed) => Promise<void>,
  options: InformerOptions<never> = {},
): Promise<void> {
  const server = await listWatchServer(answers);
  const informed = informer(server.client.resource(configmaps), options as object) as unknown as MapInformer;
  const told: string[] = [];
  const errors: unknown[] = [];
  informed.onError((error) => errors.push(error));
  informed.on((change) => told.push(shown(change)));
  informed.start();
  try {
    await use({ server, informed, told, errors });
  } finally {
    await informed.stop();
    server.close();
  }
}

/** @param what is shown where it takes too long */
export async function until(condition: () => boolean, what: () => unknown = () => ''): Promise<void> {
  const end = performance.now() + 20_000;
  while (!condition()) {
    assert.ok(performance.now() < end, `it takes too long: ${JSON.stringify(what())}`);
    await sleep(5);
  }
}

/** Two objects of the versions 1 and 2, and what comes later. */
export class TwoObjects {
  #later: (text: string) => void = () => {};

  readonly answers: Answers = (_asked, response) => {
    response.write(event('ADDED', 'a', '1') + event('ADDED', 'b', '2') + bookmark('5', true));
    this.#later = (text) => response.write(text);
  };

  /** To the watch that has begun. */
  send(text: string): void {
    this.#later(text);
  }
}
