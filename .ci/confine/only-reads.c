/* only-reads COMMAND ARG…: runs a command under a seccomp filter that kills it
 * when it opens anything for writing, makes or removes a file, starts another
 * program, opens a socket to the network, attaches to a process, writes into
 * one, or sends a signal to any process but itself. */
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NUMBER BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr))
#define LOW(n) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[n]))
#define HIGH(n) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[n]) + 4)
#define KILL BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS)
#define ALLOW BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
#define NEVER(call) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_##call, 0, 1), KILL
/* Opening is fine when only reading is asked for. */
#define READ_ONLY(call, flags)                                                                 \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_##call, 0, 4), LOW(flags),                    \
	BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, O_WRONLY | O_RDWR | O_CREAT | O_TRUNC, 0, 1), KILL, ALLOW
/* A signal may go to the process itself: that is how Go pauses its own threads. */
#define OWN(call) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_##call, 0, 4), LOW(0), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, self, 1, 0), KILL, ALLOW

int main(int argc, char **argv) {
	if (argc < 2) return 2;
	const uint32_t self = (uint32_t)getpid(); /* kept by exec */
	const uint64_t path = (uint64_t)(uintptr_t)argv[1]; /* of the one exec that is allowed */
	struct sock_filter filter[] = {
		NUMBER,
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_execve, 0, 6),
		LOW(0), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)path, 0, 2),
		HIGH(0), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)(path >> 32), 1, 0),
		KILL, ALLOW,
		READ_ONLY(open, 1), READ_ONLY(openat, 2),
		OWN(kill), OWN(tgkill),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_socket, 0, 4), LOW(0), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AF_UNIX, 1, 0), KILL, ALLOW,
		NEVER(execveat), NEVER(ptrace), NEVER(process_vm_writev), NEVER(tkill), NEVER(creat), NEVER(unlink), NEVER(unlinkat), NEVER(rename),
		NEVER(renameat), NEVER(renameat2), NEVER(mkdir), NEVER(mkdirat), NEVER(symlink), NEVER(symlinkat), NEVER(link), NEVER(linkat), NEVER(chmod),
		NEVER(fchmod), NEVER(fchmodat), NEVER(chown), NEVER(fchown), NEVER(fchownat), NEVER(truncate), NEVER(ftruncate), NEVER(mknod),
		NEVER(mknodat), NEVER(setxattr), NEVER(mount), NEVER(setuid), NEVER(setresuid), NEVER(setns), NEVER(unshare), NEVER(bpf),
		NEVER(perf_event_open), NEVER(init_module), NEVER(openat2), NEVER(pidfd_send_signal), NEVER(pidfd_getfd), NEVER(io_uring_setup),
		ALLOW,
	};
	struct sock_fprog program = { sizeof filter / sizeof *filter, filter };
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)) {
		perror("seccomp");
		return 1;
	}
	execve(argv[1], argv + 1, environ);
	perror(argv[1]);
	return 127;
}
