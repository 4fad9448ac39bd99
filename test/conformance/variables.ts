/** What a conversation knows by name: `u`, a suffix of its own, `ns`, the namespace made of it, what all know, and what it kept of answers. */

/** Texts that are shorter occur by chance. */
const TELLING_LENGTH = 6;

export class Variables {
  readonly #values: Map<string, string>;

  /**
   * @param suffix unique among all conversations with a server; lower-case letters and digits, a letter first
   * @param known what all conversations with the server know
   */
  constructor(suffix: string, known: ReadonlyMap<string, string> = new Map()) {
    this.#values = new Map([['u', suffix], ['ns', `conf-${suffix}`], ...known]);
  }

  get namespace(): string {
    return this.#values.get('ns') as string;
  }

  keep(name: string, value: string): void {
    this.#values.set(name, value);
  }

  /** The text with values in place of `{{NAME}}`. @throws Error for a name that nothing was kept by */
  fill(text: string): string {
    return text.replace(/\{\{([\w.-]+)\}\}/g, (_, name: string) => {
      const value = this.#values.get(name);
      if (value === undefined) throw new Error(`nothing was kept as ${name}`);
      return value;
    });
  }

  /** `{{NAME}}` when the whole text is a value that was kept of an answer. */
  nameOf(text: string): string | undefined {
    if (text === '') return undefined;
    for (const [name, value] of this.#values) if (value === text && name !== 'u' && name !== 'ns') return `{{${name}}}`;
    return undefined;
  }

  /** The text with `{{NAME}}` wherever it holds a value that is telling: long, and no number. */
  conceal(text: string): string {
    let concealed = text;
    for (const [name, value] of this.#values)
      if (value.length >= TELLING_LENGTH && /\D/.test(value)) concealed = concealed.replaceAll(value, `{{${name}}}`);
    return concealed;
  }
}
