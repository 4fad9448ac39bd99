/*
 * Preloaded into a process, it has calls of the C library fail with EIO, as they do on a disk that fails. Which calls, and of which files, is asked at each call: the
 * file that the variable FAILING_CALLS names has a line for each, a word and a part of the file's path.
 *
 *   read PART    reading
 *   write PART   writing, but through a descriptor that flushes each write: nothing is written
 *   flush PART   fsync and fdatasync: what was written before stays in the system's cache, and may be lost
 *   sync PART    writing through a descriptor that flushes each write: it is written, and said to have failed
 *   drop PART    the same, but nothing is written
 *   last PART    the same, but nothing is written behind the first one
 *   hang PART    fsync and fdatasync do not return for as long as the line stands there
 *
 * It needs no headers, so that any compiler makes it. Types are those of 64-bit Linux.
 */
typedef long ssize;
typedef unsigned long size;

int *__errno_location(void);
void *dlsym(void *handle, const char *name);
char *getenv(const char *name);
int open(const char *path, int flags, ...);
int close(int file);
int fcntl(int file, int command, ...);
ssize readlink(const char *path, char *target, size length);
int usleep(unsigned microseconds);
int snprintf(char *text, size length, const char *format, ...);
char *strstr(const char *text, const char *part);
char *strchr(const char *text, int letter);
size strlen(const char *text);
int strncmp(const char *one, const char *other, size length);

#define EIO 5
#define O_CLOEXEC 02000000
#define F_GETFL 3
#define O_DSYNC 010000
#define RTLD_NEXT ((void *)-1l)

/* What the name means behind this library. */
#define NEXT(type, name) ((type)dlsym(RTLD_NEXT, name))

typedef ssize (*plain)(int, void *, size);
typedef ssize (*placed)(int, void *, size, long);
typedef int (*flushing)(int);

static ssize rules(char *text, size length) {
  const char *path = getenv("FAILING_CALLS");
  int file = path ? open(path, O_CLOEXEC) : -1;
  if (file < 0) return 0;
  ssize read = NEXT(plain, "read")(file, text, length - 1);
  close(file);
  if (read < 0) read = 0;
  text[read] = 0;
  return read;
}

static int fails(const char *call, int file) {
  int before = *__errno_location();
  char text[1024], link[64], path[4096];
  int found = 0;
  if (rules(text, sizeof text) > 0) {
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize length = readlink(link, path, sizeof path - 1);
    path[length < 0 ? 0 : length] = 0;
    for (char *line = text, *end; !found && (end = strchr(line, '\n')); line = end + 1) {
      *end = 0;
      found = !strncmp(line, call, strlen(call)) && line[strlen(call)] == ' ' && strstr(path, line + strlen(call) + 1);
    }
  }
  *__errno_location() = found ? EIO : before;
  return found;
}

ssize read(int file, void *bytes, size length) {
  return fails("read", file) ? -1 : NEXT(plain, "read")(file, bytes, length);
}

ssize pread64(int file, void *bytes, size length, long at) {
  return fails("read", file) ? -1 : NEXT(placed, "pread64")(file, bytes, length, at);
}

static int flushes(int file) { return fcntl(file, F_GETFL) & O_DSYNC; }

ssize write(int file, void *bytes, size length) {
  return fails("write", file) ? -1 : NEXT(plain, "write")(file, bytes, length);
}

ssize writev(int file, void *parts, int count) {
  return fails("write", file) ? -1 : NEXT(ssize(*)(int, void *, int), "writev")(file, parts, count);
}

ssize pwrite64(int file, void *bytes, size length, long at) {
  static int was_last;
  if (fails(flushes(file) ? "drop" : "write", file)) return -1;
  int is_last = flushes(file) && fails("last", file);
  if (is_last && was_last) return -1;
  was_last = is_last;
  ssize written = NEXT(placed, "pwrite64")(file, bytes, length, at);
  return is_last || (flushes(file) && fails("sync", file)) ? -1 : written;
}

static int flush(const char *call, int file) {
  while (fails("hang", file)) usleep(50000);
  return fails("flush", file) ? -1 : NEXT(flushing, call)(file);
}

int fsync(int file) { return flush("fsync", file); }

int fdatasync(int file) { return flush("fdatasync", file); }
