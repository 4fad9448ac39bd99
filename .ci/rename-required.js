// Modules that are required on demand have the names of sources: what is published has others.
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const [root] = process.argv.slice(2);
const REQUIRED = /\brequire\('(\.\.?\/[^']+)\.ts'\)/g;

for (const name of globSync('**/*.js', { cwd: root })) {
  const file = path.join(root, name);
  const text = readFileSync(file, 'utf8');
  const renamed = text.replaceAll(REQUIRED, "require('$1.js')");
  if (renamed !== text) writeFileSync(file, renamed);
}
