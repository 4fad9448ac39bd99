/** Checks that placeholders name rows of the identity table, wherever text may hold them. */
import type { CheckContext } from './check-context.ts';

export function checkPlaceholders({ model, sources, report }: CheckContext): void {
  const known = new Set(Object.keys(model.identity.names));
  // Texts of structural schemas hold no placeholders.
  const structural = new Set(model.all.groupVersions.filter((each) => each.structural !== undefined).map(({ source }) => source));
  for (const { file, content } of sources.documents.filter((document) => !structural.has(document.file)))
    visitText(content, '', (text, path) => {
      for (const [placeholder, name = ''] of text.matchAll(/\$\{([^}]*)\}?/g))
        if (!known.has(name)) report('CS018', { file, path }, `${placeholder} is not in schemas/identity.yaml.`);
    });
}

function visitText(value: unknown, path: string, visit: (text: string, path: string) => void): void {
  if (typeof value === 'string') visit(value, path);
  else if (value !== null && typeof value === 'object')
    for (const [key, member] of Object.entries(value)) {
      if (key.includes('${')) visit(key, path);
      visitText(member, path === '' ? key : `${path}.${key}`, visit);
    }
}
