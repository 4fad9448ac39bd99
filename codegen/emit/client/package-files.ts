/** Writes the files that make an npm package of a client's modules, for whoever publishes it or keeps it beside their own. */
import { render } from '../typescript.ts';

/** What the files of a package name. */
export interface PackageChoice {
  /** Name of the npm package. */
  readonly name: string;
  /** Versions of npm packages that this tree uses, by name. The client's package takes those that it needs. */
  readonly versions: Readonly<Record<string, string>>;
  /** Versions of Node that it runs on, such as `>=22.13`. */
  readonly engine: string;
  /** Folders with resources, for the example in its README; at least one. */
  readonly folders: readonly string[];
}

/** npm packages that are needed to build clients. To run they need none. */
const DEVELOPMENT = ['@types/node', 'typescript'];

/** @returns the texts of the files, by path below the package's folder */
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
