/** Decides under which seccomp profile each container of a pod runs (specification: Pod seccomp fields). */
import path from 'node:path';
import type { Container, EphemeralContainer, Pod, SeccompProfile } from '../../../generated/core/v1/types.ts';
import { FileError } from '../../files/file-error.ts';
import { checkProfileFile } from './profile.ts';

export interface ContainerProfile {
  /** the list of the pod's spec that the container is in */
  readonly list: 'initContainers' | 'containers' | 'ephemeralContainers';
  /** the container's name */
  readonly container: string;
  /** the type of the profile, such as `RuntimeDefault`; a type that does not exist is told by `problem` */
  readonly type: string;
  /** absolute path of the profile's file; undefined if the type is not `Localhost`, or if the pod names no file that is allowed */
  readonly file: string | undefined;
  /** what the profile is chosen by: the path of a field of the pod, the flag `--seccomp-default`, or `default` */
  readonly from: string;
  /** why the container cannot be created, for the message of a container that waits with the reason `CreateContainerError`; undefined if it can be */
  readonly problem: string | undefined;
}

export interface ProfileSettings {
  /** absolute path of the agent's folder; the files of profiles are in its folder `seccomp` */
  readonly rootDirectory: string;
  /** whether containers for which the pod chooses no profile run under the profile of the runtime; otherwise they run without one */
  readonly seccompDefault: boolean;
}

/** The reason in the waiting state of a container that cannot be created. */
export const CREATE_CONTAINER_ERROR = 'CreateContainerError';

/**
 * Chooses the profile of every container of a pod, and checks the files of the profiles that the pod names.
 * @returns the profiles of init containers, then of containers, then of ephemeral containers, each in the order of the pod's spec
 */
export async function containerProfiles({ spec }: Pick<Pod, 'spec'>, settings: ProfileSettings): Promise<ContainerProfile[]> {
  const ofPod = spec?.securityContext?.seccompProfile;
  const lists = ['initContainers', 'containers', 'ephemeralContainers'] as const;
  const chosen = lists.flatMap((list) =>
    ((spec?.[list] ?? []) as readonly (Container | EphemeralContainer)[]).map((container, index) => ({
      list,
      container: container.name,
      ...choose(container, { list, index, ofPod, seccompDefault: settings.seccompDefault }),
    })),
  );
  return await Promise.all(
    chosen.map(async ({ profile, ...each }) => ({ ...each, type: profile.type, ...(await fileOf(profile, settings.rootDirectory)) })),
  );
}

interface Circumstances {
  readonly list: ContainerProfile['list'];
  readonly index: number;
  readonly ofPod: SeccompProfile | null | undefined;
  readonly seccompDefault: boolean;
}

function choose(
  { securityContext }: Container | EphemeralContainer,
  { list, index, ofPod, seccompDefault }: Circumstances,
): { profile: SeccompProfile; from: string } {
  const field = `spec.${list}[${index}].securityContext`;
  if (securityContext?.privileged === true) return { profile: { type: 'Unconfined' }, from: `${field}.privileged` };
  const own = securityContext?.seccompProfile;
  if (own) return { profile: own, from: `${field}.seccompProfile` };
  if (ofPod) return { profile: ofPod, from: 'spec.securityContext.seccompProfile' };
  return { profile: { type: seccompDefault ? 'RuntimeDefault' : 'Unconfined' }, from: seccompDefault ? '--seccomp-default' : 'default' };
}

async function fileOf(
  { type, localhostProfile }: SeccompProfile,
  rootDirectory: string,
): Promise<Pick<ContainerProfile, 'file' | 'problem'>> {
  if (type === 'RuntimeDefault' || type === 'Unconfined') return { file: undefined, problem: undefined };
  if (type !== 'Localhost') return { file: undefined, problem: `there is no seccomp profile type "${type}"` };
  const problem = pathProblem(localhostProfile ?? '');
  if (problem !== undefined) return { file: undefined, problem };
  const file = path.join(rootDirectory, 'seccomp', localhostProfile as string);
  return { file, problem: await fileProblem(file) };
}

function pathProblem(localhostProfile: string): string | undefined {
  if (localhostProfile === '') return 'localhostProfile must be set if seccompProfile type is Localhost';
  if (path.isAbsolute(localhostProfile)) return `localhostProfile "${localhostProfile}" must be a relative path`;
  return localhostProfile.split('/').includes('..') ? `localhostProfile "${localhostProfile}" must not contain '..'` : undefined;
}

async function fileProblem(file: string): Promise<string | undefined> {
  try {
    const { problems } = await checkProfileFile(file);
    return problems.length === 0 ? undefined : `cannot load seccomp profile "${file}": ${problems.join('; ')}`;
  } catch (error) {
    const reason = error instanceof FileError ? error.problems.join('; ') : (error as Error).message;
    return `cannot load seccomp profile "${file}": ${reason}`;
  }
}
