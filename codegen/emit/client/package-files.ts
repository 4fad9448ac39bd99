/** What makes a package of a client's modules, for whoever publishes it or has it beside their own. */
import { render } from '../typescript.ts';

export interface PackageChoice {
  /** of npm */
  readonly name: string;
  /** those of this tree, by package: the client takes what it needs */
  readonly versions: Readonly<Record<string, string>>;
  /** of Node, such as `>=22.13` */
  readonly engine: string;
  /** folders with resources, for the example; at least one */
  readonly folders: readonly string[];
}

/** Packages that clients need, and that building them needs. */
const DEPENDENCIES = ['js-yaml'];
const DEVELOPMENT = ['@types/node', 'typescript'];

/** @returns text by path below the package's folder */
export function emitPackageFiles({ name, versions, engine, folders }: PackageChoice): Map<string, string> {
  const chosen = (packages: readonly string[]) => Object.fromEntries(packages.map((each) => [each, versions[each] ?? '*']));
  const manifest = {
    name,
    version: '0.1.0',
    private: true,
    type: 'module',
    sideEffects: false,
    exports: {
      '.': { types: './dist/index.d.ts', default: './dist/index.js' },
      './*': { types: './dist/*/index.d.ts', default: './dist/*/index.js' },
    },
    files: ['dist'],
    engines: { node: engine },
    scripts: { build: 'tsc -p .', prepack: 'npm run build' },
    dependencies: chosen(DEPENDENCIES),
    devDependencies: chosen(DEVELOPMENT),
  };
  return new Map([
    ['package.json', `${JSON.stringify(manifest, null, 2)}\n`],
    ['tsconfig.json', `${JSON.stringify(COMPILER, null, 2)}\n`],
    ['README.md', render('client/README.md.hbs', { name, folders })],
  ]);
}

const COMPILER = {
  compilerOptions: {
    target: 'es2023',
    module: 'nodenext',
    lib: ['esnext'],
    types: ['node'],
    strict: true,
    verbatimModuleSyntax: true,
    erasableSyntaxOnly: true,
    rewriteRelativeImportExtensions: true,
    skipLibCheck: true,
    declaration: true,
    rootDir: 'src',
    outDir: 'dist',
  },
  include: ['src'],
};
