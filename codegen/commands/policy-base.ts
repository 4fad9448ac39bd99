/** Chooses the earlier state with which `check` compares the schemas. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { git, withTreeOf } from '../read/git-tree.ts';

/** An earlier state of the schemas, which `open` makes available. */
export interface PolicyBase {
  /** A name for people, such as `revision v0.1.0, the last tag`. */
  readonly name: string;
  /** Whether users have this state; otherwise it is one between two releases. */
  readonly isRelease: boolean;
  /** Runs `use` with a folder that holds `schemas/`. */
  readonly open: <T>(use: (folder: string) => Promise<T>) => Promise<T>;
}

/** A base, or a text that says why there is none. */
export type BaseChoice = PolicyBase | { readonly none: string };

/**
 * @param against a folder with `schemas/`, or a revision of git
 * @returns the base, or what is wrong if it is neither
 */
export function namedBase(root: string, against: string): BaseChoice {
  if (existsSync(path.join(against, 'schemas')))
    return { name: `the schemas in ${against}`, isRelease: true, open: (use) => use(path.resolve(against)) };
  const commit = git(root, 'rev-parse', '--verify', '--quiet', `${against}^{commit}`);
  if (commit === undefined) return { none: `${against} is neither a folder that holds schemas/ nor a revision that git knows here` };
  return revision(root, commit, `revision ${against}`, true);
}

/** Chooses the last release's tag; if there is none, the commit where the branch left the main one; otherwise the commit before. */
export function defaultBase(root: string): BaseChoice {
  const head = git(root, 'rev-parse', '--verify', '--quiet', 'HEAD^{commit}');
  if (head === undefined) return { none: 'this is no git repository with a commit' };
  const isChanged = git(root, 'status', '--porcelain', '--', 'schemas') !== '';
  const tag = lastTag(root, head, isChanged);
  if (tag !== undefined) return revision(root, tag, `revision ${tag}, the last tag`, true);
  const branches = ['origin/HEAD', 'origin/main', 'origin/master', 'main', 'master'];
  const fork = branches.map((branch) => git(root, 'merge-base', 'HEAD', branch)).find((commit) => commit !== undefined);
  const noTag = 'there is no tag of a release here';
  if (fork !== undefined && fork !== head)
    return revision(root, fork, `${short(fork)}, where this branch left the main one: ${noTag}`, false);
  if (isChanged) return revision(root, head, `${short(head)}, the last commit: ${noTag}`, false);
  const parent = git(root, 'rev-parse', '--verify', '--quiet', 'HEAD^');
  if (parent !== undefined) return revision(root, parent, `${short(parent)}, the commit before this one: ${noTag}`, false);
  return { none: `${noTag}, nor an earlier commit` };
}

/** @returns the last tag; if that is the commit itself and nothing has changed since, the tag before it */
function lastTag(root: string, head: string, isChanged: boolean): string | undefined {
  const describe = (from: string): string | undefined => git(root, 'describe', '--tags', '--abbrev=0', '--match', 'v[0-9]*', from);
  const tag = describe('HEAD');
  if (tag === undefined || isChanged || git(root, 'rev-parse', `${tag}^{commit}`) !== head) return tag;
  return describe('HEAD^') ?? tag;
}

function short(commit: string): string {
  return `revision ${commit.slice(0, 12)}`;
}

function revision(root: string, commit: string, name: string, isRelease: boolean): BaseChoice {
  if (git(root, 'ls-tree', '-d', '--name-only', commit, 'schemas') !== 'schemas') return { none: `${name} has no schemas/` };
  return { name, isRelease, open: (use) => withTreeOf(root, commit, use) };
}
