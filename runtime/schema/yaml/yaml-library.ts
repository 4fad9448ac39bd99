/** The YAML library, which is loaded with the first YAML text: a server that only gets JSON and protobuf does not need it. */
import { createRequire } from 'node:module';

type YamlLibrary = typeof import('js-yaml');

let library: YamlLibrary | undefined;

export function yamlLibrary(): YamlLibrary {
  library ??= createRequire(import.meta.url)('js-yaml') as YamlLibrary;
  return library;
}

/** Loads the library in a way that bundlers recognize. */
export async function loadYamlLibrary(): Promise<void> {
  library ??= await import('js-yaml');
}
