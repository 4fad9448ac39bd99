/** Names that a file gives to the modules with types of other folders, so that they differ from its own names. */
import type { TypeReference } from '../../model/client/client-model.ts';
import type { UniqueNames } from '../../model/client/type-names.ts';
import { moduleAlias, quote, relativeImport } from '../typescript.ts';

/** The aliases of one file. Naming a type of another folder has the file import its module. */
export class ModuleAliases {
  readonly #folder: string;
  readonly #names: UniqueNames;
  /** Aliases of modules by folder. */
  readonly #aliases = new Map<string, string>();

  /**
   * @param folder the folder of the file
   * @param names the names of values and modules in the file; an alias is claimed among them when it is first needed
   */
  constructor(folder: string, names: UniqueNames) {
    this.#folder = folder;
    this.#names = names;
  }

  /** @returns a type as the file names it */
  nameOf({ folder, name }: TypeReference): string {
    return folder === this.#folder ? name : `${this.#aliasOf(folder)}.${name}`;
  }

  /** Imports of all modules whose types `nameOf` was asked for, sorted by folder. */
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
