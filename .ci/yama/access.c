// What the kernel in truth allows, and how a job or a program gets there.
//   access PID              yes or no: may this process read the memory of PID with process_vm_readv?
//   access child FILE CMD…  the same of the process whose number CMD, its child, writes into FILE
//   access allow CMD…       runs CMD with every process allowed to read it (PR_SET_PTRACER)
//   access grant FILE       gives the program FILE the capability SYS_PTRACE, as setcap does
#define _GNU_SOURCE
#include <errno.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/uio.h>
#include <sys/xattr.h>
#include <unistd.h>

// may reads a byte where nothing is mapped: the right is checked before the address.
static int may(int pid) {
  char byte;
  struct iovec to = {&byte, 1}, from = {(void *)1, 1};
  if (process_vm_readv(pid, &to, 1, &from, 1, 0) >= 0 || errno == EFAULT) return puts("yes");
  return puts(errno == EPERM ? "no" : strerror(errno));
}

static int child(char **argv) {
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  if (fork() == 0) exit(execvp(argv[1], argv + 1));
  int pid = 0;
  for (int i = 0; i < 300; i++, usleep(100000)) {
    FILE *f = fopen(argv[0], "r");
    if (f && fscanf(f, "%d", &pid) == 1) break;
    if (f) fclose(f);
  }
  usleep(500000);  // it becomes the job
  return may(pid);
}

static int grant(const char *file) {
  struct vfs_cap_data d = {VFS_CAP_REVISION_2 | VFS_CAP_FLAGS_EFFECTIVE, {{1 << CAP_SYS_PTRACE, 0}}};
  return setxattr(file, "security.capability", &d, XATTR_CAPS_SZ_2, 0) ? (perror(file), 1) : 0;
}

int main(int argc, char **argv) {
  if (argc > 3 && !strcmp(argv[1], "child")) return child(argv + 2) < 0;
  if (argc > 2 && !strcmp(argv[1], "grant")) return grant(argv[2]);
  if (argc > 2 && !strcmp(argv[1], "allow")) return prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0) || execvp(argv[2], argv + 2);
  return may(atoi(argv[1])) < 0;
}
