/** Parses the JSON of other servers' resources, for code that needs each of them. Each text is parsed once, a few kilobytes at a time. */
import type { ApiResourceDiscovery } from '../discovery/described-resource.ts';
import type { ResourcesText } from '../discovery/registry-view.ts';
import { inTurns } from '../event-loop/turns.ts';
import { parseSlices } from '../registry/stored-objects/sliced-reading.ts';

type Resources = readonly ApiResourceDiscovery[];

export class ReadResources {
  readonly #read = new WeakMap<ResourcesText, Promise<Resources>>();

  of(text: ResourcesText): Promise<Resources> {
    let read = this.#read.get(text);
    if (read === undefined) {
      const json = Buffer.from(text.buffer, text.byteOffset, text.length);
      read = inTurns(parseSlices(json)) as Promise<Resources>;
      this.#read.set(text, read);
    }
    return read;
  }
}
