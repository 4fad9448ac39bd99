/** What a file calls the modules with types of other folders, beside names of its own. */
import type { TypeReference } from '../../model/client/client-model.ts';
import type { UniqueNames } from '../../model/client/type-names.ts';
import { moduleAlias, quote, relativeImport } from '../typescript.ts';

export class ModuleAliases {
  readonly #folder: string;
  readonly #names: UniqueNames;
  /** by folder */
  readonly #aliases = new Map<string, string>();

  /** @param folder of the file. @param names those that the file has for values and modules */
  constructor(folder: string, names: UniqueNames) {
    this.#folder = folder;
    this.#names = names;
  }

  /** A type as the file names it. */
  nameOf({ folder, name }: TypeReference): string {
    return folder === this.#folder ? name : `${this.#aliasOf(folder)}.${name}`;
  }

  /** Imports of all modules whose types were named, sorted by folder. */
  get imports(): string[] {
    const used = [...this.#aliases].sort(([a], [b]) => (a < b ? -1 : 1));
    return used.map(([folder, alias]) => `import type * as ${alias} from ${quote(relativeImport(this.#folder, `${folder}/types.ts`))};`);
  }

  #aliasOf(folder: string): string {
    const known = this.#aliases.get(folder);
    if (known !== undefined) return known;
    const alias = this.#names.claim(moduleAlias(folder));
    this.#aliases.set(folder, alias);
    return alias;
  }
}
